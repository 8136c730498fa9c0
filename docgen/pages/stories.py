"""What a release changed, by API: a line for each change, with the version that it leads to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

from wirebook.docgen.catalog.events import SCHEMA
from wirebook.docgen.catalog.records import FieldChange, IndexRow, NewsItem, SnapshotRecord
from wirebook.docgen.catalog.snapshots import field_change_text
from wirebook.specs.versions import counted

# The lists of a snapshot, each with the class of its badge and its word.
_KINDS = (
    ("new", "added", "Added"),
    ("returned", "added", "Returned"),
    ("deprecated", "deprecated", "Deprecated"),
    ("removed", "removed", "Removed"),
    ("changed", "plain", "Changed"),
)

# What happened to versions.
_VERBS = {
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


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that happened: badge, words, version to link to (None: the page), details."""

    kind: str
    title: str
    words: str
    version: int | None
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Story:
    """What happened to one API or other message."""

    slug: str
    api: str
    lines: Sequence[Line]


def stories(snapshot: SnapshotRecord, index: Sequence[IndexRow]) -> tuple[list[Story], list[Story]]:
    """What a snapshot changed: APIs by key, then other messages by name."""
    apis: list[Story] = []
    others: list[Story] = []
    for row in index:
        what, of_kind = ("API", apis) if row.is_api else ("message", others)
        lines = [
            _line(change, what, kind, title)
            for of_snapshot, kind, title in _KINDS
            for change in getattr(snapshot, of_snapshot)
            if change.slug == row.slug
        ]
        if lines:
            of_kind.append(Story(row.slug, row.api, lines))
    return apis, sorted(others, key=attrgetter("api"))


def _line(change: NewsItem, what: str, kind: str, title: str) -> Line:
    if not change.event:
        return Line(kind, title, "", None, tuple(_outer(change.fields)))
    text = counted(change.versions)
    if change.by_release:
        text += f" (with {change.by_release})"
    if change.event == SCHEMA:
        text = f"other bytes in {text}"
    elif change.whole:
        title = f"New {what}" if change.event == "added" else title
        text = f"the whole {what}: {text}"
    elif kind == "plain":
        # The badges show what happened, except for "Changed".
        text += f" {_VERBS[change.event]}"
    return Line(kind, title, text, max(change.versions), change.details)


def _outer(changes: Sequence[FieldChange]) -> Iterator[str]:
    """Changes of fields, without those inside a struct to which the same happened."""
    whole = {(change.message, change.event, change.path) for change in changes}
    for change in changes:
        above = change.path
        while above := above.rpartition(".")[0]:
            if (change.message, change.event, above) in whole:
                break
        else:
            yield field_change_text(change)
