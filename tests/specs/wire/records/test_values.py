"""The JSON form of records: what may be left out, what is refused, and the messages that have
it."""

from __future__ import annotations

import json
from typing import Any

import pytest

import wirebook
from wirebook.specs.records.reading import read_records
from wirebook.specs.records.writing import write_records

BATCH = {"BaseTimestamp": 1000, "Records": [{"Value": "00"}, {"TimestampDelta": 7}]}
PRODUCE = wirebook.layout("ProduceRequest", 9)
FETCH = wirebook.layout("FetchResponse", 12)


def produced(records: Any) -> dict[str, Any]:
    """A Produce request with records."""
    return {"TopicData": [{"Name": "t", "PartitionData": [{"Index": 0, "Records": records}]}]}


def fetched(records: Any) -> dict[str, Any]:
    """A Fetch response with records."""
    return {
        "Responses": [{"Topic": "t", "Partitions": [{"PartitionIndex": 0, "Records": records}]}]
    }


def records_of(value: dict[str, Any]) -> Any:
    """The records of either."""
    if "TopicData" in value:
        return value["TopicData"][0]["PartitionData"][0]["Records"]
    return value["Responses"][0]["Partitions"][0]["Records"]


def test_what_is_left_out_follows_from_the_rest_or_is_as_producers_write_it() -> None:
    [read] = read_records(write_records([BATCH]))
    assert (read["MaxTimestamp"], read["LastOffsetDelta"]) == (1007, 1)
    plain: dict[str, Any] = {"Key": None, "Value": None, "Headers": []}
    assert read["Records"] == [
        {**plain, "TimestampDelta": 0, "OffsetDelta": 0, "Value": "00"},
        {**plain, "TimestampDelta": 7, "OffsetDelta": 1},
    ]


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("x", "a list of batches, or bytes in hex, is expected"),
        ([7], r"\[0\]: an object is expected, not 7"),
        ([{"Magic": 3}], r"\[0\].Magic: 2 is expected, not 3: older message sets are only read"),
        ([{"Magic": True}], r"\[0\].Magic: 2 is expected, not true"),
        ([{"Rcords": []}], r"\[0\].Rcords: there is no such field; did you mean Records"),
        ([{"Records": {}}], r"\[0\].Records: a list is expected"),
        ([{"Records": [{"Key": "0"}]}], r"\[0\].Records\[0\].Key: bytes in hex or null"),
        (
            [{"Records": [{"Headers": [{"Value": "00"}]}]}],
            r"Headers\[0\].Key: a string is expected",
        ),
        ([{"Records": [{"Headers": [{"Key": "\ud800"}]}]}], r"Headers\[0\].Key: .* surrogate"),
        ([{"Records": [{"OffsetDelta": 1 << 31}]}], r"OffsetDelta: 2147483648 does not fit VARINT"),
        (
            [{"Compression": "lzma"}],
            r'Compression: one of ."none", "gzip", .* is expected, not "lzma"',
        ),
        ([{"TimestampType": 0}], r'TimestampType: one of ."CreateTime", "LogAppendTime". is'),
        ([{"Transactional": 1}], r"Transactional: one of .false, true. is expected"),
        ([{"ReservedAttributes": 1}], r"ReservedAttributes: bits without a meaning"),
        ([{"ProducerEpoch": 40_000}], r"ProducerEpoch: 40000 does not fit INT16"),
        ([{"Error": "bad"}], r"\[0\].Hex: bytes in hex is expected"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_path(value: Any, problem: str) -> None:
    with pytest.raises(wirebook.WireError, match=problem):
        write_records(value)


@pytest.mark.parametrize(("layout", "around"), [(PRODUCE, produced), (FETCH, fetched)])
def test_records_of_messages_are_hex_or_batches(layout: wirebook.Layout, around: Any) -> None:
    batches = [BATCH, {"Compression": "gzip", **BATCH}]
    data = wirebook.encode(layout, around(batches))
    alone = wirebook.encode_records(batches)
    assert data == wirebook.encode(layout, around(alone.hex()))
    assert records_of(wirebook.decode(layout, data)) == alone.hex()
    opened = wirebook.decode(layout, data, records=True)
    assert records_of(opened) == wirebook.decode_records(alone)
    assert wirebook.encode(layout, opened) == data
    assert json.loads(json.dumps(opened)) == opened
