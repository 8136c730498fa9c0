"""When two specs understand each other at a version of a message, and where they do not.

Two specs agree at a version if everything that a writer of one can write is read by the other
without an error, with equal values in every field that both have, and the same the other way round.
A field that the bytes do not carry (the version lacks it, its tag is not sent) reads as its
default: if the spec states none, that is zero, false or empty, and null for `records`. A version
that only one spec has is not compared: to remove it breaks no bytes.

A version is flattened into slots in the order of the wire. A slot is a value, the length of an
array, the marker of a nullable struct, or the tagged section that ends a struct in flexible
versions. A struct that is never null has no bytes of its own: its slots are those of its fields,
and their names begin with its name. So an array of values has the bytes of an array of structs with
one such field, unless these have a section.

1. The version of the header of a request or response must be the same. A spec without
   `headerVersions` has the header that follows from `flexibleVersions`, or from the header
   exceptions of the profile.
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
   A struct that is never null may lose or gain fields, but not both.
   Here and in 4 and 5, a name means the field of that name only, even where it has another name in
   other versions.
7. A tag belongs to one name permanently (KIP-482), whatever the bytes are. Letter case does not
   count.

Nothing is sampled: if there is no difference, the specs agree for all values. In a struct of which
peers misread a part, the fields are matched (by name, then by place) and compared one by one. A
field that only one side has is a difference by itself, which explains those inside it: one that is
inserted before nine others is one difference, not ten. Source: KIP-482, and the classes that
Kafka's generator writes (MessageDataGenerator).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import zip_longest
from typing import NamedTuple

from wirebook.rules.match import (
    Declaration,
    LayoutMatch,
    definition_of,
    match_fields,
    top_level,
)
from wirebook.rules.released import stable_versions
from wirebook.specs.defaults import UnfitDefault, known_default
from wirebook.specs.layout import Layout, LayoutField
from wirebook.specs.model import Field, Json
from wirebook.specs.versions import Versions

# A name inside a struct: that of a field after those of the structs around it that are never null.
Name = tuple[str, ...]

# What a difference does to a reader.
MISREAD, LOST, REJECTED = "misread", "lost", "rejected"

_PLAIN = ("struct", False)  # the frame of a struct that is never null
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


class Slot(NamedTuple):
    """A value on the wire, the length of an array or the marker of a struct.

    Readers of slots with the same `frame` are at the same byte after them, or inside them. `kind`
    is the type of the value, `body` what is inside an array or a struct.
    """

    name: Name
    kind: str
    frame: object
    carried: LayoutField
    body: Body | None = None

    @property
    def is_nullable(self) -> bool:
        """Whether a null may be written; the name of an element is ()."""
        return self.carried.nullable and self.name != ()


class Section(NamedTuple):
    """The tagged section that ends a struct."""

    name: Name
    body: Body
    frame: object = "section"


class Absent(NamedTuple):
    """A field that a version lacks, and the value that readers take."""

    field: Field
    value: Json


@dataclass(frozen=True)
class Body:
    """A message or a struct in a version, or the values in an array.

    `items` are its untagged fields in wire order, `tags` the tagged ones, and `rejected` the fields
    whose tags its readers reject because they have them in other versions only. `absent` are the
    fields that the version lacks and readers rely on. `declared` is None for values.
    """

    layout: Layout
    path: str
    items: Sequence[Slot]
    declared: Declaration | None = None
    fields: tuple[LayoutField, ...] = ()
    tags: Mapping[int, Slot] = field(default_factory=dict)
    rejected: Mapping[int, Field] = field(default_factory=dict)
    absent: Mapping[Name, Absent] = field(default_factory=dict)

    @cached_property
    def slots(self) -> Sequence[Slot | Section]:
        """The items, with those of a struct that is never null in its place, and the section."""
        slots: list[Slot | Section] = []
        for item in self.items:
            if item.frame == _PLAIN and item.body is not None:
                slots += [each._replace(name=item.name + each.name) for each in item.body.slots]
            else:
                slots.append(item)
        is_value = self.declared is None
        return slots if is_value or not self.layout.flexible else [*slots, Section((), self)]

    @cached_property
    def lacking(self) -> Mapping[Name, Absent]:
        """The absent fields, with those of structs that are never null."""
        lacking = dict(self.absent)
        for item in self.items:
            if item.frame == _PLAIN and item.body is not None:
                for name, absent in item.body.lacking.items():
                    lacking[item.name + name] = absent
        return lacking

    @cached_property
    def places(self) -> Mapping[Name, set[object]]:
        """Where each name is sent: the indexes of its slots, and the tags in them."""
        places: dict[Name, set[object]] = {}
        for index, slot in enumerate(self.slots):
            sent: list[tuple[Name, object]] = [(slot.name, index)]
            if isinstance(slot, Section):
                tags = slot.body.tags
                sent += [(slot.name + tags[tag].name, (index, tag)) for tag in tags]
            for name, place in sent:
                for depth in range(1, len(name) + 1):
                    places.setdefault(name[:depth], set()).add(place)
        return places

    def path_of(self, name: Name) -> str:
        """The path of a field in it."""
        return ".".join(filter(None, (self.path, *name)))


class Side(NamedTuple):
    """One side of a difference: the field, if that side declares it, in the layout if it carries
    it."""

    path: str
    field: Field | None = None
    carried: LayoutField | None = None

    @classmethod
    def of(cls, carried: LayoutField) -> Side:
        """The side of a field that the version carries."""
        return cls(carried.path, carried.field, carried)


@dataclass(frozen=True)
class Difference:
    """A way in which two specs differ at a version, under the name of the rule that explains it.

    Where more is wrong than a value or a name, `effect` says it: peers are at different bytes after
    it (MISREAD), a reader skips a value of a field that it has (LOST) or refuses a tag (REJECTED).
    """

    rule: str
    base: Side
    head: Side
    effect: str = ""

    @classmethod
    def of(cls, rule: str, base: LayoutField, head: LayoutField, effect: str = "") -> Difference:
        """The difference of two fields that the version carries."""
        return Difference(rule, Side.of(base), Side.of(head), effect)

    @property
    def is_misread(self) -> bool:
        """Whether peers are at different bytes after it."""
        return self.effect == MISREAD

    @property
    def is_sent(self) -> bool:
        """Whether it is about bytes, not about the default of a field that neither side carries."""
        is_absent = self.base.carried is None and self.head.carried is None
        return not is_absent or self.rule != "default-changed"

    @property
    def is_of_bytes(self) -> bool:
        """Whether it is one for all who read the same bytes, whatever else they have."""
        return self.is_misread or self.rule in ("type-changed", "nullability-changed")

    @property
    def paths(self) -> frozenset[str]:
        """The paths of the field on both sides, also on one that does not have it; "" for the
        message."""
        return frozenset((self.base.path, self.head.path))

    @property
    def key(self) -> tuple[str, str, str, Json]:
        """What identifies it in a comparison of the first spec with a third one: a third default is
        another difference."""
        field = self.head.field if self.rule == "default-changed" else None
        return self.rule, self.effect, self.base.path, field and field.default


FLEXIBLE_CHANGED = Difference("flexible-versions-changed", Side(""), Side(""), effect=MISREAD)


def form(layout: Layout) -> Body:
    """Flatten a version of a message."""
    return _body(layout, "", layout.fields, top_level(layout.message))


def _body(
    layout: Layout, path: str, fields: tuple[LayoutField, ...], declared: Declaration
) -> Body:
    """A struct: its fields in this version, and those that it declares."""
    names = {each.name for each in fields}
    absent: dict[Name, Absent] = {}
    for lacking in declared.fields:
        if lacking.name not in names:
            absent.update(_lacked(layout, (lacking.name,), lacking, ()))
    tags = {each.tag: _slot(layout, each) for each in fields if each.tag is not None}
    here = Versions(layout.version, layout.version)
    rejected = {
        each.tag: each
        for each in declared.fields
        if each.tag is not None and each.tag not in tags and each.tagged_versions - here
    }
    items = [_slot(layout, each) for each in fields if each.tag is None]
    return Body(layout, path, items, declared, fields, tags, rejected, absent)


def _slot(layout: Layout, carried: LayoutField) -> Slot:
    """The slot of a field."""
    name = (carried.name,)
    body = None
    declared = definition_of(layout.message, carried.field)
    if carried.fields is not None and declared is not None:
        body = _body(layout, carried.path, carried.fields, declared)
    if carried.element is not None:
        frame = ("array", carried.type.startswith("COMPACT_"))
        element = Slot((), *_kind_and_frame(carried.element), carried)
        return Slot(name, "array", frame, carried, body or Body(layout, carried.path, [element]))
    if body is not None:
        return Slot(name, "struct", ("struct", carried.nullable), carried, body)
    return Slot(name, *_kind_and_frame(carried.type), carried)


def _lacked(
    layout: Layout, name: Name, lacking: Field, within: Name
) -> Iterator[tuple[Name, Absent]]:
    """A field that the version lacks, and its fields if it is a struct with their defaults.

    Nobody relies on a field that only the unstable latest version has. `within` are the structs
    around it: one that contains itself ends there.
    """
    valid = layout.message.valid_versions
    is_older = layout.message.latest_version_unstable and layout.version < valid.highest
    if not lacking.present & stable_versions(valid, is_older):
        return
    value = known_default(lacking)
    yield name, Absent(lacking, value)
    if value == {} and lacking.element not in within:
        for inner in layout.message.fields_of(lacking) or ():
            yield from _lacked(layout, (*name, inner.name), inner, (*within, lacking.element))


def _kind_and_frame(wire_type: str) -> tuple[str, object]:
    """The kind of a value that has no slots of its own, and what readers of it must agree on."""
    compact = wire_type.startswith("COMPACT_")
    kind = wire_type.removeprefix("COMPACT_").removeprefix("NULLABLE_").replace("RECORDS", "BYTES")
    if kind in ("STRING", "BYTES"):
        return kind, ("length", compact or kind)
    return kind, _WIDTHS.get(kind, kind)


def differences(one: Body, other: Body) -> Iterator[Difference]:
    """The ways in which two messages differ at a version, in wire order; none if they agree."""
    if one.layout.flexible != other.layout.flexible:
        yield FLEXIBLE_CHANGED
        return
    # What is another message has another header by that.
    is_same = (one.layout.type, one.layout.api_key) == (other.layout.type, other.layout.api_key)
    if is_same and one.layout.header_version != other.layout.header_version:
        yield Difference("header-version-changed", Side(""), Side(""))
    yield from _bodies(one, other)


def _bodies(one: Body, other: Body) -> Iterator[Difference]:
    """The differences of two messages or structs, in wire order where peers are in step."""
    if _is_in_step(one, other):
        for was, now in zip(one.slots, other.slots, strict=True):
            yield from _slots(was, now)
        yield from _absent(one, other, one.lacking, other.lacking)
    else:
        yield from _fields(one, other)
        yield from _sections(one, other, is_one=True)
        yield from _absent(one, other, one.absent, other.absent)


def _is_in_step(one: Body, other: Body) -> bool:
    """Whether peers find every slot at its place, and no name at another one."""
    pairs = zip_longest(one.slots, other.slots)
    if any(was is None or now is None or was.frame != now.frame for was, now in pairs):
        return False
    both = one.places.keys() & other.places.keys()
    places = ((one.places[name], other.places[name]) for name in both)
    # A struct may lose or gain fields at its ends, where others have their bytes.
    return all(was <= now or now <= was for was, now in places)


def leaves(one: Body, other: Body) -> Iterator[tuple[LayoutField, LayoutField]]:
    """The values of two specs that peers take for each other, each with its field: those at one
    place or under one tag, and where peers misread a part, those of matched fields."""
    pairs: Iterable[tuple[Slot | Section | None, Slot | Section | None]]
    if _is_in_step(one, other):
        pairs = zip(one.slots, other.slots, strict=True)
    else:
        matched = ((was, now) for was, now, _ in _matched(one, other))
        pairs = (*matched, (Section((), one), Section((), other)))
    for was, now in pairs:
        if isinstance(was, Section) and isinstance(now, Section):
            for tag in was.body.tags.keys() & now.body.tags.keys():
                yield from _leaves_of(was.body.tags[tag], now.body.tags[tag])
        elif isinstance(was, Slot) and isinstance(now, Slot):
            yield from _leaves_of(was, now)


def _leaves_of(was: Slot, now: Slot) -> Iterator[tuple[LayoutField, LayoutField]]:
    """The values of two slots: those inside them, or the slots themselves."""
    if was.body is not None and now.body is not None:
        yield from leaves(was.body, now.body)
    elif was.body is now.body:
        yield was.carried, now.carried


def _absent(
    one: Body, other: Body, absent: Mapping[Name, Absent], others: Mapping[Name, Absent]
) -> Iterator[Difference]:
    """The fields that neither side carries, with different defaults."""
    for name in [name for name in absent if name in others]:
        was = absent[name]
        now = others[name]
        if _are_comparable(was.field, now.field) and not is_same(was.value, now.value):
            yield Difference(
                "default-changed",
                Side(one.path_of(name), was.field),
                Side(other.path_of(name), now.field),
            )


def _slots(was: Slot | Section, now: Slot | Section) -> Iterator[Difference]:
    """The differences of two slots at one place, or of one field."""
    if isinstance(was, Section) or isinstance(now, Section):
        if isinstance(was, Section) and isinstance(now, Section):
            yield from _sections(was.body, now.body, is_one=was.name == now.name)
        return
    if was.frame != now.frame:
        yield Difference.of(_changed_rule(was, now), was.carried, now.carried, MISREAD)
        return
    if was.kind != now.kind:
        yield Difference.of("type-changed", was.carried, now.carried)
    elif was.is_nullable != now.is_nullable:
        yield Difference.of("nullability-changed", was.carried, now.carried)
    one = was.body
    other = now.body
    if one is None or other is None:
        return
    if one.declared is not None and other.declared is not None:
        yield from _bodies(one, other)
        return
    # The elements are values, at least on one side.
    is_misread = not _is_in_step(one, other)
    pairs = zip(one.slots, other.slots, strict=False)
    if is_misread or any(True for pair in pairs for _ in _slots(*pair)):
        effect = MISREAD if is_misread else ""
        yield Difference.of("type-changed", was.carried, now.carried, effect)


def _changed_rule(was: Slot, now: Slot) -> str:
    """The rule on two slots of one field with different frames."""
    is_one_type = was.kind == now.kind or was.carried.spec_type == now.carried.spec_type
    has_marker = was.kind not in ("array", "STRING", "BYTES")
    if is_one_type and has_marker and was.is_nullable != now.is_nullable:
        return "nullability-changed"
    return "field-flexible-versions-changed" if was.kind == now.kind else "type-changed"


def _sections(one: Body, other: Body, *, is_one: bool) -> Iterator[Difference]:
    """The differences of the tagged fields of two structs; `is_one` is whether these have one
    name."""
    for tag in sorted(one.tags.keys() | other.tags.keys()):
        first = one.tags.get(tag)
        second = other.tags.get(tag)
        if first is not None and second is not None:
            is_renamed = first.name[0].casefold() != second.name[0].casefold()
            if is_renamed and all(slot.name != second.name for slot in one.tags.values()):
                yield Difference.of("tag-reused", first.carried, second.carried)
            yield from _slots(first, second)
            if first.frame == second.frame:
                yield from _defaults(first, second)
        elif first is not None:
            yield from _unread(tag, first, other, is_one=is_one)
        elif second is not None:
            for each in _unread(tag, second, one, is_one=is_one):
                yield replace(each, base=each.head, head=each.base)
    others = {slot.name: (tag, slot) for tag, slot in other.tags.items()}
    for tag, slot in one.tags.items() if is_one else ():
        now_tag, now = others.get(slot.name, (tag, slot))
        if now_tag != tag:
            yield Difference.of("tag-changed", slot.carried, now.carried)


def _unread(tag: int, sent: Slot, reader: Body, *, is_one: bool) -> Iterator[Difference]:
    """The difference of a tag that only the first side sends: the other one rejects it, or loses
    the value of a field that it has."""
    writer = Side.of(sent.carried)
    rejected = reader.rejected.get(tag)
    lacking = reader.absent.get(sent.name)
    if rejected is not None:
        is_same_name = rejected.name.casefold() == sent.name[0].casefold()
        rule = "field-versions-changed" if is_same_name else "tag-reused"
        side = Side(reader.path_of((rejected.name,)), rejected)
        yield Difference(rule, writer, side, REJECTED)
    elif is_one and lacking is not None:
        is_retagged = lacking.field.tag not in (None, tag)
        rule = "tag-changed" if is_retagged else "field-versions-changed"
        if lacking.value != {} or not _is_empty(sent.carried):
            side = Side(reader.path_of(sent.name), lacking.field)
            yield Difference(rule, writer, side, effect=LOST)


def _is_empty(carried: LayoutField) -> bool:
    """Whether a field is a struct without fields: wherever it is, its value is {}."""
    is_struct = carried.fields is not None and carried.element is None and not carried.nullable
    return is_struct and all(map(_is_empty, carried.fields or ()))


def _defaults(first: Slot | Section, second: Slot | Section) -> Iterator[Difference]:
    """The differences of two fields that are left out, or of those in two structs that are left
    out."""
    if isinstance(first, Section) and isinstance(second, Section):
        tags = first.body.tags
        others = second.body.tags
        for tag in tags.keys() & others.keys():
            yield from _defaults(tags[tag], others[tag])
    elif isinstance(first, Slot) and isinstance(second, Slot):
        one = first.carried
        other = second.carried
        if not is_same(one.default, other.default):
            if _are_comparable(one.field, other.field):
                yield Difference.of("default-changed", one, other)
        elif one.default == {} and first.body is not None and second.body is not None:
            for was, now in zip(first.body.slots, second.body.slots, strict=False):
                if was.frame != now.frame:
                    return
                yield from _defaults(was, now)


def _matched(one: Body, other: Body) -> list[tuple[Slot | None, Slot | None, LayoutMatch]]:
    """The matched fields of two structs with their slots, None for a field without a place; values
    have none."""
    if one.declared is None or other.declared is None:
        return []
    matches = match_fields(one.declared, other.declared, one.fields, other.fields)
    before, after = ({id(item.carried): item for item in body.items} for body in (one, other))
    return [(before.get(id(each.base)), after.get(id(each.head)), each) for each in matches]


def _fields(one: Body, other: Body) -> Iterator[Difference]:
    """The differences of two structs of which peers misread a part, field by field."""
    pairs = _matched(one, other)
    # What is in a struct on the other side only is explained by that.
    in_head = _inside(now for was, now, _ in pairs if was is None)
    in_base = _inside(was for was, now, _ in pairs if now is None)
    for was, now, match in pairs:
        if was is not None and now is not None:
            if match.moved:
                yield Difference.of("field-moved", was.carried, now.carried, MISREAD)
            yield from _slots(was, now)
        elif (was or now) is not None and match.base is not None and match.head is not None:
            yield Difference.of("tagging-changed", match.base, match.head, MISREAD)
        elif was is not None and (was.name, was.frame) not in in_head:
            rule, side = _lacking(other, was, match, "removed-from")
            yield Difference(rule, Side.of(was.carried), side, effect=MISREAD)
        elif now is not None and (now.name, now.frame) not in in_base:
            rule, side = _lacking(one, now, match, "added-to")
            yield Difference(rule, side, Side.of(now.carried), effect=MISREAD)


def _inside(items: Iterable[Slot | None]) -> set[tuple[Name, object]]:
    """The own names and the frames of the slots in structs that are never null."""
    structs = [item.body for item in items if item is not None and item.frame == _PLAIN]
    return {(each.name[-1:], each.frame) for body in structs if body for each in body.slots}


def _lacking(body: Body, slot: Slot, match: LayoutMatch, change: str) -> tuple[str, Side]:
    """The side that lacks a field in this version, but may declare it for others, and the rule."""
    if match.declared is None:
        return f"field-{change}-released-version", Side(body.path_of(slot.name))
    return "field-versions-changed", Side(body.path_of((match.declared.name,)), match.declared)


def is_same(one: Json, other: Json) -> bool:
    """Whether two values of absent fields are the same: 0.0 and 0 are, 0.0 and -0.0 are not."""
    if isinstance(one, UnfitDefault) != isinstance(other, UnfitDefault):
        return False
    return one == other and (type(one) is not type(other) or str(one) == str(other))


def _are_comparable(one: Field, other: Field) -> bool:
    """Whether the values of two fields are of one kind."""
    return _value_kind(one) == _value_kind(other)


def _value_kind(declared: Field) -> tuple[str, bool]:
    """What values that can be compared have in common, and whether they are arrays."""
    element = "struct" if declared.is_struct else declared.element
    element = "bytes" if element == "records" else "number" if element in _NUMBERS else element
    return element, declared.is_array
