"""The catalog's small documents: the index, the snapshots, and the changes between neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, NamedTuple

from docgen.pipeline.order import Snapshot
from specs.versions import Versions, ranges_text

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]

Doc = dict[str, Any]


class Stretch(NamedTuple):
    """How an API stood from one snapshot (its ordinal) to the one before the next stretch."""

    first: int
    versions: str
    unstable: str
    deprecated: str


def tool_version() -> str:
    """The version of wirebook."""
    try:
        return version("wirebook")
    except PackageNotFoundError:
        return "0"


def stretches(document: Doc) -> list[Stretch]:
    """The presence of an API, its equal neighbours run together."""
    found: list[Stretch] = []
    for ordinal, item in enumerate(document["presence"]):
        stood = (item["versions"], item["unstable"], item["deprecated"])
        if not found or found[-1][1:] != stood:
            found.append(Stretch(ordinal, *stood))
    return found


def index(rows: Iterable[Doc]) -> Doc:
    """wirebook/index/1: a row for each API and message; APIs by key first, then the rest by name."""

    def order(row: Doc) -> tuple[bool, int, str, str]:
        key = row["api_key"] if row["kind"] == "api" else None
        return (key is None, key or 0, row["kind"], row["slug"])

    return {"schema": "wirebook/index/1", "apis": sorted(rows, key=order)}


def _numbers(text: str) -> list[int]:
    numbers: list[int] = []
    for part in text.split(", "):
        numbers += Versions.parse(part)
    return numbers


def snapshots(
    ordered: Sequence[Snapshot],
    rows: Sequence[Doc],
    standing: Mapping[str, Sequence[Stretch]],
    happened: pa.Table,
    slugs: Mapping[str, str],
) -> Doc:
    """wirebook/snapshots/1: every snapshot with what each API offers in it, and what is new in it."""
    by_slug = {row["slug"]: row for row in rows}
    news = _by_snapshot(ordered, happened, slugs, by_slug)
    place = dict.fromkeys(standing, 0)
    made = []
    for snapshot in ordered:
        apis: Doc = {}
        for slug in sorted(standing):
            known = standing[slug]
            at = place[slug]
            while at + 1 < len(known) and known[at + 1].first <= snapshot.ordinal:
                at += 1
            place[slug] = at
            stood = known[at]
            if stood.versions != "none":
                numbers = _numbers(stood.versions)
                apis[slug] = {
                    "min": numbers[0],
                    "max": numbers[-1],
                    "versions": stood.versions,
                    "unstable": _numbers(stood.unstable),
                    "deprecated": _numbers(stood.deprecated),
                }
        made.append({
            "name": snapshot.name,
            "kind": snapshot.kind,
            "id": snapshot.id,
            "release": snapshot.release or (snapshot.name if snapshot.kind == "release" else None),
            "commit": snapshot.commit,
            "date": snapshot.date,
            "predecessor": None if snapshot.predecessor is None else ordered[snapshot.predecessor].name,
            "apis": apis,
            **news[snapshot.ordinal],
        })  # fmt: skip
    return {"schema": "wirebook/snapshots/1", "snapshots": made}


_LISTS = {"added": "new", "removed": "removed", "returned": "returned", "deprecated": "deprecated"}
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


def _by_snapshot(
    ordered: Sequence[Snapshot], happened: pa.Table, slugs: Mapping[str, str], by_slug: Mapping[str, Doc]
) -> list[dict[str, list[Doc]]]:
    """What is new in each snapshot against its predecessor, a line for each API and kind of news."""
    empty: list[dict[str, list[Doc]]] = [
        {"new": [], "changed": [], "deprecated": [], "removed": [], "returned": []} for _ in ordered
    ]
    whole: set[tuple[int, str, str]] = set()
    versions: dict[tuple[int, str, str], list[int]] = {}
    fields: dict[tuple[int, str], list[str]] = {}
    for row in happened.to_pylist():
        if row["first"]:
            continue
        slug = slugs[row["subject"]]
        at = (row["ordinal"], slug, row["event"])
        if row["kind"] == "api":
            whole.add(at)
        elif row["kind"] == "version":
            versions.setdefault(at, []).append(row["version"])
        else:
            words = _FIELD_WORDS[row["event"]].format(**row)
            fields.setdefault(at[:2], []).append(f"{row['type']}: {words}")
    for (ordinal, slug, event), numbers in sorted(versions.items()):
        text = ranges_text(Versions.of(numbers))
        words = f"version{'s' if len(numbers) > 1 else ''} {text} {_VERSION_WORDS[event]}"
        if (ordinal, slug, event) in whole and event in ("added", "removed", "returned"):
            words = {"added": "new API", "removed": "removed", "returned": "back again"}[event] + f": {words}"
        item = {"slug": slug, "api": by_slug[slug]["api"], "versions": text, "words": words}
        empty[ordinal][_LISTS.get(event, "changed")].append(item)
    for (ordinal, slug), lines in sorted(fields.items()):
        if {(ordinal, slug, "added"), (ordinal, slug, "removed"), (ordinal, slug, "returned")} & whole:
            continue
        item = {
            "slug": slug,
            "api": by_slug[slug]["api"],
            "versions": "",
            "words": "; ".join(lines),
            "details": lines,
        }
        empty[ordinal]["changed"].append(item)
    return empty


def changes(
    ordered: Sequence[Snapshot], rows: Sequence[Doc], happened: pa.Table, slugs: Mapping[str, str]
) -> Doc:
    """wirebook/changes/1: for each snapshot, in words, what changed against its predecessor."""
    by_slug = {row["slug"]: row for row in rows}
    news = _by_snapshot(ordered, happened, slugs, by_slug)
    made = []
    for snapshot in ordered:
        if snapshot.predecessor is None:
            continue
        found = [
            {
                "slug": item["slug"],
                "api": item["api"],
                "kind": kind,
                "versions": item["versions"],
                "words": words,
            }
            for kind, items in news[snapshot.ordinal].items()
            for item in items
            for words in item.get("details", [item["words"]])
        ]
        made.append({
            "snapshot": snapshot.name,
            "predecessor": ordered[snapshot.predecessor].name,
            "changes": found,
        })  # fmt: skip
    return {"schema": "wirebook/changes/1", "pairs": made}
