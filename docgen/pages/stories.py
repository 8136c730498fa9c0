"""What a release changed, by API: a line for each change, with the version that it leads to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from wirebook.docgen.catalog.events import SCHEMA
from wirebook.docgen.catalog.order import key_order
from wirebook.docgen.catalog.records import FieldChange, IndexRow, NewsItem, SnapshotRecord
from wirebook.docgen.catalog.sentences import VERSION_VERBS, field_change_text
from wirebook.specs.versions import counted

# Of each list of a snapshot: the class of its badge and its word.
_KINDS = (
    ("added", "Added"),
    ("added", "Returned"),
    ("deprecated", "Deprecated"),
    ("removed", "Removed"),
    ("plain", "Changed"),
)


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that happened: badge, words, the version to link to (None: the whole page), and
    details."""

    kind: str
    title: str
    words: str
    version: int | None
    details: tuple[str, ...] = ()


@dataclass(slots=True)
class Story:
    """What happened to one API or other message; `api_key` is None if the index does not have
    it."""

    slug: str
    api: str
    is_api: bool
    api_key: int | None
    lines: list[Line] = field(default_factory=list)


def stories(snapshot: SnapshotRecord, index: Sequence[IndexRow]) -> tuple[list[Story], list[Story]]:
    """What a snapshot changed: APIs by key, then other messages by name."""
    rows = {row.slug: row for row in index}
    by_slug: dict[str, Story] = {}
    lists = (
        snapshot.new,
        snapshot.returned,
        snapshot.deprecated,
        snapshot.removed,
        snapshot.changed,
    )
    for (kind, title), changes in zip(_KINDS, lists, strict=True):
        for change in changes:
            row = rows.get(change.slug)
            is_api, key = (row.is_api, row.api_key) if row else (False, None)
            story = by_slug.setdefault(change.slug, Story(change.slug, change.api, is_api, key))
            story.lines.append(_line(change, story, kind, title))
    ordered = sorted(by_slug.values(), key=lambda story: (key_order(story.api_key), story.api))
    others = sorted((story for story in ordered if not story.is_api), key=lambda story: story.api)
    return [story for story in ordered if story.is_api], others


def _line(change: NewsItem, story: Story, kind: str, title: str) -> Line:
    patch = f" (with {change.by_release})" if change.by_release else ""
    if not change.event:
        return Line(kind, title, "", None, tuple(_outer(change.fields)))
    text, last = f"{counted(change.versions)}{patch}", max(change.versions)
    if change.event == SCHEMA:
        return Line(kind, title, f"other bytes in {text}", last, change.details)
    if change.whole:
        title = f"New {'API' if story.is_api else 'message'}" if change.event == "added" else title
        return Line(kind, title, f"the whole {'API' if story.is_api else 'message'}: {text}", last)
    # The badges show what happened, except for "Changed".
    return Line(
        kind, title, f"{text} {VERSION_VERBS[change.event]}" if kind == "plain" else text, last
    )


def _outer(changes: Sequence[FieldChange]) -> Iterator[str]:
    """Changes of fields, without those inside a struct to which the same happened."""
    whole = {(change.message, change.path, change.event) for change in changes}
    for change in changes:
        parts = change.path.split(".")
        above = (".".join(parts[:count]) for count in range(1, len(parts)))
        if not any((change.message, path, change.event) in whole for path in above):
            yield field_change_text(change)
