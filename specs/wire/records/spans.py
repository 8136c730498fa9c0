"""Describes each byte of records: fields of batches, messages and records, and parts of compressed bytes."""

from __future__ import annotations

from wirebook.specs.model import Json
from wirebook.specs.wire.codec import FORMS, Span, WireError
from wirebook.specs.wire.records import batch as batches
from wirebook.specs.wire.records import message as messages
from wirebook.specs.wire.records.attributes import attributes_json
from wirebook.specs.wire.records.entries import MAGIC_AT, split
from wirebook.specs.wire.records.framing import framing
from wirebook.specs.wire.records.model import COMPRESSION_BITS, Compression, compression
from wirebook.specs.wire.records.varints import read_varint, read_varlong, short

_PREFIX = (
    ("BaseOffset", "INT64"),
    ("BatchLength", "INT32"),
    ("PartitionLeaderEpoch", "INT32"),
    ("Magic", "INT8"),
)
_REST = (
    ("LastOffsetDelta", "INT32"),
    ("BaseTimestamp", "INT64"),
    ("MaxTimestamp", "INT64"),
    ("ProducerId", "INT64"),
    ("ProducerEpoch", "INT16"),
    ("BaseSequence", "INT32"),
)


def record_spans(data: bytes, path: str = "", field: str = "") -> list[Span]:
    """The spans of the content of a field of type records, in order and without gaps.

    `path` is that of the field, `field` the same without indexes. Unreadable bytes are of kind unknown.
    """
    spans: list[Span] = []
    for number, (start, end, wrong) in enumerate(split(data)):
        walk = _Walk(data, start, min(end, len(data)), f"{path}[{number}]", field)
        if wrong is None:
            walk.entry()
        spans += walk.done()
    return spans


def unpacked_spans(plain: bytes, magic: int) -> list[Span]:
    """The spans of decompressed records: records of a batch, or messages of magic 0 or 1."""
    if magic < batches.MAGIC:
        return record_spans(plain)
    walk = _Walk(plain, 0, len(plain), "", "")
    walk.records(None)
    return walk.done()


