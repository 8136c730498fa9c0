"""Writes record batches of magic 2 from JSON values, in the form in which they are read.

What a control record means is not read: its key and value count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wirebook.specs.codec import (
    FORMS,
    WireError,
    check_fixed,
    expected,
    hex_bytes,
    no_such_field,
    shown,
    text_bytes,
    write_unsigned,
)
from wirebook.specs.model import Json
from wirebook.specs.records.attributes import (
    ATTRIBUTES,
    COMPRESSION_BITS,
    Compression,
    attributes_of,
)
from wirebook.specs.records.checksums import crc32c
from wirebook.specs.records.compression import compress
from wirebook.specs.records.reading import BATCH, BATCH_CRC_END, HEADER, LENGTH_END

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
_DAMAGED_KEYS = ("Error", "Partial", "Hex", "Decoded")


def write_records(value: Json) -> bytes:
    """Encode a list of batches: what is left out takes its default; the bytes of damaged ones stay.

    Raises WireError, and InputError if a compression needs a missing package.
    """
    if not isinstance(value, list):
        raise WireError(expected("a list of batches, or bytes in hex,", value))
    return b"".join(_entry(item, f"[{index}]") for index, item in enumerate(value))


def _entry(value: Json, path: str) -> bytes:
    item = _object(value, path)
    if not item.keys().isdisjoint(("Hex", "Error", "Partial")):
        _refuse_foreign(item, _DAMAGED_KEYS, path)
        return hex_bytes(item.get("Hex"), f"{path}.Hex")
    if item.get("Magic", 2) != 2 or item.get("Magic") is True:
        words = f"2 is expected, not {shown(item['Magic'])}: older message sets are only read"
        raise WireError(words, path=f"{path}.Magic")
    return _batch(item, path)


def _batch(value: Mapping[str, Json], path: str) -> bytes:
    _refuse_foreign(value, _BATCH_KEYS, path)
    plain = bytearray()
    records = _list(value, "Records", path)
    offsets, times = [0], [0]
    for index, item in enumerate(records):
        record = _object(item, f"{path}.Records[{index}]")
        body, offset, time = _record(record, index, f"{path}.Records[{index}]")
        _write_varint(plain, len(body))
        plain += body
        offsets.append(offset)
        times.append(time)
    attributes = attributes_of(value, path)
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
    base = _number(value, "BaseTimestamp", "INT64", -1, path)
    numbers["MaxTimestamp"] = base + max(times[1:], default=0)
    header = b""
    for name, type_ in BATCH:
        number = numbers[name]
        if name not in (*_COMPUTED, "Records"):
            number = _number(value, name, type_, number, path)
        header += FORMS[type_].pack(number)
    counted = header[BATCH_CRC_END:] + payload
    return header[: BATCH_CRC_END - 4] + FORMS["UINT32"].pack(crc32c(counted)) + counted


def _record(value: Mapping[str, Json], index: int, path: str) -> tuple[bytes, int, int]:
    """The bytes of a record after its length, and its offset and timestamp in the batch."""
    _refuse_foreign(value, _RECORD_KEYS, path)
    offset = _number(value, "OffsetDelta", "INT32", index, path)
    time = _number(value, "TimestampDelta", "INT64", 0, path)
    body = bytearray(FORMS["INT8"].pack(_number(value, "Attributes", "INT8", 0, path)))
    _write_varint(body, time)
    _write_varint(body, offset)
    for name in ("Key", "Value"):
        _write_sized(body, _bytes(value, name, path))
    headers = _list(value, "Headers", path)
    _write_varint(body, len(headers))
    for place, item in enumerate(headers):
        at = f"{path}.Headers[{place}]"
        header = _object(item, at)
        _refuse_foreign(header, _HEADER_KEYS, at)
        if "KeyBytes" in header:
            _write_sized(body, hex_bytes(header["KeyBytes"], f"{at}.KeyBytes"))
        else:
            _write_sized(body, text_bytes(header.get("Key"), f"{at}.Key"))
        _write_sized(body, _bytes(header, "Value", at))
    return bytes(body), offset, time


def _write_varint(out: bytearray, value: int) -> None:
    """Append a zig-zag varint."""
    write_unsigned(out, (value << 1) ^ (value >> 63))


def _write_sized(out: bytearray, data: bytes | None) -> None:
    _write_varint(out, -1 if data is None else len(data))
    out += data or b""


def _refuse_foreign(value: Mapping[str, Json], names: Sequence[str], path: str) -> None:
    for name in value:
        if name not in names:
            raise no_such_field(name, names, f"{path}.")


def _object(value: Json, path: str) -> Mapping[str, Json]:
    if not isinstance(value, Mapping):
        raise WireError(expected("an object", value), path=path)
    return value


def _list(value: Mapping[str, Json], name: str, path: str) -> list[Json]:
    member = value.get(name, [])
    if not isinstance(member, list):
        raise WireError(expected("a list", member), path=f"{path}.{name}")
    return member


def _number(value: Mapping[str, Json], name: str, type_: str, default: int, path: str) -> int:
    member = value.get(name, default)
    check_fixed(type_, member, f"{path}.{name}")
    assert isinstance(member, int)
    return member


def _bytes(value: Mapping[str, Json], name: str, path: str) -> bytes | None:
    member = value.get(name)
    return None if member is None else hex_bytes(member, f"{path}.{name}", nullable=True)
