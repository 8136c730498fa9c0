"""The JSON form of records: what may be left out, what is refused, and the messages that have it."""

from __future__ import annotations

import json
from typing import Any

import pytest

import wirebook
from wirebook.specs.wire.records.model import Batch, Record
from wirebook.specs.wire.records.values import entries_json, entries_of

BATCH = {"BaseTimestamp": 1000, "Records": [{"Value": "00"}, {"TimestampDelta": 7}]}
PRODUCE = wirebook.layout("ProduceRequest", 9)
FETCH = wirebook.layout("FetchResponse", 12)


def produced(records: Any) -> dict[str, Any]:
    """A Produce request with records."""
    return {"TopicData": [{"Name": "t", "PartitionData": [{"Index": 0, "Records": records}]}]}


def fetched(records: Any) -> dict[str, Any]:
    """A Fetch response with records."""
    return {"Responses": [{"Topic": "t", "Partitions": [{"PartitionIndex": 0, "Records": records}]}]}


def records_of(value: dict[str, Any]) -> Any:
    """The records of either."""
    if "TopicData" in value:
        return value["TopicData"][0]["PartitionData"][0]["Records"]
    return value["Responses"][0]["Partitions"][0]["Records"]


def test_what_is_left_out_follows_from_the_rest_or_is_as_producers_write_it() -> None:
    assert entries_of([BATCH]) == [
        Batch(
            base_timestamp=1000,
            max_timestamp=1007,
            last_offset_delta=1,
            records=(Record(0, 0, None, b"\0"), Record(1, 7)),
        )
    ]


def test_controls_decode_only_control_batches() -> None:
    class Words:
        def decode(self, key: bytes, value: bytes) -> object:
            return key.decode() if key != b"?" else None

        def encode(self, value: object) -> tuple[bytes, bytes]:
            return str(value).encode(), b"!"

    records = (Record(key=b"go", value=b"!"), Record(1, key=b"?", value=b"!"), Record(2, key=b"go"))
    for attributes, found in ((0x20, ["go", None, None]), (0, [None] * 3)):
        batch = Batch(attributes=attributes, last_offset_delta=2, records=records)
        [read] = entries_json([batch], Words())
        rows: Any = read["Records"]
        assert [row.get("ControlRecord") for row in rows] == found
        assert entries_of([read], Words()) == [batch]
    for given, words in (
        ({"ControlRecord": "go", "Key": "00"}, "a record has this or a key and a value"),
        ({"ControlRecord": "go", "Value": None}, "a record has this or a key and a value"),
    ):
        with pytest.raises(wirebook.WireError, match=rf"Records\[0\].ControlRecord: {words}"):
            entries_of([{"Records": [given]}], Words())
    with pytest.raises(wirebook.WireError, match="ControlRecord: a record has this"):
        entries_of([{"Records": [{"ControlRecord": "go"}]}])


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("x", "a list of batches, or bytes in hex, is expected"),
        ([7], r"\[0\]: an object is expected, not 7"),
        ([{"Magic": 3}], r"\[0\].Magic: 0, 1 or 2 is expected, not 3"),
        ([{"Magic": True}], r"\[0\].Magic: 0, 1 or 2 is expected, not true"),
        ([{"Rcords": []}], r"\[0\].Rcords: there is no such field; did you mean Records"),
        ([{"Records": {}}], r"\[0\].Records: a list is expected"),
        ([{"Records": [{"Key": "0"}]}], r"\[0\].Records\[0\].Key: bytes in hex or null"),
        ([{"Records": [{"Headers": [{"Value": "00"}]}]}], r"Headers\[0\].Key: a string is expected"),
        ([{"Records": [{"Headers": [{"Key": "\ud800"}]}]}], r"Headers\[0\].Key: .* surrogate"),
        ([{"Records": [{"OffsetDelta": 1 << 31}]}], r"OffsetDelta: 2147483648 does not fit INT32"),
        ([{"Compression": "lzma"}], r"Compression: none, gzip, snappy, lz4, zstd: one of these"),
        ([{"TimestampType": 0}], r"TimestampType: CreateTime, LogAppendTime: one of these"),
        ([{"Transactional": 1}], r"Transactional: true or false is expected"),
        ([{"ReservedAttributes": 1}], r"ReservedAttributes: bits without a meaning"),
        ([{"ProducerEpoch": 40_000}], r"ProducerEpoch: 40000 does not fit INT16"),
        ([{"Error": "bad"}], r"\[0\].Hex: bytes in hex is expected"),
        ([{"Magic": 1, "Messages": []}], r"Messages: only a compressed message has Messages"),
        ([{"Magic": 1, "Compression": "gzip", "Value": "00"}], r"Value: a compressed message has Messages"),
        ([{"Magic": 0, "Timestamp": 1}], r"Timestamp: there is no such field"),
        (
            [{"Magic": 1, "Compression": "gzip", "Messages": [{"Magic": 0}]}],
            r"\[0\].Messages\[0\].Magic: 1 is expected, as in the message around it",
        ),
        (
            [{"Magic": 1, "Compression": "gzip", "Messages": [{"Compression": "gzip"}]}],
            r"\[0\].Messages\[0\].Compression: a message within a compressed one",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_its_path(value: Any, problem: str) -> None:
    with pytest.raises(wirebook.WireError, match=problem):
        entries_of(value)


@pytest.mark.parametrize(("layout", "around"), [(PRODUCE, produced), (FETCH, fetched)])
def test_records_of_messages_are_hex_or_batches(layout: wirebook.Layout, around: Any) -> None:
    batches = [BATCH, {"Compression": "gzip", **BATCH}, {"Magic": 1, "Value": "61"}]
    data = wirebook.encode(layout, around(batches))
    alone = wirebook.encode_records(batches)
    assert data == wirebook.encode(layout, around(alone.hex()))
    assert records_of(wirebook.decode(layout, data)) == alone.hex()
    opened = wirebook.decode(layout, data, records=True)
    assert records_of(opened) == wirebook.decode_records(alone)
    assert wirebook.encode(layout, opened) == data
    assert json.loads(json.dumps(opened)) == opened
