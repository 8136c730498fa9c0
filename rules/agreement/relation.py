"""When two specs agree on a version of a message, and where they do not: what decides every wire verdict.

Two specs agree at a version if everything that a writer of one can write is read by the other without an
error, with equal values for every field that both have, and the same the other way round. A field that the
bytes do not carry (the version lacks it, its tag is not sent) reads as its default. Which field of one is
which field of the other is decided by its place or its tag in the version; a name that both have there must
be in the same place.

This is decided on the canonical forms of the two (`forms`), item by item in the order of the wire:

1. Items of another kind, width or length prefix are misread, and so is everything after them: that ends the
   comparison of the sequence, and of those around it, up to a tagged field, whose size is known. Items of
   another type, but of the same width or prefix, are misread by themselves.
2. A null that one side may write, and that the other rejects, does not end the comparison.
3. A tag that only one side sends is skipped by a side that never had it, and rejected by a side that has it
   in other versions. If the side that skips it has a field of that name, the value is lost.
4. A field that neither side carries must have the same default on both, and so must a tagged field that
   both have, since it may be left out.
5. A name that both sides carry in a sequence must be at the same place there.

Nothing is sampled: two forms without a disagreement agree for all values. Source: KIP-482, and the classes
that Kafka's generator writes (MessageDataGenerator).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import NamedTuple

from wirebook.rules.agreement.forms import (
    WIDTHS,
    Array,
    Blob,
    Form,
    Item,
    Name,
    Number,
    Optional,
    Section,
    Sequenced,
    Tagged,
)
from wirebook.specs.model import Field

_KINDS = {"uint16": "int16", "uint32": "int32", "records": "bytes"}


class Kind(Enum):
    """What two specs disagree on."""

    HEADER = "header"
    """Messages have another header version."""
    LENGTH = "length"
    """Items of another number, kind, width or length prefix: everything after them is misread."""
    FLEXIBLE = "flexible"
    """Only one side has a tagged section here."""
    TYPE = "type"
    """The bytes of one item mean other values."""
    NULL = "null"
    """One side writes a null that the other rejects."""
    DEFAULT = "default"
    """A field that is not carried has other values."""
    TAG = "tag"
    """One side sends a tag that the other rejects."""
    LOST = "lost"
    """One side sends a field that the other has, and takes for absent."""
    NAME = "name"
    """A field that both have is in another place."""


class Writer(Enum):
    """Whose messages show a disagreement."""

    FIRST = "first"
    SECOND = "second"
    BOTH = "both"


class Side(NamedTuple):
    """One side of a disagreement: the field, None if the side has none there, and its path from the top."""

    path: str
    field: Field | None


class Disagreement(NamedTuple):
    """A way in which two specs disagree at a version.

    `place` is where: the indexes of items from the top, "#" and the tag for tagged fields, and the name for
    what has no place. Two comparisons that differ in the same way at the same place have equal `key`s.
    """

    kind: Kind
    writer: Writer
    place: tuple[str, ...]
    first: Side
    second: Side

    @property
    def key(self) -> tuple[object, ...]:
        """What identifies the disagreement in a comparison with another one."""
        return self.kind, self.writer, self.place


def disagreements(first: Form, second: Form) -> Iterator[Disagreement]:
    """The ways in which two specs disagree at a version, in the order of the wire; none if they agree."""
    if first.header_version != second.header_version:
        yield Disagreement(Kind.HEADER, Writer.BOTH, (), Side("", None), Side("", None))
    is_flexible = first.flexible == second.flexible
    yield from _Comparison(("", ""), is_flexible).sequences((), first.body, second.body)


class _Comparison:
    """Compares two sequences; `paths` are those of the fields around them.

    `is_flexible` is whether both messages are flexible in the version, or neither.
    """

    def __init__(self, paths: tuple[str, str], is_flexible: bool) -> None:
        self.paths = paths
        self.is_flexible = is_flexible
        self.is_aligned = True  # whether both sides are at the same byte

    def sequences(
        self, place: tuple[str, ...], first: Sequenced, second: Sequenced
    ) -> Iterator[Disagreement]:
        """The disagreements of two sequences in a place."""
        common = 0
        for one, other in zip(first.items, second.items, strict=False):
            yield from self._items((*place, str(common)), one, other)
            if not self.is_aligned:
                break
            common += 1
        if self.is_aligned and len(first.items) != len(second.items):
            kind = Kind.LENGTH if self.is_flexible else Kind.FLEXIBLE
            ends = [next(iter(side.items[common:]), None) for side in (first, second)]
            yield self._both(kind, (*place, str(common)), ends[0], ends[1])
            self.is_aligned = False
        yield from self._names(place, first, second, common)

    def _items(self, place: tuple[str, ...], one: Item, other: Item) -> Iterator[Disagreement]:
        if isinstance(one, Number) and isinstance(other, Number):
            if one.type != other.type:
                self.is_aligned = WIDTHS[one.type] == WIDTHS[other.type]
                yield self._both(Kind.TYPE if self.is_aligned else Kind.LENGTH, place, one, other)
        elif isinstance(one, Blob) and isinstance(other, Blob):
            is_framed = one.is_compact == other.is_compact and (one.is_compact or one.type == other.type)
            if not is_framed:
                self.is_aligned = False
                yield self._both(Kind.LENGTH, place, one, other)
                return
            if one.type != other.type:
                yield self._both(Kind.TYPE, place, one, other)
            yield from self._nulls(place, one, other)
        elif isinstance(one, Array) and isinstance(other, Array):
            if one.is_compact != other.is_compact:
                self.is_aligned = False
                yield self._both(Kind.LENGTH, place, one, other)
                return
            yield from self._nulls(place, one, other)
            yield from self._inner((*place, "[]"), one, other, one.element, other.element)
        elif isinstance(one, Optional) and isinstance(other, Optional):
            yield from self._inner(place, one, other, one.content, other.content)
        elif isinstance(one, Section) and isinstance(other, Section):
            yield from self._sections(place, one, other)
        else:
            self.is_aligned = False
            kind = Kind.LENGTH
            if isinstance(one, Section) or isinstance(other, Section):
                kind = Kind.LENGTH if self.is_flexible else Kind.FLEXIBLE
            elif isinstance(one, Optional) or isinstance(other, Optional):
                kind = Kind.NULL
            yield self._both(kind, place, one, other)

    def _inner(
        self, place: tuple[str, ...], one: Item, other: Item, first: Sequenced, second: Sequenced
    ) -> Iterator[Disagreement]:
        """The disagreements of sequences inside two items: what they misalign, misaligns what follows."""
        inner = self._inside(one, other)
        yield from inner.sequences(place, first, second)
        self.is_aligned = inner.is_aligned

    def _nulls(
        self, place: tuple[str, ...], one: Blob | Array, other: Blob | Array
    ) -> Iterator[Disagreement]:
        if one.nullable != other.nullable:
            writer = Writer.FIRST if one.nullable else Writer.SECOND
            yield Disagreement(Kind.NULL, writer, place, self._side(0, one), self._side(1, other))

    def _sections(self, place: tuple[str, ...], one: Section, other: Section) -> Iterator[Disagreement]:
        for tag in sorted({*one.tags, *other.tags}):
            here = (*place, f"#{tag}")
            first, second = one.tags.get(tag), other.tags.get(tag)
            if first is not None and second is not None:
                inner = self._inside(first, second)
                yield from inner.sequences(here, first.content, second.content)
                if inner.is_aligned:
                    yield from self._defaults(here, first, second)
            elif first is not None and tag in other.rejected:
                field = other.rejected[tag]
                reader = self._named(1, (*other.name, field.name), field)
                yield Disagreement(Kind.TAG, Writer.FIRST, here, self._side(0, first), reader)
            elif second is not None and tag in one.rejected:
                field = one.rejected[tag]
                reader = self._named(0, (*one.name, field.name), field)
                yield Disagreement(Kind.TAG, Writer.SECOND, here, reader, self._side(1, second))

    def _defaults(self, place: tuple[str, ...], one: Tagged, other: Tagged) -> Iterator[Disagreement]:
        """The values of a tagged field that is not sent: those of its fields if it is a struct."""
        values = one.field.default, other.field.default
        if values[0] != values[1]:
            if _kind(one.field.field) == _kind(other.field.field):
                yield Disagreement(
                    Kind.DEFAULT, Writer.BOTH, (*place, "default"), self._side(0, one), self._side(1, other)
                )
        elif values[0] == {}:
            inner = self._inside(one, other)
            yield from inner._unsent(place, one.content, other.content)

    def _unsent(self, place: tuple[str, ...], first: Sequenced, second: Sequenced) -> Iterator[Disagreement]:
        """The values of the fields of a struct that is not sent, without those that are absent if it is."""
        for index, (one, other) in enumerate(zip(first.items, second.items, strict=False)):
            if isinstance(one, Section) or isinstance(other, Section):
                continue
            here = (*place, str(index))
            values = one.field.default, other.field.default
            if values[0] != values[1] and _kind(one.field.field) == _kind(other.field.field):
                sides = (self._side(0, one), self._side(1, other))
                yield Disagreement(Kind.DEFAULT, Writer.BOTH, (*here, "default"), *sides)
            elif isinstance(one, Optional) and isinstance(other, Optional) and values == ({}, {}):
                inner = self._inside(one, other)
                yield from inner._unsent(here, one.content, other.content)

    def _names(
        self, place: tuple[str, ...], first: Sequenced, second: Sequenced, common: int
    ) -> Iterator[Disagreement]:
        """The disagreements on fields that both sides have by name, as far as both are at the same byte."""
        renamed = _renamed(first, second)
        one, two = _places(first, common), _places(second, common)
        other = {_translated(name, renamed): name for name in two}
        absent = {_translated(name, renamed): name for name in second.absent}
        for name, at in one.items():
            now = other.get(name)
            if now is not None and two[now].key != at.key:
                yield self._of_names(Kind.NAME, Writer.BOTH, place, (name, at.field), (now, two[now].field))
            lacking = absent.get(name)
            if now is None and lacking is not None and at.is_skipped(second):
                fields = (name, at.field), (lacking, second.absent[lacking].field)
                yield self._of_names(Kind.LOST, Writer.FIRST, place, *fields)
        for name, own in other.items():
            if name not in one and name in first.absent and two[own].is_skipped(first):
                fields = (name, first.absent[name].field), (own, two[own].field)
                yield self._of_names(Kind.LOST, Writer.SECOND, place, *fields)
        for name, own in absent.items():
            if name in first.absent:
                before, after = first.absent[name], second.absent[own]
                if before.value != after.value and _kind(before.field) == _kind(after.field):
                    fields = (name, before.field), (own, after.field)
                    yield self._of_names(Kind.DEFAULT, Writer.BOTH, place, *fields)

    def _of_names(
        self,
        kind: Kind,
        writer: Writer,
        place: tuple[str, ...],
        first: tuple[Name, Field],
        second: tuple[Name, Field],
    ) -> Disagreement:
        """A disagreement on a field that both sides have by name."""
        return Disagreement(
            kind, writer, (*place, *first[0]), self._named(0, *first), self._named(1, *second)
        )

    def _inside(self, one: Item | Tagged, other: Item | Tagged) -> _Comparison:
        """The comparison of what two fields contain."""
        return _Comparison((self._path(0, one), self._path(1, other)), self.is_flexible)

    def _both(self, kind: Kind, place: tuple[str, ...], one: Item | None, other: Item | None) -> Disagreement:
        return Disagreement(kind, Writer.BOTH, place, self._side(0, one), self._side(1, other))

    def _side(self, side: int, item: Item | Tagged | None) -> Side:
        if item is None:
            return Side(self.paths[side], None)
        field = None if isinstance(item, Section) else item.field.field
        return Side(self._path(side, item), field)

    def _path(self, side: int, item: Item | Tagged) -> str:
        return ".".join(filter(None, (self.paths[side], *item.name)))

    def _named(self, side: int, name: Name, field: Field) -> Side:
        return Side(".".join(filter(None, (self.paths[side], *name))), field)


class _Place(NamedTuple):
    """Where a sequence carries a field: its index, with the tag if it has one."""

    key: tuple[int, int | None]
    field: Field

    def is_skipped(self, reader: Sequenced) -> bool:
        """Whether it is a tagged field that a reader skips."""
        index, tag = self.key
        section = reader.items[index]
        return (
            tag is not None and isinstance(section, Section) and tag not in (*section.tags, *section.rejected)
        )


def _places(sequence: Sequenced, common: int) -> dict[Name, _Place]:
    """The places of the fields among the first items of a sequence, by name."""
    places: dict[Name, _Place] = {}
    for index, item in enumerate(sequence.items[:common]):
        if isinstance(item, Section):
            for tag, tagged in item.tags.items():
                places[tagged.name] = _Place((index, tag), tagged.field.field)
        else:
            places[item.name] = _Place((index, None), item.field.field)
    return places


def _renamed(first: Sequenced, second: Sequenced) -> dict[Name, Name]:
    """The structs of the second sequence that the first one has with another name, each with that name.

    A struct that dissolves is not on the wire: it is another one renamed if both have the same items, and
    neither name is on the other side.
    """
    one, other = _spans(first), _spans(second)
    by_span = {span: name for name, span in one.items() if name not in other}
    return {
        name: by_span[span]
        for name, span in other.items()
        if name not in one and span in by_span and len(by_span[span]) == len(name)
    }


def _spans(sequence: Sequenced) -> dict[Name, tuple[int, int]]:
    """The first and the last item of each name of a sequence, those of structs that dissolve included."""
    spans: dict[Name, tuple[int, int]] = {}
    for index, item in enumerate(sequence.items):
        for length in range(1, len(item.name) + 1):
            start, _ = spans.get(item.name[:length], (index, index))
            spans[item.name[:length]] = start, index
    return spans


def _translated(name: Name, renamed: Mapping[Name, Name]) -> Name:
    """A name with the structs around it as the other side names them."""
    for length in range(len(name) - 1, 0, -1):
        if name[:length] in renamed:
            return (*renamed[name[:length]], *name[length:])
    return name


def _kind(field: Field) -> tuple[str, bool]:
    """What a field holds, and whether it is an array of that."""
    element = "struct" if field.is_struct else field.element
    return _KINDS.get(element, element), field.is_array


def brought(release: Form, old: Form | None, new: Form) -> list[Disagreement]:
    """The disagreements of a release with the new side that the release does not have with the old side.

    A patch breaks a version for the release if there are any. `old` is None if the old side lacks it.
    """
    known = set() if old is None else {each.key for each in disagreements(release, old)}
    return [each for each in disagreements(release, new) if each.key not in known]
