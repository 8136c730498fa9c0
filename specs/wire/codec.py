"""Values to bytes and back: one codec for each layout, prepared once, without generated code per message."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from wirebook.specs.model import Json
from wirebook.specs.wire.layout import Layout
from wirebook.specs.wire.scalars import left_over
from wirebook.specs.wire.shape import Others, Shape, has_records
from wirebook.specs.wire.steps import struct_parts

if TYPE_CHECKING:
    from wirebook.specs.wire.exported import ExportedLayout
    from wirebook.specs.wire.spans import Span

WORTHWHILE = 30  # messages after which compiling the layout pays

Value = dict[str, Json]


class Codec:
    """Writes and reads one message at one version.

    `least` is the smallest number of bytes that a message has: texts, arrays and tagged sections are empty,
    nullable structs are null. The header before it does not count.
    """

    def __init__(self, fields: Sequence[Shape], flexible: bool, others: Others | None = None) -> None:
        self.fields = fields
        self.flexible = flexible
        self._others = others or Others()
        self._write, self._read, self.least = struct_parts(fields, flexible, self._others)
        self._reader: Callable[[bytes], Value] = self._first
        self._slow = WORTHWHILE

    @cached_property
    def has_records(self) -> bool:
        """Whether a field of the message is of type records."""
        return has_records(self.fields)

    def encode(self, value: Mapping[str, Json]) -> bytes:
        """The bytes of a value; what it leaves out takes its default. Raises WireError."""
        out = bytearray()
        self._write(out, value)
        return bytes(out)

    def decode(self, data: bytes) -> Value:
        """The value of all of `data`. Raises WireError, also where bytes are left over.

        A tagged field that is not there is left out, as in Kafka's own JSON form: it reads as its default.
        """
        return self._reader(data)

    def decode_from(self, data: bytes, offset: int = 0) -> tuple[Value, int]:
        """The value that begins at `offset`, and where it ends. Raises WireError."""
        value: Value
        value, end = self._read(bytes(data), offset)
        return value, end

    def _first(self, data: bytes) -> Value:
        self._slow -= 1
        if not self._slow:
            from wirebook.specs.wire.compiled import compiled

            self._reader = compiled(self.fields, self.flexible, self._others, self._steps)
        return self._steps(data)

    def _steps(self, data: bytes) -> Value:
        value, end = self.decode_from(data)
        if end != len(data):
            raise left_over(data, end)
        return value

    def explain(self, data: bytes) -> list[Span]:
        """What each byte of a message is, in order and without a gap. Raises WireError."""
        from wirebook.specs.wire.spans import spans

        self.decode(data)
        return spans(self.fields, self.flexible, bytes(data))


_codecs: dict[int, tuple[Layout, Codec]] = {}


def codec(layout: Layout) -> Codec:
    """The codec of a layout, cached."""
    known = _codecs.get(id(layout))
    if known is not None and known[0] is layout:
        return known[1]
    if len(_codecs) >= 4096:
        _codecs.clear()
    made = Codec(layout.fields, layout.flexible, Others.of(layout))
    _codecs[id(layout)] = (layout, made)
    return made


def exported_codec(layout: ExportedLayout) -> Codec:
    """The codec of an exported layout. It lacks the fields of other versions: their names are unknown."""
    return Codec(layout.fields, layout.flexible)
