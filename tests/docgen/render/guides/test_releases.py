"""What a release asks of authors of clients: on its page, computed from the catalog."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docgen.histories import Spec, field, inputs, own_book, own_pages, request
from wirebook.docgen.pipeline.run import build
from wirebook.docgen.render.book import Book
from wirebook.docgen.render.contents import pages
from wirebook.docgen.render.guides.releases import ReleaseGuide, release_guides
from wirebook.specs.versions import VersionSet

pytestmark = pytest.mark.xdist_group("book")


@pytest.fixture(scope="module")
def guides() -> dict[str, ReleaseGuide]:
    book = own_book()
    return release_guides(book.snapshots, book.documents, book.errors, book.protocol)


def test_what_4_0_breaks_and_what_to_send_instead(guides: dict[str, ReleaseGuide]) -> None:
    removed = {item.document.api: item for item in guides["4.0"].removed}
    fetch = removed["Fetch"]
    assert (fetch.words, fetch.lowest) == ("versions 0-3", 4)
    assert all(item.lowest is not None for item in removed.values())
    # What only controllers send is not for authors of clients.
    assert "ControlledShutdown" not in removed
    assert "AlterPartition" not in removed


def test_new_versions_have_their_texts_and_prerequisites(guides: dict[str, ReleaseGuide]) -> None:
    added = {(item.document.api, item.info.version): item for item in guides["4.0"].added}
    end = added["EndTxn", 5]
    assert "transaction.version" in end.info.requires
    assert end.href == "api/end-txn/#v5"
    brought = {item.document.api: item for item in guides["4.1"].added}
    assert "Metadata" in brought["Produce"].info.requires
    nodes = {"WriteShareGroupState", "WriteTxnMarkers", "AlterPartition"}
    assert not any(item.document.api in nodes for guide in guides.values() for item in guide.added)


def test_every_removed_version_of_a_client_is_on_a_page(guides: dict[str, ReleaseGuide]) -> None:
    listed = {
        (item.document.slug, number)
        for guide in guides.values()
        for item in guide.removed
        for number in item.versions
    }
    added = {item.document.slug for guide in guides.values() for item in guide.added}
    clients = added | {item.document.slug for guide in guides.values() for item in guide.removed}
    stable = {
        (slug, number)
        for snapshot in own_book().snapshots
        for slug, versions in snapshot.apis.items()
        for number in VersionSet.parse(versions.served)
    }
    expected = {
        (document.slug, version.version)
        for document in own_book().documents
        if document.slug in clients
        for version in document.versions
        if version.state == "removed" or any(event.event == "removed" for event in version.events)
    }
    assert listed == expected & stable
    # Its unstable version 0 was only in 4.0.
    assert ("share-fetch", 0) in expected - stable
    assert len(listed) > 20


def test_the_page_of_a_release_begins_with_it() -> None:
    page = own_pages()["releases/4.0/"]
    html = str(page.html)
    assert html.index("What client authors must do") < html.index("What changed")
    assert page.headings[0].id == "clients"
    assert "versions 0-3 are no longer served. Send version 4 or later" in html
    assert "KAFKA-18659" in html
    assert "REBOOTSTRAP_REQUIRED" in html
    assert str(page.html).count("has a time limit for offsets in tiered storage") == 1, "not said twice"


@pytest.fixture
def book(tmp_path: Path) -> Book:
    """Foo loses version 0 and gains 2 (unstable in 1.1.0); Bar is deprecated, then removed."""
    old, bar = request("Foo", 3, "0-1", field("A")), request("Bar", 4, "0", field("A"))
    new = request("Foo", 3, "1-2", field("A"), latestVersionUnstable=True)
    marked = request("Bar", 4, "0", field("A"), deprecatedVersions="0")
    stable = request("Foo", 3, "1-2", field("A"))
    build(inputs({"1.0.0": [old, bar], "1.1.0": [new, marked], "1.2.0": [stable]}), tmp_path)
    return Book.of(tmp_path)


def test_a_history_of_releases(book: Book) -> None:
    found = release_guides(book.snapshots, book.documents, (), book.protocol)
    assert found["1.0.0"].is_empty
    middle, last = found["1.1.0"], found["1.2.0"]
    assert [(item.document.api, item.words, item.lowest) for item in middle.removed] == [
        ("Foo", "version 0", 1)
    ]
    assert [item.document.api for item in middle.deprecated] == ["Bar"]
    assert middle.added == ()
    assert [(item.document.api, item.lowest) for item in last.removed] == [("Bar", None)]


def released(folder: Path, *releases: list[Spec]) -> dict[str, ReleaseGuide]:
    """The guides of the releases 1.0.0, 1.1.0 and so on, with these specs."""
    folder.mkdir(exist_ok=True)
    build(inputs({f"1.{number}.0": specs for number, specs in enumerate(releases)}), folder)
    book = Book.of(folder)
    return release_guides(book.snapshots, book.documents, (), book.protocol)


def test_changed_bytes_and_states_of_existing_versions_are_in_the_guide(tmp_path: Path) -> None:
    old = [request("Foo", 3, "0-2", field("A"), deprecatedVersions="0", latestVersionUnstable=True)]
    new = [request("Foo", 3, "0-2", field("A", "int64"))]
    later = [request("Foo", 3, "0-2", field("A", "int64"), latestVersionUnstable=True)]
    guides = released(tmp_path, old, new, later)
    assert [(each.words, each.details) for each in guides["1.1.0"].changed] == [
        ("version 0 is no longer deprecated", ()),
        (
            "versions 0-1 have other bytes than before",
            ("request: A changes its type from int32 to int64 (versions 0-2)",),
        ),
    ]
    (unstable,) = guides["1.2.0"].changed
    assert unstable.words == "version 2 is unstable now: do not rely on it"
    (page,) = (page for page in pages(Book.of(tmp_path)) if page.path == "releases/1.1.0/")
    assert "versions 0-1 have other bytes than before" in str(page.html)


def test_one_table_has_all_that_releases_removed() -> None:
    """Also what a patch release served again, and why ApiVersions is not among it."""
    _, _, html = str(own_pages()["deprecations/"].html).partition('<h2 id="removed">')
    removed, _, before = html.partition('<h2 id="before">')
    assert "removed in 4.0; returned in 4.0.1" in removed
    assert 'api/join-group/#v1">' in removed
    assert "join-group" not in before.partition('<h2 id="exceptions">')[0]
    assert "is never deprecated" in removed
    assert "kip-35/" in removed
