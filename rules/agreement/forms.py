"""The canonical form of a layout: what is on the wire at one version, as a sequence of items.

Struct names and the boundaries of non-nullable structs are not encoded, so the canonical form omits them and
lists the struct's fields directly. Two layouts whose bytes are the same for all values have the
same form, up to names. An item is one of

- a `NumberItem`: an integer, boolean, float or uuid, of a fixed width;
- a `BlobItem`: a length and as many bytes, a string or bytes (records are bytes);
- an `ArrayItem`: a length, followed by that many elements, each of one sequence;
- a `NullableStructItem`: the marker of a nullable struct, and the sequence of its fields if it is not null;
- a `SectionItem`: the tagged fields that end a struct in flexible versions (KIP-482), with the tags that the
  struct knows from other versions and rejects in this one.

A sequence also has the fields that the version lacks and other versions have: readers take their defaults.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from wirebook.specs.model import Field, Json, Message
from wirebook.specs.versions import Versions
from wirebook.specs.wire.defaults import default_value
from wirebook.specs.wire.layout import Layout, LayoutField

# A name inside a sequence: that of a field after those of the structs around it that dissolve.
Name = tuple[str, ...]

WIDTHS = {
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


class Absent(NamedTuple):
    """A field that the bytes do not carry: the value that a reader takes, {} for a struct of such fields."""

    field: Field
    value: Json


class NumberItem(NamedTuple):
    """A value of a fixed width; `type` is its wire type, "?varint" if the format does not define it."""

    name: Name
    field: LayoutField
    type: str


class BlobItem(NamedTuple):
    """A string or bytes: `type` is STRING or BYTES, `is_compact` whether the length is a varint."""

    name: Name
    field: LayoutField
    type: str
    is_compact: bool
    nullable: bool


class Sequenced(NamedTuple):
    """Items in the order of the wire; by name, the fields that this version lacks or that dissolve.

    What only the unstable latest version has is not among those that other versions lack.
    """

    items: tuple["Item", ...]
    absent: Mapping[Name, Absent]
    structs: Mapping[Name, LayoutField]


class ArrayItem(NamedTuple):
    """An array of any element."""

    name: Name
    field: LayoutField
    is_compact: bool
    nullable: bool
    element: Sequenced


class NullableStructItem(NamedTuple):
    """A nullable struct; its marker is a byte, and inside a tagged field a varint."""

    name: Name
    field: LayoutField
    content: Sequenced


class Tagged(NamedTuple):
    """A tagged field, and what its bytes hold."""

    name: Name
    field: LayoutField
    content: Sequenced

    @property
    def is_struct(self) -> bool:
        """Whether it is a struct that is never null."""
        return isinstance(self.content.items[-1], SectionItem)


class SectionItem(NamedTuple):
    """The tagged fields of a struct by tag, and the tags that it rejects.

    `name` is that of the struct, and `field` the field that dissolves into those of the struct, if there is
    one: not for the message itself, the element of an array, and what a nullable struct or a tag holds.
    """

    name: Name
    field: LayoutField | None
    tags: Mapping[int, Tagged]
    rejected: Mapping[int, Field]


Item = NumberItem | BlobItem | ArrayItem | NullableStructItem | SectionItem


def is_framed_alike(one: Item, other: Item) -> bool:
    """Whether a reader of one item in the place of the other is at the same byte after it, or inside it.

    The widths of two numbers or the length prefixes of two others are the same.
    """
    if isinstance(one, NumberItem) and isinstance(other, NumberItem):
        return WIDTHS.get(one.type, one.type) == WIDTHS.get(other.type, other.type)
    if isinstance(one, BlobItem) and isinstance(other, BlobItem):
        return one.is_compact == other.is_compact and (one.is_compact or one.type == other.type)
    if isinstance(one, ArrayItem) and isinstance(other, ArrayItem):
        return one.is_compact == other.is_compact
    return type(one) is type(other)


class WireForm(NamedTuple):
    """The canonical form of a message at a version.

    `header` has the bytes of the length before a request or response, and the version of its header.
    """

    message: Message
    version: int
    flexible: bool
    header: tuple[int, int | None]
    body: Sequenced


def form_of(layout: Layout) -> WireForm:
    """The canonical form of a layout."""
    return Forms(layout.message).form(layout)


class _Named:
    """What a sequence has by name, while it is built (see Sequenced)."""

    def __init__(self) -> None:
        self.absent: dict[Name, Absent] = {}
        self.structs: dict[Name, LayoutField] = {}


# The values that readers take for a field that a version lacks, and for those inside it.
_Lacking = tuple[tuple[Name, Absent], ...]


class Forms:
    """Builds the forms of the versions of one message."""

    def __init__(self, message: Message) -> None:
        self.message = message
        self.absent: dict[Versions, dict[int, _Lacking]] = {}
        self.scalars: dict[tuple[Name, int], Item] = {}

    def form(self, layout: Layout) -> WireForm:
        """The canonical form of a layout of the message."""
        return _FormBuilder(layout, self.absent, self.scalars).form()


class _FormBuilder:
    """Builds the form of one layout.

    `absent_values` are those of fields that other versions of the message lack, too, and `scalars` items
    that they have.
    """

    def __init__(
        self,
        layout: Layout,
        absent_values: dict[Versions, dict[int, _Lacking]],
        scalars: dict[tuple[Name, int], Item],
    ) -> None:
        self.scalars = scalars
        self.layout = layout
        self.message = message = layout.message
        self.version = layout.version
        # What only an unstable version has is free to change: nobody relies on its defaults.
        relied_on = message.valid_versions
        if message.latest_version_unstable and relied_on and layout.version < relied_on.highest:
            relied_on = Versions(relied_on.lowest, relied_on.highest - 1)
        self.relied_on = relied_on
        self.flexible = layout.flexible
        self.lacking_by_field = absent_values.setdefault(self.relied_on, {})

    def form(self) -> WireForm:
        """The form of the layout."""
        message, layout = self.message, self.layout
        body = self.sequence(layout.fields, message.fields)
        header = (message.profile.frame_length_of(message.type), layout.header_version)
        return WireForm(message, layout.version, layout.flexible, header, body)

    def sequence(self, fields: Sequence[LayoutField], declared: Sequence[Field]) -> Sequenced:
        """The sequence of a struct, given its fields in this version and those in all versions."""
        named = _Named()
        items = tuple(self._items((), None, fields, declared, named))
        return Sequenced(items, named.absent, named.structs)

    def _items(
        self,
        above: Name,
        struct: LayoutField | None,
        fields: Sequence[LayoutField],
        declared: Sequence[Field],
        named: _Named,
    ) -> Iterator[Item]:
        tags: dict[int, Tagged] = {}
        for field in fields:
            if field.tag is not None:
                tags[field.tag] = Tagged((*above, field.name), field, self.content(field))
            elif (scalar := self.scalars.get((above, id(field)))) is not None:
                yield scalar
            elif field.element is None and field.fields is None:
                # The item has the field, so that its id stays its own.
                item = self.scalars[above, id(field)] = _scalar((*above, field.name), field, field.type)
                yield item
            else:
                yield from self._field((*above, field.name), field, named)
        carried = {field.name for field in fields}
        for lacking in declared:
            if lacking.name in carried:
                continue
            absent_values = self.lacking_by_field.get(lacking.written.order)
            every = self._lacking(lacking) if absent_values is None else absent_values
            named.absent.update([((*above, *name), absent) for name, absent in every] if above else every)
        if self.flexible:
            rejected = {
                lacking.tag: lacking
                for lacking in declared
                if lacking.tag is not None
                and lacking.tag not in tags
                and lacking.tagged_versions - Versions(self.version, self.version)
            }
            yield SectionItem(above, struct, tags, rejected)

    def _field(self, name: Name, field: LayoutField, named: _Named) -> Iterator[Item]:
        """The items of a field; those of a struct that is never null are those of its fields."""
        if field.element is None and field.fields is not None and not field.nullable:
            named.structs[name] = field
            declared = self.message.fields_of(field.field) or ()
            yield from self._items(name, field, field.fields, declared, named)
        elif field.element is not None:
            is_compact = field.type.startswith("COMPACT_")
            yield ArrayItem(name, field, is_compact, field.nullable, self._element(field))
        elif field.fields is not None:
            yield NullableStructItem(name, field, self.inside(field))
        else:
            yield _scalar(name, field, field.type)

    def _element(self, field: LayoutField) -> Sequenced:
        if field.fields is not None:
            return self.inside(field)
        assert field.element is not None
        return Sequenced((_scalar((), field, field.element),), {}, {})

    def inside(self, field: LayoutField) -> Sequenced:
        """The sequence of the struct of a field."""
        assert field.fields is not None
        return self.sequence(field.fields, self.message.fields_of(field.field) or ())

    def content(self, field: LayoutField) -> Sequenced:
        """What a tagged field, or any other one by itself, holds."""
        named = _Named()
        items = tuple(self._field((), field, named))
        return Sequenced(items, named.absent, named.structs)

    def _lacking(self, field: Field) -> _Lacking:
        """What readers take for a field that the version lacks; nothing if no version has it."""
        absent = self._absent((field.name,), field, ()) if field.present & self.relied_on else ()
        self.lacking_by_field[field.written.order] = every = tuple(absent)
        return every

    def _absent(self, name: Name, field: Field, within: tuple[str, ...]) -> Iterator[tuple[Name, Absent]]:
        """The value of a field that the bytes do not carry, and those of its fields if it is a struct.

        `within` are the structs around it: one that contains itself ends there.

        A default that does not fit its type is no value: rules on single files report it.
        """
        try:
            value = default_value(field)
        except ValueError:
            return
        yield name, Absent(field, value)
        if value == {} and field.element not in within:
            for inner in self.message.fields_of(field) or ():
                if inner.present & self.relied_on:
                    yield from self._absent((*name, inner.name), inner, (*within, field.element))


def _scalar(name: Name, field: LayoutField, wire_type: str) -> Item:
    if wire_type in WIDTHS or wire_type.startswith("?"):
        return NumberItem(name, field, wire_type)
    kind = "STRING" if wire_type.endswith("STRING") else "BYTES"
    return BlobItem(name, field, kind, wire_type.startswith("COMPACT_"), "NULLABLE_" in wire_type)


def bounds(message: Message) -> set[int]:
    """The versions at which the form of a message may begin to differ from that of the version before."""
    versions: set[int] = set()

    def add(ranges: Iterable[Versions | None]) -> None:
        for part in ranges:
            if part is not None:
                versions.update((part.lowest, part.highest + 1))

    def inside(fields: Iterable[Field]) -> None:
        for field in fields:
            add((field.versions, field.nullable_versions, field.tagged_versions, field.flexible_versions))
            inside(field.fields or ())

    valid = message.valid_versions
    add((valid, message.flexible_versions))
    if message.latest_version_unstable:
        versions.add(valid.highest)
    add(header.versions for header in message.header_versions or ())
    # A profile may give some versions another header, such as that of Kafka to ControlledShutdown v0.
    add(each.versions for each in message.profile.headers.exceptions_of(message.type, message.api_key))
    inside(message.fields)
    for struct in message.common_structs:
        inside(struct.fields)
    return versions
