"""Writes record batches of magic 2 from JSON values, in the form in which they are read.

What a control record means is not read: its key and value count.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from wirebook.specs.codec import Writer
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
from wirebook.specs.spans import expected, shown

_COMPUTED = ("BatchLength", "Crc", "Attributes")
_BATCH_KEYS = (*(name for name, _ in BATCH if name not in _COMPUTED), *ATTRIBUTES, RESERVED)
_RECORD_KEYS = (*(name for name, *_ in RECORD), "Headers", "ControlRecord")
_DAMAGED_KEYS = ("Error", "Partial", "Hex")


def write_records(value: Json) -> bytes:
    """Encode a list of batches: what is left out takes its default; the bytes of damaged ones stay.

    Raises WireError, and InputError if a compression needs a missing package.
    """
    writer = Writer()
    write_batches(writer, value)
    return bytes(writer.out)


def write_batches(writer: Writer, value: Json) -> None:
    """Append a list of batches, like `write_records`."""
    if not isinstance(value, list):
        raise writer.fail(expected("a list of batches, or bytes in hex,", value))
    path = writer.path
    for index, item in enumerate(value):
        writer.path = f"{path}[{index}]"
        if isinstance(item, dict) and not item.keys().isdisjoint(_DAMAGED_KEYS):
            _known(writer, item, _DAMAGED_KEYS)
            writer.path += ".Hex"
            writer.out += writer.hex(item.get("Hex"))
        else:
            _batch(writer, item)


def _batch(writer: Writer, item: Json) -> None:
    path, magic = writer.path, item.get("Magic", 2) if isinstance(item, Mapping) else 2
    if magic != 2 or type(magic) is not int:
        words = f"2 is expected, not {shown(magic)}: older message sets are only read"
        raise writer.fail(words, "Magic")
    value = _known(writer, item, _BATCH_KEYS)
    attributes = _attributes(writer, value)
    writer.path = f"{path}.BaseTimestamp"
    base = writer.fitting("INT64", value.get("BaseTimestamp", -1))
    writer.path = f"{path}.Records"
    records: Any = writer.listed(value.get("Records", []))
    plain = writer.apart(_records, writer, records)
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
    begin = len(writer.out)
    for name, type_ in BATCH:
        writer.path = f"{path}.{name}"
        writer.scalar(type_, numbers[name])
    writer.out += payload
    counted = bytes(writer.out[begin + BATCH_CRC_END :])
    writer.out[begin + BATCH_CRC_END - 4 : begin + BATCH_CRC_END] = crc32c(counted).to_bytes(
        4, "big"
    )


def _attributes(writer: Writer, value: Mapping[str, Json]) -> int:
    """The attributes of a batch from its keys, signed as on the wire."""
    attributes = named = 0
    for name, (mask, known) in ATTRIBUTES.items():
        chosen = value.get(name, known[0])
        if type(chosen) is not type(known[0]) or chosen not in known:
            raise writer.fail(expected(f"one of {json.dumps(known)}", chosen), name)
        attributes |= known.index(chosen) * (mask & -mask)
        named |= mask
    reserved = value.get(RESERVED, 0)
    if type(reserved) is not int or reserved & named or not 0 <= reserved <= 0xFFFF:
        words = f"bits without a meaning are expected, not {shown(reserved)}"
        raise writer.fail(words, RESERVED)
    attributes |= reserved
    return attributes - 0x10000 if attributes > 0x7FFF else attributes


def _records(writer: Writer, records: list[Json]) -> None:
    path = writer.path
    for index, item in enumerate(records):
        writer.path = f"{path}[{index}]"
        data = writer.apart(_record, writer, item, index)
        writer.scalar("VARINT", len(data))
        writer.out += data


def _record(writer: Writer, item: Json, index: int) -> None:
    """Append a record without its length."""
    path, value = writer.path, _known(writer, item, _RECORD_KEYS)
    for name, type_, default in RECORD:
        writer.path = f"{path}.{name}"
        absent = index if name == "OffsetDelta" else default
        writer.scalar(type_, value.get(name, absent), default is None)
    writer.path = f"{path}.Headers"
    headers = writer.listed(value.get("Headers", []))
    writer.scalar("VARINT", len(headers))
    for place, each in enumerate(headers):
        writer.path = f"{path}.Headers[{place}]"
        header = _known(writer, each, ("Key", "KeyBytes", "Value"))
        key, type_ = ("Key", "VARINT_STRING")
        if "KeyBytes" in header:
            key, type_ = ("KeyBytes", "VARINT_BYTES")
        for name, kind in ((key, type_), ("Value", "VARINT_BYTES")):
            writer.path = f"{path}.Headers[{place}].{name}"
            writer.scalar(kind, header.get(name), name == "Value")


def _known(writer: Writer, value: Json, names: Sequence[str]) -> Mapping[str, Json]:
    """An object with no keys but these."""
    if not isinstance(value, Mapping):
        raise writer.fail(expected("an object", value))
    for name in value:
        if name not in names:
            raise writer.no_field(name, names)
    return value
