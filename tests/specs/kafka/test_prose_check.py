"""Statements of prose that the specs contradict: each kind is reported, and sound ones are not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.kafka import read_kafka
from wirebook.specs.kafka.prose_check import Facts, contradictions
from wirebook.specs.texts.reader import read_texts

FIELDS = [
    {"name": "Port", "type": "int32", "versions": "0+"},
    {"name": "Den", "type": "string", "versions": "0+", "nullableVersions": "2+"},
    {"name": "Depth", "type": "int32", "versions": "0+", "default": "-1"},
    {"name": "Wet", "type": "bool", "versions": "1+", "default": "true", "taggedVersions": "1+", "tag": 3},
    {"name": "Items", "type": "[]Stone", "versions": "0+", "fields": [
        {"name": "Weight", "type": "uint16", "versions": "0+"},
    ]},
]  # fmt: skip
OTTER = {
    "apiKey": 900, "type": "response", "name": "OtterResponse", "validVersions": "0-3",
    "flexibleVersions": "1+", "fields": FIELDS,
}  # fmt: skip
ROW = {"field": "Port", "cause": "Rain.", "action": "Dry.", "source": "X"}


def complaints(**changes: Any) -> list[tuple[tuple[str | int, ...], str]]:
    message = read_kafka(json.dumps(OTTER).encode(), "OtterResponse.json")
    facts = Facts.of({"Otter": [message]}, {"WET": 7, "TOO_WET": 8}, frozenset({"HALF_WET"}))
    document = {"name": "Otter", "purpose": "Swims.", "messages": {}} | changes
    return list(contradictions(read_texts(json.dumps(document), "Otter.json"), [message], facts))


def of_field(path: str, text: object) -> list[str]:
    found = complaints(messages={"OtterResponse": {"fields": {path: text}}})
    assert all(keys[:4] == ("messages", "OtterResponse", "fields", path) for keys, _ in found)
    return [problem for _, problem in found]


@pytest.mark.parametrize(
    ("path", "text", "problem"),
    [
        ("Port", "A port, as an unsigned 16-bit number.", "Port is int32"),
        ("Port", "A port, an INT16.", "Port is int32"),
        ("Items.Weight", "A weight, an int16.", "Items.Weight is uint16"),
        (
            "Den",
            {"0-1": "A den. Null if there is none.", "2+": "A den."},
            "Den is never null in versions 0-1",
        ),
        ("Port", "A port; null if it is closed.", "Port is never null in versions 0+"),
        ("Depth", "A depth; 0 by default.", "the default of Depth is -1, not 0"),
        ("Depth", "A depth (limit.depth, 7 by default), by default 5.", "the default of Depth is -1, not 5"),
        ("Wet", "Whether it is wet; false, the default, if not.", "the default of Wet is true, not false"),
        ("Wet", "Whether it is wet. Tagged field 2.", "Wet does not have the tag 2 in versions 0+"),
        ("Port", "Senders omit this tagged field.", "Port is not tagged in versions 0+"),
    ],
)
def test_a_field_is_described_as_the_spec_defines_it(path: str, text: object, problem: str) -> None:
    assert of_field(path, text) == [problem]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Fails with TOO_WET (9).", "TOO_WET is error code 8, not 9"),
        ("Fails with TOO_DRY (9).", 'there is no error code "TOO_DRY"'),
        ("Send Otter 4 instead.", "Otter has no version 4"),
        ("Since versions 3 and 4 of Otter.", "Otter has no version 4"),
        ("Set HalfPort.", 'there is no message or field "HalfPort"'),
        ("Needs ClusterAction.", 'write a permission like CLUSTER_ACTION, not "ClusterAction"'),
        ("Needs Alter on the cluster.", 'write a permission like CLUSTER_ACTION, not "Alter on the"'),
        ("TOO_WET (8), HALF_WET (3), Otter 3, version 0 of Otter, OtterResponse, Port, KafkaStreams.", ""),
        ("Kafka 4.1, Otter 3.2, and Beaver 9.", ""),
    ],
)  # fmt: skip
def test_names_codes_and_versions_exist(text: str, problem: str) -> None:
    found = complaints(
        pitfalls=["Cold.", text], use={"limits": text}, errors=[ROW | {"name": "WET", "action": text}]
    )
    expected = [(("use", "limits"), problem), (("pitfalls", 1), problem), (("errors", 0, "action"), problem)]
    assert found == (expected if problem else [])
