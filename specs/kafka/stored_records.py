"""Keys and values of the records in the topics of brokers themselves, by the specs that describe them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from wirebook.specs.kafka.registry import embedded_protocol
from wirebook.specs.model import Json, Message
from wirebook.specs.wire.codec import Reader, WireError, codec
from wirebook.specs.wire.embedded import EmbeddedMessages
from wirebook.specs.wire.layout import layout

_GROUPS = "__consumer_offsets"
_METADATA = "__cluster_metadata"
# Each coordinator numbers its records from 0: these are the names of the others' records.
_OTHERS = {
    "__transaction_state": ("TransactionLog",),
    "__share_group_state": ("ShareSnapshot", "ShareUpdate"),
}
STORED_TOPICS = (_GROUPS, *_OTHERS, _METADATA)
_FRAME_VERSION = 1  # of a record of the metadata log

_Record = dict[str, Json]


def with_stored(batches: Json, topic: str) -> Json:
    """Batches of a topic of brokers, with the keys and values of records as messages instead of hex.

    What is no such message, or does not fit its spec, stays hex.
    """
    if not isinstance(batches, list):
        return batches
    opened = _of_metadata if topic == _METADATA else partial(_of_coordinator, topic)
    return [_with_records(batch, opened) for batch in batches]


def _with_records(batch: Json, opened: Callable[[_Record], _Record]) -> Json:
    records = batch.get("Records") if isinstance(batch, dict) else None
    if not isinstance(batch, dict) or batch.get("Control") or not isinstance(records, list):
        return batch
    return {
        **batch,
        "Records": [opened(record) if isinstance(record, dict) else record for record in records],
    }


def _of_coordinator(topic: str, record: _Record) -> _Record:
    """A record whose key begins with its type, and whose value begins with the version of its spec."""
    key, value = record.get("Key"), record.get("Value")
    if not isinstance(key, str) or len(key) < 4:
        return record
    kind = int(key[:4], 16)
    read_key, read_value = (_messages(topic).get((part, kind)) for part in ("key", "value"))
    opened = {"Key": _read(read_key, 0, bytes.fromhex(key[4:]), key)}
    if isinstance(value, str) and len(value) >= 4:
        opened["Value"] = _read(read_value, int(value[:4], 16), bytes.fromhex(value[4:]), value)
    return {**record, **opened}


def _of_metadata(record: _Record) -> _Record:
    """A record whose value begins with the version of its frame, its type, and the version of its spec."""
    value = record.get("Value")
    if not isinstance(value, str):
        return record
    reader = Reader(bytes.fromhex(value))
    try:
        frame, kind, version = (reader.unsigned("", "", "value") for _ in range(3))
    except WireError:
        return record
    message = _messages(_METADATA).get(("metadata", kind)) if frame == _FRAME_VERSION else None
    return {**record, "Value": _read(message, version, reader.data[reader.at :], value)}


def _read(message: Message | None, version: int, data: bytes, otherwise: str) -> Json:
    if message is None or version not in message.valid_versions:
        return otherwise
    reading = codec(layout(message, version)).read(data, described=True)
    if reading.error is not None:
        return otherwise
    opened = EmbeddedMessages(message, embedded_protocol()).opened(reading)
    return {"Message": message.name, "Version": version, "Value": opened}


@cache
def _messages(topic: str) -> dict[tuple[str, int], Message]:
    """The messages in a topic, by what they are and their type."""
    every = tuple(name for names in _OTHERS.values() for name in names)
    messages: dict[tuple[str, int], Message] = {}
    for message in embedded_protocol():
        part = message.type.removeprefix("coordinator-")
        if message.api_key is None or part not in ("key", "value", "metadata"):
            continue
        is_here = (
            message.name.startswith(_OTHERS[topic])
            if topic in _OTHERS
            else (part == "metadata") == (topic == _METADATA) and not message.name.startswith(every)
        )
        if is_here:
            messages[part, message.api_key] = message
    return messages
