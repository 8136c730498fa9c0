"""When two specs understand each other at a version of a message, and where they do not.

Two specs agree at a version if everything that a writer of one can write is read by the other
without an error, with equal values in every field that both have, and the same the other way round.
A field that the bytes do not carry (the version lacks it, its tag is not sent) reads as its
default: if the spec states none, that is zero, false or empty, and null for `records`.

A version is flattened into slots in the order of the wire. A slot is a value, the length of an
array, the marker of a nullable struct, or the tagged section that ends a struct in flexible
versions. A struct that is never null has no bytes of its own: its slots are those of its fields,
and their names begin with its name. So an array of values has the bytes of an array of structs with
one such field, unless these have a section.

1. The length before a request or response, and the version of its header, must be the same.
2. Slots at the same place are the same field, whatever their names. Slots of different width, of a
   different length prefix or of a different kind are misread, and so is everything after them in
   the same struct. What is around an array, a nullable struct or a tagged field is not affected: a
   writer may leave the array empty, the struct null, the tag out. Slots of the same width and of
   different types are misread by themselves (`bytes` and `records` have the same type).
3. A null that one side may write and the other rejects is an error of the reader.
4. A tag that only one side sends is skipped by a reader that never had it, and rejected by a reader
   that has it in other versions. If the reader has a field of that name in the same struct in other
   stable versions only, the value is lost.
5. A field that neither side carries must have the same default on both sides if it has the same
   name and values of one kind (all numbers are of one kind), and so must a tagged field of both
   sides, because it may be left out. A struct that is not sent has the defaults of its fields. 0
   and 0.0 are the same, 0.0 and -0.0 are not.
6. A name that both sides carry in a struct must be in the same place there, or under the same tag.
7. A tag belongs to one name permanently (KIP-482), whatever the bytes are. Letter case does not
   count.

Nothing is sampled: if there is no difference, the specs agree for all values. Where slots are
misread, fields of the same name are compared with each other, and a field that only one side has is
a difference by itself: one that is inserted before nine others is one difference, not ten. Source:
KIP-482, and the classes that Kafka's generator writes (MessageDataGenerator).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest

from wirebook.rules.match import longest_run
from wirebook.rules.released import stable_versions
from wirebook.specs.defaults import default_value
from wirebook.specs.layout import Layout, LayoutField, UnfitDefault
from wirebook.specs.model import Field, Json, Message
from wirebook.specs.versions import Versions

# A name inside a struct: that of a field after those of the structs around it that are never null.
Name = tuple[str, ...]

END = "end"  # the kind of the tagged section of a struct
_WIDTHS = {
    "BOOLEAN": 1,
    "INT8": 1,
    "INT16": 2,
    "UINT16": 2,
    "INT32": 4,
    "UINT32": 4,
    "INT64": 8,
    "FLOAT64": 8,
    "UUID": 16,
}
_NUMBERS = ("int8", "int16", "uint16", "int32", "uint32", "int64", "float64")


@dataclass(frozen=True)
class Slot:
    """An item on the wire.

    Readers of slots with the same `frame` are at the same byte after them, or inside them. `kind`
    is the type of the value. `body` has the slots of the elements of an array, and those of a
    nullable or tagged struct. `tags` and `rejected` are those of a tagged section: what it may
    send, and what its readers reject because they have the tag in other versions.
    """

    name: Name
    kind: str
    frame: object
    carried: LayoutField | None = None
    body: Body | None = None
    tags: Mapping[int, Slot] = field(default_factory=dict)
    rejected: Mapping[int, Field] = field(default_factory=dict)

    @property
    def key(self) -> Name:
        """The name, distinct for a struct and the section that ends it."""
        return (*self.name, "") if self.kind == END else self.name

    @property
    def is_nullable(self) -> bool:
        """Whether a null may be written."""
        return self.carried is not None and self.carried.nullable and self.name != ()


@dataclass(frozen=True)
class Absent:
    """A field of a struct that a version lacks, and the value that readers take.

    `is_read` is false if the default is not a value of the type, and if only the unstable latest
    version has the field: nobody relies on what it may change to.
    """

    field: Field
    value: Json
    is_read: bool


@dataclass(frozen=True)
class Body:
    """The slots of a struct in wire order, the structs among them that are never null, and absent
    fields."""

    slots: list[Slot] = field(default_factory=list)
    structs: dict[Name, LayoutField] = field(default_factory=dict)
    absent: dict[Name, Absent] = field(default_factory=dict)

    def carried(self, name: Name) -> LayoutField | None:
        """The field with a name, if the version carries it: as a slot, as a struct or with a
        tag."""
        return self._carried.get(name)

    @cached_property
    def _carried(self) -> Mapping[Name, LayoutField]:
        sent = [slot for slot in self.slots if slot.kind != END] + [*self.tagged]
        named = {slot.name: slot.carried for slot in sent if slot.carried is not None}
        return {**self.structs, **named}

    @cached_property
    def tagged(self) -> Sequence[Slot]:
        """The slots of all tagged fields."""
        return [tagged for slot in self.slots for tagged in slot.tags.values()]


@dataclass(frozen=True)
class Form:
    """A message at one version: the version of its header, and its slots."""

    header: int | None
    flexible: bool
    body: Body


@dataclass(frozen=True)
class Side:
    """One side of a difference: the field, if that side declares it, in the layout if it carries
    it."""

    path: str
    field: Field | None = None
    carried: LayoutField | None = None


@dataclass(frozen=True)
class Difference:
    """A way in which two specs differ at a version, under the name of the rule that explains it.

    `is_misread` is whether peers are at different bytes after it. `is_lost` is whether a reader
    skips a value of a field that it has.
    """

    rule: str
    one: Side
    other: Side
    is_misread: bool = False
    is_lost: bool = False

    @property
    def is_sent(self) -> bool:
        """Whether it is about bytes, not about the default of a field that neither side carries."""
        is_absent = self.one.carried is None and self.other.carried is None
        return not is_absent or self.rule != "default-changed"

    @property
    def paths(self) -> frozenset[str]:
        """The paths of the field on both sides, also on one that does not have it; "" for the
        message."""
        return frozenset((self.one.path, self.other.path))

    @property
    def key(self) -> tuple[str, bool, str]:
        """What identifies it in a comparison of the first spec with a third one."""
        return (
            self.rule,
            self.is_misread,
            self.one.path if self.one.field is not None else self.other.path,
        )


FLEXIBLE_CHANGED = Difference("flexible-versions-changed", Side(""), Side(""), is_misread=True)


def form(layout: Layout) -> Form:
    """Flatten a version of a message."""
    message, valid = layout.message, layout.message.valid_versions
    relied_on = stable_versions(
        valid, message.latest_version_unstable and layout.version < valid.highest
    )
    body = Body()
    _Flattener(message, layout.version, layout.flexible, relied_on).add(
        body, (), layout.fields, message.fields
    )
    return Form(layout.header_version, layout.flexible, body)


@dataclass(frozen=True)
class _Flattener:
    """Flattens a version of a message; `relied_on` are the versions whose fields readers rely
    on."""

    message: Message
    version: int
    flexible: bool
    relied_on: Versions

    def add(
        self, body: Body, above: Name, fields: Sequence[LayoutField], declared: Sequence[Field]
    ) -> None:
        """Add the slots of a struct: its fields in this version, and those that it declares."""
        tags: dict[int, Slot] = {}
        for each in fields:
            name = (*above, each.name)
            if each.tag is not None:
                tags[each.tag] = self.slot(name, each)
            elif _is_plain_struct(each):
                body.structs[name] = each
                self.add(body, name, each.fields or (), self.message.fields_of(each.field) or ())
            else:
                body.slots.append(self.slot(name, each))
        carried = {each.name for each in fields}
        for lacking in declared:
            if lacking.name not in carried:
                body.absent.update(self.absent((*above, lacking.name), lacking, ()))
        if self.flexible:
            here = Versions(self.version, self.version)
            rejected = {
                each.tag: each
                for each in declared
                if each.tag is not None and each.tag not in tags and each.tagged_versions - here
            }
            body.slots.append(Slot(above, END, END, None, None, tags, rejected))

    def slot(self, name: Name, carried: LayoutField) -> Slot:
        """The slot of a field."""
        if carried.element is not None:
            frame = ("array", carried.type.startswith("COMPACT_"))
            if carried.fields is not None:
                return Slot(name, "array", frame, carried, self.inside(carried))
            element = Slot((), *_kind_and_frame(carried.element), carried)
            return Slot(name, "array", frame, carried, Body([element]))
        if carried.fields is not None:
            return Slot(name, "struct", ("struct", carried.nullable), carried, self.inside(carried))
        return Slot(name, *_kind_and_frame(carried.type), carried)

    def inside(self, carried: LayoutField) -> Body:
        """The slots of a struct that has a place of its own."""
        body = Body()
        self.add(body, (), carried.fields or (), self.message.fields_of(carried.field) or ())
        return body

    def absent(self, name: Name, lacking: Field, within: Name) -> Iterator[tuple[Name, Absent]]:
        """A field that the version lacks, and its fields if it is a struct with their defaults.

        `within` are the structs around it: one that contains itself ends there.
        """
        is_read = bool(lacking.present & self.relied_on)
        try:
            value = default_value(lacking)
        except ValueError:
            value, is_read = None, False
        yield name, Absent(lacking, value, is_read)
        if value == {} and is_read and lacking.element not in within:
            for inner in self.message.fields_of(lacking) or ():
                yield from self.absent((*name, inner.name), inner, (*within, lacking.element))


def _is_plain_struct(carried: LayoutField) -> bool:
    return carried.fields is not None and carried.element is None and not carried.nullable


def _kind_and_frame(wire_type: str) -> tuple[str, object]:
    """The kind of a value that has no slots of its own, and what readers of it must agree on."""
    compact = wire_type.startswith("COMPACT_")
    kind = wire_type.removeprefix("COMPACT_").removeprefix("NULLABLE_").replace("RECORDS", "BYTES")
    if kind in ("STRING", "BYTES"):
        return kind, ("length", compact or kind)
    return kind, _WIDTHS.get(kind, kind)


def differences(one: Form, other: Form) -> Iterator[Difference]:
    """The ways in which two specs differ at a version, in wire order; none if they agree."""
    if one.flexible != other.flexible:
        yield FLEXIBLE_CHANGED
        return
    if one.header != other.header:
        yield Difference("header-version-changed", Side(""), Side(""))
    yield from _bodies(one.body, other.body, ("", ""))


# The paths of the fields around what is compared, one for each side.
_Paths = tuple[str, str]


def _bodies(one: Body, other: Body, above: _Paths) -> Iterator[Difference]:
    pairs = list(zip_longest(one.slots, other.slots))
    if _is_in_step(one, other, pairs):
        for was, now in pairs:
            yield from _slots(was, now, above)
    else:
        yield from _out_of_step(one, other, above)
    yield from _tagged_names(one, other, above)
    for name in one.absent.keys() & other.absent.keys():
        was, now = one.absent[name], other.absent[name]
        is_read = was.is_read and now.is_read and _are_comparable(was.field, now.field)
        if is_read and not is_same(was.value, now.value):
            sides = Side(_path(above[0], name), was.field), Side(_path(above[1], name), now.field)
            yield Difference("default-changed", *sides)


def _is_in_step(one: Body, other: Body, pairs: Sequence[tuple[Slot | None, Slot | None]]) -> bool:
    """Whether peers find every slot at its place, and no name at another one."""
    if any(was is None or now is None or was.frame != now.frame for was, now in pairs):
        return False
    places, others = _places(one), _places(other)
    return all(not places[name].isdisjoint(others[name]) for name in places.keys() & others.keys())


def _places(body: Body) -> dict[Name, set[object]]:
    """Where each name is sent: the indexes of its slots, those of structs that are never null
    included."""
    places: dict[Name, set[object]] = {}
    for index, slot in enumerate(body.slots):
        sent: list[tuple[Name, object]] = [(slot.name, index)]
        sent += [(tagged.name, (index, tag)) for tag, tagged in slot.tags.items()]
        for name, place in sent:
            for depth in range(1, len(name) + 1):
                places.setdefault(name[:depth], set()).add(place)
    return places


def _slots(was: Slot, now: Slot, above: _Paths) -> Iterator[Difference]:
    """The differences of two slots at one place."""
    if was.kind == now.kind == END:
        yield from _tags(was, now, above)
        return
    sides = _side(above[0], was), _side(above[1], now)
    if was.frame != now.frame:
        yield Difference(_changed_rule(was, now), *sides, is_misread=True)
        return
    if was.kind != now.kind:
        yield Difference("type-changed", *sides)
    elif was.is_nullable != now.is_nullable:
        yield Difference("nullability-changed", *sides)
    if was.body is None or now.body is None:
        return
    inside = list(_bodies(was.body, now.body, (sides[0].path, sides[1].path)))
    if _has_values(was) == _has_values(now):
        yield from inside
    elif inside or [slot.frame for slot in was.body.slots] != [
        slot.frame for slot in now.body.slots
    ]:
        # The elements are values on one side, and structs on the other.
        yield Difference("type-changed", *sides, is_misread=True)


def _has_values(slot: Slot) -> bool:
    """Whether it is an array of values, not of structs."""
    return slot.carried is not None and slot.carried.fields is None


def _changed_rule(was: Slot, now: Slot) -> str:
    """The rule on two slots of one field with different frames."""
    one, other = was.carried, now.carried
    is_one_type = was.kind == now.kind or (one and one.spec_type) == (other and other.spec_type)
    if (
        is_one_type
        and was.is_nullable != now.is_nullable
        and was.kind not in ("array", "STRING", "BYTES")
    ):
        return "nullability-changed"
    return "field-flexible-versions-changed" if was.kind == now.kind else "type-changed"


def _tags(was: Slot, now: Slot, above: _Paths) -> Iterator[Difference]:
    """The differences of two tagged sections."""
    for tag in sorted(was.tags.keys() | now.tags.keys()):
        first, second = was.tags.get(tag), now.tags.get(tag)
        if first is not None and second is not None:
            is_one = first.name[-1].casefold() == second.name[-1].casefold()
            if not is_one and all(slot.name != second.name for slot in was.tags.values()):
                yield Difference("tag-reused", _side(above[0], first), _side(above[1], second))
            yield from _slots(first, second, above)
            if first.frame == second.frame:
                yield from _defaults(first, second, above)
        elif first is not None and tag in now.rejected:
            yield _rejected(_side(above[0], first), _declared(above[1], now, tag))
        elif second is not None and tag in was.rejected:
            yield _rejected(_declared(above[0], was, tag), _side(above[1], second))


def _declared(above: str, section: Slot, tag: int) -> Side:
    rejected = section.rejected[tag]
    return Side(_path(above, (*section.name, rejected.name)), rejected)


def _rejected(one: Side, other: Side) -> Difference:
    assert one.field is not None
    assert other.field is not None
    same = one.field.name.casefold() == other.field.name.casefold()
    rule = "field-versions-changed" if same else "tag-reused"
    return Difference(rule, one, other, is_misread=not same)


def _defaults(first: Slot, second: Slot, above: _Paths) -> Iterator[Difference]:
    """The differences of two fields that are left out, or of those in two structs that are left
    out."""
    one, other = first.carried, second.carried
    if one is None or other is None:
        for tag in first.tags.keys() & second.tags.keys():
            yield from _defaults(first.tags[tag], second.tags[tag], above)
        return
    sides = _side(above[0], first), _side(above[1], second)
    if not is_same(one.default, other.default):
        is_unfit = isinstance(one.default, UnfitDefault) or isinstance(other.default, UnfitDefault)
        if not is_unfit and _are_comparable(one.field, other.field):
            yield Difference("default-changed", *sides)
    elif one.default == {} and first.body is not None and second.body is not None:
        for was, now in zip(first.body.slots, second.body.slots, strict=False):
            if was.frame != now.frame:
                return
            yield from _defaults(was, now, (sides[0].path, sides[1].path))


def _tagged_names(one: Body, other: Body, above: _Paths) -> Iterator[Difference]:
    """The fields whose tag changes, and those whose value a reader skips although it has the
    field."""
    tagged = [
        {each.name: (slot, tag, each) for slot in body.slots for tag, each in slot.tags.items()}
        for body in (one, other)
    ]
    for name, (_, tag, first) in tagged[0].items():
        if name in tagged[1] and tagged[1][name][1] != tag:
            second = tagged[1][name][2]
            yield Difference("tag-changed", _side(above[0], first), _side(above[1], second))
    for mine, reader, is_first in ((tagged[0], other, True), (tagged[1], one, False)):
        for name, (section, tag, sent) in mine.items():
            lacking = reader.absent.get(name)
            if (
                lacking is None
                or not lacking.is_read
                or (lacking.value == {} and _has_one_value(sent))
            ):
                continue
            ends = (slot for slot in reader.slots if slot.kind == END and slot.name == section.name)
            if any(tag not in end.tags and tag not in end.rejected for end in ends):
                absent = Side(_path(above[is_first], name), lacking.field)
                writer = _side(above[not is_first], sent)
                sides = (writer, absent) if is_first else (absent, writer)
                rule = (
                    "tag-changed"
                    if lacking.field.tag not in (None, tag)
                    else "field-versions-changed"
                )
                yield Difference(rule, *sides, is_lost=True)


def _has_one_value(slot: Slot) -> bool:
    """Whether a slot is a struct without fields: wherever it is, its value is {}."""
    return slot.carried is not None and _is_empty(slot.carried)


def _is_empty(carried: LayoutField) -> bool:
    return _is_plain_struct(carried) and all(map(_is_empty, carried.fields or ()))


def _out_of_step(one: Body, other: Body, above: _Paths) -> Iterator[Difference]:
    """The differences of two structs of which peers misread a part, by the names of the fields."""
    index_of = {slot.key: index for index, slot in enumerate(one.slots)}
    both = [
        (index_of[slot.key], index)
        for index, slot in enumerate(other.slots)
        if slot.key in index_of
    ]
    stayed = longest_run([index for index, _ in both])
    steady = [pair for at, pair in enumerate(both) if at in stayed]
    renamed, removed, added = _renamed(one, other, both, steady)
    found: dict[object, Difference] = {}
    every = [*_of_one_side(one, other, removed, above, is_first=True)]
    every += _of_one_side(other, one, added, (above[1], above[0]), is_first=False)
    for first, second in sorted([*both, *renamed]):
        was, now = one.slots[first], other.slots[second]
        if (first, second) in both and (first, second) not in steady:
            every += _moved(one, other, was.name, above)
        every += _slots(was, now, above)
    if not every:
        # Structs that are never null have no slots of their own.
        places, others = _places(one), _places(other)
        names = [
            name
            for name in one.structs
            if name in other.structs and name in places and name in others
        ]
        for name in names:
            if places[name].isdisjoint(others[name]):
                every += _moved(one, other, name, above)
    for each in every:
        found.setdefault(each.key, each)
    yield from found.values()


def _moved(one: Body, other: Body, name: Name, above: _Paths) -> Iterator[Difference]:
    """A field, or the struct of a tagged section, that has another place; none for the end of the
    body."""
    was, now = one.carried(name), other.carried(name)
    if was is not None and now is not None:
        sides = (
            Side(_path(above[0], name), was.field, was),
            Side(_path(above[1], name), now.field, now),
        )
        yield Difference("field-moved", *sides, is_misread=True)


_IndexPairs = list[tuple[int, int]]


def _renamed(
    one: Body, other: Body, both: _IndexPairs, steady: _IndexPairs
) -> tuple[_IndexPairs, list[Slot], list[Slot]]:
    """The slots that are the same field under another name, and those that only one side has.

    Between two fields that keep their order, fields with other names are renamed ones if their
    slots are alike, in their order.
    """
    known = {first for first, _ in both}, {second for _, second in both}
    renamed: _IndexPairs = []
    begin = (0, 0)
    for end in (*steady, (len(one.slots), len(other.slots))):
        former: dict[object, deque[int]] = {}
        for at in range(begin[0], end[0]):
            slot = one.slots[at]
            if (
                at not in known[0]
                and other.carried(slot.name) is None
                and slot.name not in other.absent
            ):
                former.setdefault((slot.kind, slot.frame), deque()).append(at)
        last = -1
        for at in range(begin[1], end[1]):
            slot = other.slots[at]
            if at in known[1] or one.carried(slot.name) is not None or slot.name in one.absent:
                continue
            alike = former.get((slot.kind, slot.frame), deque())
            while alike and alike[0] < last:
                alike.popleft()
            if alike and _may_be_one(one.slots[alike[0]], slot):
                last = alike.popleft()
                renamed.append((last, at))
        begin = end[0] + 1, end[1] + 1
    known[0].update(first for first, _ in renamed)
    known[1].update(second for _, second in renamed)
    removed = [slot for at, slot in enumerate(one.slots) if at not in known[0]]
    added = [slot for at, slot in enumerate(other.slots) if at not in known[1]]
    return renamed, removed, added


def _may_be_one(was: Slot, now: Slot) -> bool:
    """Whether two fields with other names may be one: of two structs, most fields have the same
    names."""
    bodies = [
        {each.key for each in side.body.slots} for side in (was, now) if side.body is not None
    ]
    return not bodies or 2 * len(bodies[0] & bodies[1]) >= max(map(len, bodies))


def _of_one_side(
    own: Body, others: Body, slots: Sequence[Slot], above: _Paths, *, is_first: bool
) -> Iterator[Difference]:
    """The differences of slots that only one side has; `is_first` is whether that is the first
    one."""
    for slot in slots:
        around = [slot.name[:depth] for depth in range(1, len(slot.name) + 1)]
        name = next(
            (at for at in around if at not in own.structs or at not in others.structs), None
        )
        if name is None:
            continue
        mine = Side(_path(above[0], name), *_field_of(own.carried(name)))
        theirs = Side(_path(above[1], name), *_field_of(others.carried(name)))
        if theirs.carried is not None and mine.carried is not None:
            rule = _replaced_rule(mine.carried, theirs.carried)
        elif name in others.absent:
            rule, theirs = "field-versions-changed", Side(theirs.path, others.absent[name].field)
        else:
            rule = f"field-{'removed-from' if is_first else 'added-to'}-released-version"
            theirs = Side(theirs.path)
        sides = (mine, theirs) if is_first else (theirs, mine)
        yield Difference(rule, *sides, is_misread=True)


def _field_of(carried: LayoutField | None) -> tuple[Field | None, LayoutField | None]:
    return (None if carried is None else carried.field), carried


def _replaced_rule(mine: LayoutField, theirs: LayoutField) -> str:
    """The rule on a field that has other slots on the other side."""
    if (mine.tag is None) != (theirs.tag is None):
        return "tagging-changed"
    is_struct = mine.fields is not None and theirs.fields is not None
    if is_struct and (mine.element is None) == (theirs.element is None):
        return "nullability-changed"
    return "type-changed"


def _side(above: str, slot: Slot) -> Side:
    return Side(_path(above, slot.name), *_field_of(slot.carried))


def _path(above: str, name: Name) -> str:
    return ".".join(filter(None, (above, *name)))


def is_same(one: Json, other: Json) -> bool:
    """Whether two values of absent fields are the same: 0.0 and 0 are, 0.0 and -0.0 are not."""
    return one == other and (type(one) is not type(other) or str(one) == str(other))


def _are_comparable(one: Field, other: Field) -> bool:
    """Whether the values of two fields are of one kind."""
    return _value_kind(one) == _value_kind(other)


def _value_kind(declared: Field) -> tuple[str, bool]:
    element = "struct" if declared.is_struct else declared.element
    element = "bytes" if element == "records" else "number" if element in _NUMBERS else element
    return element, declared.is_array
