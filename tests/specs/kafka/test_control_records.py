"""What control records mean: those of Kafka's Java client."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support import ROOT
from wirebook.specs.kafka.log_records import MESSAGES, decode_records
from wirebook.specs.records.writing import write_records as encode_records

VECTORS = json.loads(
    (ROOT / "site_src" / "data" / "record_vectors.json").read_text(encoding="utf-8")
)


def meaning(name: str) -> Any:
    """What a control record of Kafka's Java client means."""
    [data] = [bytes.fromhex(item["hex"]) for item in VECTORS["vectors"] if item["name"] == name]
    batches = decode_records(data)
    assert encode_records(batches) == data
    records: Any = batches[0]["Records"]
    return records[0]["ControlRecord"]


@pytest.mark.parametrize("name", MESSAGES)
def test_each_type_is_named(name: str) -> None:
    found = meaning(name)
    assert found["Type"] == name
    assert found["Value"]["Version"] == 0, f"{MESSAGES[name]} is not decoded"


def test_the_fields_are_those_of_the_specs() -> None:
    assert meaning("COMMIT")["Value"] == {"Version": 0, "CoordinatorEpoch": 12}
    assert meaning("KRAFT_VERSION")["Value"] == {"Version": 0, "KRaftVersion": 1}
    assert [voter["VoterId"] for voter in meaning("LEADER_CHANGE")["Value"]["Voters"]] == [1, 2]
    assert meaning("KRAFT_VOTERS")["Value"]["Voters"][0]["Endpoints"][0]["Port"] == 9093


def test_only_records_of_control_batches_have_a_meaning() -> None:
    commit = {"Key": "00000001", "Value": "000000000007"}
    records = [
        commit,
        {**commit, "Key": "00"},
        {**commit, "Value": None},
        {**commit, "Key": "00010063"},
    ]
    for is_control in (True, False):
        items: Any = decode_records(encode_records([{"Control": is_control, "Records": records}]))
        found = [row.get("ControlRecord") for row in items[0]["Records"]]
        assert [each is not None for each in found] == [is_control, False, False, is_control]
        if is_control:
            assert found[3] == {"Type": 99, "Version": 1, "Value": "000000000007"}
