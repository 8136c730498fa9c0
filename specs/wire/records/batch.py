"""Record batches, magic 2 (KIP-98, DefaultRecordBatch.java): a header of 61 bytes, then records."""

from __future__ import annotations

from dataclasses import replace
from struct import Struct

from wirebook.specs.wire.codec import WireError, some_bytes
from wirebook.specs.wire.records.checksums import crc32c
from wirebook.specs.wire.records.compression import compress, decompress
from wirebook.specs.wire.records.model import Batch, Compression, Record, RecordHeader, compression
from wirebook.specs.wire.records.varints import left_over, read_varint, read_varlong, short, write_varint

MAGIC = 2
# Base offset, length of the rest, epoch of the partition's leader, magic, checksum of what follows it.
PREFIX = Struct(">qiibI")
# Attributes, last offset delta, base and maximum timestamp, producer id and epoch, base sequence, count.
REST = Struct(">hiqqqhii")
HEADER = PREFIX.size + REST.size
BEFORE_LENGTH_COUNTS = 12  # bytes of the base offset and of the length itself
BEFORE_CHECKSUM_COUNTS = PREFIX.size


def write_batch(batch: Batch) -> bytes:
    """Encode a batch. Raises InputError if its compression needs a missing package."""
    kind = compression(batch.attributes)
    assert kind is not None
    plain = bytearray()
    for record in batch.records:
        write_record(plain, record)
    payload = compress(bytes(plain), kind)
    rest = REST.pack(
        batch.attributes,
        batch.last_offset_delta,
        batch.base_timestamp,
        batch.max_timestamp,
        batch.producer_id,
        batch.producer_epoch,
        batch.base_sequence,
        len(batch.records),
    )
    counted = rest + payload
    length = len(counted) + PREFIX.size - BEFORE_LENGTH_COUNTS
    return (
        PREFIX.pack(batch.base_offset, length, batch.partition_leader_epoch, MAGIC, crc32c(counted)) + counted
    )


def write_record(out: bytearray, record: Record) -> None:
    """Append a record after its length."""
    body = bytearray(record.attributes.to_bytes(1, "big", signed=True))
    write_varint(body, record.timestamp_delta)
    write_varint(body, record.offset_delta)
    _write_bytes(body, record.key)
    _write_bytes(body, record.value)
    write_varint(body, len(record.headers))
    for header in record.headers:
        _write_bytes(body, header.key)
        _write_bytes(body, header.value)
    write_varint(out, len(body))
    out += body


def _write_bytes(out: bytearray, data: bytes | None) -> None:
    write_varint(out, -1 if data is None else len(data))
    out += data or b""


def read_batch(data: bytes) -> tuple[Batch | None, WireError | None]:
    """Decode a batch, as far as it can be read, with the problems in it.

    `data` may be truncated: then all records before its end are read if they are not compressed. Raises
    InputError if the compression needs a missing package.
    """
    if len(data) < HEADER:
        return None, short(data, 0, HEADER)
    base_offset, length, leader_epoch, _, checksum = PREFIX.unpack_from(data)
    attributes, *numbers, count = REST.unpack_from(data, PREFIX.size)
    wrong = None
    if len(data) == length + BEFORE_LENGTH_COUNTS:
        actual = crc32c(data[BEFORE_CHECKSUM_COUNTS:])
        if actual != checksum:
            wrong = WireError(f"CRC-32C is {checksum:08x}, but the bytes have {actual:08x}", PREFIX.size - 4)
    records, bad = _read_payload(data, attributes, count)
    batch = Batch(base_offset, leader_epoch, attributes, *numbers)
    return replace(batch, records=tuple(records)), wrong or bad


def _read_payload(data: bytes, attributes: int, count: int) -> tuple[list[Record], WireError | None]:
    kind = compression(attributes)
    if kind is None:
        return [], WireError(f"compression {attributes & 7} is not known; 4 (zstd) is the last", PREFIX.size)
    if kind is Compression.NONE:
        return read_records(data, HEADER, count)
    try:
        plain = decompress(data[HEADER:], kind)
    except WireError as bad:
        return [], WireError(bad.message, HEADER)
    records, wrong = read_records(plain, 0, count)
    if wrong is not None:
        place = f"byte {wrong.offset} of the unpacked records: " if wrong.offset is not None else ""
        wrong = WireError(f"{place}{wrong.message}", None, wrong.path)
    return records, wrong


def read_records(data: bytes, at: int, count: int) -> tuple[list[Record], WireError | None]:
    """Read the records from `at` on, up to `count`, and return them with the reason why there are no more."""
    records: list[Record] = []
    if count < 0:
        return records, WireError(f"a count of {count} records", HEADER - 4, "Records")
    try:
        for _ in range(count):
            record, at = read_record(data, at)
            records.append(record)
        if at != len(data):
            raise left_over(data, at)
    except WireError as bad:
        return records, bad.below(f"[{len(records)}]").below("Records")
    return records, None


def read_record(data: bytes, at: int) -> tuple[Record, int]:
    """Read the record at `at`; returns it with its end. Raises WireError."""
    size, start = read_varint(data, at, len(data))
    end = start + size
    if size < 0:
        raise WireError(f"a record of {size} bytes", at)
    if end > len(data):
        raise short(data, start, size)
    if start == end:
        raise short(data[:end], start, 1).below("Attributes")
    attributes = data[start] - 256 if data[start] > 127 else data[start]
    timestamp, at = read_varlong(data, start + 1, end)
    offset, at = read_varint(data, at, end)
    key, at = _read_bytes(data, at, end, "Key")
    value, at = _read_bytes(data, at, end, "Value")
    count, after = read_varint(data, at, end)
    if count < 0:
        raise WireError(f"a count of {count} headers", at, "Headers")
    at = after
    headers = []
    for number in range(count):
        header_key, after = _read_bytes(data, at, end, f"Headers[{number}].Key")
        if header_key is None:
            raise WireError("null, but the key of a header is not nullable", at, f"Headers[{number}].Key")
        header_value, at = _read_bytes(data, after, end, f"Headers[{number}].Value")
        headers.append(RecordHeader(header_key, header_value))
    if at != end:
        raise WireError(f"the record ends here, but its length has {some_bytes(end - at)} more", at)
    return Record(offset, timestamp, key, value, tuple(headers), attributes), end


def _read_bytes(data: bytes, at: int, end: int, path: str) -> tuple[bytes | None, int]:
    try:
        size, start = read_varint(data, at, end)
    except WireError as bad:
        raise bad.below(path) from None
    if size == -1:
        return None, start
    if size < 0:
        raise WireError(f"a length of {size}: -1 (null) is the only negative length", at, path)
    if start + size > end:
        raise WireError(
            f"{some_bytes(size)} should be here, but the record has {end - start} more", start, path
        )
    return data[start : start + size], start + size
