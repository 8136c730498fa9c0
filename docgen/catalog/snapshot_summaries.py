"""The catalog's small documents: the index, the snapshots, and the changes between neighbors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypedDict

from wirebook.docgen.catalog.errors import KIND
from wirebook.docgen.catalog.events import SCHEMA
from wirebook.docgen.catalog.order import CatalogSnapshot, key_order
from wirebook.docgen.catalog.records import (
    ApiDocument,
    ApiPresence,
    FieldChange,
    Index,
    IndexRow,
    NewErrorCode,
    NewsItem,
    ReleaseChange,
    ServedVersions,
    SnapshotChanges,
    SnapshotRecord,
    without,
)
from wirebook.docgen.catalog.sentences import field_change_text, schema_change_text, version_change_text
from wirebook.rules.diff.layouts import Change
from wirebook.specs.releases import line_of
from wirebook.specs.subjects import OTHER
from wirebook.specs.versions import VersionSet


class InSnapshots(NamedTuple):
    """An API in all snapshots: what it offers, and what happened to it at an unknown level.

    `by_release` has the release by the event and the version. `renumbered` are versions that
    are now, or were before, another one.
    """

    presence: Sequence[ApiPresence]
    by_release: Mapping[tuple[str, int], str]
    renumbered: Mapping[int, str | None]

    @classmethod
    def of(cls, document: ApiDocument, *, is_by_specs: bool) -> InSnapshots:
        """What the summaries need of a document; patch releases have snapshots of their own unless
        `is_by_specs` (docgen.catalog.api_history.Context).
        """
        by_release = {
            (event.event, version.version): event.since.release or ""
            for version in document.versions
            for event in version.events
            if is_by_specs and event.since.api_version is None
        }
        renumbered = {
            version.version: event.since.release
            for version in document.versions
            for event in version.events
            if event.event == "renumbered"
        }
        return cls(document.presence, by_release, renumbered)


def index(rows: Iterable[IndexRow]) -> Index:
    """The index of a catalog: APIs by key first, then the rest by kind and name."""

    def order(row: IndexRow) -> tuple[float, str, str]:
        key = row.api_key if row.is_api else None
        return (key_order(key), row.kind, row.slug)

    return Index(tuple(sorted(rows, key=order)))


class News(TypedDict):
    """The changes of one snapshot, as the lists of its record."""

    new: tuple[NewsItem, ...]
    deprecated: tuple[NewsItem, ...]
    removed: tuple[NewsItem, ...]
    returned: tuple[NewsItem, ...]
    changed: tuple[NewsItem, ...]
    errors: tuple[NewErrorCode, ...]


class SnapshotSummaries:
    """Sums up each snapshot in turn: what every API offers in it, and what changed in it."""

    def __init__(
        self,
        ordered: Sequence[CatalogSnapshot],
        rows: Sequence[IndexRow],
        apis: Mapping[str, InSnapshots],
        slugs: Mapping[str, str],
    ) -> None:
        self.ordered = ordered
        self.names = {row.slug: row.api for row in rows}
        self.in_snapshots = dict(sorted(apis.items()))
        self.slugs = slugs

    def summary(
        self, snapshot: CatalogSnapshot, events: Iterable[Mapping[str, Any]]
    ) -> tuple[SnapshotRecord, SnapshotChanges | None]:
        """The snapshot's record, and what changed since its predecessor (None for the first).

        `events` are the rows of the table `changes` that happened in it.
        """
        news = self.news(snapshot, events)
        predecessor = None if snapshot.predecessor is None else self.ordered[snapshot.predecessor].name
        record = SnapshotRecord(
            name=snapshot.name,
            kind=snapshot.kind,
            id=snapshot.id,
            release=snapshot.release or (snapshot.name if snapshot.kind == "release" else None),
            commit=snapshot.commit,
            date=snapshot.date,
            predecessor=predecessor,
            apis=self.apis(snapshot.ordinal),
            **news,
        )
        if predecessor is None:
            return record, None
        changes = tuple(
            ReleaseChange(entry.slug, entry.api, kind, entry.versions, words)
            for kind, items in (
                ("new", record.new),
                ("deprecated", record.deprecated),
                ("removed", record.removed),
                ("returned", record.returned),
                ("changed", record.changed),
            )
            for entry in items
            for words in entry.details or (entry.words,)
        )
        return record, SnapshotChanges(snapshot.name, predecessor, changes)

    def apis(self, ordinal: int) -> dict[str, ServedVersions]:
        """The versions of every API that the snapshot has."""
        served: dict[str, ServedVersions] = {}
        for slug, api in self.in_snapshots.items():
            offered = api.presence[ordinal]
            if offered.versions != "none":
                numbers = [*VersionSet.parse(offered.versions)]
                served[slug] = ServedVersions(
                    min=numbers[0],
                    max=numbers[-1],
                    versions=offered.versions,
                    unstable=tuple(VersionSet.parse(offered.unstable)),
                    deprecated=tuple(VersionSet.parse(offered.deprecated)),
                    served=without(offered.versions, offered.unstable),
                )
        return served

    def news(self, snapshot: CatalogSnapshot, events: Iterable[Mapping[str, Any]]) -> News:
        """A line for each API and kind of news; another one for news whose level is not known."""
        lists: dict[str, list[NewsItem]] = {name: [] for name in (*_LISTS.values(), "changed")}
        rows = [row for row in events if not row["first"]]
        whole: set[tuple[str, str]] = set()
        versions: dict[tuple[str, str, str], list[int]] = {}
        fields: dict[str, list[FieldChange]] = {}
        for row in rows:
            slug, event = self.slugs.get(row["subject"], ""), row["event"]
            if row["kind"] == "api":
                whole.add((slug, event))
            elif row["kind"] == "version":
                if self.in_snapshots[slug].renumbered.get(row["version"]) == snapshot.name:
                    # Both numbers have an event; only that of the old one is listed.
                    if event != "removed":
                        continue
                    event = "renumbered"
                by_release = self.release_of(snapshot, slug, event, row["version"])
                versions.setdefault((slug, event, by_release), []).append(row["version"])
            elif row["kind"] == "field":
                change = FieldChange(event, _message(row), row["path"], row["old"], row["new"])
                fields.setdefault(slug, []).append(change)
        dated: dict[str, set[str]] = {}
        for (slug, event, by_release), numbers in sorted(versions.items()):
            dated.setdefault(slug, set()).add(by_release)
            changed = VersionSet.of(numbers)
            of_api = event in _OF_API and (slug, event) in whole
            words = version_change_text(changed, event, whole=of_api)
            news_item = NewsItem(
                slug, self.names[slug], changed, words, event=event, whole=of_api, by_release=by_release
            )
            lists[_LISTS.get(event, "changed")].append(news_item)
        lists["changed"] += self.schema_news(row for row in rows if row["kind"] == SCHEMA)
        for slug, changes in sorted(fields.items()):
            if not any((slug, event) in whole for event in _OF_API):
                ordered = sorted(changes, key=field_change_text)
                texts = tuple(map(field_change_text, ordered))
                news_item = NewsItem(
                    slug,
                    self.names[slug],
                    VersionSet.NONE,
                    "; ".join(texts),
                    texts,
                    fields=tuple(ordered),
                    by_release=min(dated.get(slug, {""})),
                )
                lists["changed"].append(news_item)
        return News(
            new=tuple(lists["new"]),
            deprecated=tuple(lists["deprecated"]),
            removed=tuple(lists["removed"]),
            returned=tuple(lists["returned"]),
            changed=tuple(lists["changed"]),
            errors=tuple(NewErrorCode(row["version"], row["part"]) for row in rows if row["kind"] == KIND),
        )

    def schema_news(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[NewsItem]:
        """A line for each API with versions whose bytes changed."""
        by_slug: dict[str, dict[tuple[str, Change], list[int]]] = {}
        for row in rows:
            change = Change(row["event"], row["path"], row["old"], row["new"])
            changes = by_slug.setdefault(self.slugs[row["subject"]], {})
            changes.setdefault((_message(row), change), []).append(row["version"])
        for slug, changes in sorted(by_slug.items()):
            texts = tuple(
                schema_change_text(message, change, VersionSet.of(numbers))
                for (message, change), numbers in changes.items()
            )
            changed = VersionSet.of({number for numbers in changes.values() for number in numbers})
            yield NewsItem(slug, self.names[slug], changed, "; ".join(texts), texts, event=SCHEMA)

    def release_of(self, snapshot: CatalogSnapshot, slug: str, event: str, version: int) -> str:
        """The patch release of an earlier line in which something happened; "" if it came with the snapshot.

        Specs may name one. The next line is the first that shows its changes.
        """
        release = self.in_snapshots[slug].by_release.get((event, version), "")
        return release if line_of(release) != line_of(snapshot.name) else ""


def _message(row: Mapping[str, Any]) -> str:
    return "" if row["part"] == OTHER else str(row["part"])


# What can happen to an API as a whole, with all its fields.
_OF_API = ("added", "removed", "returned")
_LISTS = {"added": "new", "deprecated": "deprecated", "removed": "removed", "returned": "returned"}
