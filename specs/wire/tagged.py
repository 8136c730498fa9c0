"""Encodes and decodes the tagged section of a struct (KIP-482): known fields by tag, unknown ones as hex."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

from wirebook.specs.wire.scalars import (
    HEX,
    ReadValue,
    ValueCodec,
    WireError,
    Write,
    expected,
    read_unsigned,
    refuse_too_many,
    short,
    shown,
    some_bytes,
    write_unsigned,
)
from wirebook.specs.wire.shape import UNKNOWN, Others, Shape, is_default

_RANK = itemgetter(0)
# The generated classes in Java take it for the end of a section.
_RESERVED = 2**31 - 1

PartsOf = Callable[[Shape, bool, Others], ValueCodec]


class TaggedField(NamedTuple):
    """A tagged field, prepared for encoding and decoding."""

    name: str
    tag: int
    write: Write
    read: ReadValue
    default: bytes  # the encoded default
    empty: bool  # whether the default is null
    same: Callable[[Any], bool] | None  # compares with the default if the encoded bytes are not sufficient


TagReader = Callable[[bytes, int, dict[str, Any]], int]


def by_tag(fields: Sequence[Shape], others: Others, parts_of: PartsOf) -> dict[int, TaggedField]:
    """The tagged fields among these fields, by tag."""
    return {field.tag: _tagged(field, others, parts_of) for field in fields if field.tag is not None}


def writer(
    tagged: Mapping[int, TaggedField], others: Others
) -> Callable[[bytearray, Mapping[str, Any]], None]:
    """A function that writes the tagged section of a value."""
    foreign = others.tags or {}

    def write(out: bytearray, value: Mapping[str, Any]) -> None:
        section: list[tuple[int, bytes]] = []
        for field in tagged.values():
            if field.name not in value:
                continue
            field_value = value[field.name]
            if field_value is None and field.empty:
                continue
            content = bytearray()
            try:
                field.write(content, field_value)
            except WireError as bad:
                raise bad.below(field.name) from None
            if not field.same(field_value) if field.same else content != field.default:
                section.append((field.tag, bytes(content)))
        if UNKNOWN in value:
            section += _unknown(value[UNKNOWN], tagged, foreign)
            section.sort()
        write_unsigned(out, len(section))
        for tag, data in section:
            write_unsigned(out, tag)
            write_unsigned(out, len(data))
            out += data

    return write


def reader(tagged: Mapping[int, TaggedField], others: Others) -> TagReader:
    """A function that reads a tagged section into a value and returns its end."""
    foreign = others.tags or {}
    ranks = {tag: rank for rank, tag in enumerate(tagged)}

    def read(data: bytes, at: int, value: dict[str, Any]) -> int:
        start = at
        count, at = read_unsigned(data, at)
        if not count:
            return at
        refuse_too_many("tagged fields", count, 2, len(data) - at, start)
        tags: set[int] = set()
        values: list[tuple[int, str, Any]] = []
        unknown: list[tuple[int, str]] = []
        for _ in range(count):
            tag_at = at
            tag, at = read_unsigned(data, at)
            if tag in tags:
                raise WireError(f"tag {tag} appears twice", tag_at)
            tags.add(tag)
            size, at = read_unsigned(data, at)
            if size > len(data) - at:
                raise short(data, at, size).below(tagged[tag].name if tag in tagged else f"tag {tag}")
            if tag in tagged:
                values.append((ranks[tag], tagged[tag].name, _content(tagged[tag], data, at, size)))
            elif tag in foreign:
                raise WireError(f"tag {tag} is {foreign[tag]}, which this version does not have", tag_at)
            else:
                unknown.append((tag, data[at : at + size].hex()))
            at += size
        # In the order of the spec. What is not in the bytes costs nothing: a spec may have thousands of tags.
        for _, name, content in sorted(values, key=_RANK):
            value[name] = content
        if unknown:
            value[UNKNOWN] = [{"tag": tag, "data": text} for tag, text in sorted(unknown)]
        return at

    return read


def _content(field: TaggedField, data: bytes, at: int, size: int) -> Any:
    """The value of a tagged field. Raises WireError if it does not have the size that precedes it."""
    try:
        content, end = field.read(data, at)
        if end != at + size:
            raise WireError(f"the value takes {some_bytes(end - at)}, but its size is given as {size}", at)
    except WireError as bad:
        raise bad.below(field.name) from None
    return content


def _tagged(shape: Shape, others: Others, parts_of: PartsOf) -> TaggedField:
    write, read, _ = parts_of(shape, True, others)
    default = bytearray()
    try:
        write(default, shape.default)
    except WireError:
        # A default that its type does not allow (records without null) is equal to no value.
        default.clear()
    field = (others.fields or {}).get(shape.name)
    same = None
    if field is not None and shape.element is None and (shape.fields is not None or shape.type == "FLOAT64"):
        same = partial(is_default, field, message=others.message, version=others.version)
    assert shape.tag is not None
    return TaggedField(shape.name, shape.tag, write, read, bytes(default), shape.default is None, same)


def _unknown(
    entries: Any, by_tag: Mapping[int, TaggedField], foreign: Mapping[int, str]
) -> Iterator[tuple[int, bytes]]:
    """The unknown tagged fields listed in a value: [{"tag": 5, "data": "beef"}]."""
    try:
        if not isinstance(entries, list):
            raise WireError(expected("a list", entries, False))
        tags: set[int] = set()
        for index, entry in enumerate(entries):
            try:
                tag, data = _tag_and_data(entry)
                if tag in tags:
                    raise WireError(f"tag {tag} appears twice")
                if tag in by_tag or tag in foreign:
                    name = by_tag[tag].name if tag in by_tag else foreign[tag]
                    raise WireError(f"tag {tag} is not unknown: it is {name}")
                tags.add(tag)
            except WireError as bad:
                raise bad.below(f"[{index}]") from None
            yield tag, data
    except WireError as bad:
        raise bad.below(UNKNOWN) from None


def _tag_and_data(entry: object) -> tuple[int, bytes]:
    """The tag and the bytes of an unknown tagged field. Raises WireError if it is no such field."""
    if not isinstance(entry, dict) or entry.keys() != {"tag", "data"}:
        raise WireError('an object with "tag" and "data" is expected')
    tag, data = entry["tag"], entry["data"]
    if type(tag) is not int or not 0 <= tag <= 0xFFFFFFFF:
        raise WireError(f"{shown(tag)} is not a tag").below("tag")
    if tag == _RESERVED:
        raise WireError(f"{tag} cannot be written: Java's generated classes reserve it").below("tag")
    if type(data) is not str or len(data) % 2 or not HEX.issuperset(data):
        raise WireError(expected("bytes in hex", data, False)).below("data")
    return tag, bytes.fromhex(data)
