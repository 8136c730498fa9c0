"""When two specs agree on a version of a message, and where they do not: what decides every wire verdict.

Two specs agree at a version if everything that a writer of one can write is read by the other without an
error, with equal values for every field that both have, and the same the other way round. A field that the
bytes do not carry (the version lacks it, its tag is not sent) reads as its default: if the spec states none,
that is zero, false or empty, and null for `records`. Which field of one is which field of the other is
decided by its place or its tag in the version; a name that both carry in the version must be in the same
place.

This is decided on the canonical forms of the two (`forms`), item by item in the order of the wire:

1. Items of another kind, width or length prefix are misread, and so is everything after them: that ends the
   comparison of the sequence that they are in. The sequence around an array, a nullable struct or a tagged
   field is compared nevertheless: a writer may leave the array empty, the struct null, the tag out. A tagged
   field that is a struct on one side only is misread as a whole. Items of another type, but of the same width
   or prefix, are misread by themselves.
2. A null that one side may write, and that the other rejects, does not end the comparison.
3. A tag that only one side sends is skipped by a side that never had it, and rejected by a side that knows
   the tag from other versions. If the side that skips it has a field of that name in the same struct in other
   stable versions, and not in this one, the value is lost, except that of a struct without fields, which has
   only one. (This is about tags only: a reader cannot skip an untagged field that it does not know, and takes
   its bytes for another field, see 1.)
4. A field that neither side carries must have the same default on both if it has the same name and values of
   one kind, and so must a tagged field that both have, since it may be left out. A struct that is not sent
   has the defaults of all its fields.
5. A name that both sides carry in a sequence must be at the same place there.

Nothing is sampled: two forms without a disagreement agree for all values. Source: KIP-482, and the classes
that Kafka's generator writes (MessageDataGenerator).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from itertools import zip_longest
from typing import NamedTuple

from wirebook.rules.agreement.forms import (
    ArrayItem,
    BlobItem,
    Item,
    Name,
    NullableStructItem,
    NumberItem,
    SectionItem,
    Sequenced,
    Tagged,
    WireForm,
    is_framed_alike,
)
from wirebook.specs.model import Field, Json
from wirebook.specs.wire.layout import LayoutField, UnfitDefault

# What has a sequence of its own.
_Holder = ArrayItem | NullableStructItem | Tagged

# What the values of types are, if not that of their own.
_VALUES = {"records": "bytes"} | dict.fromkeys(
    ("int8", "int16", "uint16", "int32", "uint32", "int64", "float64"), "number"
)


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
    """One side writes a null that the other rejects, or only one side has the marker of a nullable struct."""
    DEFAULT = "default"
    """A field of one name, or under one tag, that is not carried has other values."""
    TAG = "tag"
    """One side sends a tag that the other rejects."""
    LOST = "lost"
    """One side sends a field that the other has, and takes for absent."""
    NAME = "name"
    """A field that both have is in another place."""
    IDENTITY = "identity"
    """A tag has a field of another name, which no byte shows: no kind of the relation (see `breaks`)."""


class WriterSide(Enum):
    """Whose messages show a disagreement."""

    FIRST = "first"
    SECOND = "second"
    BOTH = "both"


class Side(NamedTuple):
    """One side of a disagreement: the field, None if the side has none there, and its path from the top.

    `carried` is the field in the layout, None if the version lacks it; `above` is the path of the array or
    struct whose items are compared, "" for the message.
    """

    path: str
    field: Field | None
    carried: LayoutField | None = None
    above: str = ""


class Disagreement(NamedTuple):
    """A way in which two specs disagree at a version.

    `place` is where: the numbers of compared pairs of items from the top, "#" and the tag for tagged fields,
    and the name for what has no place; a name that moved has the place of the first side before it. Two
    comparisons that differ in the same way at the same place have equal `key`s.
    """

    kind: Kind
    writer: WriterSide
    place: tuple[str, ...]
    first: Side
    second: Side

    @property
    def key(self) -> tuple[object, ...]:
        """What identifies the disagreement in a comparison with another one."""
        return Kind.LENGTH if self.is_misread else self.kind, self.writer, self.place

    @property
    def is_misread(self) -> bool:
        """Whether peers are at different bytes after the item, so that nothing after it has a place."""
        return self.kind in (Kind.LENGTH, Kind.FLEXIBLE) or (
            self.kind is Kind.NULL and self.writer is WriterSide.BOTH
        )

    @property
    def is_unsent(self) -> bool:
        """Whether it is the default of a field that neither side carries, which has no place."""
        return self.kind is Kind.DEFAULT and self.first.carried is None

    def hides(self, other: "Disagreement") -> bool:
        """Whether another disagreement with the same first side is in what peers misread for this one.

        The default of a field that neither side carries has no place, and is never hidden.
        """
        if not self.is_misread or other.is_unsent:
            return False
        is_named = other.kind in (Kind.NAME, Kind.LOST)
        location = other.place[:-1] if is_named else other.place
        depth = len(self.place)
        if location[:depth] == self.place:
            # What is inside the misread item, and the item itself, unless only its name differs.
            return len(location) > depth or not is_named
        *above, last = self.place
        return (
            list(location[: depth - 1]) == above
            and len(location) >= depth
            and (_is_before(last, location[depth - 1]) or (last, location[depth - 1]) == ("0", "default"))
        )


def _is_before(step: str, other: str) -> bool:
    return step.isdigit() and other.isdigit() and int(step) < int(other)


# The items of two sequences that are compared with each other, by index; None for the side that has none.
ItemPairs = Iterable[tuple[int | None, int | None]]


def in_wire_order(first: Sequenced, second: Sequenced) -> ItemPairs:
    """What peers do: the items of both sides in the order of the wire."""
    return zip_longest(range(len(first.items)), range(len(second.items)))


def disagreements(first: WireForm, second: WireForm) -> Iterator[Disagreement]:
    """The ways in which two specs disagree at a version, in the order of the wire; none if they agree."""
    return compared(first, second, in_wire_order, beyond_misreads=False)


def compared(
    first: WireForm,
    second: WireForm,
    pair_items: Callable[[Sequenced, Sequenced], ItemPairs],
    *,
    beyond_misreads: bool,
) -> Iterator[Disagreement]:
    """The disagreements of two forms, given which items `pair_items` compares.

    `beyond_misreads` is whether the comparison of a sequence goes on after a misread item, as no peer can:
    this shows what else differs.
    """
    if first.header != second.header:
        yield Disagreement(Kind.HEADER, WriterSide.BOTH, (), Side("", None), Side("", None))
    comparison = _Comparison(("", ""), first.flexible == second.flexible, pair_items, beyond_misreads)
    yield from comparison.sequences((), first.body, second.body)


def sequences_agree(first: Sequenced, second: Sequenced) -> bool:
    """Whether two sequences agree by themselves, in versions that are flexible alike."""
    comparison = _Comparison(("", ""), True, in_wire_order, False)
    return next(comparison.sequences((), first, second), None) is None


class _Comparison:
    """Compares two sequences; `paths` are those of the fields around them, `around` these fields, if any.

    `is_flexible_alike` is whether both messages are flexible in the version, or neither.
    """

    def __init__(
        self,
        paths: tuple[str, str],
        is_flexible_alike: bool,
        pair_items: Callable[[Sequenced, Sequenced], ItemPairs],
        beyond_misreads: bool,
        around: tuple[LayoutField, LayoutField] | None = None,
    ) -> None:
        self.paths = paths
        self.around = around
        self.is_flexible_alike = is_flexible_alike
        self.pair_items = pair_items
        self.beyond_misreads = beyond_misreads
        self.is_aligned = True  # whether both sides are at the same byte

    def sequences(
        self, place: tuple[str, ...], first: Sequenced, second: Sequenced
    ) -> Iterator[Disagreement]:
        """The disagreements of two sequences in a place."""
        pair_numbers: tuple[dict[int, int], dict[int, int]] = ({}, {})
        for number, (index, other) in enumerate(self.pair_items(first, second)):
            here = (*place, str(number))
            if index is not None and other is not None:
                yield from self._items(here, first.items[index], second.items[other])
            else:
                ends = [
                    None if at is None else side.items[at] for side, at in ((first, index), (second, other))
                ]
                yield self._both(Kind.LENGTH if self.is_flexible_alike else Kind.FLEXIBLE, here, *ends)
                self.is_aligned = False
            if not self.is_aligned and not self.beyond_misreads:
                break
            self.is_aligned = True
            for side, at in zip(pair_numbers, (index, other), strict=True):
                if at is not None:
                    side[at] = number
        yield from self._names(place, first, second, pair_numbers)

    def _items(self, place: tuple[str, ...], one: Item, other: Item) -> Iterator[Disagreement]:
        if not is_framed_alike(one, other):
            self.is_aligned = False
            kind = Kind.LENGTH
            if isinstance(one, SectionItem) or isinstance(other, SectionItem):
                kind = Kind.LENGTH if self.is_flexible_alike else Kind.FLEXIBLE
            elif isinstance(one, NullableStructItem) or isinstance(other, NullableStructItem):
                kind = Kind.NULL
            yield self._both(kind, place, one, other)
        elif isinstance(one, SectionItem) and isinstance(other, SectionItem):
            yield from self._sections(place, one, other)
        elif isinstance(one, NullableStructItem) and isinstance(other, NullableStructItem):
            yield from self._inside(one, other).sequences(place, one.content, other.content)
        elif isinstance(one, ArrayItem) and isinstance(other, ArrayItem):
            yield from self._nulls(place, one, other)
            inner = self._inside(one, other)
            yield from inner.sequences((*place, "[]"), one.element, other.element)
        elif isinstance(one, NumberItem | BlobItem) and isinstance(other, NumberItem | BlobItem):
            if one.type != other.type:
                yield self._both(Kind.TYPE, place, one, other)
            if isinstance(one, BlobItem) and isinstance(other, BlobItem):
                yield from self._nulls(place, one, other)

    def _nulls(
        self, place: tuple[str, ...], one: BlobItem | ArrayItem, other: BlobItem | ArrayItem
    ) -> Iterator[Disagreement]:
        if one.nullable != other.nullable:
            writer = WriterSide.FIRST if one.nullable else WriterSide.SECOND
            yield Disagreement(Kind.NULL, writer, place, self._side(0, one), self._side(1, other))

    def _sections(
        self, place: tuple[str, ...], one: SectionItem, other: SectionItem
    ) -> Iterator[Disagreement]:
        for tag in sorted({*one.tags, *other.tags}):
            here = (*place, f"#{tag}")
            first, second = one.tags.get(tag), other.tags.get(tag)
            if first is not None and second is not None:
                inner = self._inside(first, second)
                if first.is_struct == second.is_struct:
                    yield from inner.sequences(here, first.content, second.content)
                else:
                    # Whatever a struct begins with, the bytes of a tag are those of one field.
                    is_null = any(
                        isinstance(tagged.content.items[-1], NullableStructItem) for tagged in (first, second)
                    )
                    yield self._both(Kind.NULL if is_null else Kind.LENGTH, (*here, "0"), first, second)
                    inner.is_aligned = False
                # The default of a struct is that of each of its fields, as far as they are the same.
                if inner.is_aligned or {} in (first.field.default, second.field.default):
                    yield from self._defaults(here, first, second)
            elif first is not None and tag in other.rejected:
                field = other.rejected[tag]
                reader = self._named(1, (*other.name, field.name), field)
                yield Disagreement(Kind.TAG, WriterSide.FIRST, here, self._side(0, first), reader)
            elif second is not None and tag in one.rejected:
                field = one.rejected[tag]
                reader = self._named(0, (*one.name, field.name), field)
                yield Disagreement(Kind.TAG, WriterSide.SECOND, here, reader, self._side(1, second))

    def _defaults(self, place: tuple[str, ...], one: Tagged, other: Tagged) -> Iterator[Disagreement]:
        """The values of a tagged field that is not sent: those of its fields if it is a struct."""
        values = one.field.default, other.field.default
        if not is_same(*values):
            if _is_comparable(one.field, other.field):
                yield Disagreement(
                    Kind.DEFAULT,
                    WriterSide.BOTH,
                    (*place, "default"),
                    self._side(0, one),
                    self._side(1, other),
                )
        elif values[0] == {}:
            inner = self._inside(one, other)
            yield from inner.unsent(place, one.content, other.content)

    def unsent(self, place: tuple[str, ...], first: Sequenced, second: Sequenced) -> Iterator[Disagreement]:
        """The values of the fields of a struct that is not sent, without those that are absent if it is.

        Where an item is misread, it is unknown which fields are the same after it.
        """
        for number, (index, at) in enumerate(self.pair_items(first, second)):
            if index is None or at is None:
                continue
            one, other = first.items[index], second.items[at]
            if not is_framed_alike(one, other) and not self.beyond_misreads:
                return
            if one.field is None or other.field is None:
                continue
            here = (*place, str(number))
            values = one.field.default, other.field.default
            if not is_same(*values) and _is_comparable(one.field, other.field):
                sides = (self._side(0, one), self._side(1, other))
                yield Disagreement(Kind.DEFAULT, WriterSide.BOTH, (*here, "default"), *sides)
            elif (
                isinstance(one, NullableStructItem)
                and isinstance(other, NullableStructItem)
                and values == ({}, {})
            ):
                inner = self._inside(one, other)
                yield from inner.unsent(here, one.content, other.content)

    def _names(
        self,
        place: tuple[str, ...],
        first: Sequenced,
        second: Sequenced,
        pair_numbers: tuple[Mapping[int, int], Mapping[int, int]],
    ) -> Iterator[Disagreement]:
        """The disagreements on fields that both sides have by name, as far as their items were compared.

        `pair_numbers` has the number of the pair that each item is in, by its index, on both sides.
        """
        renamed = _renamed(first, second)
        one, two = _places(first, pair_numbers[0]), _places(second, pair_numbers[1])
        other, absent = _by_first_name(two, renamed), _by_first_name(second.absent, renamed)
        for name, at in one.items():
            own = other.get(name)
            if own is not None and two[own].key != at.key:
                sides = self._carrying(0, name, at), self._carrying(1, own, two[own])
                yield Disagreement(Kind.NAME, WriterSide.BOTH, (*place, *at.place, _path_of(name)), *sides)
            lacking = absent.get(name)
            if own is None and lacking is not None and at.is_lost_on(second, lacking, pair_numbers[1]):
                sides = self._carrying(0, name, at), self._lacking(1, lacking, second)
                yield Disagreement(Kind.LOST, WriterSide.FIRST, (*place, *at.place, _path_of(name)), *sides)
        for name, own in other.items():
            now = two[own]
            if name not in one and name in first.absent and now.is_lost_on(first, name, pair_numbers[0]):
                sides = self._lacking(0, name, first), self._carrying(1, own, now)
                yield Disagreement(Kind.LOST, WriterSide.SECOND, (*place, *now.place, _path_of(name)), *sides)
        yield from self._structs(place, first, second, pair_numbers, renamed)
        for name, own in absent.items():
            if name in first.absent:
                before, after = first.absent[name], second.absent[own]
                if not is_same(before.value, after.value) and value_kind(before.field) == value_kind(
                    after.field
                ):
                    sides = self._lacking(0, name, first), self._lacking(1, own, second)
                    yield Disagreement(Kind.DEFAULT, WriterSide.BOTH, (*place, _path_of(name)), *sides)

    def _structs(
        self,
        place: tuple[str, ...],
        first: Sequenced,
        second: Sequenced,
        pair_numbers: tuple[Mapping[int, int], Mapping[int, int]],
        renamed: Mapping[Name, Name],
    ) -> Iterator[Disagreement]:
        """The names of structs that dissolve, and that are other items on the other side."""
        if not first.structs and not second.structs:
            return
        spans = _spans(first, pair_numbers[0]), _spans(second, pair_numbers[1])
        common = {*pair_numbers[0].values()} & {*pair_numbers[1].values()}
        named = {_translated(own, renamed): own for own in spans[1]}
        for name in spans[0]:
            own = named.get(name)
            if own is None or (name not in first.structs and own not in second.structs):
                continue
            both = spans[0][name], spans[1][own]
            # What a struct of both sides has is removed or added, which says everything to a reader of edits.
            is_replaced = (
                self.beyond_misreads
                and name in first.structs
                and own in second.structs
                and any(common.isdisjoint(number for number, _ in span) for span in both)
            )
            if both[0].isdisjoint(both[1]) and not is_replaced:
                sides = self._of_span(0, name, first), self._of_span(1, own, second)
                begins = str(min(number for number, _ in both[0]))
                yield Disagreement(Kind.NAME, WriterSide.BOTH, (*place, begins, _path_of(name)), *sides)

    def _of_span(self, side: int, name: Name, sequence: Sequenced) -> Side:
        carried = sequence.structs.get(name)
        if carried is None:
            carried = _places(sequence, _each(sequence))[name].carried
        return self._named(side, name, carried.field)._replace(carried=carried)

    def _carrying(self, side: int, name: Name, at: "_Place") -> Side:
        return self._named(side, name, at.carried.field)._replace(carried=at.carried)

    def _lacking(self, side: int, name: Name, sequence: Sequenced) -> Side:
        return self._named(side, name, sequence.absent[name].field)

    def _inside(self, one: _Holder, other: _Holder) -> "_Comparison":
        """The comparison of what two fields contain."""
        paths = self._path(0, one), self._path(1, other)
        around = one.field, other.field
        return _Comparison(paths, self.is_flexible_alike, self.pair_items, self.beyond_misreads, around)

    def _both(
        self, kind: Kind, place: tuple[str, ...], one: Item | Tagged | None, other: Item | Tagged | None
    ) -> Disagreement:
        if self.around is not None and _is_bare(one) and _is_bare(other):
            # The end of an element or of a tagged struct: a matter of the field around it.
            sides = (Side(path, of.field, of, path) for path, of in zip(self.paths, self.around, strict=True))
            return Disagreement(kind, WriterSide.BOTH, place, *sides)
        return Disagreement(kind, WriterSide.BOTH, place, self._side(0, one), self._side(1, other))

    def _side(self, side: int, item: Item | Tagged | None) -> Side:
        if item is None:
            return Side(self.paths[side], None, None, self.paths[side])
        carried = item.field
        declared = None if carried is None else carried.field
        return Side(self._path(side, item), declared, carried, self.paths[side])

    def _path(self, side: int, item: Item | Tagged) -> str:
        return ".".join(filter(None, (self.paths[side], *item.name)))

    def _named(self, side: int, name: Name, field: Field) -> Side:
        path = ".".join(filter(None, (self.paths[side], *name)))
        return Side(path, field, None, self.paths[side])


def _path_of(name: Name) -> str:
    return ".".join(name)


def _is_bare(item: Item | Tagged | None) -> bool:
    """Whether an item has no name of its own: that of an element, or all that a tag holds."""
    return item is None or item.field is None or not item.name


# Where a sequence carries a field: the number of the pair that its item is in, and the tag if it has one.
_At = tuple[int, int | None]


class _Place(NamedTuple):
    """Where a sequence carries a field, and the field."""

    key: _At
    carried: LayoutField

    @property
    def place(self) -> tuple[str, ...]:
        """The item, and the tag if it has one, as `Disagreement.place` has them."""
        number, tag = self.key
        return (str(number),) if tag is None else (str(number), f"#{tag}")

    def is_lost_on(self, reader: Sequenced, name: Name, pair_numbers: Mapping[int, int]) -> bool:
        """Whether a reader, which lacks the field of a name, skips its tag, and with it a value.

        `pair_numbers` are those of the reader.
        """
        number, tag = self.key
        if reader.absent[name].value == {} and has_one_value(self.carried):
            return False
        sections = (reader.items[index] for index, pair in pair_numbers.items() if pair == number)
        return tag is not None and any(
            isinstance(section, SectionItem)
            and section.name == name[:-1]
            and tag not in (*section.tags, *section.rejected)
            for section in sections
        )


def _places(sequence: Sequenced, pair_numbers: Mapping[int, int]) -> dict[Name, _Place]:
    """The places of the fields of a sequence whose items were compared, by name."""
    places: dict[Name, _Place] = {}
    for index, number in pair_numbers.items():
        item = sequence.items[index]
        if isinstance(item, SectionItem):
            for tag, tagged in item.tags.items():
                places[tagged.name] = _Place((number, tag), tagged.field)
        else:
            places[item.name] = _Place((number, None), item.field)
    return places


def _each(sequence: Sequenced) -> Mapping[int, int]:
    """The items of a sequence, each in a pair of its own number."""
    return {index: index for index in range(len(sequence.items))}


def _renamed(first: Sequenced, second: Sequenced) -> dict[Name, Name]:
    """The structs of the second sequence that the first one has with another name, each with that name.

    A struct that dissolves is not on the wire: it is another one renamed if both have the same items, with
    whatever tags, and neither name is on the other side.
    """
    if not first.structs or not second.structs:
        return {}
    one, other = (_spans(side, _each(side)) for side in (first, second))
    # Of structs around one another with the same items, the depth tells which is which.
    former = {_items_of(name, one): name for name in first.structs if name in one and name not in other}
    latter = {name: _items_of(name, other) for name in second.structs if name in other and name not in one}
    return {name: former[key] for name, key in latter.items() if key in former}


def _items_of(name: Name, spans: Mapping[Name, set[_At]]) -> tuple[int, frozenset[int]]:
    """The depth of a struct, and the numbers of its items."""
    return len(name), frozenset(number for number, _ in spans[name])


def _spans(sequence: Sequenced, pair_numbers: Mapping[int, int]) -> dict[Name, set[_At]]:
    """What each name of a sequence has on the wire, those of structs that dissolve included."""
    spans: dict[Name, set[_At]] = {}
    for index, number in pair_numbers.items():
        item = sequence.items[index]
        carried: list[tuple[Name, int | None]] = [(item.name, None)]
        if isinstance(item, SectionItem):
            carried += [(tagged.name, tag) for tag, tagged in item.tags.items()]
        for name, tag in carried:
            for length in range(1, len(name) + 1):
                spans.setdefault(name[:length], set()).add((number, tag))
    return spans


def _translated(name: Name, renamed: Mapping[Name, Name]) -> Name:
    """A name with the structs around it as the other side names them."""
    if not name:
        return name
    around = name[:-1]
    return (*renamed.get(around, _translated(around, renamed)), name[-1])


def _by_first_name(names: Iterable[Name], renamed: Mapping[Name, Name]) -> dict[Name, Name]:
    """Names of the second side by what the first side calls them."""
    if not renamed:
        return {name: name for name in names}
    return {_translated(name, renamed): name for name in names}


def has_one_value(field: LayoutField) -> bool:
    """Whether a field is a struct without fields: wherever it is, its value is {}."""
    is_struct = field.fields is not None and field.element is None and not field.nullable
    return is_struct and all(map(has_one_value, field.fields or ()))


def is_same(one: Json, other: Json) -> bool:
    """Whether two values of absent fields are the same: 0.0 and 0 are, 0.0 and -0.0 are not."""
    return one == other and (type(one) is not type(other) or str(one) == str(other))


def _is_comparable(one: LayoutField, other: LayoutField) -> bool:
    """Whether the defaults of two fields are values of one kind."""
    is_unfit = isinstance(one.default, UnfitDefault) or isinstance(other.default, UnfitDefault)
    return not is_unfit and value_kind(one.field) == value_kind(other.field)


def value_kind(field: Field) -> tuple[str, bool]:
    """What the values of a field are, and whether it is an array: values of two kinds are not compared."""
    element = "struct" if field.is_struct else field.element
    return _VALUES.get(element, element), field.is_array


def brought(before: Iterable[Disagreement], after: Iterable[Disagreement]) -> list[Disagreement]:
    """The disagreements of a release with the new side that the release does not have with the old side.

    A patch breaks a version for the release if there are any. `before` are those with the old side, none if
    it lacks the version, and `after` those with the new side. What is behind an item that peers of the old
    side misread is left out: bytes have no place there (see `rebased`).
    """
    former = list(before)
    keys = {each.key for each in former}
    return [each for each in after if each.key not in keys and not any(was.hides(each) for was in former)]
