"""What a history holds of each subject, and its events, by walking the chains of snapshots.

A snapshot changes what differs from the one before it in its chain (docgen/catalog/order.py). Facts are
compared only if a text, or its state, differs, which is rare between neighbors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple
from typing import Any, NamedTuple

from wirebook.docgen.catalog.api_history import EventRow, StateText
from wirebook.docgen.catalog.order import ChainPlace, SnapshotFile
from wirebook.docgen.catalog.rows import Fact, TextRow
from wirebook.docgen.catalog.subject_texts import ByteChange, StateOfText

FactSubject = tuple[str, str, int, str]
FactsByState = Mapping[StateOfText, Iterable[Fact]]
ByteChanges = Callable[[Sequence[StateOfText], Sequence[StateOfText]], Iterable[ByteChange]]

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
_MERGED: dict[str, Callable[[list[Any]], Any]] = {
    "unstable": max, "deprecated": max, "flexible": min, "nullable": min, "tagged": min, "default": max,
}  # fmt: skip


class _Change(NamedTuple):
    """A change of one fact at a place of a chain, before it is compared with those of other chains."""

    place: ChainPlace
    event: str
    old: str | None = None
    new: str | None = None


def entries(
    files: Iterable[SnapshotFile], rows: Mapping[str, TextRow]
) -> Iterator[tuple[TextRow, StateText]]:
    """What each snapshot holds, of the files whose texts have rows that can be used."""
    for ordinal, path, digest in files:
        row = rows[digest]
        if row.error is None:
            for at, state in row.states_at or ():
                if at is None or at == ordinal:
                    yield row, StateText(ordinal, digest, path, state)


def events(
    contents: Iterable[StateText],
    facts: FactsByState,
    chains: Sequence[ChainPlace],
    byte_changes_between: ByteChanges = lambda *_: (),
) -> list[EventRow]:
    """What happened to a subject: to it, its versions and fields, or to error codes, in each chain.

    `byte_changes_between` compares the bytes of versions; a change of bytes that is an event of a field as
    well is not listed again.
    """
    parts: dict[int, list[StateOfText]] = {}
    for text in contents:
        parts.setdefault(text.ordinal, []).append((text.digest, text.state))
    in_snapshots = {ordinal: tuple(sorted(each)) for ordinal, each in parts.items()}
    merged = {each: _merged(each, facts) for each in {(), *in_snapshots.values()}}
    changes: dict[tuple[FactSubject, str], list[_Change]] = {}
    before: tuple[StateOfText, ...] = ()
    # What was removed before each place, as it was then: a branch has what was removed before it began.
    removed: dict[FactSubject, Fact] = {}
    removed_before: dict[int, dict[FactSubject, Fact]] = {}
    for place in chains:
        after = in_snapshots.get(place.ordinal, ())
        if place.position == 0:
            before, removed = (), removed_before.get(place.ordinal, {})
        # A branch begins with the snapshot that it was cut from, whose events are on the trunk.
        is_base = place.chain > 0 and place.position == 0
        if before != after and not is_base:
            old, new = merged[before], merged[after]
            differing = (thing for thing in old.keys() | new.keys() if old.get(thing) != new.get(thing))
            reported = set()
            lost: dict[FactSubject, Fact] = {}
            for thing in sorted(differing):
                was, now = old.get(thing), new.get(thing)
                for about, change in (
                    *_changes(thing, was, now, place),
                    *_lost(removed.get(thing) if was is None else None, now, place),
                ):
                    changes.setdefault((thing, about), []).append(change)
                    reported.add((thing, about))
                if was is not None and now is None:
                    lost[thing] = was
            removed = removed | lost if lost else removed
            for part, version, change_of_bytes in byte_changes_between(before, after):
                kind, path, *values = astuple(change_of_bytes)
                if (("field", part, -1, path), _ALSO_OF_FIELD.get(kind)) not in reported:
                    words = [None if value is None else str(value) for value in values]
                    thing = (SCHEMA, part, version, path)
                    changes.setdefault((thing, kind), []).append(_Change(place, kind, *words))
        before = after
        removed_before[place.ordinal] = removed
    return [row for (thing, _), rows in changes.items() for row in _story(thing, rows)]


def _merged(parts: Iterable[StateOfText], facts: FactsByState) -> dict[FactSubject, Fact]:
    """By thing: its facts, those of several messages taken together."""
    merged: dict[FactSubject, Fact] = {}
    for part in parts:
        for fact in facts[part]:
            thing = (fact.kind, fact.part, fact.version, fact.path)
            other = merged.get(thing)
            if other is not None:
                both: dict[str, Any] = {}
                for name, merge in _MERGED.items():
                    values = [v for v in (getattr(other, name), getattr(fact, name)) if v is not None]
                    both[name] = merge(values) if values else None
                fact = other._replace(**both)
            merged[thing] = fact
    return merged


def _changes(
    thing: FactSubject, old: Fact | None, new: Fact | None, place: ChainPlace
) -> Iterator[tuple[str, _Change]]:
    """The facts of a thing that differ, each with what it is about."""
    kind = thing[0]
    if new is None:
        yield "presence", _Change(place, "removed")
        return
    if old is None:
        yield "presence", _Change(place, "added")
    for name, words in _WORDS.items():
        was, now = getattr(old, name, None), getattr(new, name)
        # Version 0 is one; False is the absence of a mark.
        before, after = (value is not None and value is not False for value in (was, now))
        if before == after:
            continue
        of_field = name in ("nullable", "tagged")
        if of_field != (kind == "field") or kind == "error":
            continue
        if name == "flexible" and old is None and kind != "api":
            continue
        is_listed = name in ("flexible", "nullable", "tagged")
        values = [str(value) if is_listed and value is not None else None for value in (was, now)]
        yield name, _Change(place, words[0 if after else 1], *values)
    if kind == "field" and old is not None and old.default != new.default:
        yield "default", _Change(place, "default", old.default, new.default)


def _lost(old: Fact | None, new: Fact | None, place: ChainPlace) -> Iterator[tuple[str, _Change]]:
    """The marks with which a thing was removed and without which it returns."""
    for name in ("unstable", "deprecated"):
        if old is not None and new is not None and getattr(old, name) and not getattr(new, name):
            yield name, _Change(place, _WORDS[name][1])


def _story(thing: FactSubject, changes: Iterable[_Change]) -> Iterator[EventRow]:
    """List once what several branches have, and call a second addition a return."""
    changes = sorted(changes, key=lambda change: (change.place.ordinal, change.place.chain))
    trunk = {(each.event, each.new, each.place.ordinal) for each in changes if each.place.chain == 0}
    last: dict[int | None, tuple[str, str | None]] = {}
    was_removed = False
    for place, event, old, new in changes:
        is_alone = (
            place.chain > 0 and place.next_trunk is not None and (event, new, place.next_trunk) not in trunk
        )
        branch = place.chain if is_alone else None
        yield EventRow(
            *thing,
            event="returned" if event == "added" and was_removed else event,
            ordinal=place.ordinal,
            old=old,
            new=new,
            first=place.chain == 0 and place.position == 0,
            branch=branch,
            kept=last.get(branch) != (event, new),
        )
        last[branch] = (event, new)
        was_removed = was_removed or event == "removed"
