"""Batches and messages as JSON values, in the form that `wirebook decode --records` prints, and back.

Redundant parts of the bytes (lengths, counts, checksums) are omitted: they are correct, or the entry is
damaged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from wirebook.specs.model import Json, MessageValue
from wirebook.specs.wire.codec import HEX, WireError, check_fixed, expected, no_such_field, shown
from wirebook.specs.wire.records.attributes import KEYS, attributes_json, attributes_of
from wirebook.specs.wire.records.model import (
    COMPRESSION_BITS,
    CONTROL,
    Batch,
    Damaged,
    MessageSetEntry,
    Record,
    RecordHeader,
    RecordsEntry,
)

# The numbers of a batch after its base offset: name, type, attribute.
_BATCH = (
    ("LastOffsetDelta", "INT32", "last_offset_delta"),
    ("BaseTimestamp", "INT64", "base_timestamp"),
    ("MaxTimestamp", "INT64", "max_timestamp"),
    ("ProducerId", "INT64", "producer_id"),
    ("ProducerEpoch", "INT16", "producer_epoch"),
    ("BaseSequence", "INT32", "base_sequence"),
)
_BATCH_KEYS = (
    "BaseOffset",
    "PartitionLeaderEpoch",
    "Magic",
    *KEYS[2],
    *(row[0] for row in _BATCH),
    "Records",
)
_MESSAGE_KEYS = ("Offset", "Magic")
_RECORD_KEYS = ("Attributes", "TimestampDelta", "OffsetDelta", "Key", "Value", "Headers", "ControlRecord")
_HEADER_KEYS = ("Key", "KeyBytes", "Value")
_DAMAGED_KEYS = ("Error", "Partial", "Hex", "Decoded")


class Controls(Protocol):
    """Interprets the key and value of a control record; Kafka's are in specs/kafka/control_records.py."""

    def decode(self, key: bytes, value: bytes) -> Json:
        """The meaning of a control record; None if it has none that encodes to the same bytes."""

    def encode(self, value: Json) -> tuple[bytes, bytes]:
        """Encode the key and the value with this meaning. Raises WireError."""


# To JSON


def entries_json(entries: Iterable[RecordsEntry], controls: Controls | None = None) -> list[MessageValue]:
    """The JSON of the items of a field of type records."""
    return [entry_json(entry, controls) for entry in entries]


def entry_json(entry: RecordsEntry, controls: Controls | None) -> MessageValue:
    """The JSON of one item."""
    if isinstance(entry, Batch):
        return _batch_json(entry, controls)
    if isinstance(entry, MessageSetEntry):
        return _message_json(entry)
    result: MessageValue = {"Partial" if entry.cut else "Error": entry.error, "Hex": entry.data.hex()}
    if entry.decoded is not None:
        result["Decoded"] = entry_json(entry.decoded, controls)
    return result


def _batch_json(batch: Batch, controls: Controls | None) -> MessageValue:
    used = controls if batch.attributes & CONTROL else None
    return {
        "BaseOffset": batch.base_offset,
        "PartitionLeaderEpoch": batch.partition_leader_epoch,
        "Magic": 2,
        **attributes_json(batch.attributes, 2),
        **{name: getattr(batch, attribute) for name, _, attribute in _BATCH},
        "Records": [_record_json(record, used) for record in batch.records],
    }


def _record_json(record: Record, controls: Controls | None) -> MessageValue:
    result: MessageValue = {"Attributes": record.attributes} if record.attributes else {}
    result |= {"TimestampDelta": record.timestamp_delta, "OffsetDelta": record.offset_delta}
    meaning = None
    if controls is not None and record.key is not None and record.value is not None:
        meaning = controls.decode(record.key, record.value)
    if meaning is not None:
        result["ControlRecord"] = meaning
    else:
        result |= {"Key": _hex(record.key), "Value": _hex(record.value)}
    return {**result, "Headers": [_header_json(header) for header in record.headers]}


