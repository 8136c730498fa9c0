"""What each snapshot has of an API and what changed in it, and the catalog's lists of both, with
the English sentences on versions and fields that changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from wirebook.docgen.catalog.events import SCHEMA, EventRow
from wirebook.docgen.catalog.order import CatalogSnapshot, key_order
from wirebook.docgen.catalog.records import (
    ApiDocument,
    ApiPresence,
    Event,
    FieldChange,
    Index,
    IndexRow,
    NewErrorCode,
    NewsItem,
    ServedVersions,
    SnapshotRecord,
)
from wirebook.docgen.catalog.texts import OTHER
from wirebook.rules.diff.layouts import Change
from wirebook.specs.profile import HALVES
from wirebook.specs.releases import line_of
from wirebook.specs.versions import VersionSet, counted

# What can happen to an API as a whole, with all its fields.
_OF_API = ("added", "removed", "returned")
_LISTS = {"added": "new", "deprecated": "deprecated", "removed": "removed", "returned": "returned"}


def index(rows: Iterable[IndexRow]) -> Index:
    """The index of a catalog: APIs by key first, then the rest by kind and name."""

    def order(row: IndexRow) -> tuple[float, str, str]:
        return (key_order(row.api_key if row.is_api else None), row.kind, row.slug)

    return Index(tuple(sorted(rows, key=order)))


def snapshot_record(
    snapshot: CatalogSnapshot,
    predecessor: CatalogSnapshot | None,
    presences: Iterable[tuple[str, ApiPresence]],
    news: Iterable[NewsItem],
    errors: Iterable[EventRow],
) -> SnapshotRecord:
    """The record of a snapshot: what every API offers in it, and what changed, both by slug."""
    new_codes = sorted((row.part, row.version) for row in errors if not row.first)
    lists: dict[str, tuple[NewsItem, ...]] = dict.fromkeys((*_LISTS.values(), "changed"), ())
    # Changes of versions come before those of bytes, and those before changes of fields.
    for item in sorted(news, key=lambda item: (bool(item.fields), item.event == SCHEMA, item.slug)):
        lists[_LISTS.get(item.event, "changed")] += (item,)
    return SnapshotRecord(
        name=snapshot.name,
        kind=snapshot.kind,
        release=snapshot.release or (snapshot.name if snapshot.kind == "release" else None),
        commit=snapshot.commit,
        date=snapshot.date,
        predecessor=None if predecessor is None else predecessor.name,
        apis={slug: _served(each) for slug, each in sorted(presences) if each.versions != "none"},
        **lists,
        errors=tuple(NewErrorCode(code, name) for name, code in new_codes),
    )


def _served(presence: ApiPresence) -> ServedVersions:
    unstable, deprecated = map(VersionSet.parse, (presence.unstable, presence.deprecated))
    return ServedVersions(
        presence.versions, tuple(unstable), tuple(deprecated), str(presence.stable)
    )


def news_of(
    document: ApiDocument, rows: Iterable[EventRow], snapshot: CatalogSnapshot, is_by_specs: bool
) -> Iterator[NewsItem]:
    """What a snapshot changed of an API; `rows` are its events there, in the order of the table.
    Patch releases have snapshots of their own unless `is_by_specs`."""
    item = partial(NewsItem, document.slug, document.api)
    events = {each.version: each.events for each in document.versions}
    whole: set[str] = set()
    versions: dict[tuple[str, str], list[int]] = {}
    of_bytes: list[EventRow] = []
    fields: list[FieldChange] = []
    for row in rows:
        if row.first:
            continue
        if row.kind == "api":
            whole.add(row.event)
        elif row.kind == SCHEMA:
            of_bytes.append(row)
        elif row.kind == "field":
            fields.append(FieldChange(row.event, _message(row), row.path, row.old, row.new))
        else:
            of_version = events.get(row.version, ())
            event = _event(of_version, row, snapshot)
            release = _patch(of_version, row, snapshot) if is_by_specs else ""
            versions.setdefault((event, release), []).append(row.version)
    # A record that was renumbered is listed by its old number only.
    for (event, release), numbers in sorted(versions.items()):
        if event:
            of_api = event in _OF_API and event in whole
            yield item(VersionSet.of(numbers), event=event, whole=of_api, by_release=release)
    if of_bytes:
        changed = VersionSet.of(row.version for row in of_bytes)
        yield item(changed, event=SCHEMA, details=tuple(_byte_changes(of_bytes)))
    gone = {(each.message, each.path) for each in fields if each.event == "removed"}
    if snapshot.predecessor is not None:
        ended = _ended(document, snapshot, is_by_specs)
        fields += [each for each in ended if (each.message, each.path) not in gone]
    if fields and whole.isdisjoint(_OF_API):
        release = min((by_release for event, by_release in versions if event), default="")
        fields.sort(key=field_change_text)
        yield item(VersionSet.NONE, by_release=release, fields=tuple(fields))


def _ended(
    document: ApiDocument, snapshot: CatalogSnapshot, is_by_specs: bool
) -> Iterator[FieldChange]:
    """The fields that a version of the snapshot is the first to lack."""
    moment = line_of if is_by_specs else str
    for message in document.messages:
        side = message.type if message.type in HALVES else ""
        for field in message.fields:
            for event in field.events:
                release = event.since.release or ""
                if event.event == "ended" and moment(release) == moment(snapshot.name):
                    yield FieldChange("ended", side, field.path, None, event.words)


def _event(events: Sequence[Event], row: EventRow, snapshot: CatalogSnapshot) -> str:
    """What happened to a version; "" for the new number of a record that was renumbered."""
    if not any(
        event.event == "renumbered" and event.since.release == snapshot.name for event in events
    ):
        return row.event
    return "renumbered" if row.event == "removed" else ""


def _patch(events: Sequence[Event], row: EventRow, snapshot: CatalogSnapshot) -> str:
    """The release of an earlier line in which something happened to a version, "" if it was in the
    line of the snapshot: specs may name a patch release, which the next line is the first to show.
    """
    release = ""
    for event in events:
        if event.event == row.event and event.since.api_version is None:
            release = event.since.release or ""
    return "" if line_of(release) == line_of(snapshot.name) else release


def _byte_changes(rows: Iterable[EventRow]) -> Iterator[str]:
    """A line for each change of bytes, with the versions that have it."""
    changes: dict[tuple[str, Change], list[int]] = {}
    for row in rows:
        change = Change(row.event, row.path, row.old, row.new)
        changes.setdefault((_message(row), change), []).append(row.version)
    for (message, change), numbers in changes.items():
        yield _of_message(message, f"{change.sentence} ({counted(numbers)})")


def _message(row: EventRow) -> str:
    return "" if row.part == OTHER else row.part


def _of_message(message: str, text: str) -> str:
    return f"{message}: {text}" if message else text


_FIELD = {
    "added": "{path} is added",
    "removed": "{path} is removed",
    "ended": "{path} ends: {new}",
    "returned": "{path} is reintroduced",
    "nullable": "{path} may be null (from version {new})",
    "not_nullable": "{path} may no longer be null",
    "tagged": "{path} is a tagged field (from version {new})",
    "untagged": "{path} is no longer tagged",
    "default": "the default of {path} changes from {old} to {new}",
}
_FIELD_EVENT = {
    "nullable": "may be null from version {new}",
    "not_nullable": "may no longer be null",
    "tagged": "is a tagged field from version {new}",
    "untagged": "is no longer tagged",
    "default": "the default changes from {old} to {new}",
}


def field_change_text(change: FieldChange) -> str:
    """What a snapshot changed of a field: "response: Nodes.Rack is added"."""
    values = {"path": change.path, "old": change.old, "new": change.new}
    return _of_message(change.message, _FIELD[change.event].format(**values))


def field_event_text(row: EventRow) -> str:
    """An explanation of the event of a field, "" if its name is enough."""
    return _FIELD_EVENT.get(row.event, "").format(old=row.old, new=row.new)
