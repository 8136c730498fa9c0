"""The records of control batches: transaction markers, and the quorum records of a KRaft log.

The key consists of a version and a type (ControlRecordType.java). The value begins with its
version, and the rest is a message, one of `MESSAGES`.
"""

from __future__ import annotations

from struct import Struct
from typing import Any

from wirebook.specs.embedded import message_in
from wirebook.specs.kafka.registry import embedded_message
from wirebook.specs.model import Json, MessageValue
from wirebook.specs.records.reading import read_records
from wirebook.specs.spans import WireError

# The types by number, and the value of each. A marker has a version before the message; all others
# have it as a field.
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


def decode_records(data: bytes) -> list[MessageValue]:
    """The batches and messages in some bytes; records in control batches have what they mean as
    "ControlRecord": {"Type", "Version", "Value"}.

    Raises InputError if a compression needs a missing package.
    """
    items = read_records(data)
    for item in items:
        records: Any = item.get("Records", ())
        for record in records if item.get("Control") else ():
            key, value = record["Key"], record["Value"]
            if key is not None and value is not None and len(key) == 2 * _KEY.size:
                record["ControlRecord"] = _meaning(bytes.fromhex(key), bytes.fromhex(value))
    return items


def problems_of(items: list[MessageValue], path: str, *, may_be_cut: bool) -> list[WireError]:
    """The damaged ones of batches and messages; `may_be_cut` is whether the bytes may end within
    one."""
    keys = ("Error",) if may_be_cut else ("Error", "Partial")
    return [
        WireError(str(item[key]), path=f"{path}[{index}]")
        for index, item in enumerate(items)
        for key in keys
        if key in item
    ]


def _meaning(key: bytes, value: bytes) -> Json:
    """What a record means; a value without a spec stays hex."""
    version, number = _KEY.unpack(key)
    content: Json = value.hex()
    if number not in range(len(_TYPES)):
        return {"Type": number, "Version": version, "Value": content}
    name = _TYPES[number]
    own = int.from_bytes(value[:_VERSION], "big", signed=True)
    start = _VERSION if name in _PREFIXED else 0
    reader = message_in(embedded_message(MESSAGES[name]), own, value, start)
    if reader is not None:
        content = {"Version": own, **reader.value}
    return {"Type": name, "Version": version, "Value": content}
