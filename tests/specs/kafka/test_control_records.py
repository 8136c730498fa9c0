"""What control records mean: those of Kafka's Java client become objects, and the same bytes again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support import ROOT
from wirebook.specs.kafka.control_records import MESSAGES, TYPES, ControlRecords
from wirebook.specs.wire.records.entries import read_entries
from wirebook.specs.wire.records.model import Batch
from wirebook.specs.wire.scalars import WireError

VECTORS = json.loads(
    (ROOT / "docgen" / "render" / "bytes" / "record_vectors.json").read_text(encoding="utf-8")
)
CONTROLS = ControlRecords()


def of_java(name: str) -> tuple[bytes, bytes]:
    """The key and the value of a control record as Kafka's Java client writes it."""
    [data] = [item["hex"] for item in VECTORS["vectors"] if item["name"] == name]
    [entry] = read_entries(bytes.fromhex(data))
    assert isinstance(entry, Batch)
    [record] = entry.records
    assert record.key is not None
    assert record.value is not None
    return record.key, record.value


@pytest.mark.parametrize("name", TYPES)
def test_each_type_is_an_object_and_the_same_bytes_again(name: str) -> None:
    key, value = of_java(name)
    meaning: Any = CONTROLS.decode(key, value)
    assert meaning["Type"] == name
    assert meaning["Value"]["Version"] == 0, f"{MESSAGES[name]} is not decoded"
    assert CONTROLS.encode(meaning) == (key, value)


def test_the_fields_are_those_of_the_specs() -> None:
    def value(name: str) -> Any:
        meaning: Any = CONTROLS.decode(*of_java(name))
        return meaning["Value"]

    assert value("COMMIT") == {"Version": 0, "CoordinatorEpoch": 12}
    assert value("KRAFT_VERSION") == {"Version": 0, "KRaftVersion": 1}
    assert [voter["VoterId"] for voter in value("LEADER_CHANGE")["Voters"]] == [1, 2]
    assert value("KRAFT_VOTERS")["Voters"][0]["Endpoints"][0]["Port"] == 9093


@pytest.mark.parametrize(
    ("key", "value", "meaning"),
    [
        # An unknown type; values of an unknown version, cut off twice, and with a byte more.
        ("00000063", "cafe", {"Version": 0, "Type": 99, "Value": "cafe"}),
        ("00000001", "0009000000", {"Version": 0, "Type": "COMMIT", "Value": "0009000000"}),
        ("00000001", "00", {"Version": 0, "Type": "COMMIT", "Value": "00"}),
        ("00000001", "0000000000", {"Version": 0, "Type": "COMMIT", "Value": "0000000000"}),
        ("00000001", "0000" + "0000000c" + "ff", {"Version": 0, "Type": "COMMIT", "Value": "00000000000cff"}),
        ("0000", "00", None),
    ],
)
def test_what_has_another_form_stays_hex(key: str, value: str, meaning: Any) -> None:
    given = bytes.fromhex(key), bytes.fromhex(value)
    assert CONTROLS.decode(*given) == meaning
    if meaning is not None:
        assert CONTROLS.encode(meaning) == given


@pytest.mark.parametrize(
    ("meaning", "problem"),
    [
        (7, "an object with Version, Type, Value is expected, not 7"),
        ({"Type": "COMIT"}, "Type: ABORT, COMMIT, .* one of these is expected"),
        ({"Type": 1 << 15}, "Type: 32768 does not fit INT16"),
        ({"Type": "COMMIT"}, "Value: an object, or bytes in hex, is expected"),
        ({"Type": "COMMIT", "Value": {"Version": 7}}, "Value: EndTxnMarker has no version 7"),
        ({"Type": "COMMIT", "Value": {"CoordinatorEpoch": "x"}}, "Value.CoordinatorEpoch: a whole number"),
        ({"Type": 99, "Value": {}}, "Value: bytes in hex is expected"),
    ],
)
def test_what_does_not_fit_is_refused(meaning: Any, problem: str) -> None:
    with pytest.raises(WireError, match=problem):
        CONTROLS.encode(meaning)
