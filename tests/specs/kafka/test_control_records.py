"""What control records mean: those of Kafka's Java client become objects, and the same bytes again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support import ROOT
from wirebook.specs.kafka.control_records import (
    MESSAGES,
    TYPES,
    decode,
    encode,
    with_controls,
    without_controls,
)
from wirebook.specs.wire.codec import WireError
from wirebook.specs.wire.records.reading import read_records
from wirebook.specs.wire.records.writing import write_records

VECTORS = json.loads((ROOT / "site_src" / "data" / "record_vectors.json").read_text(encoding="utf-8"))


def of_java(name: str) -> tuple[bytes, bytes]:
    """The key and the value of a control record as Kafka's Java client writes it."""
    [data] = [item["hex"] for item in VECTORS["vectors"] if item["name"] == name]
    records: Any = read_records(bytes.fromhex(data))[0]["Records"]
    return bytes.fromhex(records[0]["Key"]), bytes.fromhex(records[0]["Value"])


@pytest.mark.parametrize("name", TYPES)
def test_each_type_is_an_object_and_the_same_bytes_again(name: str) -> None:
    key, value = of_java(name)
    meaning: Any = decode(key, value)
    assert meaning["Type"] == name
    assert meaning["Value"]["Version"] == 0, f"{MESSAGES[name]} is not decoded"
    assert encode(meaning) == (key, value)


def test_the_fields_are_those_of_the_specs() -> None:
    def value(name: str) -> Any:
        meaning: Any = decode(*of_java(name))
        return meaning["Value"]

    assert value("COMMIT") == {"Version": 0, "CoordinatorEpoch": 12}
    assert value("KRAFT_VERSION") == {"Version": 0, "KRaftVersion": 1}
    assert [voter["VoterId"] for voter in value("LEADER_CHANGE")["Voters"]] == [1, 2]
    assert value("KRAFT_VOTERS")["Voters"][0]["Endpoints"][0]["Port"] == 9093


def test_a_key_has_version_0_unless_it_is_given() -> None:
    for given, key in (({}, "00000001"), ({"Version": None}, "00000001"), ({"Version": 3}, "00030001")):
        for kind in ("COMMIT", 1):
            made = encode({**given, "Type": kind, "Value": {"CoordinatorEpoch": 7}})
            assert [part.hex() for part in made] == [key, "000000000007"]
    # The version of a record is a field of its own, and the first of it.
    made = encode({"Type": "KRAFT_VERSION", "Value": {"KRaftVersion": 1}})
    assert made[1].hex() == "0000000100"


def test_only_records_of_control_batches_have_a_meaning() -> None:
    go = {"Key": "00000001", "Value": "000000000007"}
    records = [go, {**go, "Key": "00"}, {**go, "Value": None}]
    for is_control in (True, False):
        data = write_records([{"Control": is_control, "Records": records}])
        items = read_records(data)
        with_controls(items)
        rows: Any = items[0]["Records"]
        assert ["ControlRecord" in row for row in rows] == [is_control, False, False]
        assert write_records(without_controls(items)) == data
    for given in ({"Key": "00"}, {"Value": None}):
        with pytest.raises(
            WireError, match=r"Records\[0\].ControlRecord: a record has this or a key and a value"
        ):
            without_controls([{"Records": [{"ControlRecord": {}, **given}]}])
