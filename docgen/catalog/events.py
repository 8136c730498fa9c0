"""What happened to a subject: each snapshot changes what differs from the one that it follows.

Facts are compared only if what a snapshot holds differs, which is rare between neighbors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from wirebook.docgen.catalog.order import CatalogSnapshot
from wirebook.docgen.catalog.texts import Facts, Marks, Thing
from wirebook.rules.diff.layouts import Change

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


class ByteChange(NamedTuple):
    """A change of the bytes of a version that both of two snapshots have; `part` is the message."""

    part: str
    version: int
    change: Change


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


class _Change(NamedTuple):
    """A change in a snapshot, before it is compared with those of other snapshots."""

    ordinal: int
    event: str
    old: str | None = None
    new: str | None = None


def events(
    subject: str,
    held: Mapping[int, Held],
    facts: Callable[[Held], Facts],
    snapshots: Sequence[CatalogSnapshot],
    byte_changes: Callable[[Held, Held], Iterable[ByteChange]],
) -> list[EventRow]:
    """What happened to a subject: to it, its versions and fields.

    `held` is what each snapshot holds of it, by ordinal, and `facts` what that states.
    `byte_changes` compares the bytes of versions; a change of bytes that is an event of a field as
    well is not listed again.
    """
    nothing: Any = ()
    stated = {each: facts(each) for each in {nothing, *held.values()}}
    changes: dict[tuple[Thing, str], list[_Change]] = {}
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
        reported: set[tuple[Thing, str | None]] = set()
        for thing in sorted(old.keys() | new.keys()):
            for about, event in _changes(thing, old.get(thing), new.get(thing), lost.get(thing)):
                changed = _Change(snapshot.ordinal, *event)
                changes.setdefault((thing, about), []).append(changed)
                reported.add((thing, about))
        for part, version, change in byte_changes(before, after):
            field = Thing("field", part, -1, change.path)
            if (field, _ALSO_OF_FIELD.get(change.kind)) not in reported:
                values = (
                    None if value is None else str(value) for value in (change.old, change.new)
                )
                thing = Thing(SCHEMA, part, version, change.path)
                changes.setdefault((thing, change.kind), []).append(
                    _Change(snapshot.ordinal, change.kind, *values)
                )
    first = snapshots[0].ordinal
    return [
        row for (thing, _), each in changes.items() for row in _story(subject, thing, each, first)
    ]


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


def _story(
    subject: str, thing: Thing, changes: Iterable[_Change], first: int
) -> Iterator[EventRow]:
    """Call a second addition a return, and mark what several lines of releases have."""
    last: tuple[str, str | None] | None = None
    was_removed = False
    for ordinal, event, old, new in changes:
        kept, last = last != (event, new), (event, new)
        word = "returned" if event == "added" and was_removed else event
        yield EventRow(subject, *thing, word, ordinal, old, new, ordinal == first, kept)
        was_removed = was_removed or event == "removed"
