"""The pages that list one thing for all APIs: the index, deprecations, tags and error codes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wirebook.docgen.catalog.order import key_order
from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import (
    ApiDocument,
    IndexRow,
    MessageRecord,
    TagRecord,
    VersionRecord,
)
from wirebook.docgen.pages.environment import render
from wirebook.docgen.pages.groups import grouped, kind_title
from wirebook.docgen.pages.links import anchor
from wirebook.docgen.pages.mentions import Mentions
from wirebook.docgen.pages.page import Heading, Page, root_of
from wirebook.docgen.pages.removals import reasons_of
from wirebook.docgen.pages.wording import event_words, since_word, was_stable
from wirebook.specs.kafka.advisories import all_advisories
from wirebook.specs.reading.tables.errors import DescribedError
from wirebook.specs.versions import VersionSet


def api_index(index: Sequence[IndexRow]) -> Page:
    """The table of all APIs and other messages."""
    path = "api/"
    apis = [row for row in index if row.is_api]
    others = [row for row in index if not row.is_api]
    groups: dict[str, list[IndexRow]] = {}
    for item in others:
        groups.setdefault(item.kind, []).append(item)
    html = render(
        "api_index.html.jinja",
        root=root_of(path),
        by_group=grouped(apis),
        groups=groups,
        kind_title=kind_title,
        since_word=since_word,
    )
    headings = [Heading("APIs", "apis", 2)] if apis else []
    headings += [Heading(kind_title(kind), anchor(kind), 2) for kind in groups]
    return Page(path, "All APIs", html, tuple(headings), boost=3.0)


def deprecations_page(
    documents: Iterable[ApiDocument],
    protocol: ProtocolRecord,
    mentions: Mentions,
) -> Page:
    """What is deprecated, what was, what has been removed, and releases that deviate."""
    path = "deprecations/"
    now: list[tuple[ApiDocument, VersionRecord]] = []
    removed: list[tuple[ApiDocument, VersionRecord]] = []
    before: list[tuple[ApiDocument, VersionRecord]] = []
    slugs: dict[str, str] = {}
    for document in documents:
        slugs[document.api] = document.slug
        deprecated = VersionSet.parse(
            document.presence[-1].deprecated if document.presence else "none"
        )
        for version in document.versions:
            kinds = {event.event for event in version.events}
            # An unstable version can be deprecated, too.
            if version.state == "deprecated" or version.version in deprecated:
                now.append((document, version))
            elif version.state == "removed" or "removed" in kinds:
                removed.append((document, version))
            elif "deprecated" in kinds:
                before.append((document, version))
    linked = mentions.linked
    listed = {(document.api, version.version) for document, version in (*now, *removed, *before)}
    by_name = {document.api: document for document, _ in (*now, *removed, *before)}
    advisories = [
        (advisory, by_name[advisory.api])
        for advisory in (all_advisories() if protocol.family else ())
        if any(api == advisory.api and number in advisory.versions for api, number in listed)
    ]
    html = render(
        "deprecations.html.jinja",
        root=root_of(path),
        protocol=protocol,
        advisories=advisories,
        link=lambda text: linked(text, root_of(path)),
        slugs=slugs,
        now=_spans(now, protocol),
        removed=_spans(removed, protocol),
        before=_spans(before, protocol),
    )
    headings = (
        Heading("Deprecated now", "now", 2),
        Heading("Removed", "removed", 2),
        Heading("Formerly deprecated", "before", 2),
        *([Heading("Exceptions", "exceptions", 2)] if advisories else ()),
    )
    return Page(path, "Deprecations", html, headings)


def _place(document: ApiDocument) -> tuple[float, str]:
    """Requests and responses by their key; other messages, whose keys count something else, by
    name."""
    return key_order(document.api_key if document.is_api else None), document.api


@dataclass(slots=True)
class VersionSpan:
    """Versions of one API with the same events, as one row of a table; `reason` is why they were
    removed."""

    document: ApiDocument
    low: int
    high: int
    events: list[str]
    reason: str


# What a table of deprecations omits: every version was added once, and most were never unstable.
_LEFT_OUT = ("added", "stable", "flexible")


def _spans(
    versions: Iterable[tuple[ApiDocument, VersionRecord]], protocol: ProtocolRecord
) -> list[VersionSpan]:
    rows: list[VersionSpan] = []
    for document, version in sorted(versions, key=lambda pair: (*_place(pair[0]), pair[1].version)):
        number = version.version
        left_out = (*_LEFT_OUT, "unstable") if was_stable(version) else _LEFT_OUT
        events = [event_words(event) for event in version.events if event.event not in left_out]
        last = rows[-1] if rows else None
        if last and last.document is document and last.events == events and last.high == number - 1:
            last.high = number
        else:
            reasons = (
                removal.title
                for removal, numbers in reasons_of(document, protocol)
                if number in numbers
            )
            rows.append(VersionSpan(document, number, number, events, next(reasons, "")))
    return rows


def tags_page(documents: Iterable[ApiDocument]) -> Page:
    """Every tag of every struct, including reserved ones."""
    path = "tags/"
    html = render("tags.html.jinja", root=root_of(path), rows=tag_rows(documents))
    return Page(path, "Tags", html, boost=20.0)


def tag_rows(
    documents: Iterable[ApiDocument],
) -> list[tuple[ApiDocument, MessageRecord, TagRecord]]:
    """Every tag with its message, in the order of API keys."""
    rows = [
        (document, message, tag)
        for document in documents
        for message in document.messages
        for tag in message.tags
    ]
    return sorted(rows, key=lambda row: (*_place(row[0]), row[1].name, row[2].struct, row[2].tag))


def errors_page(
    errors: Sequence[DescribedError],
    index: Sequence[IndexRow],
    protocol: ProtocolRecord,
    mentions: Mentions,
    *,
    listed: bool = True,
) -> Page:
    """The error codes: what happened, whether a retry helps, since when, and which API answers it.

    `listed` is whether the protocol has a table of its own.
    """
    path = "errors/"
    slugs = {row.api: row.slug for row in index if row.is_api}
    linked = mentions.linked
    html = render(
        "errors.html.jinja",
        root=root_of(path),
        protocol=protocol,
        errors=sorted(errors, key=lambda error: error.code),
        dated=bool(protocol.family) or any(error.first_release for error in errors),
        listed=listed,
        slugs=slugs,
        link=lambda text, name: linked(text, root_of(path), name),
    )
    return Page(path, "Error codes", html, boost=0)
