"""Keys and values of the records in the topics of brokers themselves, by the specs that describe
them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from wirebook.specs.codec import VARINT, Reader, read
from wirebook.specs.kafka.registry import embedded_message, embedded_source
from wirebook.specs.layout import Layout, layout
from wirebook.specs.model import Json, Message, MessageValue
from wirebook.specs.spans import WireError

_METADATA = "__cluster_metadata"
# The folder of the specs of each topic: each coordinator numbers its records from 0.
_FOLDERS = {
    "__consumer_offsets": "group-coordinator",
    "__transaction_state": "transaction-coordinator",
    "__share_group_state": "share-coordinator",
    _METADATA: "metadata",
}
STORED_TOPICS = tuple(_FOLDERS)
_FRAME_VERSION = 1  # of a record of the metadata log


def with_stored(items: Iterable[MessageValue], topic: str) -> None:
    """Replace the keys and values in batches of a topic of brokers by messages.

    What is no such message, or does not fit its spec, stays hex.
    """
    for item in items:
        records: Any = item.get("Records", ())
        for record in () if item.get("Control") else records:
            if topic == _METADATA:
                _open_metadata(record)
            else:
                _open_coordinated(record, topic)


def _open_coordinated(record: dict[str, Any], topic: str) -> None:
    """The key of a record begins with its type, and its value with the version of its spec."""
    key, value = (bytes.fromhex(record[name] or "") for name in ("Key", "Value"))
    if len(key) < 2:
        return
    kind = int.from_bytes(key[:2], "big")
    messages = _messages(topic)
    record["Key"] = _opened(messages.get(("key", kind)), 0, key[2:], record["Key"])
    if len(value) >= 2:
        version = int.from_bytes(value[:2], "big")
        record["Value"] = _opened(
            messages.get(("value", kind)), version, value[2:], record["Value"]
        )


def _open_metadata(record: dict[str, Any]) -> None:
    """The value of a record begins with the version of its frame, its type, and the version of its
    spec."""
    data = bytes.fromhex(record["Value"] or "")
    reader = Reader(data, 0, len(data))
    try:
        frame, kind, version = (reader.scalar(VARINT) for _ in range(3))
    except WireError:
        return
    message = _messages(_METADATA).get(("metadata", kind)) if frame == _FRAME_VERSION else None
    record["Value"] = _opened(message, version, data[reader.at :], record["Value"])


def _opened(message: Message | None, version: int, data: bytes, otherwise: str) -> Json:
    if message is None or version not in message.valid_versions:
        return otherwise
    reading = read(_layout(message.name, version), data)
    if reading.error is not None:
        return otherwise
    return {"Message": message.name, "Version": version, "Value": reading.value}


@cache
def _layout(name: str, version: int) -> Layout:
    return layout(embedded_message(name), version)


@cache
def _messages(topic: str) -> dict[tuple[str, int], Message]:
    """The messages in a topic, by what they are and their type."""
    messages: dict[tuple[str, int], Message] = {}
    for path in embedded_source().joinpath(_FOLDERS[topic]).glob("*.json"):
        message = embedded_message(path.stem)
        if message.api_key is not None:
            messages[message.type.removeprefix("coordinator-"), message.api_key] = message
    return messages
