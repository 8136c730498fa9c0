"""The page of an API: what each part of it says of deprecated and of unstable versions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docgen.histories import field, inputs, own_book, own_pages, request
from tests.docgen.render.lined import lined_page
from wirebook.docgen.catalog.json_records import from_json, to_json
from wirebook.docgen.catalog.records import FieldRecord
from wirebook.docgen.pipeline.run import build
from wirebook.docgen.render.book import Book
from wirebook.docgen.render.kit.page import Page

pytestmark = pytest.mark.xdist_group("book")


@pytest.fixture
def page(tmp_path: Path) -> str:
    """The page of an API with versions 0 and 1 deprecated and version 4 unstable in the newest release."""
    plain = request("Foo", 3, "0-3", field("A"))
    marked = request("Foo", 3, "0-4", field("A"), deprecatedVersions="0-1", latestVersionUnstable=True)
    build(inputs({"1.0.0": [plain], "1.1.0": [marked]}), tmp_path)
    return next(str(page.html) for page in Book.of(tmp_path).pages() if page.path == "api/foo/")


def test_the_badges_the_bar_and_the_table_say_the_same(page: str) -> None:
    states = ["unstable", "current", "current", "deprecated", "deprecated"]
    assert '<span class="wb-b wb-current">versions 0-4</span>' in page
    assert '<span class="wb-b wb-unstable">4 unstable</span>' in page
    assert re.findall(r'<a class="wb-at-(\w+)" href="#v(\d)"', page) == [
        (state, str(number)) for state, number in zip(states, (4, 3, 2, 1, 0), strict=True)
    ]
    table = page.partition('<table class="wb-versions')[2].partition("</table>")[0]
    assert re.findall(r'<td><span class="wb-b wb-\w+">(\w+)</span>', table) == states


@pytest.mark.parametrize("repository", ["https://example.org/a/b.git", ""])
def test_each_field_has_its_line_in_the_spec(repository: str, tmp_path: Path) -> None:
    html, path, text = lined_page(tmp_path, repository)
    found = re.findall(r'<tr id="v1-([a-z-]+)" class="d\d" data-l="(\d+)">', html)
    assert html.count("data-l=") == len(found), "only the version that is shown in full"
    lines = text.split("\n")
    names = {"a": "A", "c": "C", "c-d": "D", "c-e": "E", "b": "B", "b-f": "F"} if repository else {}
    assert {name: lines[int(line)].strip() for name, line in found} == {
        name: f'"name": "{own}",' for name, own in names.items()
    }
    for name, line in found:
        assert lines[int(line) - 1].strip() == "{"
        assert name != "a" or '"type": "int64"' in lines[int(line) + 1]
    place = f'href="https://example.org/a/b/blob/1.0.0/{path}#L1">FooRequest.json at 1.0.0</a>'
    assert (place in html) == bool(repository)


def own_page(api: str) -> Page:
    """The page of an API of the embedded specs."""
    return own_pages()[f"api/{api}/"]


def test_a_field_lists_its_values_in_the_versions_that_know_them() -> None:
    page = own_page("list-offsets")
    row = re.search(r'<tr id="v11-topics-partitions-timestamp".*?</tr>', str(page.html), re.DOTALL)
    assert row is not None
    listed = re.findall(r"<dt>(-?\d+)</dt><dd><b>(.*?)</b> (.*?)</dd>", row[0])
    assert [number for number, _, _ in listed] == ["-1", "-2", "-3", "-4", "-5", "-6"]
    assert "EARLIEST_<wbr>PENDING_<wbr>UPLOAD" in listed[-1][1]
    assert 'kips/#kip-1023">KIP-1023</a>' in listed[-1][2]
    document = next(each for each in own_book().documents if each.api == "ListOffsets")
    timestamp = next(item for item in document.messages[0].fields if item.path.endswith(".Timestamp"))
    assert [item.value for item in timestamp.values.at(8).listed] == [-1, -2, -3, -4]
    assert from_json(FieldRecord, to_json(timestamp)) == timestamp


def test_a_removed_field_has_the_version_and_the_release_that_dropped_it(tmp_path: Path) -> None:
    kept = (field("A"), field("Early", "int32", "0"), field("Late", "int32", "0-1"))
    # A field of the newest stable version, or of an unstable one, is no removed one.
    here = (field("Now", "int8", "0-2"), field("Trial", "string", "3"))
    releases = {
        "1.0.0": [request("Foo", 3, "0-1", *kept, field("Gone"))],
        "1.1.0": [request("Foo", 3, "0-2", *kept, field("Gone"))],
        "2.0.0": [request("Foo", 3, "1-3", *kept, *here, latestVersionUnstable=True)],
    }
    build(inputs(releases), tmp_path)
    page = next(str(page.html) for page in Book.of(tmp_path).pages() if page.path == "api/foo/")
    rows = re.findall(r'<tr id="gone-(\w+)">.*?<td>added in [\w. ]*(?:<br>)?([^<]*)', page)
    assert rows == [
        ("late", "last in version 1 (dropped in 2, 1.1.0)"),
        ("early", "removed in 2.0.0"),
        ("gone", "removed in 2.0.0"),
    ]