def _header_json(header: RecordHeader) -> MessageValue:
    try:
        return {"Key": header.key.decode(), "Value": _hex(header.value)}
    except UnicodeDecodeError:
        return {"KeyBytes": header.key.hex(), "Value": _hex(header.value)}


def _message_json(message: MessageSetEntry) -> MessageValue:
    result: MessageValue = {
        "Offset": message.offset,
        "Magic": message.magic,
        **attributes_json(message.attributes, message.magic),
    }
    if message.magic:
        result["Timestamp"] = message.timestamp
    result["Key"] = _hex(message.key)
    if message.messages is None:
        return {**result, "Value": _hex(message.value)}
    return {**result, "Messages": [_message_json(inner) for inner in message.messages]}


def _hex(data: bytes | None) -> str | None:
    return None if data is None else data.hex()


# From JSON


def entries_of(value: Json, controls: Controls | None = None) -> list[RecordsEntry]:
    """The items that a JSON value describes: a list of batches and messages. Raises WireError."""
    if not isinstance(value, list):
        raise WireError(expected("a list of batches, or bytes in hex,", value, False))
    entries: list[RecordsEntry] = []
    for place, item in enumerate(value):
        try:
            entries.append(_entry_of(item, controls))
        except WireError as bad:
            raise bad.below(f"[{place}]") from None
    return entries


def _entry_of(value: Json, controls: Controls | None) -> RecordsEntry:
    if not isinstance(value, Mapping):
        raise WireError(expected("an object", value, False))
    if "Hex" in value or "Error" in value or "Partial" in value:
        _refuse_foreign(value, _DAMAGED_KEYS)
        data = _bytes(value, "Hex", nullable=False)
        assert data is not None
        return Damaged(data, "")
    magic = value.get("Magic", 2)
    if type(magic) is not int or magic not in KEYS:
        raise WireError(f"0, 1 or 2 is expected, not {shown(magic)}", path="Magic")
    return _batch_of(value, controls) if magic == 2 else _message_of(value, magic)


def _batch_of(value: Mapping[str, Json], controls: Controls | None) -> Batch:
    _refuse_foreign(value, _BATCH_KEYS)
    records = [_record_of(item, place, controls) for place, item in enumerate(_list(value, "Records"))]
    base_time = _number(value, "BaseTimestamp", "INT64", -1)
    deltas = [record.timestamp_delta for record in records]
    numbers = {
        "LastOffsetDelta": max((record.offset_delta for record in records), default=0),
        "MaxTimestamp": base_time + max(deltas, default=0),
    }
    return Batch(
        base_offset=_number(value, "BaseOffset", "INT64", 0),
        partition_leader_epoch=_number(value, "PartitionLeaderEpoch", "INT32", -1),
        attributes=attributes_of(value, 2),
        records=tuple(records),
        **{
            attribute: _number(value, name, type_, numbers.get(name, -1)) for name, type_, attribute in _BATCH
        },
    )


def _record_of(value: Json, index: int, controls: Controls | None) -> Record:
    try:
        if not isinstance(value, Mapping):
            raise WireError(expected("an object", value, False))
        _refuse_foreign(value, _RECORD_KEYS)
        if "ControlRecord" in value:
            content: tuple[bytes | None, bytes | None] = _control_of(value, controls)
        else:
            content = _bytes(value, "Key"), _bytes(value, "Value")
        return Record(
            offset_delta=_number(value, "OffsetDelta", "INT32", index),
            timestamp_delta=_number(value, "TimestampDelta", "INT64", 0),
            key=content[0],
            value=content[1],
            headers=tuple(_header_of(item, at) for at, item in enumerate(_list(value, "Headers"))),
            attributes=_number(value, "Attributes", "INT8", 0),
        )
    except WireError as bad:
        raise bad.below(f"[{index}]").below("Records") from None


