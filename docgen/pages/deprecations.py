"""What is deprecated, what has been removed, and releases that deviate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import ApiDocument, VersionRecord
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.page import Page
from wirebook.docgen.pages.removals import reasons_of
from wirebook.docgen.pages.wording import event_words, was_stable
from wirebook.specs.versions import VersionSet

# What a table of deprecations omits: every version was added once, and most were never unstable.
_LEFT_OUT = ("added", "stable", "flexible")


class Row(NamedTuple):
    """Versions of one API with the same events; `reason` is why they were removed."""

    document: ApiDocument
    versions: VersionSet
    events: str
    reason: str


def pages(book: Book) -> Iterator[Page]:
    """The page: what is deprecated, what has been removed, and releases that deviate."""
    now: list[Row] = []
    removed: list[Row] = []
    for document in book.documents:
        marked = VersionSet.parse(document.presence[-1].deprecated)
        versions = sorted(document.versions, key=lambda each: each.version)
        # An unstable version can be deprecated, too.
        deprecated = [
            each for each in versions if each.state == "deprecated" or each.version in marked
        ]
        others = [each for each in versions if each not in deprecated and _was_removed(each)]
        now += _rows(document, deprecated, book.protocol)
        removed += _rows(document, others, book.protocol)
    listed = {(row.document.api, number) for row in (*now, *removed) for number in row.versions}
    advisories = [
        (advisory, document)
        for advisory, document in book.advisories
        if any((document.api, number) in listed for number in VersionSet((advisory.versions,)))
    ]
    yield book.page(
        "deprecations.html.jinja",
        "deprecations/",
        "Deprecations",
        section="Protocol",
        advisories=advisories,
        now=now,
        removed=removed,
    )


def _was_removed(version: VersionRecord) -> bool:
    """Whether a version is removed, or was before it returned."""
    return version.state == "removed" or any(each.event == "removed" for each in version.events)


def _rows(
    document: ApiDocument, versions: Iterable[VersionRecord], protocol: ProtocolRecord
) -> Iterator[Row]:
    """A row for all versions with the same events."""
    found: dict[str, list[int]] = {}
    for version in versions:
        left_out = (*_LEFT_OUT, "unstable") if was_stable(version) else _LEFT_OUT
        events = [event_words(event) for event in version.events if event.event not in left_out]
        found.setdefault("; ".join(events), []).append(version.version)
    for words, numbers in found.items():
        reasons = [each.title for each, of in reasons_of(document, protocol) if numbers[0] in of]
        yield Row(document, VersionSet.of(numbers), words, reasons[0] if reasons else "")
