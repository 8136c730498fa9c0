"""The header of batches and messages: its fields, and the attributes, which are bits on the wire
and keys with names in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

from wirebook.specs.codec import FORMS, Writer
from wirebook.specs.model import Json
from wirebook.specs.spans import expected, shown

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
# A record after its length, and one of its headers (KIP-82): what absent members are, and null for
# those that may be null.
RECORD = (
    ("Attributes", "INT8", 0),
    ("TimestampDelta", "VARLONG", 0),
    ("OffsetDelta", "VARINT", 0),
    ("Key", "VARINT_BYTES", None),
    ("Value", "VARINT_BYTES", None),
)
# Both forms begin with an offset and the length of the rest, and have their magic at the same
# place.
LENGTH_AT, LENGTH_END, MAGIC_AT = 8, 12, 16
BATCH_CRC_END, MESSAGE_CRC_END = 21, 16
HEADER = sum(FORMS[type_].size for _, type_ in BATCH)


class Compression(IntEnum):
    """How the records of a batch, or the messages in a message, are compressed: three attribute
    bits."""

    NONE = 0
    GZIP = 1
    SNAPPY = 2
    LZ4 = 3
    ZSTD = 4


COMPRESSION_BITS = 0x07
LOG_APPEND_TIME = 0x08  # bit 3: the broker set the timestamp (KIP-32)
# Bits 4 and 5 (KIP-98), and 6: the base timestamp is when tombstones may be removed (KIP-534).
FLAGS = {"Transactional": 0x10, "Control": 0x20, "DeleteHorizon": 0x40}
ATTRIBUTES = ("Compression", "TimestampType", *FLAGS, "ReservedAttributes")
_NAMED = {0: COMPRESSION_BITS, 1: COMPRESSION_BITS | LOG_APPEND_TIME, 2: 0x7F}
_COMPRESSIONS = [kind.name.lower() for kind in Compression]
_TIMESTAMPS = ["CreateTime", "LogAppendTime"]


def attributes_json(attributes: int, magic: int) -> dict[str, Json]:
    """The keys for attributes; bits without a meaning are in `ReservedAttributes` if any are
    set."""
    code = attributes & COMPRESSION_BITS
    known = code < len(_COMPRESSIONS)
    result: dict[str, Json] = {"Compression": _COMPRESSIONS[code] if known else code}
    if magic:
        result["TimestampType"] = _TIMESTAMPS[bool(attributes & LOG_APPEND_TIME)]
    if magic == 2:
        result |= {name: bool(attributes & bit) for name, bit in FLAGS.items()}
    reserved = attributes & ~_NAMED[magic] & (0xFFFF if magic == 2 else 0xFF)
    return {**result, "ReservedAttributes": reserved} if reserved else result


def attributes_of(writer: Writer, value: Mapping[str, Json]) -> int:
    """The attributes of a batch from its keys, signed as on the wire. Raises WireError."""
    attributes = _choice(writer, value, "Compression", _COMPRESSIONS)
    attributes |= _choice(writer, value, "TimestampType", _TIMESTAMPS) * LOG_APPEND_TIME
    for name, bit in FLAGS.items():
        flag = value.get(name, False)
        if type(flag) is not bool:
            raise writer.fail(expected("true or false", flag), name)
        attributes |= bit * flag
    reserved = value.get("ReservedAttributes", 0)
    if type(reserved) is not int or reserved & _NAMED[2] or not 0 <= reserved <= 0xFFFF:
        words = f"bits without a meaning are expected, not {shown(reserved)}"
        raise writer.fail(words, "ReservedAttributes")
    attributes |= reserved
    return attributes - 0x10000 if attributes > 0x7FFF else attributes


def _choice(writer: Writer, value: Mapping[str, Json], key: str, names: list[str]) -> int:
    name = value.get(key, names[0])
    if name not in names:
        words = f"{', '.join(names)}: one of these is expected, not {shown(name)}"
        raise writer.fail(words, key)
    return names.index(str(name))
