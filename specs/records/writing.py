"""Writes record batches of magic 2 from JSON values, in the form in which they are read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from wirebook.specs.codec import fitting, from_hex, listed, no_field, scalar
from wirebook.specs.model import Json
from wirebook.specs.records.checksums import crc32c
from wirebook.specs.records.compression import COMPRESSIONS, compress
from wirebook.specs.records.reading import (
    ATTRIBUTES,
    BATCH,
    BATCH_CRC_END,
    COMPRESSION_BITS,
    HEADER,
    LENGTH_END,
    RECORD,
    RESERVED,
)
from wirebook.specs.spans import WireError, expected, shown, within

_COMPUTED = ("BatchLength", "Crc", "Attributes")
_BATCH_KEYS = (*(name for name, _ in BATCH if name not in _COMPUTED), *ATTRIBUTES, RESERVED)
_RECORD_KEYS = (*(name for name, *_ in RECORD), "Headers", "ControlRecord")
_DAMAGED_KEYS = ("Error", "Partial", "Hex")


def write_records(value: Json) -> bytes:
    """Encode a list of batches: what is left out takes its default; the bytes of damaged ones stay.

    Raises WireError, and InputError if a compression needs a missing package.
    """
    if not isinstance(value, list):
        raise WireError(expected("a list of batches, or bytes in hex,", value))
    out = bytearray()
    for index, item in enumerate(value):
        with within(f"[{index}]"):
            if isinstance(item, dict) and not item.keys().isdisjoint(_DAMAGED_KEYS):
                _known(item, _DAMAGED_KEYS)
                with within("Hex"):
                    out += from_hex(item.get("Hex"))
            else:
                out += _batch(item)
    return bytes(out)


def _batch(item: Json) -> bytes:
    magic = item.get("Magic", 2) if isinstance(item, Mapping) else 2
    if magic != 2 or type(magic) is not int:
        words = f"2 is expected, not {shown(magic)}: older message sets are only read"
        raise WireError(words, path="Magic")
    value = _known(item, _BATCH_KEYS)
    attributes = _attributes(value)
    with within("BaseTimestamp"):
        base = fitting("INT64", value.get("BaseTimestamp", -1))
    with within("Records"):
        records: Any = listed(value.get("Records", []))
        plain = _records(records)
    payload = compress(plain, COMPRESSIONS[attributes & COMPRESSION_BITS])
    offsets = [each.get("OffsetDelta", index) for index, each in enumerate(records)]
    times = [each.get("TimestampDelta", 0) for each in records]
    numbers = {
        **dict.fromkeys((name for name, _ in BATCH), -1),
        "BaseOffset": 0,
        "Magic": 2,
        "LastOffsetDelta": max(offsets, default=0),
        "MaxTimestamp": base + max(times, default=0),
        **value,
        "BatchLength": HEADER - LENGTH_END + len(payload),
        "Crc": 0,
        "Attributes": attributes,
        "Records": len(records),
    }
    header = b""
    for name, type_ in BATCH:
        with within(name):
            header += scalar(type_, numbers[name])
    counted = header[BATCH_CRC_END:] + payload
    return header[: BATCH_CRC_END - 4] + scalar("UINT32", crc32c(counted)) + counted


def _attributes(value: Mapping[str, Json]) -> int:
    """The attributes of a batch from its keys, signed as on the wire."""
    attributes = named = 0
    for name, (mask, known) in ATTRIBUTES.items():
        chosen = value.get(name, known[0])
        if type(chosen) is not type(known[0]) or chosen not in known:
            raise WireError(expected(f"one of {json.dumps(known)}", chosen), path=name)
        attributes |= known.index(chosen) * (mask & -mask)
        named |= mask
    reserved = value.get(RESERVED, 0)
    if type(reserved) is not int or reserved & named or not 0 <= reserved <= 0xFFFF:
        words = f"bits without a meaning are expected, not {shown(reserved)}"
        raise WireError(words, path=RESERVED)
    attributes |= reserved
    return attributes - 0x10000 if attributes > 0x7FFF else attributes


def _records(records: list[Json]) -> bytes:
    out = bytearray()
    for index, item in enumerate(records):
        with within(f"[{index}]"):
            data = _record(item, index)
        out += scalar("VARINT", len(data)) + data
    return bytes(out)


def _record(item: Json, index: int) -> bytes:
    """The bytes of a record without its length."""
    value = _known(item, _RECORD_KEYS)
    out = bytearray()
    for name, type_, default in RECORD:
        absent = index if name == "OffsetDelta" else default
        with within(name):
            out += scalar(type_, value.get(name, absent), default is None)
    with within("Headers"):
        headers = listed(value.get("Headers", []))
        out += scalar("VARINT", len(headers))
        for place, each in enumerate(headers):
            with within(f"[{place}]"):
                out += _header(each)
    return bytes(out)


def _header(item: Json) -> bytes:
    """The bytes of a header of a record."""
    value = _known(item, ("Key", "KeyBytes", "Value"))
    key, type_ = ("Key", "VARINT_STRING")
    if "KeyBytes" in value:
        key, type_ = ("KeyBytes", "VARINT_BYTES")
    with within(key):
        out = scalar(type_, value.get(key))
    with within("Value"):
        return out + scalar("VARINT_BYTES", value.get("Value"), True)


def _known(value: Json, names: Sequence[str]) -> Mapping[str, Json]:
    """An object with no keys but these."""
    if not isinstance(value, Mapping):
        raise WireError(expected("an object", value))
    for name in value:
        if name not in names:
            raise no_field(name, names)
    return value
