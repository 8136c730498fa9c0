"""An encoder and a reader of their own, after the facts of the wire: what Kafka's generated classes
do.

A sequence is a tuple of the values of its items; that of a tagged section has them by tag. Text is
its bytes.
"""

from __future__ import annotations

import struct
from typing import Any

from tests.prove.shapes import END, WIDTHS, Shape, Slot

Value = Any


class RefusedError(Exception):
    """A reader gives up; the words say why, without values."""


def encode(shape: Shape, value: Value, *, leaving_out: bool = True) -> bytes:
    """The bytes of a message: tagged fields in ascending order, without those that have their
    default."""
    out = bytearray()
    _write_all(shape, value, out, leaving_out)
    return bytes(out)


def decode(shape: Shape, body: bytes) -> Value:
    """What a reader makes of bytes. Raises RefusedError."""
    reader = _Reader(body)
    value = reader.all(shape)
    if reader.at != len(body):
        raise RefusedError("bytes are left over")
    return value


_SHORT = [bytes((number,)) for number in range(0x80)]


def unsigned_varint(number: int) -> bytes:
    """Seven bits a byte, low ones first; the high bit says that more follow."""
    if number < 0x80:
        return _SHORT[number]
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _write_all(shape: Shape, values: Value, out: bytearray, leaving_out: bool) -> None:
    for slot, value in zip(shape, values, strict=True):
        if slot.kind == END:
            _write_tags(slot, value, out, leaving_out)
        else:
            _write(slot, value, out, leaving_out, tagged=False)


def _write_tags(section: Slot, tags: Value, out: bytearray, leaving_out: bool) -> None:
    sent = [
        (tag, slot)
        for tag, slot in sorted(section.tagged.items())
        if tags[tag] != slot.nothing or not (leaving_out or _unsendable(slot, slot.nothing))
    ]
    out += unsigned_varint(len(sent))
    for tag, slot in sent:
        data = bytearray()
        _write(slot, tags[tag], data, leaving_out, tagged=True)
        out += unsigned_varint(tag) + unsigned_varint(len(data)) + data


def _unsendable(slot: Slot, value: Value) -> bool:
    """Whether a value has nulls where none may be: that of records that nobody has set."""
    if value is None:
        return not slot.nullable
    return (
        slot.kind == "struct" and not slot.array and any(map(_unsendable, slot.inside or (), value))
    )


def _write(slot: Slot, value: Value, out: bytearray, leaving_out: bool, *, tagged: bool) -> None:
    if slot.array:
        assert slot.inside is not None
        _write_length(slot, None if value is None else len(value), 4, out)
        for item in value or ():
            _write_all(slot.inside, item, out, leaving_out)
    elif slot.kind == "struct":
        assert slot.inside is not None
        if slot.nullable and tagged:
            out += unsigned_varint(0 if value is None else 1)
        elif slot.nullable:
            out += b"\xff" if value is None else b"\x01"
        if value is not None:
            _write_all(slot.inside, value, out, leaving_out)
    elif slot.kind in ("string", "bytes"):
        _write_length(
            slot, None if value is None else len(value), 2 if slot.kind == "string" else 4, out
        )
        out += value or b""
    elif slot.kind == "bool":
        out.append(value)
    elif slot.kind == "float":
        out += struct.pack(">d", value)
    elif slot.kind == "uuid":
        out += value
    else:
        out += value.to_bytes(WIDTHS[slot.kind], "big", signed=slot.kind[0] != "u")


def _write_length(slot: Slot, length: int | None, width: int, out: bytearray) -> None:
    if slot.compact:
        out += unsigned_varint(0 if length is None else length + 1)
    else:
        out += (-1 if length is None else length).to_bytes(width, "big", signed=True)


class _Reader:
    def __init__(self, body: bytes) -> None:
        self.body = body
        self.at = 0

    def take(self, count: int) -> bytes:
        end = self.at + count
        if end > len(self.body):
            raise RefusedError("the bytes end too early")
        found = self.body[self.at : end]
        self.at = end
        return found

    def varint(self) -> int:
        if self.at < len(self.body) and self.body[self.at] < 0x80:
            self.at += 1
            return self.body[self.at - 1]
        number = shift = 0
        while True:
            byte = self.take(1)[0]
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                return number
            shift += 7
            if shift > 28:
                raise RefusedError("a varint is too long")

    def all(self, shape: Shape) -> Value:
        return tuple(
            [
                self.tags(slot) if slot.kind == END else self.value(slot, tagged=False)
                for slot in shape
            ]
        )

    def tags(self, section: Slot) -> Value:
        tags = dict(section.nothing)
        for _ in range(self.varint()):
            tag, size = self.varint(), self.varint()
            if tag in section.tagged:
                end = self.at + size
                tags[tag] = self.value(section.tagged[tag], tagged=True)
                if self.at != end:
                    raise RefusedError("a tagged field is longer or shorter than it says")
            elif tag in section.refused:
                raise RefusedError(f"tag {tag} is not valid for this version")
            else:
                self.take(size)
        return tags

    def value(self, slot: Slot, *, tagged: bool) -> Value:
        if slot.array:
            count = self.length(slot, 4)
            if count is None:
                return None
            if count > len(self.body):
                raise RefusedError("an array has more elements than there are bytes")
            assert slot.inside is not None
            return tuple([self.all(slot.inside) for _ in range(count)])
        if slot.kind == "struct":
            assert slot.inside is not None
            if slot.nullable:
                marker = self.varint() if tagged else self.take(1)[0]
                if marker == 0 if tagged else marker > 127:
                    return None
            return self.all(slot.inside)
        if slot.kind in ("string", "bytes"):
            length = self.length(slot, 2 if slot.kind == "string" else 4)
            return None if length is None else self.take(length)
        if slot.kind == "bool":
            return self.take(1) != b"\x00"
        if slot.kind == "float":
            return struct.unpack(">d", self.take(8))[0]
        if slot.kind == "uuid":
            return self.take(16)
        return int.from_bytes(self.take(WIDTHS[slot.kind]), "big", signed=slot.kind[0] != "u")

    def length(self, slot: Slot, width: int) -> int | None:
        length = (
            self.varint() - 1
            if slot.compact
            else int.from_bytes(self.take(width), "big", signed=True)
        )
        if length < 0 and not slot.nullable:
            raise RefusedError("null where there is none")
        return None if length < 0 else length
