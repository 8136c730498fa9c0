"""Keys and values in the topics of brokers; the bytes are those of a broker of Kafka 4.3.1."""

from __future__ import annotations

from typing import Any

import pytest

from wirebook.specs.records.writing import write_records as encode_records
from wirebook.specs.unnamed import BareRecords

GROUP = "0002001877697265626f6f6b2d6f6273657276652d636c6173736963"
GROUP_3 = "0003000000000000ffffffff000001a217b815dc00000000"


def opened(topic: str, **record: str | None) -> Any:
    batch = {"Magic": 2, "Records": [{"Key": None, "Value": None, **record}]}
    value = BareRecords(topic).read(encode_records([batch])).value
    assert isinstance(value, list)
    first: Any = value[0]
    return first["Records"][0]


def test_records_of_groups() -> None:
    record = opened("__consumer_offsets", Key=GROUP, Value=GROUP_3)
    group = {"group": "wirebook-observe-classic"}
    assert record["Key"] == {"Message": "GroupMetadataKey", "Version": 0, "Value": group}
    value = record["Value"]
    assert (value["Message"], value["Version"]) == ("GroupMetadataValue", 3)
    assert value["Value"]["currentStateTimestamp"] == 0x1A217B815DC


def test_a_tombstone_has_a_key_only() -> None:
    record = opened("__consumer_offsets", Key=GROUP)
    assert (record["Key"]["Message"], record["Value"]) == ("GroupMetadataKey", None)


@pytest.mark.parametrize(
    ("topic", "name"),
    [
        ("__consumer_offsets", "LegacyOffsetCommitKey"),
        ("__transaction_state", "TransactionLogKey"),
        ("__share_group_state", "ShareSnapshotKey"),
    ],
)
def test_each_coordinator_has_a_type_0(topic: str, name: str) -> None:
    keys = {"LegacyOffsetCommitKey": "00000001610001620000000a", "TransactionLogKey": "0000000161",
            "ShareSnapshotKey": "0000000161" + "00" * 16 + "00000000"}  # fmt: skip
    key = opened(topic, Key=keys[name])["Key"]
    assert key["Message"] == name, key


def test_records_of_metadata() -> None:
    # Frame 1, type 20 (NoOpRecord), version 0, without fields and tags.
    assert opened("__cluster_metadata", Value="01140000")["Value"] == {
        "Message": "NoOpRecord", "Version": 0, "Value": {},
    }  # fmt: skip
    # Type 3: the records of remote storage, in another log, have that type, too.
    record = "0103 00" + "00" * 4 + "00" * 16 + "01" * 4 + "00" * 12 + "00"
    value = opened("__cluster_metadata", Value=record.replace(" ", ""))["Value"]
    assert value["Message"] == "PartitionRecord", value
