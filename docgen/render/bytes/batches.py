"""What messages carry as bytes: records in each of Kafka's formats, and what group members exchange."""

from __future__ import annotations

from functools import cache
from struct import pack
from zlib import crc32

from wirebook.specs.exchange.records import encode_records
from wirebook.specs.model import Json

TIMESTAMP = 1_700_000_000_000
# The first version whose records have magic 1, and the first one with magic 2 (KIP-32, KIP-98).
FIRST_VERSIONS = {"Produce": (2, 3), "Fetch": (2, 4)}
_KEY, _VALUE = b"k1".hex(), b"hello".hex()


@cache
def records(magic: int) -> bytes:
    """One record, key "k1", value "hello": a message set of magic 0 or 1, or a record batch (magic 2)."""
    if magic < 2:
        return message(magic)
    return encode_records(
        [{"PartitionLeaderEpoch": 5, "BaseTimestamp": TIMESTAMP, "Records": [{"Key": _KEY, "Value": _VALUE}]}]
    )


def message(magic: int) -> bytes:
    """A message of magic 0 or 1, which a checksum precedes."""
    stamp = pack(">q", TIMESTAMP) if magic else b""
    content = b"".join(pack(">i", len(part)) + part for part in (b"k1", b"hello"))
    counted = pack(">bb", magic, 0) + stamp + content
    return pack(">qiI", 0, 4 + len(counted), crc32(counted)) + counted


@cache
def batch() -> bytes:
    """A record batch of an idempotent producer, as a broker has it: two records, one with a header."""
    headers: list[Json] = [{"Key": "trace", "Value": "0102"}]
    records: list[Json] = [
        {"Key": _KEY, "Value": _VALUE, "Headers": headers},
        {"TimestampDelta": 7, "Key": _KEY, "Value": None},
    ]
    producer: dict[str, Json] = {"ProducerId": 4000, "ProducerEpoch": 3, "BaseSequence": 17}
    header: dict[str, Json] = {"BaseOffset": 1042, "PartitionLeaderEpoch": 5, "BaseTimestamp": TIMESTAMP}
    return encode_records([{**header, **producer, "Records": records}])


def subscription(topic: str) -> bytes:
    """The subscription that a consumer sends when it joins: version 0, its topic, no data of the user.

    Source: Kafka's ConsumerProtocolSubscription.json.
    """
    return pack(">hi", 0, 1) + _name(topic) + pack(">i", -1)


def assignment(topic: str) -> bytes:
    """What a consumer is assigned: version 0, partition 0 of a topic, no data of the user.

    Source: Kafka's ConsumerProtocolAssignment.json.
    """
    return pack(">hi", 0, 1) + _name(topic) + pack(">iii", 1, 0, -1)


def _name(topic: str) -> bytes:
    return pack(">h", len(topic)) + topic.encode()
