"""Keys and values of the records in the topics of brokers themselves, by the specs that describe
them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from wirebook.specs.codec import VARINT, Reader
from wirebook.specs.embedded import message_in
from wirebook.specs.kafka.registry import embedded_message, embedded_source
from wirebook.specs.model import Message, MessageValue
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
            key, value = (bytes.fromhex(record[name] or "") for name in ("Key", "Value"))
            if topic == _METADATA:
                _open(record, "Value", topic, *_metadata(value))
            elif len(key) >= 2:
                # A key begins with its type, and a value with the version of its spec.
                kind, version = (int.from_bytes(part[:2], "big") for part in (key, value))
                _open(record, "Key", topic, kind, 0, key[2:])
                if len(value) >= 2:
                    _open(record, "Value", topic, kind, version, value[2:])


def _metadata(data: bytes) -> tuple[int, int, bytes]:
    """The type, the version and the bytes of a record after its frame; -1 as the type of others."""
    reader = Reader(data, 0, len(data))
    try:
        frame, kind, version = (reader.scalar(VARINT) for _ in range(3))
    except WireError:
        return -1, 0, b""
    return kind if frame == _FRAME_VERSION else -1, version, data[reader.at :]


def _open(
    record: dict[str, Any], part: str, topic: str, kind: int, version: int, data: bytes
) -> None:
    """Replace a part of a record, of which some bytes are left, by the message of a type."""
    message = _messages(topic).get((part, kind))
    reader = message_in(message, version, data)
    if message is not None and reader is not None:
        record[part] = {"Message": message.name, "Version": version, "Value": reader.value}


@cache
def _messages(topic: str) -> dict[tuple[str, int], Message]:
    """The messages in a topic, by the part of a record that they are in and their type."""
    found = {}
    for path in embedded_source().joinpath(_FOLDERS[topic]).glob("*.json"):
        message = embedded_message(path.stem)
        if message.api_key is not None:
            part = "Key" if message.type == "coordinator-key" else "Value"
            found[part, message.api_key] = message
    return found
