"""The attributes of batches and messages as JSON: a name for each bit instead of a number."""

from __future__ import annotations

from collections.abc import Mapping

from wirebook.specs.model import Json
from wirebook.specs.wire.codec import WireError, expected, shown
from wirebook.specs.wire.records.model import (
    COMPRESSION_BITS,
    CONTROL,
    DELETE_HORIZON,
    LOG_APPEND_TIME,
    TRANSACTIONAL,
    Compression,
    compression,
)

COMPRESSIONS = {kind.name.lower(): kind for kind in Compression}
TIMESTAMP_TYPES = {"CreateTime": 0, "LogAppendTime": LOG_APPEND_TIME}
_FLAGS = {"Transactional": TRANSACTIONAL, "Control": CONTROL, "DeleteHorizon": DELETE_HORIZON}
# The keys of a message of magic 0, one of magic 1, and a batch.
KEYS = {
    0: ("Compression", "ReservedAttributes"),
    1: ("Compression", "TimestampType", "ReservedAttributes"),
    2: ("Compression", "TimestampType", *_FLAGS, "ReservedAttributes"),
}
_NAMED = {0: COMPRESSION_BITS, 1: COMPRESSION_BITS | LOG_APPEND_TIME}
_NAMED[2] = _NAMED[1] | TRANSACTIONAL | CONTROL | DELETE_HORIZON
_BITS = {0: 8, 1: 8, 2: 16}


def attributes_json(attributes: int, magic: int) -> dict[str, Json]:
    """The keys for attributes; bits without a meaning are in `ReservedAttributes` if any are set."""
    kind = compression(attributes)
    result: dict[str, Json] = {
        "Compression": kind.name.lower() if kind is not None else attributes & COMPRESSION_BITS
    }
    if magic:
        result["TimestampType"] = "LogAppendTime" if attributes & LOG_APPEND_TIME else "CreateTime"
    if magic == 2:
        result |= {name: bool(attributes & bit) for name, bit in _FLAGS.items()}
    reserved = attributes & ~_NAMED[magic] & (1 << _BITS[magic]) - 1
    return {**result, "ReservedAttributes": reserved} if reserved else result


def attributes_of(value: Mapping[str, Json], magic: int) -> int:
    """Encode the attributes from the keys of a value, signed as on the wire. Raises WireError."""
    attributes = int(_named(value, "Compression", COMPRESSIONS))
    if magic:
        attributes |= _named(value, "TimestampType", TIMESTAMP_TYPES)
    for name, bit in _FLAGS.items() if magic == 2 else ():
        flag = value.get(name, False)
        if type(flag) is not bool:
            raise WireError(expected("true or false", flag, False), path=name)
        attributes |= bit * flag
    reserved = value.get("ReservedAttributes", 0)
    bits = _BITS[magic]
    if type(reserved) is not int or reserved & _NAMED[magic] or not 0 <= reserved < 1 << bits:
        raise WireError(
            f"bits without a meaning are expected, not {shown(reserved)}", path="ReservedAttributes"
        )
    attributes |= reserved
    return attributes - (1 << bits) if attributes >> (bits - 1) else attributes


def _named(value: Mapping[str, Json], key: str, names: Mapping[str, int]) -> int:
    name = value.get(key, next(iter(names)))
    if not isinstance(name, str) or name not in names:
        raise WireError(f"{', '.join(names)}: one of these is expected, not {shown(name)}", path=key)
    return names[name]
