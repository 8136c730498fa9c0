"""The page of a release: what authors of clients must do, and what changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docgen.histories import Spec, field, inputs, own_book, own_pages, request
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.contents import pages
from wirebook.docgen.pages.release import new_versions
from wirebook.docgen.pipeline.run import build

pytestmark = pytest.mark.xdist_group("book")


def test_new_versions_have_their_texts_and_prerequisites() -> None:
    new = new_versions(own_book())
    added = {(item.document.api, item.record.version): item for item in new["4.0"]}
    assert "transaction.version" in added["EndTxn", 5].record.requires
    brought = {item.document.api: item for item in new["4.1"]}
    assert "Metadata" in brought["Produce"].record.requires
    assert brought["ShareFetch"].first, "its version 0 was unstable"
    nodes = {"WriteShareGroupState", "WriteTxnMarkers", "AlterPartition"}
    assert not any(item.document.api in nodes for items in new.values() for item in items)


def test_the_page_of_a_release_begins_with_it() -> None:
    page = own_pages()["releases/4.0/"]
    html = str(page.html)
    assert html.index("What client authors must do") < html.index("What changed")
    assert [heading.id for heading in page.headings if heading.level == 2] == [
        "clients",
        "removed",
        "changes",
        "levels",
        "apis",
        "other",
    ]
    assert "Clients older than Kafka 2.1 are no longer supported" in html
    assert "KAFKA-18659" in html
    assert "REBOOTSTRAP_REQUIRED" in html
    assert html.count("has a time limit for offsets in tiered storage") == 1, "not said twice"


def released(folder: Path, *releases: list[Spec]) -> dict[str, str]:
    """The pages of the releases 1.0.0, 1.1.0 and so on, with these specs."""
    build(inputs({f"1.{number}.0": specs for number, specs in enumerate(releases)}), folder)
    return {
        page.path: str(page.html)
        for page in pages(Book.open(folder))
        if page.path.startswith("releases/")
    }


def test_a_history_of_releases(tmp_path: Path) -> None:
    """Foo loses version 0 and gains 2 (unstable in 1.1.0); Bar is deprecated, then removed."""
    old, bar = request("Foo", 3, "0-1", field("A")), request("Bar", 4, "0", field("A"))
    new = request("Foo", 3, "1-2", field("A"), latestVersionUnstable=True)
    marked = request("Bar", 4, "0", field("A"), deprecatedVersions="0")
    stable = request("Foo", 3, "1-2", field("A"))
    html = released(tmp_path, [old, bar], [new, marked], [stable])
    assert "It is the first release with specs." in html["releases/1.0.0/"]
    middle, last = html["releases/1.1.0/"], html["releases/1.2.0/"]
    assert 'wb-removed">Removed</span>' in middle
    assert 'wb-deprecated">Deprecated</span>' in middle
    assert "What client authors must do" not in middle
    assert '<a href="../../api/foo/v2/">Foo 2</a>' in last
    assert "the whole API: version 0" in last


def test_changed_bytes_of_existing_versions_are_on_the_page(tmp_path: Path) -> None:
    old = [request("Foo", 3, "0-2", field("A"), deprecatedVersions="0", latestVersionUnstable=True)]
    new = [request("Foo", 3, "0-2", field("A", "int64"))]
    html = released(tmp_path, old, new)["releases/1.1.0/"]
    assert "version 0 no longer deprecated" in html
    assert "request: A changes its type from int32 to int64 (versions 0-2)" in html


def test_one_table_has_all_that_releases_removed() -> None:
    """Also what a patch release served again, and why ApiVersions is not among it."""
    _, _, html = str(own_pages()["deprecations/"].html).partition('<h2 id="removed">')
    removed, _, before = html.partition('<h2 id="before">')
    assert "removed in 4.0; returned in 4.0.1" in removed
    assert 'api/join-group/#v1">' in removed
    assert "join-group" not in before.partition('<h2 id="exceptions">')[0]
    assert "is never deprecated" in removed
    assert "kip-35/" in removed


def test_a_release_that_differs_from_its_line_is_named_where_it_serves_a_version() -> None:
    """4.0.0 does not serve JoinGroup 0 and 1, and 4.0.1 serves them again (KAFKA-19444)."""
    pages = own_pages()
    assert "0.9.0 to 3.9.2, 4.0.1 to 4.4." in str(pages["api/join-group/v0/"].html)
    assert "<li>4.0.1 to 4.4: 0-9</li><li>4.0: 2-9</li>" in str(pages["api/join-group/"].html)
