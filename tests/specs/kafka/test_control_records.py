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
        ("000000", "00", None),
        ("0000000100", "00", None),
        ("00010002", "", {"Version": 1, "Type": "LEADER_CHANGE", "Value": ""}),
        ("ffffffff", "0000", {"Version": -1, "Type": -1, "Value": "0000"}),
        ("00000000", "0000" + "00000005", {"Version": 0, "Type": "ABORT",
                                          "Value": {"Version": 0, "CoordinatorEpoch": 5}}),
        ("00000000", "0001" + "00000005", {"Version": 0, "Type": "ABORT", "Value": "000100000005"}),
        ("00000005", "0000" + "0001" + "00", {"Version": 0, "Type": "KRAFT_VERSION",
                                             "Value": {"Version": 0, "KRaftVersion": 1}}),
        ("00000005", "0000" + "0001", {"Version": 0, "Type": "KRAFT_VERSION", "Value": "00000001"}),
    ],
)  # fmt: skip
def test_what_has_another_form_stays_hex(key: str, value: str, meaning: Any) -> None:
    given = bytes.fromhex(key), bytes.fromhex(value)
    assert CONTROLS.decode(*given) == meaning
    if meaning is not None:
        assert CONTROLS.encode(meaning) == given


@pytest.mark.parametrize(
    ("meaning", "problem"),
    [
        (7, "an object with Version, Type, Value is expected, not 7"),
        ({"Type": 1, "Value": "", "x": 1}, "an object with Version, Type, Value is expected, not an object"),
        ({}, "Type: a whole number is expected; it is not nullable"),
        ({"Type": 1, "Version": 1 << 15}, "Version: 32768 does not fit INT16"),
        ({"Type": 1, "Version": "1"}, 'Version: a whole number is expected, not "1"'),
        ({"Type": "COMMIT", "Value": {"Version": "0"}}, "Value: a whole number is expected"),
        ({"Type": "COMMIT", "Value": "0"}, "Value: an object, or bytes in hex, is expected, not"),
        ({"Type": "COMMIT", "Value": "0x"}, "Value: an object, or bytes in hex, is expected, not"),
        ({"Type": 99, "Value": "0"}, "Value: bytes in hex is expected, not"),
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


def test_a_key_has_version_0_unless_it_is_given() -> None:
    for given, key in (({}, "00000001"), ({"Version": None}, "00000001"), ({"Version": 3}, "00030001")):
        for kind in ("COMMIT", 1):
            made = CONTROLS.encode({**given, "Type": kind, "Value": {"CoordinatorEpoch": 7}})
            assert [part.hex() for part in made] == [key, "000000000007"]
    # The version of a record is a field of its own, and the first of it.
    made = CONTROLS.encode({"Type": "KRAFT_VERSION", "Value": {"KRaftVersion": 1}})
    assert made[1].hex() == "0000000100"
