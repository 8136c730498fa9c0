"""The JSON form of records: what may be left out, what is refused, and the messages that have it."""

from __future__ import annotations

import json
from typing import Any

import pytest

import wirebook
from tests.specs.wire.records.record_values import needs_cramjam
from wirebook.specs.wire.records.attributes import attributes_json, attributes_of
from wirebook.specs.wire.records.entries import read_entries
from wirebook.specs.wire.records.model import Batch, MessageSetEntry, Record
from wirebook.specs.wire.records.values import entries_json, entries_of
from wirebook.specs.wire.shape import has_records

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


@pytest.mark.parametrize(
    ("given", "batch"),
    [
        ({}, Batch(max_timestamp=-1)),
        ({"BaseTimestamp": 5}, Batch(base_timestamp=5, max_timestamp=5)),
        (
            {"Records": [{"OffsetDelta": 7, "TimestampDelta": -3}, {}]},
            Batch(last_offset_delta=7, max_timestamp=-1, records=(Record(7, -3), Record(1, 0))),
        ),
        (
            {"BaseTimestamp": 5, "Records": [{"OffsetDelta": -4, "TimestampDelta": -3}]},
            Batch(last_offset_delta=-4, base_timestamp=5, max_timestamp=2, records=(Record(-4, -3),)),
        ),
        (
            {
                "BaseOffset": 1, "PartitionLeaderEpoch": 2, "LastOffsetDelta": 3, "BaseTimestamp": 4,
                "MaxTimestamp": 5, "ProducerId": 6, "ProducerEpoch": 7, "BaseSequence": 8, "Control": True,
            },
            Batch(1, 2, 0x20, 3, 4, 5, 6, 7, 8),
        ),
    ],
)  # fmt: skip
def test_the_numbers_of_a_batch(given: dict[str, Any], batch: Batch) -> None:
    assert entries_of([given]) == entries_of([{"Magic": 2, **given}]) == [batch]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"Magic": 0}, MessageSetEntry(0, 0)),
        (
            {"Magic": 1, "Offset": 3, "Timestamp": 4, "Key": "6b", "Value": ""},
            MessageSetEntry(1, 3, 0, 4, b"k", b""),
        ),
        ({"Magic": 1, "Compression": "gzip"}, MessageSetEntry(1, 0, 1, messages=())),
        (
            {"Magic": 0, "Compression": "gzip", "Messages": [{"Offset": 5}, {"Magic": 0}]},
            MessageSetEntry(0, 1, 1, messages=(MessageSetEntry(0, 5), MessageSetEntry(0, 1))),
        ),
        (
            {"Magic": 1, "Compression": "gzip", "Offset": 9, "Messages": [{"Timestamp": 2}]},
            MessageSetEntry(1, 9, 1, messages=(MessageSetEntry(1, 0, 0, 2),)),
        ),
    ],
)
def test_the_parts_of_a_message(given: dict[str, Any], message: MessageSetEntry) -> None:
    assert entries_of([given]) == [message]
    # What is left out of the second of two is as in the first.
    assert entries_of([given, given]) == [message, message]


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


@pytest.mark.parametrize("magic", [0, 1, 2])
def test_every_bit_of_the_attributes_has_a_name(magic: int) -> None:
    sign = 1 << (15 if magic == 2 else 7)
    for number in range(-sign, sign):
        if number & 7 <= 4:
            assert attributes_of(attributes_json(number, magic), magic) == number


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


def test_null_and_empty_records_stay() -> None:
    for records in (None, ""):
        data = wirebook.encode(PRODUCE, produced(records))
        opened = wirebook.decode(PRODUCE, data, records=True)
        assert records_of(opened) == (None if records is None else [])
        assert wirebook.encode(PRODUCE, opened) == data


def test_errors_in_records_have_the_path_of_the_field() -> None:
    with pytest.raises(wirebook.WireError) as caught:
        wirebook.encode(PRODUCE, produced([BATCH, {"Records": [{"Value": 7}]}]))
    assert caught.value.path == "TopicData[0].PartitionData[0].Records[1].Records[0].Value"
    with pytest.raises(wirebook.WireError, match=r"Records: bytes in hex or null is expected, not an object"):
        wirebook.encode(PRODUCE, produced({}))


def test_a_damaged_batch_is_written_as_it_was() -> None:
    data = bytearray(wirebook.encode_records([BATCH]))
    data[-1] ^= 1
    [read] = wirebook.decode_records(bytes(data))
    assert read["Hex"] == data.hex()
    assert read["Decoded"]["BaseTimestamp"] == 1000
    assert wirebook.encode_records([read]) == data
    body = wirebook.encode(FETCH, fetched([read]))
    assert records_of(wirebook.decode(FETCH, body, records=True)) == [read]


def test_a_header_key_that_is_no_text_is_hex() -> None:
    batch = {"Records": [{"Headers": [{"KeyBytes": "ff", "Value": None}, {"Key": "é", "Value": "00"}]}]}
    [read] = wirebook.decode_records(wirebook.encode_records([batch]))
    assert read["Records"][0]["Headers"] == batch["Records"][0]["Headers"]


def test_inner_messages_count_their_offsets_and_the_outer_has_that_of_the_last() -> None:
    packed = {"Magic": 1, "Compression": "gzip", "Messages": [{"Value": "61"}, {"Value": "62"}]}
    [read] = wirebook.decode_records(wirebook.encode_records([packed]))
    assert [inner["Offset"] for inner in read["Messages"]] == [0, 1]
    assert read["Offset"] == 1


@needs_cramjam
@pytest.mark.parametrize("name", ["snappy", "lz4", "zstd"])
def test_each_compression_has_its_name(name: str) -> None:
    data = wirebook.encode_records([{"Compression": name, **BATCH}])
    [entry] = read_entries(data)
    assert isinstance(entry, Batch)
    [read] = wirebook.decode_records(data)
    assert read["Compression"] == name
    assert len(read["Records"]) == len(entry.records) == 2


def _with_records() -> list[tuple[str, int]]:
    found = []
    for message in wirebook.load():
        found += [(message.name, version) for version in message.valid_versions if _carries(message, version)]
    return found


def _carries(message: wirebook.Message, version: int) -> bool:
    return has_records(wirebook.layout(message, version).fields)


def _filled(fields: Any, records: Any) -> dict[str, Any]:
    """A value with one element in each array that leads to records, and these records."""
    made: dict[str, Any] = {}
    for field in fields:
        if field.type.endswith("RECORDS"):
            made[field.name] = records
        elif field.fields is not None and has_records((field,)):
            inner = _filled(field.fields, records)
            made[field.name] = [inner] if field.element else inner
    return made


def test_every_field_of_type_records_takes_and_gives_batches() -> None:
    found = _with_records()
    names = {"ProduceRequest", "FetchResponse", "ShareFetchResponse", "FetchSnapshotResponse"}
    assert names <= {name for name, _ in found}
    alone = wirebook.encode_records([BATCH])
    for name, version in found:
        layout = wirebook.layout(name, version)
        data = wirebook.encode(layout, _filled(layout.fields, [BATCH]))
        assert data == wirebook.encode(layout, _filled(layout.fields, alone.hex())), (name, version)
        opened = wirebook.decode(layout, data, records=True)
        assert json.dumps(wirebook.decode_records(alone))[1:-1] in json.dumps(opened), (name, version)
        assert wirebook.encode(layout, opened) == data
