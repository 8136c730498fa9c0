"""The catalog's small documents: the index, the snapshots, and the changes between neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypedDict

from wirebook.docgen.catalog.errors import KIND
from wirebook.docgen.catalog.order import Snapshot
from wirebook.docgen.catalog.records import (
    ApiDocument,
    Index,
    IndexRow,
    NewErrorCode,
    NewsItem,
    ReleaseChange,
    ServedVersions,
    SnapshotChanges,
    SnapshotRecord,
)
from wirebook.docgen.catalog.rows import OTHER
from wirebook.specs.versions import VersionSet, counted


class PresenceRun(NamedTuple):
    """What an API offers from one snapshot (its ordinal) to the one before the next run."""

    first: int
    versions: str
    unstable: str
    deprecated: str


def presence_runs(document: ApiDocument) -> list[PresenceRun]:
    """The presence of an API, its equal neighbours run together."""
    runs: list[PresenceRun] = []
    for ordinal, item in enumerate(document.presence):
        offered = (item.versions, item.unstable, item.deprecated)
        if not runs or runs[-1][1:] != offered:
            runs.append(PresenceRun(ordinal, *offered))
    return runs


def index(rows: Iterable[IndexRow]) -> Index:
    """The index of a catalog: APIs by key first, then the rest by kind and name."""

    def order(row: IndexRow) -> tuple[bool, int, str, str]:
        key = row.api_key if row.is_api else None
        return (key is None, key or 0, row.kind, row.slug)

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
        ordered: Sequence[Snapshot],
        rows: Sequence[IndexRow],
        presence: Mapping[str, Sequence[PresenceRun]],
        slugs: Mapping[str, str],
    ) -> None:
        self.ordered = ordered
        self.names = {row.slug: row.api for row in rows}
        self.presence = dict(sorted(presence.items()))
        self.place = dict.fromkeys(presence, 0)
        self.slugs = slugs

    def summary(
        self, snapshot: Snapshot, events: Iterable[Mapping[str, Any]]
    ) -> tuple[SnapshotRecord, SnapshotChanges | None]:
        """The snapshot's record, and what changed against its predecessor (None for the first).

        Snapshots come in their order; `events` are the rows of the table `changes` that happened in it.
        """
        news = self.news(events)
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
            ReleaseChange(item.slug, item.api, kind, item.versions, words)
            for kind, items in (
                ("new", record.new),
                ("deprecated", record.deprecated),
                ("removed", record.removed),
                ("returned", record.returned),
                ("changed", record.changed),
            )
            for item in items
            for words in item.details or (item.words,)
        )
        return record, SnapshotChanges(snapshot.name, predecessor, changes)

    def apis(self, ordinal: int) -> dict[str, ServedVersions]:
        """The versions of every API that the snapshot has."""
        served: dict[str, ServedVersions] = {}
        for slug, runs in self.presence.items():
            at = self.place[slug]
            while at + 1 < len(runs) and runs[at + 1].first <= ordinal:
                at += 1
            self.place[slug] = at
            run = runs[at]
            if run.versions != "none":
                numbers = [*VersionSet.parse(run.versions)]
                served[slug] = ServedVersions(
                    min=numbers[0],
                    max=numbers[-1],
                    versions=run.versions,
                    unstable=tuple(VersionSet.parse(run.unstable)),
                    deprecated=tuple(VersionSet.parse(run.deprecated)),
                )
        return served

    def news(self, events: Iterable[Mapping[str, Any]]) -> News:
        """A line for each API and kind of news."""
        lists: dict[str, list[NewsItem]] = {name: [] for name in (*_LISTS.values(), "changed")}
        errors: list[NewErrorCode] = []
        whole: set[tuple[str, str]] = set()
        versions: dict[tuple[str, str], list[int]] = {}
        fields: dict[str, list[str]] = {}
        for row in events:
            if row["first"]:
                continue
            if row["kind"] == KIND:
                errors.append(NewErrorCode(row["version"], row["part"]))
                continue
            slug = self.slugs[row["subject"]]
            if row["kind"] == "api":
                whole.add((slug, row["event"]))
            elif row["kind"] == "version":
                versions.setdefault((slug, row["event"]), []).append(row["version"])
            else:
                words = _FIELD_WORDS[row["event"]].format(**row)
                prefix = "" if row["part"] == OTHER else f"{row['part']}: "
                fields.setdefault(slug, []).append(prefix + words)
        for (slug, event), numbers in sorted(versions.items()):
            changed = VersionSet.of(numbers)
            words = f"{counted(changed)} {_VERSION_WORDS[event]}"
            if (slug, event) in whole and event in _WHOLE_WORDS:
                words = f"{_WHOLE_WORDS[event]}: {words}"
            lists[_LISTS.get(event, "changed")].append(NewsItem(slug, self.names[slug], changed.text, words))
        for slug, lines in sorted(fields.items()):
            if not any((slug, event) in whole for event in _WHOLE_WORDS):
                details = tuple(sorted(lines))
                lists["changed"].append(NewsItem(slug, self.names[slug], "", "; ".join(details), details))
        return News(
            new=tuple(lists["new"]),
            deprecated=tuple(lists["deprecated"]),
            removed=tuple(lists["removed"]),
            returned=tuple(lists["returned"]),
            changed=tuple(lists["changed"]),
            errors=tuple(errors),
        )


_WHOLE_WORDS = {"added": "new API", "removed": "removed", "returned": "back again"}
_LISTS = {"added": "new", "deprecated": "deprecated", "removed": "removed", "returned": "returned"}
_VERSION_WORDS = {
    "added": "added",
    "removed": "removed",
    "returned": "back again",
    "deprecated": "deprecated",
    "undeprecated": "no longer deprecated",
    "unstable": "unstable",
    "stable": "stable",
    "flexible": "flexible",
    "inflexible": "no longer flexible",
}
_FIELD_WORDS = {
    "added": "{path} is added",
    "removed": "{path} is gone",
    "returned": "{path} is back again",
    "nullable": "{path} may be null (from version {new})",
    "not_nullable": "{path} may no longer be null",
    "tagged": "{path} is a tagged field (from version {new})",
    "untagged": "{path} is no longer tagged",
    "default": "the default of {path} changes from {old} to {new}",
}
