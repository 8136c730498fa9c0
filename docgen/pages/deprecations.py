"""What is deprecated, what has been removed, and releases that deviate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import ApiDocument, VersionRecord
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.page import Page
from wirebook.docgen.pages.removals import reasons_of
from wirebook.docgen.pages.wording import event_words, was_stable
from wirebook.specs.versions import VersionSet


@dataclass(slots=True)
class VersionSpan:
    """Versions of one API with the same events; `reason` is why they were removed."""

    document: ApiDocument
    low: int
    high: int
    events: list[str]
    reason: str


def pages(book: Book) -> Iterator[Page]:
    """The page: what is deprecated, what has been removed, and releases that deviate."""
    path = "deprecations/"
    now: list[VersionSpan] = []
    removed: list[VersionSpan] = []
    listed: dict[str, list[int]] = {}
    for document in book.documents:
        deprecated = VersionSet.parse(document.presence[-1].deprecated)
        for version in sorted(document.versions, key=lambda each: each.version):
            kinds = {event.event for event in version.events}
            # An unstable version can be deprecated, too.
            if version.state == "deprecated" or version.version in deprecated:
                rows = now
            elif version.state == "removed" or "removed" in kinds:
                rows = removed
            else:
                continue
            _add(rows, document, version, book.protocol)
            listed.setdefault(document.api, []).append(version.version)
    advisories = [
        (advisory, document)
        for advisory, document in book.advisories
        if any(number in advisory.versions for number in listed.get(document.api, ()))
    ]
    yield book.page(
        "deprecations.html.jinja",
        path,
        "Deprecations",
        section="Protocol",
        advisories=advisories,
        now=now,
        removed=removed,
    )


# What a table of deprecations omits: every version was added once, and most were never unstable.
_LEFT_OUT = ("added", "stable", "flexible")


def _add(
    rows: list[VersionSpan], document: ApiDocument, version: VersionRecord, protocol: ProtocolRecord
) -> None:
    """Add a version to the last row if that has the same events, else in a new one."""
    number = version.version
    left_out = (*_LEFT_OUT, "unstable") if was_stable(version) else _LEFT_OUT
    events = [event_words(event) for event in version.events if event.event not in left_out]
    last = rows[-1] if rows else None
    if last and last.document is document and last.events == events and last.high == number - 1:
        last.high = number
        return
    reasons = [removal.title for removal, of in reasons_of(document, protocol) if number in of]
    rows.append(VersionSpan(document, number, number, events, reasons[0] if reasons else ""))
