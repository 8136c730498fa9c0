"""Records as the examples hold them: one record in each format that Kafka has had, with right checksums."""

from __future__ import annotations

import zlib
from functools import cache
from struct import pack

TIMESTAMP = 1_700_000_000_000
_KEY, _VALUE = b"k1", b"hello"
_CASTAGNOLI = 0x82F63B78  # the polynomial of CRC-32C, its bits reversed


@cache
def records(magic: int) -> bytes:
    """One record, key "k1", value "hello": a message set of magic 0 or 1, or a record batch (magic 2).

    Source: Kafka's LegacyRecord.java and DefaultRecordBatch.java.
    """
    return _batch() if magic == 2 else _message(magic)


def _message(magic: int) -> bytes:
    told = pack(">bb", magic, 0) + (pack(">q", TIMESTAMP) if magic else b"")
    told += b"".join(pack(">i", len(part)) + part for part in (_KEY, _VALUE))
    return pack(">qiI", 0, len(told) + 4, zlib.crc32(told)) + told


def _batch() -> bytes:
    record = bytes([0, 0, 0]) + b"".join(varint(len(part)) + part for part in (_KEY, _VALUE)) + varint(0)
    record = varint(len(record)) + record
    # Attributes, last offset delta, first and last timestamp, producer id, its epoch, base sequence, count.
    told = pack(">hiqqqhii", 0, 0, TIMESTAMP, TIMESTAMP, -1, -1, -1, 1) + record
    # The partition leader's epoch and the magic stand before the checksum and are not part of it.
    return pack(">qiibI", 0, len(told) + 9, 5, 2, crc32c(told)) + told


def varint(value: int) -> bytes:
    """A zig-zag varint, as records have them: of 32 bits, or of 64 where the number needs them."""
    left, made = (value << 1) ^ (value >> 63), bytearray()
    while left > 0x7F:
        made.append(left & 0x7F | 0x80)
        left >>= 7
    made.append(left)
    return bytes(made)


def crc32c(data: bytes) -> int:
    """The checksum of a record batch (RFC 3720, appendix B.4)."""
    left = 0xFFFFFFFF
    for byte in data:
        left ^= byte
        for _ in range(8):
            left = (left >> 1) ^ (_CASTAGNOLI if left & 1 else 0)
    return left ^ 0xFFFFFFFF
