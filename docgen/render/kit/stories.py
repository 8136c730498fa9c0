"""What a snapshot changed, by API instead of by kind of change: a line for each, with its link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from wirebook.docgen.catalog.events import SCHEMA
from wirebook.docgen.catalog.order import key_order
from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import FieldChange, IndexRow, NewsItem, SnapshotRecord
from wirebook.docgen.catalog.sentences import VERSION_VERBS, field_change_text
from wirebook.specs.versions import counted

# Of each list of a snapshot: the badge's class and its word.
_KINDS = (
    ("added", "Added"),
    ("added", "Returned"),
    ("deprecated", "Deprecated"),
    ("removed", "Removed"),
    ("plain", "Changed"),
)
# Events on whether a field exists.
_PRESENCE = ("added", "removed", "returned")
_MARKS = {"nullable": "nullable", "tagged": "tagged"}


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that happened: badge, words, the version to link to (None: the whole page), and details."""

    kind: str
    title: str
    words: str
    version: int | None
    details: tuple[str, ...] = ()


@dataclass(slots=True)
class Story:
    """What happened to one API or other message; `api_key` is None if the index does not have it."""

    slug: str
    api: str
    is_api: bool
    api_key: int | None
    lines: list[Line] = field(default_factory=list)


def stories(snapshot: SnapshotRecord, index: Sequence[IndexRow]) -> tuple[list[Story], list[Story]]:
    """What a snapshot changed: APIs by key, then other messages by name."""
    rows = {row.slug: row for row in index}
    by_slug: dict[str, Story] = {}
    lists = (snapshot.new, snapshot.returned, snapshot.deprecated, snapshot.removed, snapshot.changed)
    for (kind, title), changes in zip(_KINDS, lists, strict=True):
        for change in changes:
            row, slug = rows.get(change.slug), change.slug
            if slug not in by_slug:
                by_slug[slug] = (
                    Story(slug, row.api, row.is_api, row.api_key)
                    if row
                    else Story(slug, change.api, False, None)
                )
            by_slug[slug].lines.append(_line(change, by_slug[slug], kind, title))
    apis = [story for story in by_slug.values() if story.is_api]
    others = [story for story in by_slug.values() if not story.is_api]
    return sorted(apis, key=by_key), sorted(others, key=lambda story: story.api)


def first_release(snapshot: SnapshotRecord, index: Sequence[IndexRow], protocol: ProtocolRecord) -> str:
    """What the first release of a protocol of its own has, in words; "" for any other snapshot.

    The history of Kafka, and of what derives from it, begins before its first specs.
    """
    if protocol.headers or snapshot.kind != "release" or snapshot.predecessor is not None:
        return ""
    apis = sum(row.is_api for row in index if row.slug in snapshot.apis)
    counts = ((apis, "API"), (len(snapshot.apis) - apis, "other message"))
    parts = [f"{count} {what if count == 1 else what + 's'}" for count, what in counts if count]
    return f"First release with specs: {' and '.join(parts)}." if parts else ""


def by_key(story: Story) -> tuple[float, str]:
    """APIs in the order of their keys, those without one at the end."""
    return key_order(story.api_key), story.api


def _line(change: NewsItem, story: Story, kind: str, title: str) -> Line:
    thing = "API" if story.is_api else "message"
    if not change.event:
        return Line(kind, title, change.words, None, folded(change.fields))
    text, last = counted(change.versions), max(change.versions)
    if change.event == SCHEMA:
        return Line(kind, title, f"other bytes in {text}", last, change.details)
    if change.whole and change.event == "added":
        return Line(kind, f"New {thing}", text, last)
    if change.whole and change.event == "removed":
        return Line(kind, title, f"the whole {thing}: {text}", last)
    if change.whole:
        return Line(kind, title, f"{VERSION_VERBS[change.event]}: {text}", last)
    # The badges show what happened, except for "Changed".
    return Line(kind, title, f"{text} {VERSION_VERBS[change.event]}" if kind == "plain" else text, last)


StoryPlace = tuple[str, str]


def folded(changes: Sequence[FieldChange]) -> tuple[str, ...]:
    """Changes of fields with one line for each new field: a struct with what is in it, tagged, nullable."""
    whole = {_place(change): change.event for change in changes if change.event in _PRESENCE}
    marks: dict[StoryPlace, list[str]] = {}
    inner: dict[StoryPlace, list[FieldChange]] = {}
    lines: list[FieldChange] = []
    for change in changes:
        if change.event in _MARKS and whole.get(_place(change), "removed") != "removed":
            marks.setdefault(_place(change), []).append(_MARKS[change.event])
            continue
        above = _above(change, whole) if change.event in _PRESENCE else None
        if above is not None and whole[above] == change.event:
            inner.setdefault(above, []).append(change)
        else:
            lines.append(change)
    return tuple(_folded_text(change, marks, inner) for change in lines)


def _place(change: FieldChange) -> StoryPlace:
    return (change.message, change.path)


def _above(change: FieldChange, whole: Mapping[StoryPlace, str]) -> StoryPlace | None:
    """The outermost struct around a field that was itself added, removed or returned; None without one."""
    parts = change.path.split(".")
    around = ((change.message, ".".join(parts[:count])) for count in range(1, len(parts)))
    return next((place for place in around if place in whole), None)


def _folded_text(
    change: FieldChange,
    marks: Mapping[StoryPlace, Sequence[str]],
    inner: Mapping[StoryPlace, Sequence[FieldChange]],
) -> str:
    text, field_place = field_change_text(change), _place(change)
    if change.event not in _PRESENCE:
        return text
    marked = "".join(f", {mark}" for mark in sorted(marks.get(field_place, ()), reverse=True))
    within = [
        each.path.removeprefix(f"{change.path}.")
        + (f" ({' and '.join(marks[_place(each)])})" if _place(each) in marks else "")
        for each in inner.get(field_place, ())
    ]
    return f"{text}{marked}{', with ' if within else ''}{', '.join(within)}"
