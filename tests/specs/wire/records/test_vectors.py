"""Record batches of Kafka's Java client, kafka-python and aiokafka are read right, and ours by
them."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import Any

import pytest
from aiokafka.record.memory_records import MemoryRecords as AioKafkaRecords
from hypothesis import given
from hypothesis import strategies as st
from kafka.record import MemoryRecords

import wirebook
from tests.specs.wire.records.record_values import common_batches
from tests.support import ROOT
from wirebook.specs.records.writing import write_records

VECTORS = json.loads(
    (ROOT / "site_src" / "data" / "record_vectors.json").read_text(encoding="utf-8")
)

# The checksum in the header of an LZ4 frame of magic 0 is wrong: such messages are not read.
WRONG = [
    item
    for item in VECTORS["vectors"]
    if (item["read"][0]["magic"], item["read"][0]["compression"]) == (0, "lz4")
]
READ = [item for item in VECTORS["vectors"] if item not in WRONG]
# Older message sets are only read.
BATCHES = [item for item in VECTORS["vectors"] if item["read"][0]["magic"] == 2]


def needs_package(item: dict[str, Any]) -> bool:
    """Whether a vector is of a compression that this machine has no package for."""
    return bool(
        find_spec("cramjam") is None
        and any(name in item["name"] for name in ("snappy", "lz4", "zstd"))
    )


def names(item: dict[str, Any]) -> str:
    """The name of a vector as a test's."""
    return f"{item['by']}: {item['name']}"


def meaning(batch: dict[str, Any]) -> dict[str, Any]:
    """What a reader makes of a batch or message: absolute offsets, and the timestamp that
    counts."""
    appended = batch.get("TimestampType") == "LogAppendTime"
    made = {
        "valid": True,
        "magic": batch["Magic"],
        "compression": batch["Compression"],
        "delete_horizon": -1,
    }
    if batch["Magic"] == 2:
        base = batch["BaseTimestamp"]
        return {
            **made,
            "last_offset": batch["BaseOffset"] + batch["LastOffsetDelta"],
            "leader_epoch": batch["PartitionLeaderEpoch"],
            "timestamp_type": batch["TimestampType"],
            "producer": [batch["ProducerId"], batch["ProducerEpoch"], batch["BaseSequence"]],
            "transactional": batch["Transactional"],
            "control": batch["Control"],
            "delete_horizon": base if batch["DeleteHorizon"] else -1,
            "records": [
                {
                    "offset": batch["BaseOffset"] + record["OffsetDelta"],
                    "timestamp": batch["MaxTimestamp"]
                    if appended
                    else base + record["TimestampDelta"],
                    **content(record),
                }
                for record in batch["Records"]
            ],
        }
    inner = batch.get("Messages", [batch])
    # In a compressed message of magic 1, offsets are relative, and the outer one is that of the
    # last. Some producers leave the outer one at 0, and then nothing is added.
    before = batch["Offset"] - inner[-1]["Offset"] if batch["Magic"] == 1 and batch["Offset"] else 0
    return {
        **made,
        "last_offset": batch["Offset"],
        "leader_epoch": -1,
        "timestamp_type": batch.get("TimestampType", "NoTimestampType"),
        "producer": [-1, -1, -1],
        "transactional": False,
        "control": False,
        "records": [
            {
                "offset": before + message["Offset"],
                "timestamp": batch["Timestamp"] if appended else message.get("Timestamp", -1),
                **content(message),
            }
            for message in inner
        ],
    }


def content(record: dict[str, Any]) -> dict[str, Any]:
    """The key, value and headers of a record or message."""
    key, value = record["Key"], record["Value"]
    headers = [[header["Key"], header["Value"]] for header in record.get("Headers", [])]
    return {"key": key, "value": value, "headers": headers}


@pytest.mark.parametrize("item", READ, ids=names)
def test_batches_of_other_clients_are_read_as_java_reads_them(item: dict[str, Any]) -> None:
    if needs_package(item):
        pytest.skip("needs the package cramjam")
    assert item["read"]
    found = wirebook.decode_records(bytes.fromhex(item["hex"]))
    assert [item for item in found if "Hex" in item] == []
    assert [meaning(batch) for batch in found] == item["read"]


@pytest.mark.parametrize("item", WRONG, ids=names)
def test_a_frame_with_a_wrong_checksum_is_an_error(item: dict[str, Any]) -> None:
    if needs_package(item):
        pytest.skip("needs the package cramjam")
    found = wirebook.decode_records(bytes.fromhex(item["hex"]))
    assert all("this is not lz4" in batch["Error"] for batch in found)


@pytest.mark.parametrize("item", BATCHES, ids=names)
def test_batches_of_other_clients_are_written_as_they_were(item: dict[str, Any]) -> None:
    if needs_package(item):
        pytest.skip("needs the package cramjam")
    data = bytes.fromhex(item["hex"])
    found = wirebook.decode_records(data)
    again = wirebook.encode_records(found)
    assert wirebook.decode_records(again) == found
    if all(batch["Compression"] == "none" for batch in found):
        assert again == data


@pytest.mark.parametrize("item", [item for item in BATCHES if "value" in item], ids=names)
def test_what_is_encoded_is_what_java_read(item: dict[str, Any]) -> None:
    if needs_package(item):
        pytest.skip("needs the package cramjam")
    data = wirebook.encode_records(item["value"])
    # Releases of a compressor may write other bytes for the same content.
    assert wirebook.decode_records(data) == wirebook.decode_records(bytes.fromhex(item["hex"]))
    if "none" in item["name"]:
        assert data.hex() == item["hex"]


def test_every_client_and_format_has_its_vectors() -> None:
    by = {
        (item["by"], item["read"][0]["magic"], item["read"][0]["compression"])
        for item in VECTORS["vectors"]
    }
    kinds = ("none", "gzip", "snappy", "lz4", "zstd")
    wanted = {
        (magic, kind) for magic in (0, 1, 2) for kind in kinds if kind != "zstd" or magic == 2
    }
    for client in ("java", "wirebook"):
        assert {(magic, kind) for name, magic, kind in by if name == client} == wanted
    assert {name for name, _, _ in by} == {"java", "wirebook", "kafka-python", "aiokafka"}
    assert set(VECTORS["sources"]) == {"java", "kafka-python", "aiokafka"}


@given(st.lists(common_batches, min_size=1, max_size=3))
def test_kafka_python_and_aiokafka_read_what_we_write(made: list[Any]) -> None:
    data = write_records(made)
    for reader in (MemoryRecords(data), AioKafkaRecords(data)):
        for batch in made:
            read = reader.next_batch()
            assert read.validate_crc()
            found = [
                (
                    _hex(record.key),
                    _hex(record.value),
                    [(key, _hex(value)) for key, value in record.headers],
                )
                for record in read
            ]
            assert found == [
                (
                    each["Key"],
                    each["Value"],
                    [(header["Key"], header["Value"]) for header in each["Headers"]],
                )
                for each in batch["Records"]
            ]
            assert read.is_transactional == batch["Transactional"]


def _hex(data: bytes | None) -> str | None:
    return None if data is None else data.hex()