class _Walk:
    """Parses one entry from its beginning, as far as its bytes are well-formed."""

    def __init__(self, data: bytes, at: int, end: int, path: str, field: str) -> None:
        self.data, self.at, self.end = data, at, end
        self.path, self.field = path, field
        self.found: list[Span] = []

    def done(self) -> list[Span]:
        """The spans, ending with one of the bytes that could not be read."""
        if self.at < self.end:
            rest = self.data[self.at : self.end]
            self.found.append(Span(self.at, self.end, self.path, self.field, "unknown", "BYTES", rest.hex()))
            self.at = self.end
        return self.found

    def entry(self) -> None:
        """Parse a batch or a message, by its magic."""
        try:
            if self.at + MAGIC_AT < self.end and self.data[self.at + MAGIC_AT] == batches.MAGIC:
                self._batch()
            else:
                self._message()
        except WireError:
            return

    def records(self, count: int | None) -> None:
        """Parse as many records as the count says, or as there are."""
        number = 0
        while self.at < self.end and number != count:
            self._record(f"Records[{number}].", "Records.")
            number += 1

    def _batch(self) -> None:
        for name, type_ in _PREFIX:
            self._fixed(name, type_, "length" if name == "BatchLength" else "value")
        self._fixed("Crc", "UINT32")
        attributes = self._attributes("INT16", 2)
        for name, type_ in _REST:
            self._fixed(name, type_)
        count = self._fixed("Records", "INT32", "count")
        if attributes & COMPRESSION_BITS:
            self._packed(attributes, "Records", self.end)
        else:
            self.records(count)

    def _record(self, path: str, field: str) -> None:
        size = self._varint(path[:-1], field[:-1], "length")
        if self.at + size > self.end:
            raise short(self.data[: self.end], self.at, size)
        self._fixed(f"{path}Attributes", "INT8", field=f"{field}Attributes")
        self._varint(f"{path}TimestampDelta", f"{field}TimestampDelta", "value", "VARLONG")
        self._varint(f"{path}OffsetDelta", f"{field}OffsetDelta", "value")
        for name in ("Key", "Value"):
            self._sized(path, field, name)
        count = self._varint(f"{path}Headers", f"{field}Headers", "count")
        for number in range(count):
            for name in ("Key", "Value"):
                self._sized(f"{path}Headers[{number}].", f"{field}Headers.", name, text=name == "Key")

    def _sized(self, path: str, field: str, name: str, *, text: bool = False) -> None:
        size = self._varint(f"{path}{name}", f"{field}{name}", "length")
        self._bytes(f"{path}{name}", f"{field}{name}", size, text=text)

    def _message(self) -> None:
        self._fixed("Offset", "INT64")
        self._fixed("MessageSize", "INT32", "length")
        self._fixed("Crc", "UINT32")
        magic = self._fixed("Magic", "INT8")
        if magic not in messages.LEAST:
            return
        attributes = self._attributes("INT8", magic)
        if magic:
            self._fixed("Timestamp", "INT64")
        for name in ("Key", "Value"):
            size = self._fixed(name, "INT32", "length")
            if name == "Value" and attributes & COMPRESSION_BITS:
                self._packed(attributes, "Messages", min(self.at + size, self.end))
            else:
                self._bytes(name, name, size)

    def _packed(self, attributes: int, name: str, end: int) -> None:
        kind = compression(attributes) or Compression.NONE
        for size, part, type_, value in framing(self.data[self.at : end], kind):
            self._take(self.at + size, f"{name} ({part})", name, "value", type_, value)

    def _attributes(self, type_: str, magic: int) -> int:
        start = self.at
        bits = self._fixed("Attributes", type_)
        words = [
            name if value is True else str(value)
            for name, value in attributes_json(bits, magic).items()
            if value is not False
        ]
        self.found[-1] = Span(start, self.at, *self._names("Attributes"), "value", type_, ", ".join(words))
        return bits

    def _names(self, name: str, field: str | None = None) -> tuple[str, str]:
        join = "." if self.path else ""
        above = "." if self.field else ""
        return f"{self.path}{join}{name}", f"{self.field}{above}{name if field is None else field}"

    def _take(self, end: int, name: str, field: str | None, kind: str, type_: str, value: Json) -> None:
        self.found.append(Span(self.at, end, *self._names(name, field), kind, type_, value))
        self.at = end

    def _fixed(self, name: str, type_: str, kind: str = "value", field: str | None = None) -> int:
        form = FORMS[type_]
        if self.at + form.size > self.end:
            raise short(self.data[: self.end], self.at, form.size)
        value: int = form.unpack_from(self.data, self.at)[0]
        null = kind == "length" and value == -1
        span_value: Json = None if null else f"{value:08x}" if type_ == "UINT32" else value
        self._take(self.at + form.size, name, field, "null" if null else kind, type_, span_value)
        if value < 0 and kind != "value" and not null:
            raise WireError(f"a {kind} of {value}", self.at)
        return value

    def _varint(self, name: str, field: str, kind: str, type_: str = "VARINT") -> int:
        read = read_varint if type_ == "VARINT" else read_varlong
        value, end = read(self.data, self.at, self.end)
        null = kind == "length" and value == -1
        if value < 0 and kind != "value" and not null:
            raise WireError(f"a {kind} of {value}", self.at)
        self._take(end, name, field, "null" if null else kind, type_, None if null else value)
        return value

    def _bytes(self, name: str, field: str, size: int, *, text: bool = False) -> None:
        if size <= 0:
            return
        if self.at + size > self.end:
            raise short(self.data[: self.end], self.at, size)
        data = self.data[self.at : self.at + size]
        if text:
            self._take(self.at + size, name, field, "value", "STRING", data.decode(errors="replace"))
        else:
            self._take(self.at + size, name, field, "value", "BYTES", data.hex())
