"""What messages carry as bytes: records in each of Kafka's formats, and what group members exchange."""

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
    message = pack(">bb", magic, 0) + (pack(">q", TIMESTAMP) if magic else b"")
    message += b"".join(pack(">i", len(part)) + part for part in (_KEY, _VALUE))
    return pack(">qiI", 0, len(message) + 4, zlib.crc32(message)) + message


def _batch() -> bytes:
    record = bytes([0, 0, 0]) + b"".join(varint(len(part)) + part for part in (_KEY, _VALUE)) + varint(0)
    record = varint(len(record)) + record
    # Attributes, last offset delta, first and last timestamp, producer id, its epoch, base sequence, count.
    batch = pack(">hiqqqhii", 0, 0, TIMESTAMP, TIMESTAMP, -1, -1, -1, 1) + record
    # The partition leader's epoch and the magic stand before the checksum and are not part of it.
    return pack(">qiibI", 0, len(batch) + 9, 5, 2, crc32c(batch)) + batch


def varint(value: int) -> bytes:
    """A zig-zag varint, as records have them: of 32 bits, or of 64 where the number needs them."""
    left, made = (value << 1) ^ (value >> 63), bytearray()
    while left > 0x7F:
        made.append(left & 0x7F | 0x80)
        left >>= 7
    made.append(left)
    return bytes(made)


def subscription(topic: str) -> bytes:
    """The subscription that a consumer sends when it joins: version 0, its topic, no data of the user.

    Source: Kafka's ConsumerProtocolSubscription.json.
    """
    return pack(">hi", 0, 1) + _name(topic) + pack(">i", -1)


def assignment(topic: str) -> bytes:
    """What a consumer is assigned: version 0, partition 0 of a topic, no data of the user.

    Source: Kafka's ConsumerProtocolAssignment.json.
    """
    return pack(">hi", 0, 1) + _name(topic) + pack(">iii", 1, 0, -1)


def _name(topic: str) -> bytes:
    return pack(">h", len(topic)) + topic.encode()


def crc32c(data: bytes) -> int:
    """The checksum of a record batch (RFC 3720, appendix B.4)."""
    left = 0xFFFFFFFF
    for byte in data:
        left ^= byte
        for _ in range(8):
            left = (left >> 1) ^ (_CASTAGNOLI if left & 1 else 0)
    return left ^ 0xFFFFFFFF
