"""The catalog's small documents: the index, the snapshots, and the changes between neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from wirebook.docgen.catalog.errors import KIND
from wirebook.docgen.catalog.order import Snapshot
from wirebook.docgen.catalog.rows import OTHER
from wirebook.specs.versions import VersionSet, counted

Doc = dict[str, Any]


class PresenceRun(NamedTuple):
    """How an API stood from one snapshot (its ordinal) to the one before the next stretch."""

    first: int
    versions: str
    unstable: str
    deprecated: str


def presence_runs(document: Doc) -> list[PresenceRun]:
    """The presence of an API, its equal neighbours run together."""
    found: list[PresenceRun] = []
    for ordinal, item in enumerate(document["presence"]):
        stood = (item["versions"], item["unstable"], item["deprecated"])
        if not found or found[-1][1:] != stood:
            found.append(PresenceRun(ordinal, *stood))
    return found


def index(rows: Iterable[Doc]) -> Doc:
    """wirebook/index/1: a row for each API and message; APIs by key first, then the rest by name."""

    def order(row: Doc) -> tuple[bool, int, str, str]:
        key = row["api_key"] if row["kind"] == "api" else None
        return (key is None, key or 0, row["kind"], row["slug"])

    return {"schema": "wirebook/index/1", "apis": sorted(rows, key=order)}


class SnapshotSummaries:
    """Tells of each snapshot in turn: what every API offers in it, and what changed in it."""

    def __init__(
        self,
        ordered: Sequence[Snapshot],
        rows: Sequence[Doc],
        standing: Mapping[str, Sequence[PresenceRun]],
        slugs: Mapping[str, str],
    ) -> None:
        self.ordered = ordered
        self.names = {row["slug"]: row["api"] for row in rows}
        self.standing = dict(sorted(standing.items()))
        self.place = dict.fromkeys(standing, 0)
        self.slugs = slugs

    def tell(self, snapshot: Snapshot, events: Iterable[Doc]) -> tuple[Doc, Doc | None]:
        """The snapshot's parts of wirebook/snapshots/1 and wirebook/release-changes/1 (None for the first).

        Snapshots come in their order; `events` are the rows of the table `changes` that happened in it.
        """
        news = self.news(events)
        told = {
            "name": snapshot.name,
            "kind": snapshot.kind,
            "id": snapshot.id,
            "release": snapshot.release or (snapshot.name if snapshot.kind == "release" else None),
            "commit": snapshot.commit,
            "date": snapshot.date,
            "predecessor": None,
            "apis": self.apis(snapshot.ordinal),
            **news,
        }
        if snapshot.predecessor is None:
            return told, None
        told["predecessor"] = self.ordered[snapshot.predecessor].name
        changes = [
            {
                "slug": item["slug"],
                "api": item["api"],
                "kind": kind,
                "versions": item["versions"],
                "words": words,
            }
            for kind, items in news.items()
            if kind != "errors"
            for item in items
            for words in item.get("details", [item["words"]])
        ]
        return told, {"snapshot": snapshot.name, "predecessor": told["predecessor"], "changes": changes}

    def apis(self, ordinal: int) -> Doc:
        """The versions of every API that the snapshot has."""
        found: Doc = {}
        for slug, known in self.standing.items():
            at = self.place[slug]
            while at + 1 < len(known) and known[at + 1].first <= ordinal:
                at += 1
            self.place[slug] = at
            stood = known[at]
            if stood.versions != "none":
                numbers = [*VersionSet.parse(stood.versions)]
                found[slug] = {
                    "min": numbers[0],
                    "max": numbers[-1],
                    "versions": stood.versions,
                    "unstable": [*VersionSet.parse(stood.unstable)],
                    "deprecated": [*VersionSet.parse(stood.deprecated)],
                }
        return found

    def news(self, events: Iterable[Doc]) -> dict[str, list[Doc]]:
        """A line for each API and kind of news."""
        news: dict[str, list[Doc]] = {name: [] for name in (*_LISTS.values(), "changed", "errors")}
        whole: set[tuple[str, str]] = set()
        versions: dict[tuple[str, str], list[int]] = {}
        fields: dict[str, list[str]] = {}
        for row in events:
            if row["first"]:
                continue
            if row["kind"] == KIND:
                news["errors"].append({"code": row["version"], "name": row["part"]})
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
            item = {"slug": slug, "api": self.names[slug], "versions": changed.text, "words": words}
            news[_LISTS.get(event, "changed")].append(item)
        for slug, lines in sorted(fields.items()):
            if any((slug, event) in whole for event in _WHOLE_WORDS):
                continue
            news["changed"].append({
                "slug": slug,
                "api": self.names[slug],
                "versions": "",
                "words": "; ".join(sorted(lines)),
                "details": sorted(lines),
            })  # fmt: skip
        return news


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
