"""Reads the content of a field of type records: batches of magic 2 (KIP-98) and older message sets.

A batch or message becomes a JSON value, and each of its bytes a span. Lengths, counts and checksums
are not in the value: they are correct, or the value says what is wrong. Source:
DefaultRecordBatch.java, LegacyRecord.java.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from struct import unpack_from

from wirebook.specs.codec import Reader
from wirebook.specs.limits import MAX_ELEMENTS
from wirebook.specs.model import Json, MessageValue
from wirebook.specs.records.batch import (
    BATCH,
    BATCH_CRC_END,
    COMPRESSION_BITS,
    HEADER,
    LENGTH_AT,
    LENGTH_END,
    MAGIC_AT,
    MESSAGE,
    MESSAGE_CRC_END,
    RECORD,
    Compression,
    attributes_json,
)
from wirebook.specs.records.checksums import crc32c
from wirebook.specs.records.compression import decompress
from wirebook.specs.spans import Span, WireError, some_bytes

_KINDS = {"BatchLength": "length", "MessageSize": "length", "Records": "count"}
# The least bytes of a batch or message by magic: a message without key and value has their lengths.
_LEAST = {0: 26, 1: 34, 2: HEADER}


def read_records(data: bytes) -> list[MessageValue]:
    """The batches and messages in some bytes.

    An item that is cut off, as the last one of a Fetch response may be, has the key "Partial", and
    one that is corrupt the key "Error"; both have all bytes as "Hex". Raises InputError if the
    compression of a batch needs a missing package.
    """
    items: list[MessageValue] = []
    for start, end, wrong in _split(data):
        part = data[start:end]
        if end > len(data):
            there = some_bytes(len(part))
            if len(part) >= LENGTH_END:
                there = f"{len(part)} of {some_bytes(end - start)}"
            words = f"the bytes end after {there} of a batch"
            items.append({"Partial": words, "Hex": part.hex()})
            continue
        reader = _Reader(data, start, end, MAX_ELEMENTS + len(part))
        wrong = wrong or reader.entry()
        items.append({"Error": str(wrong), "Hex": part.hex()} if wrong else reader.value)
    return items


def problems_of(items: list[MessageValue], path: str, *, may_be_cut: bool) -> list[WireError]:
    """The damaged ones of batches and messages; `may_be_cut` is whether the bytes may end within
    one."""
    found = []
    for index, item in enumerate(items):
        error = item.get("Error") or (None if may_be_cut else item.get("Partial"))
        if error is not None:
            found.append(WireError(str(error), path=f"{path}[{index}]"))
    return found


def explain_records(data: bytes) -> list[Span]:
    """Describe each byte of batches and messages, in order and without gaps; compressed ones stay
    closed."""
    spans: list[Span] = []
    for index, (start, end, wrong) in enumerate(_split(data)):
        stop = min(end, len(data))
        reader = _Reader(data, start, stop, MAX_ELEMENTS + stop, described=True)
        if wrong is None:
            reader.entry()
        if reader.at < reader.stop:
            reader.path = ""
            reader.content(reader.stop, "BYTES", "unknown")
        spans += (span.inside(0, f"[{index}]") for span in reader.spans)
    return spans


def with_records(span: Span) -> list[Span]:
    """A span, or the spans of its batches if it is the value of a field of type records."""
    if span.kind != "value" or not span.type.endswith("RECORDS") or not isinstance(span.value, str):
        return [span]
    inner = explain_records(bytes.fromhex(span.value))
    return [each.inside(span.start, span.path) for each in inner]


def is_batch(data: bytes) -> bool:
    """Whether bytes begin with a record batch: its checksum is right."""
    for start, end, wrong in _split(data):
        is_whole = wrong is None and end <= len(data) and data[MAGIC_AT] == 2
        return is_whole and _Reader(data, start, end).checksum() is None
    return False


def _split(data: bytes) -> Iterator[tuple[int, int, WireError | None]]:
    """The start and the end of each entry in `data`, and the reason if its bytes are not one.

    A truncated entry ends after the bytes. Without a usable length, the rest is one entry.
    """
    at, size = 0, len(data)
    while at < size:
        if size - at < LENGTH_END:
            yield at, at + HEADER, None
            return
        (length,) = unpack_from(">i", data, at + LENGTH_AT)
        end = at + LENGTH_END + length
        magic = data[at + MAGIC_AT] if at + MAGIC_AT < size else 0
        if end - at < _LEAST.get(magic, _LEAST[0]):
            yield at, size, WireError(f"a length of {length} is too small", at + LENGTH_AT)
            return
        if magic in _LEAST:
            yield at, end, None
        else:
            wrong = WireError(f"magic {magic} is not known; 2 is the last", at + MAGIC_AT)
            yield at, min(end, size), wrong
        at = end


@dataclass(slots=True)
class _Reader(Reader):
    """Reads one batch or message from its beginning into `value`; paths begin there.

    If `described`, its spans are kept, and what is compressed stays closed.
    """

    described: bool = False
    start: int = field(init=False)
    stop: int = field(init=False)

    def __post_init__(self) -> None:
        self.start, self.stop = self.at, self.end

    def entry(self) -> WireError | None:
        """Read as far as possible, and return what is wrong."""
        wrong = None
        try:
            if self.start + MAGIC_AT < self.stop and self.data[self.start + MAGIC_AT] == 2:
                self.batch()
            else:
                self.message()
        except WireError as bad:
            wrong = bad
        return self.checksum() or wrong

    def finish(self) -> None:
        """Raise WireError if bytes are left over."""
        if self.at != self.end:
            raise self.excess()

    def content(self, end: int, type_: str, kind: str = "value") -> bytes:
        """Read bytes up to their end, and describe them as text or in hex."""
        data = self.data[self.at : end]
        if data:
            value = data.decode(errors="replace") if type_ == "STRING" else data.hex()
            self.take(end, kind, type_, value)
        return data

    def checksum(self) -> WireError | None:
        """What is wrong with the checksum of bytes that are complete."""
        part = self.data[self.start : self.stop]
        if len(part) <= MAGIC_AT or len(part) != unpack_from(">i", part, LENGTH_AT)[0] + LENGTH_END:
            return None
        is_batch = part[MAGIC_AT] == 2
        end, name = (BATCH_CRC_END, "CRC-32C") if is_batch else (MESSAGE_CRC_END, "CRC-32")
        (said,) = unpack_from(">I", part, end - 4)
        actual = crc32c(part[end:]) if is_batch else zlib.crc32(part[end:])
        if actual == said:
            return None
        words = f"{name} is {said:08x}, but the bytes have {actual:08x}"
        return WireError(words, self.start + end - 4)

    def header(self, fields: tuple[tuple[str, str], ...], magic: int) -> tuple[int, int]:
        """Read fields of a fixed size; returns the attributes and the last number."""
        attributes = number = 0
        for name, type_ in fields:
            self.path, kind = name, _KINDS.get(name, "value")
            number, end = self.next(type_)
            words: Json = number
            if name == "Attributes":
                attributes, keys = number, attributes_json(number, magic)
                self.value |= keys
                words = ", ".join(
                    key if each is True else str(each)
                    for key, each in keys.items()
                    if each is not False
                )
            elif name == "Crc":
                words = f"{number:08x}"
            elif kind == "value":
                self.value[name] = number
            self.take(end, kind, type_, words)
        return attributes, number

    def batch(self) -> None:
        """Read a batch."""
        attributes, count = self.header(BATCH, 2)
        records: list[Json] = []
        self.value["Records"] = records
        if count < 0:
            raise self.fail(f"a count of {count} records", self.at - 4)
        if not attributes & COMPRESSION_BITS:
            self.records(count, records)
        elif (inner := self.unpacked(attributes, "Records", self.stop)) is not None:
            try:
                inner.records(count, records)
            except WireError as bad:
                place = f"byte {bad.offset} of the unpacked records: "
                raise WireError(f"{place}{bad.message}", None, bad.path) from None

    def unpacked(self, attributes: int, name: str, end: int, magic: int = 2) -> _Reader | None:
        """A reader of the compressed bytes up to their end, decompressed; None if they are only
        described.

        Raises WireError, InputError.
        """
        code = attributes & COMPRESSION_BITS
        if code > Compression.ZSTD:
            words = f"compression {code} is not known; 4 (zstd) is the last"
            raise WireError(words, self.start + BATCH_CRC_END)
        kind = Compression(code)
        self.path = f"{name} ({kind.name.lower()})"
        start, packed = self.at, self.content(end, "BYTES")
        if self.described:
            return None
        try:
            plain = decompress(packed, kind, magic)
        except WireError as bad:
            raise WireError(bad.message, start) from None
        return _Reader(plain, 0, len(plain), MAX_ELEMENTS + len(packed))

    def records(self, count: int, records: list[Json]) -> None:
        """Read as many records as `count` says."""
        for index in range(count):
            self.path = f"Records[{index}]"
            records.append(self.record())
            if not self.described:
                self.taken.clear()
        self.path = f"Records[{count}]"
        self.finish()

    def one_more(self) -> None:
        """Raise WireError if there are too many records and headers."""
        self.most -= 1
        if self.most < 0:
            raise self.fail("there are too many records and headers before this one")

    def record(self) -> MessageValue:
        """Read a record after its length."""
        self.one_more()
        path, at = self.path, self.at
        size = self.scalar("VARINT", kind="length")
        if size < 0:
            raise self.fail(f"a record of {size} bytes", at)
        self.end = self.has(size)
        item: MessageValue = {}
        for name, type_, default in RECORD:
            self.path = f"{path}.{name}"
            item[name] = self.scalar(type_, default is None)
        if not item["Attributes"]:
            del item["Attributes"]
        self.path = f"{path}.Headers"
        headers: list[Json] = []
        for index in range(self.length("VARINT_ARRAY", False, "count") or 0):
            self.path = f"{path}.Headers[{index}]"
            headers.append(self.record_header())
        item["Headers"] = headers
        if self.at != self.end:
            self.path = path
            left = some_bytes(self.end - self.at)
            raise self.fail(f"the record ends here, but its length has {left} more")
        self.end = self.stop
        return item

    def record_header(self) -> MessageValue:
        """Read a header of a record (KIP-82): its key is a string in Kafka's clients, but any bytes
        here."""
        self.one_more()
        path = self.path
        self.path = f"{path}.Key"
        size = self.length("VARINT_STRING", False) or 0
        key = self.content(self.has(size), "STRING")
        self.path = f"{path}.Value"
        value = self.scalar("VARINT_BYTES", True)
        try:
            return {"Key": key.decode(), "Value": value}
        except UnicodeDecodeError:
            return {"KeyBytes": key.hex(), "Value": value}

    def message(self, *, around: int | None = None) -> None:
        """Read a message of magic 0 or 1; `around` is the magic of the compressed one that contains
        it."""
        at = self.at + MAGIC_AT
        magic = self.data[at] if at < self.stop else 0
        if around is not None and magic != around:
            raise self.fail(f"magic {magic} within a message of magic {around}")
        attributes, _ = self.header(MESSAGE if magic else MESSAGE[:-1], magic)
        self.path = "Key"
        self.value["Key"] = self.scalar("BYTES", True)
        self.path = "Value"
        if not attributes & COMPRESSION_BITS:
            self.value["Value"] = self.scalar("BYTES", True)
            self.path = ""
            self.finish()
            return
        if around is not None:
            raise WireError("a compressed message within a compressed one", self.start)
        messages: list[Json] = []
        self.value["Messages"] = messages
        size = self.length("BYTES", False)
        inner = self.unpacked(attributes, "Messages", self.has(size or 0), magic)
        self.path = ""
        self.finish()
        if inner is not None:
            inner.messages(magic, messages)

    def messages(self, magic: int, messages: list[Json]) -> None:
        """Read the messages in a compressed one."""
        for start, end, wrong in _split(self.data):
            inner = _Reader(self.data, start, min(end, self.stop))
            try:
                self.one_more()
                if wrong is None:
                    inner.has(end - start)
                    inner.message(around=magic)
                    wrong = inner.checksum()
                if wrong is not None:
                    raise wrong
            except WireError as bad:
                place = f"byte {bad.offset} of what it holds: " if bad.offset is not None else ""
                error = WireError(f"{place}{bad.message}", None, bad.path)
                raise error.below(f"Messages[{len(messages)}]") from None
            messages.append(inner.value)
