"""Pages of small protocols: what they say of versions, names and structs that histories have."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.docgen.catalog.levels import at, by_levels, order
from tests.docgen.histories import Spec, field, inputs, request, response
from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import NewsItem, SnapshotRecord
from wirebook.docgen.catalog.shared_structs import StructFieldRecord, StructRecord
from wirebook.docgen.pipeline.run import build
from wirebook.docgen.render.book import Book
from wirebook.docgen.render.kit.mentions import Mentions
from wirebook.docgen.render.kit.page import Page
from wirebook.docgen.render.pages.levels import level_page
from wirebook.docgen.render.pages.snapshots import snapshot_pages
from wirebook.docgen.render.pages.structs import struct_pages
from wirebook.specs.versions import VersionSet


def book(folder: Path, releases: dict[str, list[Spec]]) -> Book:
    """The pages of some releases."""
    build(inputs(releases), folder)
    return Book.of(folder)


def page(folder: Path, path: str, releases: dict[str, list[Spec]]) -> Page:
    """One of them."""
    return next(each for each in book(folder, releases).pages() if each.path == path)


def data(name: str, valid: str, *fields: Spec) -> Spec:
    """The spec of a message that is no request and no response."""
    spec = request(name, 0, valid, *fields)
    del spec["apiKey"], spec["listeners"]
    return spec | {"type": "data", "name": name}


def test_another_schema_is_of_the_releases_that_had_it_and_of_none_between(tmp_path: Path) -> None:
    old, new = [request("Foo", 3, "0", field("A"))], [request("Foo", 3, "0", field("A", "int64"))]
    releases = {"1.0.0": old, "1.0.1": new, "1.1.0": old, "1.2.0": old, "1.3.0": new}
    api = page(tmp_path, "api/foo/", releases)
    assert "1.0.0, 1.1.0 to 1.2.0 had another schema of this version." in api.html


def test_fields_of_one_type_that_changed_places_are_another_schema(tmp_path: Path) -> None:
    old = [request("Foo", 3, "0", field("A"), field("B"))]
    new = [request("Foo", 3, "0", field("B"), field("A"))]
    html = page(tmp_path, "api/foo/", {"1.0.0": old, "1.1.0": new}).html
    assert "1.0.0 had another schema of this version. Since then: B moves from place 2 to place 1." in html


def test_a_response_that_a_version_lacks_is_not_unchanged(tmp_path: Path) -> None:
    specs = [request("Foo", 3, "0-2", field("A")), response("Foo", 3, "2", field("B"))]
    pages = {each.path: str(each.html) for each in book(tmp_path, {"1.0.0": specs}).pages()}
    of_response = pages["api/foo/"].partition('id="v2-response"')[2].partition("</table>")[0]
    assert "FooResponse version 2" in of_response
    assert "Schema unchanged" not in of_response
    step = pages["api/foo/upgrade/"].partition('id="v2"')[2]
    assert "<dt>Response</dt>\n<dd>Version 1 has no response.</dd>" in step
    assert '<td data-is="schema">response</td>' in pages["api/foo/upgrade/"]


def test_a_field_that_was_removed_twice_is_gone_since_the_second_time(tmp_path: Path) -> None:
    both = [request("Foo", 3, "0", field("A"), field("B"))]
    one = [request("Foo", 3, "0", field("A"))]
    html = page(tmp_path, "api/foo/", {"1.0.0": both, "1.1.0": one, "1.2.0": both, "1.3.0": one}).html
    assert "Removed in: 1.3.0" in html


def test_versions_above_2000_are_compared_like_others(tmp_path: Path) -> None:
    old = [request("Foo", 3, "3000-3001", field("A"), field("B", versions="3001+"))]
    new = [request("Foo", 3, "3001-3002", field("A"), field("B", versions="3001+"))]
    pages = {each.path: str(each.html) for each in book(tmp_path, {"1.0.0": old, "1.1.0": new}).pages()}
    assert "Removed fields" not in pages["api/foo/"]
    assert 'class="new cut"' in pages["matrix/"]


def test_former_names_are_of_earlier_releases_and_of_the_request(tmp_path: Path) -> None:
    pair = [request("Foo", 3, "0", field("A")), response("Bar", 3, "0", field("B"))]
    html = page(tmp_path, "api/foo/", {"1.0.0": pair}).html
    assert "Formerly called" not in html
    (tmp_path / "renamed").mkdir()
    renamed = {"1.0.0": [request("Old", 3, "0", field("A"))], "1.1.0": pair}
    assert "Formerly called Old." in page(tmp_path / "renamed", "api/foo/", renamed).html


def test_a_name_is_first_of_all_that_of_what_has_it_now(tmp_path: Path) -> None:
    old = [request("Foo", 3, "0", field("A"))]
    new = [request("Moved", 3, "0", field("A")), request("Foo", 4, "0", field("A"))]
    catalog = book(tmp_path, {"1.0.0": old, "1.1.0": new}).catalog
    assert (catalog.api("Foo").api_key, catalog.api("Moved").former_names) == (4, ("Foo",))


def test_a_message_called_like_an_api_does_not_take_its_links(tmp_path: Path) -> None:
    built = book(tmp_path, {"1.0.0": [request("Foo", 3, "0", field("A")), data("Foo", "0", field("B"))]})
    slugs = {(row.api, row.kind): row.slug for row in built.index}
    assert built.slugs["Foo"] == slugs["Foo", "api"] != slugs["Foo", "data"]


def test_keys_of_other_tools_are_no_problems(tmp_path: Path) -> None:
    spec = request("Foo", 3, "0", field("A")) | {"x-owner": "Bar", "odd": 1}
    html = page(tmp_path, "api/foo/", {"1.0.0": [spec]}).html
    assert "<code>odd</code>" in html
    assert "x-owner" not in html


@pytest.mark.parametrize(("files", "links"), [(("a", "b"), True), (("c", "d"), False)])
def test_a_struct_leads_to_the_struct_of_its_own_file(files: tuple[str, str], links: bool) -> None:
    inner = StructFieldRecord("In", 0, "[]Inner", "0+", "", "", "")
    outer = StructRecord("Outer", "outer", "a", "0+", (inner,), ())
    inners = [StructRecord("Inner", f"inner-{path}", path, "0+", (), ()) for path in files]
    pages = {each.path: each.html for each in struct_pages([*inners, outer], {}, Mentions({}, frozenset()))}
    html = pages["structs/outer/"]
    assert ('<a href="../../structs/inner-a/">' in html) == links
    assert "structs/inner-b/" not in html
    assert "structs/inner-d/" not in html


def test_a_level_counts_the_versions_of_other_messages(tmp_path: Path) -> None:
    specs = order("0-1", [at(0, "1.0-IV0"), at(1, "1.0-IV0")])
    build(by_levels(specs), tmp_path)
    built = Book.of(tmp_path)
    others = [replace(document, kind="data") for document in built.documents]
    level = next(level for level in built.catalog.levels if level.version == "1.0-IV0")
    for protocol, words in (
        (replace(built.protocol, family=""), "2 versions of other messages"),
        (replace(built.protocol, family="kafka"), "2 versions of records, headers and other data"),
    ):
        (levels,) = level_page([level], others, protocol, Mentions({}, frozenset()))
        assert f"New versions: {words}." in levels.html


def test_patch_releases_are_in_the_order_of_their_numbers() -> None:
    news = [
        NewsItem("foo", "Foo", VersionSet.of([0]), "", event="added", by_release=release)
        for release in ("3.9.10", "3.9.2", "3.9.1")
    ]
    snapshot = SnapshotRecord(
        "4.0.0", "release", None, None, None, None, "3.9.0", {}, tuple(news), (), (), (), (), ()
    )
    (html,) = (
        str(each.html)
        for each in snapshot_pages([], [snapshot], (), ProtocolRecord(), {}, Mentions({}, frozenset()))
        if each.path == "releases/4.0.0/"
    )
    titles = re.findall("With the patch release ([0-9.]+)", html)
    assert titles == ["3.9.1", "3.9.2", "3.9.10"]


def test_an_unstable_version_can_be_deprecated_now(tmp_path: Path) -> None:
    spec = request("Foo", 3, "0-1", field("A"), deprecatedVersions="1", latestVersionUnstable=True)
    html = str(page(tmp_path, "deprecations/", {"1.0.0": [], "1.1.0": [spec]}).html)
    now, _, rest = html.partition('<h2 id="removed">')
    assert 'href="../api/foo/#v1"' in now
    assert "api/foo" not in rest


def test_an_api_with_unstable_versions_only_is_not_removed(tmp_path: Path) -> None:
    stable, unstable = (
        [request("Foo", 3, "0", field("A"), latestVersionUnstable=mark)] for mark in (False, True)
    )
    html = str(page(tmp_path, "matrix/", {"1.0.0": stable, "1.1.0": unstable}).html)
    assert "<td" in html
    assert ">removed<" not in html
