"""Encodes and decodes structs, arrays and fields step by step: two functions for each part of a layout."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from struct import Struct, error
from typing import Any

from wirebook.specs.limits import MAX_EMPTY
from wirebook.specs.wire import tagged
from wirebook.specs.wire.scalars import (
    FIXED,
    ValueCodec,
    WireError,
    check_fixed,
    expected,
    lengths,
    read_unsigned,
    refuse_too_many,
    scalar,
    short,
)
from wirebook.specs.wire.shape import UNKNOWN, Others, Shape, refuse_foreign

# How a run of fields or one field is read into the value of a struct.
ReadInto = Callable[[bytes, int, dict[str, Any]], int]


def _elements(shape: Shape, flexible: bool, others: Others) -> ValueCodec:
    """How one element of an array is written and read, and its least number of bytes."""
    if shape.fields is not None:
        return struct_parts(shape.fields, flexible, others.below(shape.name, shape.fields))
    assert shape.element is not None
    return scalar(shape.element, False)


def _array(shape: Shape, flexible: bool, others: Others) -> ValueCodec:
    read_count, write_count, least = lengths(shape.type)
    nullable = shape.nullable
    write_one, read_one, size = _elements(shape, flexible, others)

    def write(out: bytearray, value: Any) -> None:
        if value is None and nullable:
            write_count(out, None)
            return
        if not isinstance(value, list):
            raise WireError(expected("a list", value, nullable))
        write_count(out, len(value))
        index = 0
        try:
            for element in value:
                write_one(out, element)
                index += 1
        except WireError as bad:
            raise bad.below(f"[{index}]") from None

    def read(data: bytes, at: int) -> tuple[Any, int]:
        count, end = read_count(data, at)
        if count is None:
            if nullable:
                return None, end
            raise WireError("null, but it is not nullable in this version", at)
        refuse_too_many("elements", count, size, len(data) - end, at)
        if not size and count > MAX_EMPTY:
            raise WireError(f"{count} elements without bytes; the limit is {MAX_EMPTY}", at)
        items: list[Any] = []
        try:
            for _ in range(count):
                element, end = read_one(data, end)
                items.append(element)
        except WireError as bad:
            raise bad.below(f"[{len(items)}]") from None
        return items, end

    return write, read, least


def _nullable_struct(inner: ValueCodec, tagged: bool) -> ValueCodec:
    """A struct after its marker: an INT8, or within a tagged field an unsigned varint (KIP-893)."""
    write_one, read_one, _ = inner
    absent, present = (b"\x00", b"\x01") if tagged else (b"\xff", b"\x01")

    def write(out: bytearray, value: Any) -> None:
        if value is None:
            out += absent
            return
        out += present
        write_one(out, value)

    def read(data: bytes, at: int) -> tuple[Any, int]:
        if tagged:
            marker, end = read_unsigned(data, at)
            if not marker:
                return None, end
        else:
            if at >= len(data):
                raise short(data, at, 1)
            end = at + 1
            if data[at] > 0x7F:  # any negative number means null
                return None, end
        return read_one(data, end)

    return write, read, 1


def parts_of(shape: Shape, flexible: bool, others: Others) -> ValueCodec:
    """How a field is written and read, and its least number of bytes."""
    if shape.element is not None:
        return _array(shape, flexible, others)
    if shape.fields is None:
        return scalar(shape.type, shape.nullable)
    inner = struct_parts(shape.fields, flexible, others.below(shape.name, shape.fields))
    if not shape.nullable:
        return inner
    return _nullable_struct(inner, shape.tag is not None)


# Structs


def _runs(fields: Sequence[Shape]) -> Iterator[list[Shape]]:
    """The untagged fields, grouping neighbours of fixed size, which are read and written at once."""
    run: list[Shape] = []
    for field in fields:
        if field.tag is not None:
            continue
        if field.type in FIXED:
            run.append(field)
            continue
        if run:
            yield run
            run = []
        yield [field]
    if run:
        yield run


def struct_parts(fields: Sequence[Shape], flexible: bool, others: Others) -> ValueCodec:
    """How a struct is written and read, and its least number of bytes."""
    writes: list[Callable[[bytearray, Mapping[str, Any]], None]] = []
    reads: list[ReadInto] = []
    least = 0
    for run in _runs(fields):
        if run[0].type in FIXED:
            write, read, size = _run_steps(run)
        else:
            write, read, size = _field_steps(run[0], parts_of(run[0], flexible, others))
        writes.append(write)
        reads.append(read)
        least += size
    if flexible:
        tags = tagged.by_tag(fields, others, parts_of)
        writes.append(tagged.writer(tags, others))
        reads.append(tagged.reader(tags, others))
        least += 1
    names = frozenset(field.name for field in fields) | ({UNKNOWN} if flexible else set())

    def write_all(out: bytearray, value: Any) -> None:
        if not isinstance(value, Mapping):
            raise WireError(expected("an object", value, False))
        if not names.issuperset(value):
            refuse_foreign(value, names, others)
        for step in writes:
            step(out, value)

    def read_all(data: bytes, at: int) -> tuple[Any, int]:
        value: dict[str, Any] = {}
        for step in reads:
            at = step(data, at, value)
        return value, at

    return write_all, read_all, least


def _run_steps(
    run: Sequence[Shape],
) -> tuple[Callable[[bytearray, Mapping[str, Any]], None], ReadInto, int]:
    names = [field.name for field in run]
    pairs = [(field.name, field.default) for field in run]
    kinds = [bool if field.type == "BOOLEAN" else int for field in run]
    form = Struct(">" + "".join(FIXED[field.type] for field in run))
    size, pack, unpack = form.size, form.pack, form.unpack_from

    def write(out: bytearray, value: Mapping[str, Any]) -> None:
        values = [value.get(name, default) for name, default in pairs]
        try:
            if [*map(type, values)] == kinds:
                out += pack(*values)
                return
        except error:
            pass
        for field, item in zip(run, values, strict=True):
            try:
                check_fixed(field.type, item)
            except WireError as bad:
                raise bad.below(field.name) from None
        raise AssertionError("a fixed-size field neither fits nor fails")

    if len(run) == 1:
        only = names[0]

        def read(data: bytes, at: int, value: dict[str, Any]) -> int:
            try:
                value[only] = unpack(data, at)[0]
            except error:
                raise short(data, at, size).below(only) from None
            return at + size
    else:

        def read(data: bytes, at: int, value: dict[str, Any]) -> int:
            try:
                value.update(zip(names, unpack(data, at), strict=True))
            except error:
                raise _cut(run, data, at) from None
            return at + size

    return write, read, size


def _cut(run: Sequence[Shape], data: bytes, at: int) -> WireError:
    """The error of the first field of a run that is not complete."""
    for field in run:
        size = Struct(">" + FIXED[field.type]).size
        if at + size > len(data):
            return short(data, at, size).below(field.name)
        at += size
    raise AssertionError("a complete run was not read")


def _field_steps(
    shape: Shape, parts: ValueCodec
) -> tuple[Callable[[bytearray, Mapping[str, Any]], None], ReadInto, int]:
    write_one, read_one, size = parts
    name, default = shape.name, shape.default

    def write(out: bytearray, value: Mapping[str, Any]) -> None:
        try:
            write_one(out, value.get(name, default))
        except WireError as bad:
            raise bad.below(name) from None

    def read(data: bytes, at: int, value: dict[str, Any]) -> int:
        try:
            value[name], at = read_one(data, at)
        except WireError as bad:
            raise bad.below(name) from None
        return at

    return write, read, size
