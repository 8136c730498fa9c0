"""What each snapshot has of an API and what changed in it, and the catalog's lists of both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from wirebook.docgen.catalog.events import SCHEMA, EventRow
from wirebook.docgen.catalog.order import CatalogSnapshot, key_order
from wirebook.docgen.catalog.records import (
    ApiDocument,
    ApiPresence,
    FieldChange,
    Index,
    IndexRow,
    NewErrorCode,
    NewsItem,
    ServedVersions,
    SnapshotRecord,
    without,
)
from wirebook.docgen.catalog.sentences import (
    field_change_text,
    schema_change_text,
    version_change_text,
)
from wirebook.rules.diff.layouts import Change
from wirebook.specs.model import OTHER
from wirebook.specs.releases import line_of
from wirebook.specs.versions import VersionSet

# What can happen to an API as a whole, with all its fields.
_OF_API = ("added", "removed", "returned")
_LISTS = {"added": "new", "deprecated": "deprecated", "removed": "removed", "returned": "returned"}
_CHANGED = "changed"


class News(NamedTuple):
    """A change of one API in a snapshot, and the list of the snapshot that has it.

    Changes of versions come before those of bytes, and those before changes of fields: by `stage`.
    """

    list: str
    stage: int
    item: NewsItem


class InSnapshot(NamedTuple):
    """What a snapshot has of one API, None for nothing, and what changed in it."""

    slug: str
    served: ServedVersions | None
    news: tuple[News, ...]


def index(rows: Iterable[IndexRow]) -> Index:
    """The index of a catalog: APIs by key first, then the rest by kind and name."""

    def order(row: IndexRow) -> tuple[float, str, str]:
        key = row.api_key if row.is_api else None
        return (key_order(key), row.kind, row.slug)

    return Index(tuple(sorted(rows, key=order)))


def snapshot_record(
    snapshot: CatalogSnapshot,
    predecessor: CatalogSnapshot | None,
    apis: Iterable[InSnapshot],
    errors: Iterable[EventRow],
) -> SnapshotRecord:
    """The record of a snapshot: what every API offers in it, and what changed in it, by API."""
    by_slug = sorted(apis, key=lambda api: api.slug)
    news = sorted((one for api in by_slug for one in api.news), key=lambda one: one.stage)
    new_codes = sorted((row.part, row.version) for row in errors if not row.first)

    def listed(name: str) -> tuple[NewsItem, ...]:
        return tuple(one.item for one in news if one.list == name)

    return SnapshotRecord(
        name=snapshot.name,
        kind=snapshot.kind,
        release=snapshot.release or (snapshot.name if snapshot.kind == "release" else None),
        commit=snapshot.commit,
        date=snapshot.date,
        predecessor=None if predecessor is None else predecessor.name,
        apis={api.slug: api.served for api in by_slug if api.served is not None},
        new=listed("new"),
        deprecated=listed("deprecated"),
        removed=listed("removed"),
        returned=listed("returned"),
        changed=listed(_CHANGED),
        errors=tuple(NewErrorCode(code, name) for name, code in new_codes),
    )


def in_snapshots(
    document: ApiDocument,
    rows: Iterable[EventRow],
    snapshots: Sequence[CatalogSnapshot],
    *,
    is_by_specs: bool,
) -> Iterator[InSnapshot]:
    """What each snapshot has of an API, and what changed in it.

    `rows` are its events, in the order of the table. Patch releases have snapshots of their own
    unless `is_by_specs` (docgen.catalog.history.Context).
    """
    summary = _Summary(document, is_by_specs)
    by_ordinal: dict[int, list[EventRow]] = {}
    for row in rows:
        if not row.first:
            by_ordinal.setdefault(row.ordinal, []).append(row)
    for snapshot, presence in zip(snapshots, document.presence, strict=True):
        news = tuple(summary.news(snapshot, by_ordinal.get(snapshot.ordinal, ())))
        yield InSnapshot(document.slug, _served(presence), news)


def _served(presence: ApiPresence) -> ServedVersions | None:
    if presence.versions == "none":
        return None
    return ServedVersions(
        versions=presence.versions,
        unstable=tuple(VersionSet.parse(presence.unstable)),
        deprecated=tuple(VersionSet.parse(presence.deprecated)),
        served=without(presence.versions, presence.unstable),
    )


class _Summary:
    """The changes of an API, in the lists of snapshots."""

    def __init__(self, document: ApiDocument, is_by_specs: bool) -> None:
        self.slug, self.api = document.slug, document.api
        events = [(each.version, event) for each in document.versions for event in each.events]
        # The release in which something happened, where its level is not known.
        self.by_release: Mapping[tuple[str, int], str] = {
            (event.event, version): event.since.release or ""
            for version, event in events
            if is_by_specs and event.since.api_version is None
        }
        # The versions that are now, or were before, another one.
        self.renumbered = {
            version: event.since.release for version, event in events if event.event == "renumbered"
        }

    def news(self, snapshot: CatalogSnapshot, rows: Sequence[EventRow]) -> Iterator[News]:
        """A line for each kind of news; another one for news whose level is not known."""
        whole = {row.event for row in rows if row.kind == "api"}
        releases = {""}
        versions = self.versions(snapshot, rows)
        for (event, by_release), numbers in sorted(versions.items()):
            of_api = event in _OF_API and event in whole
            changed = VersionSet.of(numbers)
            words = version_change_text(changed, event, whole=of_api)
            item = NewsItem(
                self.slug,
                self.api,
                changed,
                words,
                event=event,
                whole=of_api,
                by_release=by_release,
            )
            yield News(_LISTS.get(event, _CHANGED), 0, item)
        yield from self.of_bytes([row for row in rows if row.kind == SCHEMA])
        fields = [
            FieldChange(row.event, _message(row), row.path, row.old, row.new)
            for row in rows
            if row.kind == "field"
        ]
        if fields and whole.isdisjoint(_OF_API):
            fields.sort(key=field_change_text)
            texts = tuple(map(field_change_text, fields))
            releases = {by_release for _, by_release in versions} or {""}
            item = NewsItem(
                self.slug,
                self.api,
                VersionSet.NONE,
                "; ".join(texts),
                texts,
                fields=tuple(fields),
                by_release=min(releases),
            )
            yield News(_CHANGED, 2, item)

    def versions(
        self, snapshot: CatalogSnapshot, rows: Iterable[EventRow]
    ) -> dict[tuple[str, str], list[int]]:
        """The versions of each event, and of the release in which it happened if its level is not
        known."""
        versions: dict[tuple[str, str], list[int]] = {}
        for row in rows:
            if row.kind != "version":
                continue
            event = row.event
            if self.renumbered.get(row.version) == snapshot.name:
                # Both numbers have an event; only that of the old one is listed.
                if event != "removed":
                    continue
                event = "renumbered"
            # Specs may name a patch release of an earlier line: the next line is the first that
            # shows it.
            release = self.by_release.get((event, row.version), "")
            if line_of(release) == line_of(snapshot.name):
                release = ""
            versions.setdefault((event, release), []).append(row.version)
        return versions

    def of_bytes(self, rows: Sequence[EventRow]) -> Iterator[News]:
        """A line for the versions whose bytes changed."""
        changes: dict[tuple[str, Change], list[int]] = {}
        for row in rows:
            change = Change(row.event, row.path, row.old, row.new)
            changes.setdefault((_message(row), change), []).append(row.version)
        if changes:
            texts = tuple(
                schema_change_text(message, change, VersionSet.of(numbers))
                for (message, change), numbers in changes.items()
            )
            changed = VersionSet.of({row.version for row in rows})
            item = NewsItem(self.slug, self.api, changed, "; ".join(texts), texts, event=SCHEMA)
            yield News(_CHANGED, 1, item)


def _message(row: EventRow) -> str:
    return "" if row.part == OTHER else row.part