def _control_of(value: Mapping[str, Json], controls: Controls | None) -> tuple[bytes, bytes]:
    try:
        if controls is None or "Key" in value or "Value" in value:
            raise WireError("a record has this or a key and a value")
        return controls.encode(value["ControlRecord"])
    except WireError as bad:
        raise bad.below("ControlRecord") from None


def _header_of(value: Json, place: int) -> RecordHeader:
    try:
        if not isinstance(value, Mapping):
            raise WireError(expected("an object", value, False))
        _refuse_foreign(value, _HEADER_KEYS)
        key = _bytes(value, "KeyBytes", nullable=False) if "KeyBytes" in value else _text(value, "Key")
        assert key is not None
        return RecordHeader(key, _bytes(value, "Value"))
    except WireError as bad:
        raise bad.below(f"[{place}]").below("Headers") from None


def _message_of(
    value: Mapping[str, Json], magic: int, *, index: int = 0, inner: bool = False
) -> MessageSetEntry:
    attributes = attributes_of(value, magic)
    compressed = bool(attributes & COMPRESSION_BITS)
    if compressed and inner:
        raise WireError("a message within a compressed one is not compressed itself", path="Compression")
    content = "Messages" if compressed else "Value"
    stamp = ("Timestamp",) if magic else ()
    if ("Value" if compressed else "Messages") in value:
        what = "a compressed message has Messages" if compressed else "only a compressed message has Messages"
        raise WireError(what, path="Value" if compressed else "Messages")
    _refuse_foreign(value, (*_MESSAGE_KEYS, *KEYS[magic], *stamp, "Key", content))
    messages = None
    if compressed:
        messages = tuple(_inner_of(item, magic, at) for at, item in enumerate(_list(value, "Messages")))
    last = messages[-1].offset if messages else index
    return MessageSetEntry(
        magic=magic,
        offset=_number(value, "Offset", "INT64", last),
        attributes=attributes,
        timestamp=_number(value, "Timestamp", "INT64", -1),
        key=_bytes(value, "Key"),
        value=None if compressed else _bytes(value, "Value"),
        messages=messages,
    )


def _inner_of(value: Json, magic: int, index: int) -> MessageSetEntry:
    try:
        if not isinstance(value, Mapping):
            raise WireError(expected("an object", value, False))
        if value.get("Magic", magic) != magic:
            raise WireError(f"{magic} is expected, as in the message around it", path="Magic")
        return _message_of(value, magic, index=index, inner=True)
    except WireError as bad:
        raise bad.below(f"[{index}]").below("Messages") from None


def _refuse_foreign(value: Mapping[str, Json], names: Sequence[str]) -> None:
    for name in value:
        if name not in names:
            raise no_such_field(name, names)


def _list(value: Mapping[str, Json], name: str) -> list[Json]:
    member = value.get(name, [])
    if not isinstance(member, list):
        raise WireError(expected("a list", member, False), path=name)
    return member


def _number(value: Mapping[str, Json], name: str, type_: str, default: int) -> int:
    member = value.get(name, default)
    try:
        check_fixed(type_, member)
    except WireError as bad:
        raise bad.below(name) from None
    assert isinstance(member, int)
    return member


def _bytes(value: Mapping[str, Json], name: str, *, nullable: bool = True) -> bytes | None:
    member = value.get(name)
    if member is None and nullable:
        return None
    if not isinstance(member, str) or len(member) % 2 or not HEX.issuperset(member):
        raise WireError(expected("bytes in hex", member, nullable), path=name)
    return bytes.fromhex(member)


def _text(value: Mapping[str, Json], name: str) -> bytes:
    member = value.get(name)
    if not isinstance(member, str):
        raise WireError(expected("a string", member, False), path=name)
    try:
        return member.encode()
    except UnicodeEncodeError:
        raise WireError(
            "this string has half of a surrogate pair, which UTF-8 cannot encode", path=name
        ) from None
