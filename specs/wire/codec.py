"""Encodes and decodes messages: one codec for each layout, prepared once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from wirebook.specs.model import Json, MessageValue
from wirebook.specs.wire.layout import Layout
from wirebook.specs.wire.scalars import left_over
from wirebook.specs.wire.shape import Others, Shape, has_records
from wirebook.specs.wire.spans import Span, spans, spans_until
from wirebook.specs.wire.steps import struct_parts

if TYPE_CHECKING:
    from wirebook.specs.wire.exported import ExportedLayout


class Codec:
    """Encodes and decodes a message at one version.

    `least` is the smallest number of bytes of a message: with empty strings, arrays and tagged sections, and
    null structs where possible, without the header.
    """

    def __init__(self, fields: Sequence[Shape], flexible: bool, others: Others | None = None) -> None:
        self.fields = fields
        self.flexible = flexible
        self._write, self._read, self.least = struct_parts(fields, flexible, others or Others())

    @cached_property
    def has_records(self) -> bool:
        """Whether a field of the message is of type records."""
        return has_records(self.fields)

    def encode(self, value: Mapping[str, Json]) -> bytes:
        """Encode a value; missing fields take their defaults. Raises WireError."""
        out = bytearray()
        self._write(out, value)
        return bytes(out)

    def decode(self, data: bytes) -> MessageValue:
        """Decode all of `data` to a value. Raises WireError, also if bytes are left over.

        An absent tagged field is left out, as in Kafka's own JSON form: its value is the default.
        """
        value, end = self.decode_from(data)
        if end != len(data):
            raise left_over(data, end)
        return value

    def decode_from(self, data: bytes, offset: int = 0) -> tuple[MessageValue, int]:
        """Decode the value that begins at `offset`, and return it with its end. Raises WireError."""
        value: MessageValue
        value, end = self._read(bytes(data), offset)
        return value, end

    def explain(self, data: bytes) -> list[Span]:
        """Describe each byte of a message, in order and without gaps. Raises WireError."""
        self.decode(data)
        return spans(self.fields, self.flexible, bytes(data))

    def explain_until(self, data: bytes, end: int) -> list[Span]:
        """Describe the bytes before the offset of an error, as far as they are complete values."""
        return spans_until(self.fields, self.flexible, bytes(data), end)


_codecs: dict[int, tuple[Layout, Codec]] = {}


def codec(layout: Layout) -> Codec:
    """The codec of a layout, cached."""
    cached = _codecs.get(id(layout))
    if cached is not None and cached[0] is layout:
        return cached[1]
    if len(_codecs) >= 4096:
        _codecs.clear()
    result = Codec(layout.fields, layout.flexible, Others.of(layout))
    _codecs[id(layout)] = (layout, result)
    return result


def exported_codec(layout: ExportedLayout) -> Codec:
    """The codec of an exported layout. It lacks the fields of other versions: their names are unknown."""
    return Codec(layout.fields, layout.flexible)
