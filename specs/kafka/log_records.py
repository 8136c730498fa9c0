"""What records of brokers mean: those of control batches, which are transaction markers and the
quorum records of a KRaft log, and those of the topics of brokers themselves.

The key of a control record consists of a version and a type (ControlRecordType.java). The value
begins with its version, and the rest is a message, one of `MESSAGES`.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from struct import Struct
from typing import Any

from wirebook.specs.codec import VARINT, Reader, number_at
from wirebook.specs.embedded import message_in
from wirebook.specs.kafka.registry import embedded_message, embedded_source
from wirebook.specs.model import Message, MessageValue
from wirebook.specs.records.reading import read_records
from wirebook.specs.spans import WireError

# The types by number, and the value of each. A marker has a version before its message.
MESSAGES = {
    "ABORT": "EndTxnMarker",
    "COMMIT": "EndTxnMarker",
    "LEADER_CHANGE": "LeaderChangeMessage",
    "SNAPSHOT_HEADER": "SnapshotHeaderRecord",
    "SNAPSHOT_FOOTER": "SnapshotFooterRecord",
    "KRAFT_VERSION": "KRaftVersionRecord",
    "KRAFT_VOTERS": "VotersRecord",
}
_TYPES = tuple(MESSAGES)
_PREFIXED = ("ABORT", "COMMIT")
_KEY = Struct(">hh")
_VERSION = 2  # bytes

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


def decode_records(data: bytes, topic: str = "") -> list[MessageValue]:
    """The batches and messages in some bytes; records in control batches have what they mean as
    "ControlRecord": {"Type", "Version", "Value"}.

    Keys and values of a topic of brokers are messages, or hex if they do not fit a spec. Raises
    InputError if a compression needs a missing package.
    """
    items = read_records(data)
    for item in items:
        records: Any = item.get("Records", ())
        for record in records:
            if item.get("Control"):
                _explain(record)
            elif topic:
                _open(record, topic)
    return items


def problems_of(items: list[MessageValue], path: str, *, may_be_cut: bool) -> list[WireError]:
    """The damaged ones of batches and messages; `may_be_cut` if the bytes may end within one."""
    keys = ("Error",) if may_be_cut else ("Error", "Partial")
    return [
        WireError(str(item[key]), path=f"{path}[{index}]")
        for index, item in enumerate(items)
        for key in keys
        if key in item
    ]


def _explain(record: dict[str, Any]) -> None:
    """Add what a control record means; a value without a spec stays hex."""
    key, value = (bytes.fromhex(record[name] or "") for name in ("Key", "Value"))
    if len(key) != _KEY.size or record["Value"] is None:
        return
    version, kind = _KEY.unpack(key)
    content: Any = record["Value"]
    if kind in range(len(_TYPES)):
        kind = _TYPES[kind]
        own = number_at(value, 0, _VERSION)
        start = _VERSION if kind in _PREFIXED else 0
        reader = message_in(embedded_message(MESSAGES[kind]), own, value, start)
        if reader is not None:
            content = {"Version": own, **reader.value}
    record["ControlRecord"] = {"Type": kind, "Version": version, "Value": content}


def _open(record: dict[str, Any], topic: str) -> None:
    """Replace the key and the value of a record in a topic of brokers by messages."""
    key, value = (bytes.fromhex(record[name] or "") for name in ("Key", "Value"))
    if topic == _METADATA:
        reader = Reader(value, 0, len(value))
        with suppress(WireError):
            frame, kind, version = (reader.scalar(VARINT) for _ in range(3))
            if frame == _FRAME_VERSION:
                _replace(record, "Value", topic, kind, version, value[reader.at :])
    elif len(key) >= 2:
        # A key begins with its type, and a value with the version of its spec.
        kind, version = (int.from_bytes(part[:2], "big") for part in (key, value))
        _replace(record, "Key", topic, kind, 0, key[2:])
        if len(value) >= 2:
            _replace(record, "Value", topic, kind, version, value[2:])


def _replace(
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
