"""What a snapshot changed, told API by API instead of kind by kind: one line a thing, each with its link."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from wirebook.docgen.catalog.records import IndexRow, NewsItem, SnapshotRecord

# Of each list of a snapshot: the badge's class, its word, and how the catalog says it in words.
_KINDS = (
    ("added", "Added", " added"),
    ("added", "Returned", " back again"),
    ("deprecated", "Deprecated", " deprecated"),
    ("removed", "Removed", " removed"),
    ("plain", "Changed", ""),
)


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
    """What happened to one API or other message; `api_key` is None where the index does not have it."""

    slug: str
    api: str
    is_api: bool
    api_key: int | None
    lines: list[Line] = field(default_factory=list)


def stories(snapshot: SnapshotRecord, index: Sequence[IndexRow]) -> tuple[list[Story], list[Story]]:
    """What a snapshot changed: APIs by key, then other messages by name."""
    known = {row.slug: row for row in index}
    found: dict[str, Story] = {}
    lists = (snapshot.new, snapshot.returned, snapshot.deprecated, snapshot.removed, snapshot.changed)
    for (kind, title, said), changes in zip(_KINDS, lists, strict=True):
        for change in changes:
            row, slug = known.get(change.slug), change.slug
            if slug not in found:
                found[slug] = (
                    Story(slug, row.api, row.is_api, row.api_key)
                    if row
                    else Story(slug, change.api, False, None)
                )
            found[slug].lines.append(_line(change, found[slug], kind, title, said))
    apis = [story for story in found.values() if story.is_api]
    others = [story for story in found.values() if not story.is_api]
    return sorted(apis, key=by_key), sorted(others, key=lambda story: story.api)


def by_key(story: Story) -> tuple[bool, int, str]:
    """APIs in the order of their keys, those without one at the end."""
    return (story.api_key is None, story.api_key or 0, story.api)


def _line(change: NewsItem, story: Story, kind: str, title: str, said: str) -> Line:
    thing = "API" if story.is_api else "message"
    words = change.words.removesuffix(said)
    if words.startswith("new API: "):
        title, words = f"New {thing}", words.removeprefix("new API: ")
    elif words.startswith("removed: "):
        words = f"the whole {thing}: {words.removeprefix('removed: ')}"
    return Line(kind, title, words, last_of(change.versions), folded(change.details))


_OF_NEW = re.compile(
    r"(?P<thing>\S.*?) (?:is (?P<tagged>a tagged field)|may (?P<null>be null)) \(from version \d+\)"
)
_WHOLE = re.compile(r"(?P<thing>\S.*?) is (?P<what>added|gone|back again)")


def folded(details: Sequence[str]) -> tuple[str, ...]:
    """Changes of fields with one line for each new field: a struct with what is in it, tagged, nullable."""
    whole = {found["thing"]: found["what"] for text in details if (found := _WHOLE.fullmatch(text))}
    marks: dict[str, list[str]] = {}
    inner: dict[str, list[str]] = {}
    left: list[str] = []
    for text in details:
        of_new, found = _OF_NEW.fullmatch(text), _WHOLE.fullmatch(text)
        if of_new and whole.get(of_new["thing"], "gone") != "gone":
            marks.setdefault(of_new["thing"], []).append("tagged" if of_new["tagged"] else "nullable")
            continue
        above = found and _above(found["thing"], whole)
        if found and above and whole[above] == found["what"]:
            inner.setdefault(above, []).append(found["thing"])
        else:
            left.append(text)
    return tuple(_told(text, marks, inner) for text in left)


def _above(thing: str, whole: Mapping[str, str]) -> str:
    """The outermost struct around a field that came or went as a whole; "" where none did."""
    head, _, path = thing.rpartition(": ")
    parts = path.split(".")
    around = (".".join(parts[:count]) for count in range(1, len(parts)))
    return next((name for path in around if (name := f"{head}: {path}" if head else path) in whole), "")


def _told(text: str, marks: Mapping[str, Sequence[str]], inner: Mapping[str, Sequence[str]]) -> str:
    found = _WHOLE.fullmatch(text)
    if not found:
        return text
    thing = found["thing"]
    marked = "".join(f", {mark}" for mark in sorted(marks.get(thing, ()), reverse=True))
    within = [
        item.removeprefix(f"{thing}.") + (f" ({' and '.join(marks[item])})" if item in marks else "")
        for item in inner.get(thing, ())
    ]
    return f"{text}{marked}{', with ' if within else ''}{', '.join(within)}"


def last_of(versions: str) -> int | None:
    """The highest version of "0-1, 3"; None where there is none."""
    last = versions.replace(", ", "-").split("-")[-1]
    return int(last) if last.isdecimal() else None
