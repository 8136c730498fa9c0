"""What happened to a subject: each snapshot changes what differs from the one that it follows.

Facts are compared only if what a snapshot holds differs, which is rare between neighbors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from wirebook.docgen.catalog.order import CatalogSnapshot, Offer, release_line
from wirebook.docgen.catalog.texts import MARKS, Facts, Text, Thing, facts_of
from wirebook.docgen.catalog.wire import byte_changes
from wirebook.specs.numbers import DescribedError
from wirebook.specs.releases import line_of

SCHEMA = "schema"  # the kind of the events of bytes
# What begins to be true of a thing, and what ends it.
_ENDS = {
    "added": "removed",
    "unstable": "stable",
    "deprecated": "undeprecated",
    "flexible": "inflexible",
    "nullable": "not_nullable",
    "tagged": "untagged",
}
_BEGUN = {end: begin for begin, end in _ENDS.items()}
# The changes of bytes that may be events of the field itself.
_OF_FIELD = {
    "became-nullable": "nullable",
    "became-not-nullable": "not_nullable",
    "became-tagged": "tagged",
    "became-untagged": "untagged",
    "default-changed": "default",
}
# The texts of a subject in a snapshot, by digest, each with what the snapshot offers of it.
Held = tuple[tuple[str, Offer], ...]


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
    held: Mapping[int | None, Held],
    texts: Mapping[str, Text],
    snapshots: Sequence[CatalogSnapshot],
) -> list[EventRow]:
    """What happened to a subject: to it, its versions and fields.

    `held` is what each snapshot holds of it, by ordinal. A change of bytes that is an event of a
    field as well is not listed again.
    """
    stated = {
        each: facts_of((texts[digest], offer) for digest, offer in each)
        for each in {(), *held.values()}
    }
    rows: list[EventRow] = []
    last: dict[tuple[Thing, str], tuple[str, str | None]] = {}
    gone: set[Thing] = set()
    # What each snapshot or the ones before it state, in the newest form.
    known: dict[int | None, Facts] = {None: {}}
    for snapshot in snapshots:
        ordinal, past = snapshot.ordinal, known[snapshot.predecessor]
        before, after = held.get(snapshot.predecessor, ()), held.get(ordinal, ())
        known[ordinal] = {**past, **stated[after]}
        if before == after:
            continue
        changes = list(_changes(stated[before], stated[after], past))
        reported = {(thing, event) for thing, event, _, _ in changes}
        for change in _byte_changes(before, after, texts):
            field = change[0]._replace(kind="field", version=-1)
            if (field, _OF_FIELD.get(change[1])) not in reported:
                changes.append(change)
        for thing, event, old, new in changes:
            # Several lines of releases may have it; only the first is part of the history.
            about = (thing, _BEGUN.get(event, event))
            kept = last.get(about) != (event, new)
            last[about] = (event, new)
            if event == "removed":
                gone.add(thing)
            word = "returned" if event == "added" and thing in gone else event
            rows.append(EventRow(subject, *thing, word, ordinal, old, new, ordinal == 0, kept))
    return sorted(rows, key=in_table)


# An event of a thing, with the values before and after it.
_Change = tuple[Thing, str, str | None, str | None]


def _changes(old: Facts, new: Facts, past: Facts) -> Iterator[_Change]:
    """What differs between two snapshots. `past` is what each thing was when it was there last."""
    for thing in old.keys() | new.keys():
        before, after, begins = old.get(thing), new.get(thing), tuple(_ENDS)
        if after is None:
            yield thing, "removed", None, None
            continue
        if before is None:
            yield thing, "added", None, None
            # It may return without its marks; a version is flexible or not from its beginning.
            before = dict.fromkeys(mark for mark in MARKS if mark in past.get(thing, ()))
            begins = MARKS if thing.kind == "version" else begins
        for begin in begins:
            if (begin in before) != (begin in after):
                event = begin if begin in after else _ENDS[begin]
                yield thing, event, before.get(begin), after.get(begin)
        if "default" in before and before["default"] != after["default"]:
            yield thing, "default", before["default"], after["default"]


def _byte_changes(before: Held, after: Held, texts: Mapping[str, Text]) -> Iterator[_Change]:
    """How the bytes of the versions changed that two snapshots have in common."""
    older = {texts[digest].part: (texts[digest], offer) for digest, offer in before}
    for digest, offer in after:
        new = texts[digest]
        old, offered = older.get(new.part, (new, offer))
        common = () if old is new else sorted({*offered.valid} & {*offer.valid})
        for version in common:
            for change in byte_changes(old.layouts[version], new.layouts[version]):
                thing = Thing(SCHEMA, new.part, version, change.path)
                yield thing, change.kind, _text(change.old), _text(change.new)


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def error_events(
    codes: Sequence[DescribedError], snapshots: Sequence[CatalogSnapshot]
) -> list[EventRow]:
    """The error codes that each snapshot is the first to have. They are taken from the table of the
    profile, because no spec lists them."""
    rows: list[EventRow] = []
    known: dict[int | None, set[tuple[str, int]]] = {None: set()}
    for snapshot in snapshots:
        ordinal = snapshot.ordinal
        known[ordinal] = {(each.name, each.code) for each in codes if _has(snapshot, each)}
        for name, code in known[ordinal] - known[snapshot.predecessor]:
            thing = Thing("error", name, code)
            rows.append(
                EventRow("errors", *thing, "added", ordinal, None, None, ordinal == 0, kept=True)
            )
    return rows


def _has(snapshot: CatalogSnapshot, code: DescribedError) -> bool:
    """Whether a release has a code; without the line of either, it has all."""
    line, first = release_line(snapshot), line_of(code.first_release or "")
    return first is None or line is None or first <= line
