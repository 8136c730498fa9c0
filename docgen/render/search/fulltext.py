"""What a search of the full text finds of the generated pages: pages, versions, fields, error codes.

The theme's own index cuts a page at its headings, so that a field or an error is one word in a long table. So
these pages are left out of it, and each entry here has the thing's own name as its title and leads
to its own anchor.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from wirebook.docgen.catalog.addresses import snapshot_slug
from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import ApiDocument, NewsItem, SnapshotRecord
from wirebook.docgen.render.guides.kip_changes import KipChanges
from wirebook.docgen.render.guides.kips import kip_places
from wirebook.docgen.render.kit.dashes import dashed
from wirebook.docgen.render.kit.folders import RELEASES
from wirebook.docgen.render.kit.links import anchor
from wirebook.docgen.render.kit.sections import PartIds, change_text
from wirebook.docgen.render.kit.wording import lifecycle_words
from wirebook.rules.rule import Rule
from wirebook.specs.kafka.kips import all_kips
from wirebook.specs.printable import visible
from wirebook.specs.reading.tables.errors import DescribedError
from wirebook.specs.wire.exported import ExportedField

IndexEntry = dict[str, Any]
_WORDS = re.compile(r"[A-Z][a-z]+")
_MARKUP = re.compile(r"[`*]")  # of docstrings


def entries(
    documents: Iterable[ApiDocument],
    snapshots: Sequence[SnapshotRecord],
    errors: Sequence[DescribedError],
    protocol: ProtocolRecord,
    *,
    with_fields: bool,
) -> Iterator[IndexEntry]:
    """Every entry, those of a page together and the page itself first.

    Fields are most of them: `with_fields` is false if our search finds these.
    """
    for document in documents:
        yield from _api(document, with_fields)
    yield from _errors(errors)
    yield from _snapshots(snapshots, protocol)


def _api(document: ApiDocument, with_fields: bool) -> Iterator[IndexEntry]:
    page, api = f"api/{document.slug}/", document.api
    is_api = document.is_api
    names = ", ".join((*document.former_names, *(message.name for message in document.messages)))
    gone = "Removed. " if document.gone else ""
    # "Fetch" is more of an answer to "fetch" than OffsetFetch and ShareFetch are.
    lift = (4.0 if is_api else 1.0) / len(_WORDS.findall(api) or api)
    key = f"API key {document.api_key}. " if is_api and document.api_key is not None else ""
    yield _entry(page, api, f"{key}{gone}{document.purpose} {names}", 1.0 + lift)
    for version in document.versions:
        number = version.version
        events = "; ".join(lifecycle_words(version.events))
        parts = [message.versions.get(number) for message in document.messages]
        changed = dict.fromkeys(change_text(part) for part in parts if part)
        text = f"v{number}: {events}. {version.about or ' '.join(changed)}"
        yield _entry(f"{page}#v{number}", f"{api} {number}", text, 2.0 if is_api else 0.5)
    yield from _described(document, page)
    if not with_fields:
        return
    ids = PartIds(document)
    newest = document.newest_stable
    if newest is None and document.versions:
        newest = document.versions[0].version
    for message in document.messages:
        record = None if newest is None else message.versions.get(newest)
        if record is None:
            continue
        for field in walk(record.layout.fields):
            field_anchor = ids.of(record.layout.version, message.type, field.path)
            tag = "" if field.tag is None else f", tag {field.tag}"
            kind = f"{message.type} field, {field.spec_type}{tag}"
            yield _entry(f"{page}#{field_anchor}", field.name, f"{kind}. {field.about}"[:240], 1.0)


def _described(document: ApiDocument, page: str) -> Iterator[IndexEntry]:
    """How to use an API, and its pitfalls. Errors are not included: they would make the index too large."""
    sections = {
        "use": ("How to use", " ".join(filter(None, document.use))),
        "pitfalls": ("Pitfalls of", " ".join(document.pitfalls)),
    }
    for section_anchor, (words, text) in sections.items():
        if text:
            yield _entry(f"{page}#{section_anchor}", f"{words} {document.api}", text, 0.5)


def walk(fields: Sequence[ExportedField]) -> Iterator[ExportedField]:
    """Fields with those inside of them, in their order."""
    for field in fields:
        yield field
        yield from walk(field.fields or ())


def _errors(errors: Sequence[DescribedError]) -> Iterator[IndexEntry]:
    if not errors:
        return
    yield _entry("errors/", "Error codes", "The values of ErrorCode fields in responses.", 2.0)
    for error in errors:
        title = f"Error {error.code}: {error.name}"
        formerly = f" Formerly {', '.join(error.former_names)}." if error.former_names else ""
        yield _entry(f"errors/#{anchor(error.name)}", title, error.about + formerly, 3.0)


def _snapshots(snapshots: Sequence[SnapshotRecord], protocol: ProtocolRecord) -> Iterator[IndexEntry]:
    for snapshot in snapshots:
        changed = {change.api: None for change in _news(snapshot)}
        text = f"Changes {', '.join(changed)}." if changed else "Changes nothing in the protocol."
        title = f"Release {snapshot.name}"
        yield _entry(f"{RELEASES}{snapshot_slug(snapshot.name)}/", title, text[:400], 4.0)


def kip_entries(changes_by_number: Mapping[int, KipChanges]) -> Iterator[IndexEntry]:
    """An entry for each proposal without a hand-written page: "KIP-516" leads to its place before all that
    names it.
    """
    places = kip_places(changes_by_number)
    for number, changes in changes_by_number.items():
        kip = all_kips()[number]
        if kip.guide:
            continue
        text = f"{kip.summary} {', '.join(api.title for api in changes.apis)}"
        # Words of a title are common ("fetch", "epoch"), and its number is in no other: it needs no boost.
        yield _entry(places[number], f"{kip.name}: {kip.title}", text, 0.3)


def rule_entries(rules: Iterable[Rule]) -> Iterator[IndexEntry]:
    """An entry for each rule: a section each would be ninety times "Why it breaks"."""
    for rule in rules:
        parts = [text for title, text in rule.documentation.items() if title != "Example"]
        text = _MARKUP.sub("", " ".join((f"{rule.summary}.", *parts)))
        yield _entry(f"rules/#{rule.name}", rule.name, text, 0.4, most=None)


def _news(snapshot: SnapshotRecord) -> tuple[NewsItem, ...]:
    return (
        *snapshot.new, *snapshot.returned, *snapshot.changed, *snapshot.deprecated, *snapshot.removed,
    )  # fmt: skip


def _entry(location: str, title: str, text: str, boost: float, most: int | None = 600) -> IndexEntry:
    entry: IndexEntry = {"location": location, "title": _text(title, 120), "text": _text(text, most)}
    return entry | ({"boost": boost} if boost != 1 else {})


def _text(text: str, most: int | None) -> str:
    """The theme treats the index as HTML, so text of a spec is escaped, and shortened."""
    return escape(dashed(visible(" ".join(text.split())[:most])), quote=False)
