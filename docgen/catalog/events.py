"""What happened to a subject: each snapshot changes what differs from the one that it follows.

Facts are compared only if what a snapshot holds differs, which is rare between neighbors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from wirebook.docgen.catalog.order import CatalogSnapshot, release_line
from wirebook.docgen.catalog.texts import Facts, Marks, Thing
from wirebook.rules.diff.layouts import Change
from wirebook.specs.numbers import DescribedError
from wirebook.specs.releases import line_of

_WORDS = {
    "unstable": ("unstable", "stable"),
    "deprecated": ("deprecated", "undeprecated"),
    "flexible": ("flexible", "inflexible"),
    "nullable": ("nullable", "not_nullable"),
    "tagged": ("tagged", "untagged"),
}
SCHEMA = "schema"  # the kind of the events of bytes
# What a change of bytes is to the field itself.
_ALSO_OF_FIELD = {
    "became-nullable": "nullable",
    "became-not-nullable": "nullable",
    "became-tagged": "tagged",
    "became-untagged": "tagged",
    "default-changed": "default",
}
Held = TypeVar("Held", bound=tuple[Any, ...])


class EventRow(NamedTuple):
    """An event of a subject, as the table of changes has it.

    `kind`, `part`, `version` and `path` name what it happened to, as in `Thing`; of the kind
    "schema", the events are changes of the bytes of a version (rules.diff.layouts). `first` is
    whether the history began with it, and `kept` whether it is part of the thing's own history,
    which lists an event of several lines of releases once, by the earliest release.
    """

    subject: str
    kind: str
    part: str
    version: int
    path: str
    event: str
    ordinal: int
    old: str | None
    new: str | None
    first: bool
    kept: bool


def in_table(row: EventRow) -> tuple[Any, ...]:
    """What events are sorted by: snapshots come first."""
    return (row.ordinal, *row[:6], row.old or "", row.new or "")


def events(
    subject: str,
    held: Mapping[int, Held],
    facts: Callable[[Held], Facts],
    snapshots: Sequence[CatalogSnapshot],
    byte_changes: Callable[[Held, Held], Iterable[tuple[str, int, Change]]],
) -> list[EventRow]:
    """What happened to a subject: to it, its versions and fields.

    `held` is what each snapshot holds of it, by ordinal, and `facts` what that states.
    `byte_changes` compares the bytes of versions: it gives changes with their message and their
    version. A change of bytes that is an event of a field as well is not listed again.
    """
    nothing: Any = ()
    stated = {each: facts(each) for each in {nothing, *held.values()}}
    rows: list[EventRow] = []
    last: dict[tuple[Thing, str], tuple[str, str | None]] = {}
    gone: set[Thing] = set()
    # What was removed up to each snapshot, as it was then.
    removed: dict[int | None, Mapping[Thing, Marks]] = {None: {}}
    for snapshot in snapshots:
        predecessor = -1 if snapshot.predecessor is None else snapshot.predecessor
        before = held.get(predecessor, nothing)
        after, lost = held.get(snapshot.ordinal, nothing), removed[snapshot.predecessor]
        removed[snapshot.ordinal] = lost
        if before == after:
            continue
        old, new = stated[before], stated[after]
        removed[snapshot.ordinal] = {**lost, **{each: old[each] for each in old.keys() - new}}
        changes = [
            (thing, about, *event)
            for thing in sorted(old.keys() | new.keys())
            for about, event in _changes(thing, old.get(thing), new.get(thing), lost.get(thing))
        ]
        reported = {(thing, about) for thing, about, *_ in changes}
        for part, version, change in byte_changes(before, after):
            field = Thing("field", part, -1, change.path)
            if (field, _ALSO_OF_FIELD.get(change.kind)) not in reported:
                was, now = (
                    None if value is None else str(value) for value in (change.old, change.new)
                )
                thing = Thing(SCHEMA, part, version, change.path)
                changes.append((thing, change.kind, change.kind, was, now))
        for thing, about, event, was, now in changes:
            # Several lines of releases may have it; only the first is part of the history.
            kept = last.get((thing, about)) != (event, now)
            last[thing, about] = (event, now)
            word = "returned" if event == "added" and thing in gone else event
            if event == "removed":
                gone.add(thing)
            first = snapshot.ordinal == snapshots[0].ordinal
            rows.append(EventRow(subject, *thing, word, snapshot.ordinal, was, now, first, kept))
    return sorted(rows, key=in_table)


def _changes(
    thing: Thing, old: Marks | None, new: Marks | None, lost: Marks | None
) -> Iterator[tuple[str, tuple[str, str | None, str | None]]]:
    """What changed of a thing: what that is about, with the event and its values. `lost` is what it
    was when it was removed before: it may return without its marks."""
    if old == new:
        return
    if new is None:
        yield "presence", ("removed", None, None)
        return
    if old is None:
        yield "presence", ("added", None, None)
    for name, words in _WORDS.items():
        is_mark = name in ("unstable", "deprecated")
        was, now = getattr(lost if old is None and is_mark else old, name, None), getattr(new, name)
        # Version 0 is one; False is the absence of a mark.
        before, after = (value is not None and value is not False for value in (was, now))
        if before != after and not (name == "flexible" and thing.kind == "version" and old is None):
            values = (None, None) if is_mark else (_text(was), _text(now))
            yield name, (words[0 if after else 1], *values)
    if thing.kind == "field" and old is not None and old.default != new.default:
        yield "default", ("default", old.default, new.default)


def _text(value: int | None) -> str | None:
    return None if value is None else str(value)


def error_events(
    codes: Sequence[DescribedError], snapshots: Sequence[CatalogSnapshot]
) -> list[EventRow]:
    """The error codes that each snapshot is the first to have. They are taken from the table of the
    profile, because no spec lists them."""
    rows = []
    lines = {(each.name, each.code): line_of(each.first_release or "") for each in codes}
    for snapshot in snapshots:
        is_first = snapshot.predecessor is None
        before = snapshots[snapshot.predecessor or 0]
        for (name, code), line in lines.items():
            if _has(snapshot, line) and (is_first or not _has(before, line)):
                at = ("errors", "error", name, code, "", "added", snapshot.ordinal, None, None)
                rows.append(EventRow(*at, first=is_first, kept=True))
    return rows


def _has(snapshot: CatalogSnapshot, first: tuple[int, ...] | None) -> bool:
    """Whether a release has a code of a line; without the line of either, it has all."""
    line = release_line(snapshot)
    return first is None or line is None or first <= line
