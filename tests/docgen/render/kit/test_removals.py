"""Why versions were removed, on the pages that list them."""

from __future__ import annotations

import pytest

from tests.docgen.histories import own_book, own_pages
from wirebook.docgen.render.kit.removals import reasons_of, removed_by_reason
from wirebook.specs.kafka.removals import all_removals

pytestmark = pytest.mark.xdist_group("book")


def test_everything_that_a_release_removed_has_one_reason() -> None:
    book = own_book()
    for snapshot in book.snapshots:
        reasons = removed_by_reason(snapshot, book.protocol)
        explained = [
            (item.api, version) for reason in reasons for item in reason.removed for version in item.versions
        ]
        removed = [(item.api, version) for item in snapshot.removed for version in item.versions]
        assert sorted(explained) == sorted(removed), snapshot.name


def test_every_reason_is_of_something_that_was_removed() -> None:
    """A QuotaRecord is only in the history of the specs: no release had it that they are kept for."""
    book = own_book()
    documents = {document.api: document for document in book.documents}
    for removal in all_removals():
        for api in removal.versions.keys() & documents.keys():
            versions = [(each.title, removed) for each, removed in reasons_of(documents[api], book.protocol)]
            assert (removal.title, removal.versions[api]) in versions, api


def test_pages_of_releases_and_apis_and_lists_of_removals_give_the_reason() -> None:
    pages = {path: str(page.html) for path, page in own_pages().items()}
    for path in ("releases/4.0/", "api/leader-and-isr/", "deprecations/", "compare/"):
        assert "ZooKeeper mode was removed" in pages[path], path
    assert "kips/kip-500/" in pages["releases/4.0/"]
    assert "ZooKeeper mode was removed" not in pages["releases/3.9/"]
    assert "Clients older than Kafka 2.1 are no longer supported" in pages["api/fetch/"]
