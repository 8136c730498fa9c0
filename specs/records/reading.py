"""Reads the content of a field of type records: batches of magic 2 (KIP-98) and older message sets.

A batch or message becomes a JSON value, and each of its bytes a span. Lengths, counts and checksums
are not in the value: they are correct, or the value says what is wrong. Source:
DefaultRecordBatch.java, LegacyRecord.java.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from struct import unpack_from

from wirebook.specs.codec import FORMS, Reader, Span, WireError, some_bytes
from wirebook.specs.limits import MAX_UNPACKED_RECORDS
from wirebook.specs.model import Json, MessageValue
from wirebook.specs.records.attributes import COMPRESSION_BITS, Compression, attributes_json
from wirebook.specs.records.checksums import crc32c
from wirebook.specs.records.compression import decompress

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
_MESSAGE = (
    ("Offset", "INT64"),
    ("MessageSize", "INT32"),
    ("Crc", "UINT32"),
    ("Magic", "INT8"),
    ("Attributes", "INT8"),
    ("Timestamp", "INT64"),  # since magic 1 (KIP-32)
)
_KINDS = {"BatchLength": "length", "MessageSize": "length", "Records": "count"}
# Both forms begin with an offset and the length of the rest, and have their magic at the same
# place.
LENGTH_AT, LENGTH_END, MAGIC_AT = 8, 12, 16
BATCH_CRC_END, MESSAGE_CRC_END = 21, 16
HEADER = sum(FORMS[type_].size for _, type_ in BATCH)
# The least bytes of a batch or message by magic: a message without key and value has their lengths.
_LEAST = {0: 26, 1: 34, 2: HEADER}
_NO_COMPRESSION = "compression {} is not known; 4 (zstd) is the last"


def read_records(data: bytes) -> list[MessageValue]:
    """The batches and messages in some bytes.

    An item that is cut off, as the last one of a Fetch response may be, has the key "Partial", and
    one that is corrupt the key "Error"; both have all bytes as "Hex" and, as "Decoded", what can be
    read of them. Raises InputError if the compression of a batch needs a missing package.
    """
    items = []
    for start, end, wrong in _split(data):
        item: MessageValue = {}
        if wrong is None:
            wrong = _Reader(data, start, min(end, len(data))).entry(item)
        if end > len(data) or wrong is not None:
            item = _damaged(data[start:end], end - start, item, wrong)
        items.append(item)
    return items


def explain_records(data: bytes) -> list[Span]:
    """Describe each byte of batches and messages, in order and without gaps; compressed ones stay
    closed."""
    spans = []
    for index, (start, end, wrong) in enumerate(_split(data)):
        reader = _Reader(data, start, min(end, len(data)), described=True)
        if wrong is None:
            reader.entry({})
        reader.unknown()
        for span in reader.spans or ():
            spans.append(span._replace(path=f"[{index}].{span.path}".rstrip(".")))
    return spans


def _damaged(part: bytes, size: int, item: MessageValue, wrong: WireError | None) -> MessageValue:
    if len(part) < size:
        whole = f" of {some_bytes(size)}" if len(part) >= LENGTH_END else ""
        there = f"{len(part)}{whole}" if whole else some_bytes(len(part))
        damaged: MessageValue = {"Partial": f"the bytes end after {there} of a batch"}
    else:
        damaged = {"Error": str(wrong)}
    damaged["Hex"] = part.hex()
    if "Records" in item or "Key" in item:
        damaged["Decoded"] = item
    return damaged


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
        if magic not in _LEAST:
            yield (
                at,
                min(end, size),
                WireError(f"magic {magic} is not known; 2 is the last", at + MAGIC_AT),
            )
        else:
            yield at, end, None
        at = end


class _Reader(Reader):
    """Reads one batch or message from its beginning; paths begin there."""

    def __init__(self, data: bytes, at: int, end: int, *, described: bool = False) -> None:
        super().__init__(data, at, end, described=described)
        self.start = at
        self.stop = end
        self.most: int | None = None  # records and headers in unpacked bytes
        self.seen = 0

    def entry(self, item: MessageValue) -> WireError | None:
        """Read into `item` as far as possible, and return what is wrong."""
        wrong = None
        try:
            if self.start + MAGIC_AT < self.stop and self.data[self.start + MAGIC_AT] == 2:
                self.batch(item)
            else:
                self.message(item)
        except WireError as bad:
            wrong = bad
        return self.checksum() or wrong

    def unknown(self) -> None:
        """Describe the bytes that were not read."""
        if self.at < self.stop:
            self.content(self.stop, "", "", "BYTES", "unknown")

    def content(self, end: int, path: str, field: str, type_: str, kind: str = "value") -> None:
        """Describe bytes, as text or in hex, and go to their end."""
        if self.spans is not None:
            data = self.data[self.at : end]
            value = data.decode(errors="replace") if type_ == "STRING" else data.hex()
            self.take(end, path, field, kind, type_, value)
        self.at = end

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
        return WireError(
            f"{name} is {said:08x}, but the bytes have {actual:08x}", self.start + end - 4
        )

    def header(
        self, fields: tuple[tuple[str, str], ...], magic: int, item: MessageValue
    ) -> tuple[int, int]:
        """Read fields of a fixed size into `item`; returns the attributes and the last number."""
        attributes = number = 0
        for name, type_ in fields:
            form = FORMS[type_]
            end = self.has(form.size, name)
            (number,) = form.unpack_from(self.data, self.at)
            value: Json = number
            kind = _KINDS.get(name, "value")
            if name == "Attributes":
                attributes, keys = number, attributes_json(number, magic)
                item |= keys
                words = [
                    name if each is True else str(each)
                    for name, each in keys.items()
                    if each is not False
                ]
                value = ", ".join(words)
            elif name == "Crc":
                value = f"{number:08x}"
            elif kind == "value":
                item[name] = number
            self.take(end, name, name, kind, type_, value)
        return attributes, number

    def batch(self, item: MessageValue) -> None:
        """Read a batch."""
        attributes, count = self.header(BATCH, 2, item)
        records: list[Json] = []
        item["Records"] = records
        if count < 0:
            raise WireError(f"a count of {count} records", self.at - 4, "Records")
        if not attributes & COMPRESSION_BITS:
            self.records(count, records)
            return
        packed, kind = self.packed(attributes, "Records", self.stop)
        if self.spans is not None:
            return
        plain = unpacked(packed, kind, self.at - len(packed))
        inner = _Reader(plain, 0, len(plain))
        inner.most = MAX_UNPACKED_RECORDS + len(packed)
        try:
            inner.records(count, records)
        except WireError as bad:
            place = f"byte {bad.offset} of the unpacked records: "
            raise WireError(f"{place}{bad.message}", None, bad.path) from None

    def packed(self, attributes: int, name: str, end: int) -> tuple[bytes, Compression]:
        """Describe compressed bytes. Raises WireError if the attributes name no compression."""
        code = attributes & COMPRESSION_BITS
        if code > Compression.ZSTD:
            raise WireError(_NO_COMPRESSION.format(code), self.start + BATCH_CRC_END)
        kind, packed = Compression(code), self.data[self.at : end]
        if packed:
            self.content(end, f"{name} ({kind.name.lower()})", name, "BYTES")
        return packed, kind

    def records(self, count: int, records: list[Json]) -> None:
        """Read as many records as `count` says."""
        for index in range(count):
            records.append(self.record(f"Records[{index}]"))
        if self.at != self.stop:
            raise self.left_over().below(f"Records[{count}]")

    def one_more(self, path: str) -> None:
        """Raise WireError if there are too many records and headers."""
        self.seen += 1
        if self.most is not None and self.seen > self.most:
            raise WireError(f"there are more than {self.most} records and headers", self.at, path)

    def record(self, path: str) -> MessageValue:
        """Read a record after its length."""
        self.one_more(path)
        at = self.at
        size = self.zigzag(path, "Records", "length")
        if size < 0:
            raise WireError(f"a record of {size} bytes", at, path)
        self.end = self.has(size, path)
        item: MessageValue = {}
        attributes = self.fixed("INT8", f"{path}.Attributes", "Records.Attributes")
        if attributes:
            item["Attributes"] = attributes
        for name, bits in (("TimestampDelta", 64), ("OffsetDelta", 32)):
            item[name] = self.zigzag(f"{path}.{name}", f"Records.{name}", "value", bits)
        for name in ("Key", "Value"):
            item[name] = _hex(self.sized(f"{path}.{name}", f"Records.{name}"))
        at = self.at
        count = self.zigzag(f"{path}.Headers", "Records.Headers", "count")
        if count < 0:
            raise WireError(f"a count of {count} headers", at, f"{path}.Headers")
        item["Headers"] = [self.record_header(f"{path}.Headers[{index}]") for index in range(count)]
        if self.at != self.end:
            left = some_bytes(self.end - self.at)
            raise WireError(f"the record ends here, but its length has {left} more", self.at, path)
        self.end = self.stop
        return item

    def record_header(self, path: str) -> MessageValue:
        """Read a header of a record (KIP-82): its key is a string in Kafka's clients, but any bytes
        here."""
        self.one_more(path)
        at = self.at
        key = self.sized(f"{path}.Key", "Records.Headers.Key", is_text=True)
        if key is None:
            raise WireError("null, but the key of a header is not nullable", at, f"{path}.Key")
        value = _hex(self.sized(f"{path}.Value", "Records.Headers.Value"))
        try:
            return {"Key": key.decode(), "Value": value}
        except UnicodeDecodeError:
            return {"KeyBytes": key.hex(), "Value": value}

    def zigzag(self, path: str, field: str, kind: str, bits: int = 32) -> int:
        """Read a signed varint; a length of -1 is described as null."""
        value, end = self.varint(path, bits)
        value = (value >> 1) ^ -(value & 1)
        is_null = kind == "length" and value == -1
        type_ = "VARINT" if bits == 32 else "VARLONG"
        self.take(end, path, field, "null" if is_null else kind, type_, None if is_null else value)
        return value

    def sized(self, path: str, field: str, *, is_text: bool = False) -> bytes | None:
        """Read bytes after their length as a varint; None is null."""
        at = self.at
        size = self.zigzag(path, field, "length")
        if size == -1:
            return None
        if size < 0:
            raise WireError(f"a length of {size}: -1 (null) is the only negative length", at, path)
        end = self.has(size, path)
        data = self.data[self.at : end]
        if size:
            self.content(end, path, field, "STRING" if is_text else "BYTES")
        return data

    def message(self, item: MessageValue, *, within: int | None = None) -> None:
        """Read a message of magic 0 or 1; `within` is the magic of the compressed one that contains
        it."""
        at = self.at + MAGIC_AT
        magic = self.data[at] if at < self.stop else 0
        if within is not None and magic != within:
            raise WireError(f"magic {magic} within a message of magic {within}", self.at)
        attributes, _ = self.header(_MESSAGE if magic else _MESSAGE[:-1], magic, item)
        item["Key"] = self.scalar("BYTES", True, "Key", "Key")
        if not attributes & COMPRESSION_BITS:
            item["Value"] = self.scalar("BYTES", True, "Value", "Value")
            self.complete()
            return
        if within is not None:
            raise WireError("a compressed message within a compressed one", self.start)
        messages: list[Json] = []
        item["Messages"] = messages
        size = self.length("BYTES", True, "Value", "Value", "length")
        if size is None:
            raise WireError("null, but this message is compressed", None, "Value")
        packed, kind = self.packed(attributes, "Messages", self.has(size, "Value"))
        self.complete()
        if self.spans is None:
            plain = unpacked(packed, kind, self.at - len(packed), magic)
            self.messages(plain, magic, messages, MAX_UNPACKED_RECORDS + len(packed))

    def messages(self, plain: bytes, magic: int, messages: list[Json], most: int) -> None:
        """Read the messages in a compressed one."""
        for start, end, wrong in _split(plain):
            item: MessageValue = {}
            inner = _Reader(plain, start, min(end, len(plain)))
            try:
                if wrong is None and len(messages) == most:
                    wrong = WireError(f"there are more than {most} messages", start)
                if wrong is None:
                    inner.has(end - start, "")
                    inner.message(item, within=magic)
                    wrong = inner.checksum()
                if wrong is not None:
                    raise wrong
            except WireError as bad:
                place = f"byte {bad.offset} of what it holds: " if bad.offset is not None else ""
                path = f"Messages[{len(messages)}]" + (f".{bad.path}" if bad.path else "")
                raise WireError(f"{place}{bad.message}", None, path) from None
            messages.append(item)

    def complete(self) -> None:
        """Raise WireError if bytes are left over."""
        if self.at != self.stop:
            raise self.left_over()


def unpacked(packed: bytes, kind: Compression, at: int, magic: int = 2) -> bytes:
    """Compressed bytes, which begin at an offset, decompressed. Raises WireError, InputError."""
    try:
        return decompress(packed, kind, magic)
    except WireError as bad:
        raise WireError(bad.message, at) from None


def _hex(data: bytes | None) -> str | None:
    return None if data is None else data.hex()
