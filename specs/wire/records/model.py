"""The content of a field of type records, as values: batches, messages, and damaged bytes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias


class Compression(IntEnum):
    """How the records of a batch, or the messages in a message, are compressed: three attribute bits."""

    NONE = 0
    GZIP = 1
    SNAPPY = 2
    LZ4 = 3
    ZSTD = 4


COMPRESSION_BITS = 0x07
LOG_APPEND_TIME = 0x08  # bit 3: the broker set the timestamp (KIP-32)
TRANSACTIONAL = 0x10  # bit 4 (KIP-98)
CONTROL = 0x20  # bit 5 (KIP-98)
DELETE_HORIZON = 0x40  # bit 6: the base timestamp is when tombstones may be removed (KIP-534)


def compression(attributes: int) -> Compression | None:
    """The compression in attributes; None for the codes 5 to 7, which are unused."""
    code = attributes & COMPRESSION_BITS
    return Compression(code) if code <= Compression.ZSTD else None


@dataclass(frozen=True, slots=True)
class RecordHeader:
    """A header of a record (KIP-82): the key is a string in Kafka's clients, but any bytes on the wire."""

    key: bytes
    value: bytes | None


@dataclass(frozen=True, slots=True)
class Record:
    """A record of a batch; its offset and timestamp are relative to the base of the batch."""

    offset_delta: int = 0
    timestamp_delta: int = 0
    key: bytes | None = None
    value: bytes | None = None
    headers: tuple[RecordHeader, ...] = ()
    attributes: int = 0


@dataclass(frozen=True, slots=True)
class Batch:
    """A record batch, magic 2 (KIP-98)."""

    base_offset: int = 0
    partition_leader_epoch: int = -1
    attributes: int = 0
    last_offset_delta: int = 0
    base_timestamp: int = -1
    max_timestamp: int = -1
    producer_id: int = -1
    producer_epoch: int = -1
    base_sequence: int = -1
    records: tuple[Record, ...] = ()


@dataclass(frozen=True, slots=True)
class MessageSetEntry:
    """A message of a message set, magic 0, or 1 with a timestamp (KIP-32).

    If it is compressed, `messages` are those that its value contains, and `value` is None. Their offsets are
    absolute in magic 0; in magic 1 they count from the first message compressed with them.
    """

    magic: int
    offset: int = 0
    attributes: int = 0
    timestamp: int = -1
    key: bytes | None = None
    value: bytes | None = None
    messages: tuple[MessageSetEntry, ...] | None = None


@dataclass(frozen=True, slots=True)
class Damaged:
    """Bytes that are not an intact batch or message, and the parts of them that can be read.

    `cut` is whether the bytes are only truncated, as those of a Fetch response may be.
    """

    data: bytes
    error: str
    decoded: Batch | MessageSetEntry | None = None
    cut: bool = False


RecordsEntry: TypeAlias = Batch | MessageSetEntry | Damaged
"""One item of a field of type records."""
