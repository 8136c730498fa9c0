"""What is deprecated, what has been removed, and releases that deviate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import ApiDocument, VersionRecord
from wirebook.docgen.pages.advisories import Advisory
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.page import Page
from wirebook.docgen.pages.removals import reasons_of
from wirebook.docgen.pages.wording import event_words, was_stable
from wirebook.rules.report.words import grouped
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
        versions = document.versions[::-1]
        # An unstable version can be deprecated, too.
        deprecated = [
            each for each in versions if each.state == "deprecated" or each.version in marked
        ]
        others = [each for each in versions if each not in deprecated and _was_removed(each)]
        now += _rows(document, deprecated, book.protocol)
        removed += _rows(document, others, book.protocol)

    def is_listed(advisory: Advisory, document: ApiDocument) -> bool:
        of_document = [row.versions for row in (*now, *removed) if row.document is document]
        return any(versions & VersionSet((advisory.versions,)) for versions in of_document)

    yield book.page(
        "deprecations.html.jinja",
        "deprecations/",
        "Deprecations",
        section="Protocol",
        advisories=[each for each in book.advisories if is_listed(*each)],
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
    for events, alike in grouped(versions, _events).items():
        numbers = [version.version for version in alike]
        reasons = [each.title for each, of in reasons_of(document, protocol) if numbers[0] in of]
        yield Row(document, VersionSet.of(numbers), events, reasons[0] if reasons else "")


def _events(version: VersionRecord) -> str:
    left_out = (*_LEFT_OUT, "unstable") if was_stable(version) else _LEFT_OUT
    return "; ".join(event_words(each) for each in version.events if each.event not in left_out)
