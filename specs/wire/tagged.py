"""Encodes and decodes the tagged section of a struct (KIP-482): known fields by tag, unknown ones as hex."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any

from wirebook.specs.wire.budget import Budget
from wirebook.specs.wire.scalars import (
    HEX,
    Parts,
    Read,
    WireError,
    Write,
    expected,
    read_unsigned,
    short,
    shown,
    some_bytes,
    write_unsigned,
)
from wirebook.specs.wire.shape import UNKNOWN, Others, Shape, is_default

_PLACE = itemgetter(0)

PartsOf = Callable[[Shape, bool, Others], Parts]


@dataclass(frozen=True, slots=True)
class TaggedField:
    """A tagged field, prepared for encoding and decoding."""

    name: str
    tag: int
    write: Write
    read: Read
    default: bytes  # the encoded default
    empty: bool  # whether the default is null
    same: Callable[[Any], bool] | None  # compares with the default if the encoded bytes are not sufficient


TagReader = Callable[[bytes, int, dict[str, Any], Budget], int]


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
        for item in tagged.values():
            if item.name not in value:
                continue
            given = value[item.name]
            if given is None and item.empty:
                continue
            content = bytearray()
            try:
                item.write(content, given)
            except WireError as bad:
                raise bad.below(item.name) from None
            if not item.same(given) if item.same else content != item.default:
                section.append((item.tag, bytes(content)))
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
    places = {tag: place for place, tag in enumerate(tagged)}

    def read(data: bytes, at: int, value: dict[str, Any], budget: Budget) -> int:
        start = at
        count, at = read_unsigned(data, at)
        if not count:
            return at
        if count * 2 > len(data) - at:
            raise WireError(
                f"{count} tagged fields take at least {some_bytes(count * 2)}, but {len(data) - at} are left",
                start,
            )
        seen: set[int] = set()
        values: list[tuple[int, str, Any]] = []
        unknown: list[tuple[int, str]] = []
        for _ in range(count):
            place = at
            tag, at = read_unsigned(data, at)
            if tag in seen:
                raise WireError(f"tag {tag} appears twice", place)
            seen.add(tag)
            size, at = read_unsigned(data, at)
            if size > len(data) - at:
                raise short(data, at, size).below(tagged[tag].name if tag in tagged else f"tag {tag}")
            known = tagged.get(tag)
            if known is None:
                if tag in foreign:
                    raise WireError(f"tag {tag} is {foreign[tag]}, which this version does not have", place)
                unknown.append((tag, data[at : at + size].hex()))
                at += size
                continue
            try:
                item, end = known.read(data, at, budget)
                if end != at + size:
                    raise WireError(
                        f"the value takes {some_bytes(end - at)}, but its size is given as {size}", at
                    )
            except WireError as bad:
                raise bad.below(known.name) from None
            at = end
            values.append((places[tag], known.name, item))
        # In the order of the spec. What is not in the bytes costs nothing: a spec may have thousands of tags.
        for _, name, item in sorted(values, key=_PLACE):
            value[name] = item
        if unknown:
            value[UNKNOWN] = [{"tag": tag, "data": text} for tag, text in sorted(unknown)]
        return at

    return read


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
        same = partial(is_default, field, message=others.message)
    assert shape.tag is not None
    return TaggedField(shape.name, shape.tag, write, read, bytes(default), shape.default is None, same)


def _unknown(
    given: Any, by_tag: Mapping[int, TaggedField], foreign: Mapping[int, str]
) -> Iterator[tuple[int, bytes]]:
    """The unknown tagged fields listed in a value: [{"tag": 5, "data": "beef"}]."""
    try:
        if not isinstance(given, list):
            raise WireError(expected("a list", given, False))
        seen = set()
        for place, item in enumerate(given):
            try:
                if not isinstance(item, dict) or item.keys() != {"tag", "data"}:
                    raise WireError('an object with "tag" and "data" is expected')
                tag, data = item["tag"], item["data"]
                if type(tag) is not int or not 0 <= tag <= 0xFFFFFFFF:
                    raise WireError(f"{shown(tag)} is not a tag").below("tag")
                if type(data) is not str or len(data) % 2 or not HEX.issuperset(data):
                    raise WireError(expected("bytes in hex", data, False)).below("data")
                if tag in seen:
                    raise WireError(f"tag {tag} appears twice")
                if tag in by_tag or tag in foreign:
                    name = by_tag[tag].name if tag in by_tag else foreign[tag]
                    raise WireError(f"tag {tag} is not unknown: it is {name}")
                seen.add(tag)
            except WireError as bad:
                raise bad.below(f"[{place}]") from None
            yield tag, bytes.fromhex(data)
    except WireError as bad:
        raise bad.below(UNKNOWN) from None
