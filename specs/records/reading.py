"""Reads the content of a field of type records: batches of magic 2 (KIP-98) and older message sets.

A batch or message becomes a JSON value, and each of its bytes a span. Lengths, counts and checksums
are not in the value: they are correct, or the value says what is wrong. Attributes are bits on the
wire and keys with names in JSON. Source: DefaultRecordBatch.java, LegacyRecord.java.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from wirebook.specs.codec import FORMS, Reader, number_at
from wirebook.specs.limits import MAX_ELEMENTS
from wirebook.specs.model import Json, MessageValue
from wirebook.specs.records.checksums import crc32c
from wirebook.specs.records.compression import COMPRESSIONS, decompress
from wirebook.specs.spans import Span, WireError, some_bytes

# The header of a batch: the checksum covers what follows it.
BATCH = (
    ("BaseOffset", "INT64"),
    ("BatchLength", "INT32"),
    ("PartitionLeaderEpoch", "INT32"),
    ("Magic", "INT8"),
    ("Crc", "UINT32"),
    ("Attributes", "INT16"),
    ("LastOffsetDelta", "INT32"),
    ("BaseTimestamp", "INT64"),
    ("MaxTimestamp", "INT64"),
    ("ProducerId", "INT64"),
    ("ProducerEpoch", "INT16"),
    ("BaseSequence", "INT32"),
    ("Records", "INT32"),
)
MESSAGE = (
    ("Offset", "INT64"),
    ("MessageSize", "INT32"),
    ("Crc", "UINT32"),
    ("Magic", "INT8"),
    ("Attributes", "INT8"),
    ("Timestamp", "INT64"),  # since magic 1 (KIP-32)
)
# A record after its length: what absent members are, null for those that may be null.
RECORD = (
    ("Attributes", "INT8", 0),
    ("TimestampDelta", "VARLONG", 0),
    ("OffsetDelta", "VARINT", 0),
    ("Key", "VARINT_BYTES", None),
    ("Value", "VARINT_BYTES", None),
)
# Both forms begin with an offset and the length of the rest; their magic is at the same place.
LENGTH_AT, LENGTH_END, MAGIC_AT = 8, 12, 16
BATCH_CRC_END, MESSAGE_CRC_END = 21, 16
HEADER = sum(FORMS[type_].size for _, type_ in BATCH)

# What the bits of the attributes are called: magic 0 has the first, and magic 1 the first two. The
# broker sets the timestamp (KIP-32); the rest are of KIP-98, but for the last: the base timestamp
# is when tombstones may be removed (KIP-534).
ATTRIBUTES: dict[str, tuple[int, list[Any]]] = {
    "Compression": (0x07, [*COMPRESSIONS]),
    "TimestampType": (0x08, ["CreateTime", "LogAppendTime"]),
    "Transactional": (0x10, [False, True]),
    "Control": (0x20, [False, True]),
    "DeleteHorizon": (0x40, [False, True]),
}
COMPRESSION_BITS = ATTRIBUTES["Compression"][0]
RESERVED = "ReservedAttributes"  # the key of bits without a meaning
_KINDS = {"BatchLength": "length", "MessageSize": "length", "Records": "count"}
# The least bytes of a batch or message by magic: a message without key and value has their lengths.
_LEAST = {0: 26, 1: 34, 2: HEADER}


def _attributes(bits: int, magic: int) -> MessageValue:
    """The keys for attributes; bits without a meaning, if set, are `ReservedAttributes`."""
    keys: MessageValue = {}
    left = bits & (0xFFFF if magic == 2 else 0xFF)
    for name, (mask, known) in list(ATTRIBUTES.items())[: 5 if magic == 2 else magic + 1]:
        code = (bits & mask) // (mask & -mask)
        keys[name] = known[code] if code < len(known) else code
        left &= ~mask
    return keys | {RESERVED: left} if left else keys


def read_records(data: bytes) -> list[MessageValue]:
    """The batches and messages in some bytes.

    An item that is cut off, as the last one of a Fetch response may be, has the key "Partial", and
    one that is corrupt the key "Error"; both have all bytes as "Hex". Raises InputError if the
    compression of a batch needs a missing package.
    """
    items: list[MessageValue] = []
    for reader in _entries(data):
        left = len(reader.data)
        if left < reader.size:
            of = f"{left} of " if left >= LENGTH_END else ""
            part = f"{of}{some_bytes(reader.size if of else left)}"
            items.append({"Partial": f"the bytes end after {part} of a batch"})
        else:
            reader.entry()
            items.append({"Error": str(reader.error)} if reader.error else reader.value)
        if items[-1] is not reader.value:
            items[-1]["Hex"] = reader.data.hex()
    return items


def explain_records(data: bytes) -> list[Span]:
    """Describe each byte of batches and messages, in order; compressed ones stay closed."""
    spans: list[Span] = []
    for index, reader in enumerate(_entries(data)):
        reader.described = True
        reader.entry()
        reader.path = ""
        reader.content(len(reader.data), "BYTES", "unknown")
        spans += (span.inside(reader.start, f"[{index}]") for span in reader.spans)
    return spans


def is_batch(data: bytes) -> bool:
    """Whether bytes begin with a record batch: its checksum is right."""
    first = next(_entries(data), None)
    if first is None or first.error is not None or first.size > len(first.data):
        return False
    return first.data[MAGIC_AT] == 2 and first.checksum() is None


def _entries(data: bytes) -> Iterator[_Reader]:
    """What reads each entry in `data`, in order; it has an error if its bytes are not one.

    Without a usable length, the rest is one entry.
    """
    at, last = 0, len(data)
    while at < last:
        end, wrong = at + HEADER, None
        if last - at >= LENGTH_END:
            length = number_at(data, at + LENGTH_AT)
            end = at + LENGTH_END + length
            magic = data[at + MAGIC_AT] if at + MAGIC_AT < last else 0
            if end - at < _LEAST.get(magic, _LEAST[0]):
                wrong = WireError(f"a length of {length} is too small", at + LENGTH_AT)
                end = last
            elif magic not in _LEAST:
                wrong = WireError(f"magic {magic} is not known; 2 is the last", at + MAGIC_AT)
                end = min(end, last)
        part = data[at:end]
        reader = _Reader(part, 0, len(part), MAX_ELEMENTS + len(part), error=wrong)
        reader.start, reader.size = at, end - at
        yield reader
        at = end


@dataclass(slots=True)
class _Reader(Reader):
    """Reads one batch or message, which is all of its bytes, into `value`; paths begin there.

    Errors are seen from `start` bytes before. It should have `size` bytes; `around` is the magic of
    a message that contains it. If `described`, spans are kept, and compressed bytes stay closed.
    """

    described: bool = False
    start: int = 0
    size: int = 0
    around: int | None = None

    def entry(self) -> None:
        """Read as far as possible, unless it has an error."""
        if self.error is not None:
            return
        try:
            magic = self.data[MAGIC_AT] if len(self.data) > MAGIC_AT else 0
            if self.around is not None and magic != self.around:
                raise self.fail(f"magic {magic} within a message of magic {self.around}")
            if magic == 2:
                self.batch()
            else:
                self.message(magic)
        except WireError as bad:
            self.error = bad
        self.error = self.checksum() or self.error
        if self.error is not None and self.error.offset is not None:
            self.error.offset += self.start

    def content(self, end: int, type_: str, kind: str = "value") -> bytes:
        """Read bytes up to their end, and describe them as text or in hex."""
        data = self.data[self.at : end]
        if data:
            value = data.decode(errors="replace") if type_ == "STRING" else data.hex()
            self.take(end, kind, type_, value)
        return data

    def checksum(self) -> WireError | None:
        """What is wrong with the checksum of bytes that are complete."""
        part = self.data
        if len(part) <= MAGIC_AT or len(part) != number_at(part, LENGTH_AT) + LENGTH_END:
            return None
        if part[MAGIC_AT] == 2:
            end, name, actual = BATCH_CRC_END, "CRC-32C", crc32c(part[BATCH_CRC_END:])
        else:
            end, name, actual = MESSAGE_CRC_END, "CRC-32", zlib.crc32(part[MESSAGE_CRC_END:])
        stated, computed = part[end - 4 : end].hex(), f"{actual:08x}"
        if stated == computed:
            return None
        return WireError(f"{name} is {stated}, but the bytes have {computed}", end - 4)

    def header(self, fields: tuple[tuple[str, str], ...], magic: int) -> tuple[int, int]:
        """Read fields of a fixed size; returns the attributes and the last number."""
        attributes = number = 0
        for name, type_ in fields:
            self.path, kind = name, _KINDS.get(name, "value")
            number, end = self.next(type_)
            words: Json = number
            if name == "Attributes":
                attributes, keys = number, _attributes(number, magic)
                self.value |= keys
                given = [key if each is True else str(each) for key, each in keys.items() if each]
                words = ", ".join(given)
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
        if attributes & COMPRESSION_BITS:
            end = len(self.data)
            self.unpack(attributes, "Records", end, lambda inner: inner.records(count, records))
        else:
            self.records(count, records)

    def unpack(self, attributes: int, name: str, end: int, read: Callable[[_Reader], None]) -> None:
        """Read the compressed bytes up to their end, which are only described or decompressed and
        read. Raises WireError, InputError."""
        code, start = attributes & COMPRESSION_BITS, self.at
        if code >= len(COMPRESSIONS):
            raise WireError(f"compression {code} is not known; 4 (zstd) is the last", BATCH_CRC_END)
        self.path = f"{name} ({COMPRESSIONS[code]})"
        packed = self.content(end, "BYTES")
        if self.described:
            return
        try:
            plain = decompress(packed, COMPRESSIONS[code])
        except WireError as bad:
            raise WireError(bad.message, start) from None
        try:
            read(_Reader(plain, 0, len(plain), MAX_ELEMENTS + len(packed)))
        except WireError as bad:
            place = "" if bad.offset is None else f"byte {bad.offset} of the unpacked bytes: "
            raise WireError(f"{place}{bad.message}", None, bad.path) from None

    def records(self, count: int, records: list[Json]) -> None:
        """Read as many records as `count` says."""
        for index in range(count):
            self.path = f"Records[{index}]"
            records.append(self.record())
            if not self.described:
                self.taken.clear()
        self.path = f"Records[{count}]"
        if self.at != self.end:
            raise self.excess()

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
        self.end = len(self.data)
        return item

    def record_header(self) -> MessageValue:
        """Read a header of a record (KIP-82): its key is a string to Kafka's clients."""
        self.one_more()
        path = self.path
        self.path = f"{path}.Key"
        key = self.content(self.has(self.length("VARINT_STRING", False) or 0), "STRING")
        self.path = f"{path}.Value"
        value = self.scalar("VARINT_BYTES", True)
        try:
            return {"Key": key.decode(), "Value": value}
        except UnicodeDecodeError:
            return {"KeyBytes": key.hex(), "Value": value}

    def message(self, magic: int) -> None:
        """Read a message of magic 0 or 1; one that is within another may not be compressed."""
        attributes, _ = self.header(MESSAGE if magic else MESSAGE[:-1], magic)
        self.path = "Key"
        self.value["Key"] = self.scalar("BYTES", True)
        self.path = "Value"
        if not attributes & COMPRESSION_BITS:
            self.value["Value"] = self.scalar("BYTES", True)
        elif self.around is not None:
            raise WireError("a compressed message within a compressed one", 0)
        else:
            messages: list[Json] = []
            self.value["Messages"] = messages
            end = self.has(self.length("BYTES", False) or 0)
            self.unpack(attributes, "Messages", end, lambda inner: inner.messages(magic, messages))
        self.path = ""
        if self.at != self.end:
            raise self.excess()

    def messages(self, magic: int, messages: list[Json]) -> None:
        """Read the messages in a compressed one."""
        for inner in _entries(self.data):
            self.path, self.at, inner.around = f"Messages[{len(messages)}]", inner.start, magic
            self.one_more()
            self.has(inner.size)
            inner.entry()
            if inner.error is not None:
                raise inner.error.below(self.path)
            messages.append(inner.value)
