"""The page of an API: what each part of it says of deprecated and of unstable versions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docgen.histories import field, inputs, own_book, own_pages, request
from tests.docgen.pages.lined import lined_page
from wirebook.docgen.catalog.records import FieldRecord
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.contents import pages
from wirebook.docgen.pages.page import Page
from wirebook.docgen.pipeline.run import build
from wirebook.specs.json_records import from_json, to_json

pytestmark = pytest.mark.xdist_group("book")


@pytest.fixture
def page(tmp_path: Path) -> str:
    """The page of an API with versions 0 and 1 deprecated and version 4 unstable in the newest
    release."""
    plain = request("Foo", 3, "0-3", field("A"))
    marked = request(
        "Foo", 3, "0-4", field("A"), deprecatedVersions="0-1", latestVersionUnstable=True
    )
    build(inputs({"1.0.0": [plain], "1.1.0": [marked]}), tmp_path)
    return next(str(page.html) for page in pages(Book.open(tmp_path)) if page.path == "api/foo/")


def test_the_badges_the_bar_and_the_table_say_the_same(page: str) -> None:
    states = ["unstable", "current", "current", "deprecated", "deprecated"]
    assert '<span class="wb-b wb-current">versions 0-4</span>' in page
    assert '<span class="wb-b wb-unstable">4 unstable</span>' in page
    assert re.findall(r'<a class="wb-at-(\w+)" href="v(\d)/"', page) == [
        (state, str(number)) for state, number in zip(states, (4, 3, 2, 1, 0), strict=True)
    ]
    table = page.partition('<table class="wb-versions')[2].partition("</table>")[0]
    assert re.findall(r'<td><span class="wb-b wb-\w+">(\w+)</span>', table) == states


def test_an_api_that_no_release_serves_has_its_page_alone(tmp_path: Path) -> None:
    build(inputs({"1.0.0": [request("Foo", 3, "none"), request("Bar", 4, "0")]}), tmp_path)
    paths = [page.path for page in pages(Book.open(tmp_path))]
    assert [path for path in paths if path.startswith("api/foo")] == ["api/foo/"]


def test_a_removal_says_when_the_versions_returned() -> None:
    page = str(own_pages()["api/join-group/"].html)
    assert "Removed in Kafka 4.0: versions 0-1, returned in 4.0.1. <strong>" in page
    assert "Removed in Kafka 4.0: versions 0-2. <strong>" in str(own_pages()["api/produce/"].html)


def test_an_api_opens_at_the_version_of_the_release_that_a_reader_chose() -> None:
    html = str(own_page("fetch").html)
    choices = dict(re.findall(r'<option value="([^"]+)" data-v="(\d+)">', html))
    assert (choices["2.8"], choices["3.9"], choices["4.3"]) == ("12", "17", "18")
    assert choices["kafka-python 3.0.12"] == "12"


def test_the_spec_of_a_message_is_linked_at_its_line(tmp_path: Path) -> None:
    html, path = lined_page(tmp_path, "https://example.org/a/b.git")
    assert (
        f'href="https://example.org/a/b/blob/1.0.0/{path}#L1">FooRequest.json at 1.0.0</a>' in html
    )


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
    timestamp = next(
        item for item in document.messages[0].fields if item.path.endswith(".Timestamp")
    )
    assert [item.value for item in timestamp.values.at(8).listed] == [-1, -2, -3, -4]
    assert from_json(FieldRecord, to_json(timestamp)) == timestamp


def test_a_version_has_all_that_concerns_it() -> None:
    html = str(own_pages()["api/fetch/v12/"].html)
    assert "Served by Kafka 2.7 to 4.4." in html
    assert "kafka-python 3.0.12" in html
    assert 'id="v12-topics-partitions-fetchoffset"' in html
    for heading in ("request-bytes", "response-bytes", "errors"):
        assert f' id="{heading}"' in html or f' id="v12-{heading}"' in html
    assert "FETCH_<wbr>SESSION_<wbr>ID_<wbr>NOT_<wbr>FOUND" in html
    # The batch in the field of records is opened.
    assert "Batch<wbr>Length" in html
    # An error of other versions is not here.
    assert "INCONSISTENT_<wbr>TOPIC_<wbr>ID" not in html
    assert "INCONSISTENT_<wbr>TOPIC_<wbr>ID" in str(own_page("fetch").html)
