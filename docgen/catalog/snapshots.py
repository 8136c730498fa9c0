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
    without,
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
    served = without(presence.versions, presence.unstable)
    return ServedVersions(presence.versions, tuple(unstable), tuple(deprecated), served)


def news_of(
    document: ApiDocument, rows: Iterable[EventRow], snapshot: CatalogSnapshot, is_by_specs: bool
) -> Iterator[NewsItem]:
    """What a snapshot changed of an API; `rows` are its events there, in the order of the table.
    Patch releases have snapshots of their own unless `is_by_specs`."""
    rows = [row for row in rows if not row.first]
    item = partial(NewsItem, document.slug, document.api)
    whole = {row.event for row in rows if row.kind == "api"}
    events = {each.version: each.events for each in document.versions}
    versions: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        of_version = events.get(row.version, ())
        if row.kind == "version" and (event := _event(of_version, row, snapshot)):
            release = _patch(of_version, row, snapshot) if is_by_specs else ""
            versions.setdefault((event, release), []).append(row.version)
    for (event, release), numbers in sorted(versions.items()):
        of_api = event in _OF_API and event in whole
        yield item(VersionSet.of(numbers), event=event, whole=of_api, by_release=release)
    of_bytes = [row for row in rows if row.kind == SCHEMA]
    if of_bytes:
        changed = VersionSet.of(row.version for row in of_bytes)
        yield item(changed, event=SCHEMA, details=tuple(_byte_changes(of_bytes)))
    fields = [
        FieldChange(row.event, _message(row), row.path, row.old, row.new)
        for row in rows
        if row.kind == "field"
    ]
    gone = {(each.message, each.path) for each in fields if each.event == "removed"}
    ended = _ended(document, snapshot, is_by_specs)
    fields += [each for each in ended if (each.message, each.path) not in gone]
    if fields and whole.isdisjoint(_OF_API):
        release = min((by_release for _, by_release in versions), default="")
        fields.sort(key=field_change_text)
        yield item(VersionSet.NONE, by_release=release, fields=tuple(fields))


def _ended(
    document: ApiDocument, snapshot: CatalogSnapshot, is_by_specs: bool
) -> Iterator[FieldChange]:
    """The fields that a version of the snapshot is the first to lack."""
    line = line_of(snapshot.name) if is_by_specs else snapshot.name
    for message in document.messages if snapshot.predecessor is not None else ():
        side = message.type if message.type in HALVES else ""
        for field in message.fields:
            for event in field.events:
                release = event.since.release or ""
                if event.event == "ended" and line in (release, line_of(release)):
                    yield FieldChange("ended", side, field.path, None, event.words)


def _event(events: Sequence[Event], row: EventRow, snapshot: CatalogSnapshot) -> str:
    """What happened to a version; "" for the new number of a record that was renumbered, of which
    only the old one is listed."""
    releases = [event.since.release for event in events if event.event == "renumbered"]
    if snapshot.name not in releases:
        return row.event
    return "renumbered" if row.event == "removed" else ""


def _patch(events: Sequence[Event], row: EventRow, snapshot: CatalogSnapshot) -> str:
    """The release of an earlier line in which something happened to a version, "" if it was in the
    line of the snapshot: specs may name a patch release, which the next line is the first to show.
    """
    moments = [each.since for each in events if each.event == row.event]
    releases = [each.release or "" for each in moments if each.api_version is None]
    release = releases[-1] if releases else ""
    return "" if line_of(release) == line_of(snapshot.name) else release


def _byte_changes(rows: Sequence[EventRow]) -> Iterator[str]:
    """A line for each change of bytes, with the versions that have it."""
    changes: dict[tuple[str, Change], list[int]] = {}
    for row in rows:
        change = Change(row.event, row.path, row.old, row.new)
        changes.setdefault((_message(row), change), []).append(row.version)
    for (message, change), numbers in changes.items():
        yield schema_change_text(message, change, VersionSet.of(numbers))


def _message(row: EventRow) -> str:
    return "" if row.part == OTHER else row.part


VERSION_VERBS = {
    "added": "added",
    "removed": "removed",
    "returned": "back again",
    "deprecated": "deprecated",
    "undeprecated": "no longer deprecated",
    "unstable": "unstable",
    "stable": "stable",
    "flexible": "flexible",
    "inflexible": "no longer flexible",
    "renumbered": "renumbered: its number is the type of the record from then on",
}
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
    text = _FIELD[change.event].format(path=change.path, old=change.old, new=change.new)
    return f"{change.message}: {text}" if change.message else text


def schema_change_text(message: str, change: Change, versions: VersionSet) -> str:
    """What a snapshot changed of the bytes of versions: "request: A may be null (version 1)"."""
    text = f"{change.sentence} ({counted(versions)})"
    return f"{message}: {text}" if message else text


def field_event_text(event: str, old: str | None, new: str | None) -> str:
    """An explanation of the event of a field, "" if its name is enough."""
    return _FIELD_EVENT.get(event, "").format(old=old, new=new)
