"""Writes record batches of magic 2 from JSON values, in the form in which they are read.

What a control record means is not read: its key and value count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wirebook.specs.codec import (
    FORMS,
    WireError,
    expected,
    fixed,
    hex_bytes,
    no_such_field,
    shown,
    text_bytes,
    within,
    write_unsigned,
)
from wirebook.specs.model import Json
from wirebook.specs.records.batch import (
    ATTRIBUTES,
    BATCH,
    BATCH_CRC_END,
    COMPRESSION_BITS,
    HEADER,
    LENGTH_END,
    Compression,
    attributes_of,
)
from wirebook.specs.records.checksums import crc32c
from wirebook.specs.records.compression import compress

_COMPUTED = ("BatchLength", "Crc", "Attributes")
_BATCH_KEYS = (*(name for name, _ in BATCH if name not in _COMPUTED), *ATTRIBUTES)
_RECORD_KEYS = (
    "Attributes",
    "TimestampDelta",
    "OffsetDelta",
    "Key",
    "Value",
    "Headers",
    "ControlRecord",
)
_HEADER_KEYS = ("Key", "KeyBytes", "Value")
_DAMAGED_KEYS = ("Error", "Partial", "Hex")


def write_records(value: Json) -> bytes:
    """Encode a list of batches: what is left out takes its default; the bytes of damaged ones stay.

    Raises WireError, and InputError if a compression needs a missing package.
    """
    if not isinstance(value, list):
        raise WireError(expected("a list of batches, or bytes in hex,", value))
    out = b""
    for index, item in enumerate(value):
        with within(f"[{index}]"):
            out += _entry(item)
    return out


def _entry(value: Json) -> bytes:
    if not isinstance(value, Mapping):
        raise WireError(expected("an object", value))
    if not value.keys().isdisjoint(("Hex", "Error", "Partial")):
        item = _object(value, _DAMAGED_KEYS)
        with within("Hex"):
            return hex_bytes(item.get("Hex"))
    if value.get("Magic", 2) != 2 or value.get("Magic") is True:
        words = f"2 is expected, not {shown(value['Magic'])}: older message sets are only read"
        raise WireError(words, path="Magic")
    return _batch(_object(value, _BATCH_KEYS))


def _batch(value: Mapping[str, Json]) -> bytes:
    plain = bytearray()
    records = _list(value, "Records")
    offsets, times = [0], [0]
    for index, item in enumerate(records):
        with within(f"Records[{index}]"):
            body, offset, time = _record(item, index)
        _write_varint(plain, len(body))
        plain += body
        offsets.append(offset)
        times.append(time)
    attributes = attributes_of(value)
    payload = compress(bytes(plain), Compression(attributes & COMPRESSION_BITS))
    numbers = {
        **dict.fromkeys((name for name, _ in BATCH), -1),
        "BaseOffset": 0,
        "BatchLength": HEADER - LENGTH_END + len(payload),
        "Magic": 2,
        "Crc": 0,
        "Attributes": attributes,
        "LastOffsetDelta": max(offsets[1:], default=0),
        "Records": len(records),
    }
    base = _number(value, "BaseTimestamp", "INT64", -1)
    numbers["MaxTimestamp"] = base + max(times[1:], default=0)
    header = b""
    for name, type_ in BATCH:
        number = numbers[name]
        if name not in (*_COMPUTED, "Records"):
            number = _number(value, name, type_, number)
        header += FORMS[type_].pack(number)
    counted = header[BATCH_CRC_END:] + payload
    return header[: BATCH_CRC_END - 4] + FORMS["UINT32"].pack(crc32c(counted)) + counted


def _record(item: Json, index: int) -> tuple[bytes, int, int]:
    """The bytes of a record after its length, and its offset and timestamp in the batch."""
    value = _object(item, _RECORD_KEYS)
    offset = _number(value, "OffsetDelta", "INT32", index)
    time = _number(value, "TimestampDelta", "INT64", 0)
    body = bytearray(FORMS["INT8"].pack(_number(value, "Attributes", "INT8", 0)))
    _write_varint(body, time)
    _write_varint(body, offset)
    for name in ("Key", "Value"):
        _write_sized(body, _bytes(value, name))
    headers = _list(value, "Headers")
    _write_varint(body, len(headers))
    for place, inner in enumerate(headers):
        with within(f"Headers[{place}]"):
            header = _object(inner, _HEADER_KEYS)
            if "KeyBytes" in header:
                with within("KeyBytes"):
                    _write_sized(body, hex_bytes(header["KeyBytes"]))
            else:
                with within("Key"):
                    _write_sized(body, text_bytes(header.get("Key")))
            _write_sized(body, _bytes(header, "Value"))
    return bytes(body), offset, time


def _write_varint(out: bytearray, value: int) -> None:
    """Append a zig-zag varint."""
    write_unsigned(out, (value << 1) ^ (value >> 63))


def _write_sized(out: bytearray, data: bytes | None) -> None:
    _write_varint(out, -1 if data is None else len(data))
    out += data or b""


def _object(value: Json, names: Sequence[str]) -> Mapping[str, Json]:
    """An object with no keys but these."""
    if not isinstance(value, Mapping):
        raise WireError(expected("an object", value))
    for name in value:
        if name not in names:
            raise no_such_field(name, names)
    return value


def _list(value: Mapping[str, Json], name: str) -> list[Json]:
    member = value.get(name, [])
    if not isinstance(member, list):
        raise WireError(expected("a list", member), path=name)
    return member


def _number(value: Mapping[str, Json], name: str, type_: str, default: int) -> int:
    with within(name):
        return int(fixed(type_, value.get(name, default)))


def _bytes(value: Mapping[str, Json], name: str) -> bytes | None:
    member = value.get(name)
    if member is None:
        return None
    with within(name):
        return hex_bytes(member, nullable=True)
