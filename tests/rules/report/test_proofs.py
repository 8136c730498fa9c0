"""The bytes of a finding: which findings have them, what formats say of them, and how they are
escaped."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.kafka import read_kafka
from tests.rules.fixture_pairs import PAIRS, findings
from tests.rules.reports import CLEAN
from wirebook.rules.engine import check
from wirebook.rules.finding import Category, Finding, Severity
from wirebook.rules.proof import Proof
from wirebook.rules.released import Baseline
from wirebook.rules.report import render
from wirebook.rules.result import CheckResult
from wirebook.specs.model import Protocol

pytestmark = pytest.mark.xdist_group("fixtures")

# Another header, another message, and the name of a tag are in no byte of a body.
UNSEEN = {"api-key-changed", "message-type-changed", "header-version-changed"}
NAMES_OF_TAGS = {"tag-reused/break-same-type", "tag-reused/break-rename"}
# Tagged fields have no place in a version that is not flexible; absent fields are in no bytes; of a
# struct whose fields all have new names nobody knows a value.
WITHOUT_BYTES = {
    "flexible-versions-changed/break-under-tagged-fields",
    "default-changed/break-in-a-struct-whose-use-is-renamed-in-a-version",
    "default-changed/break-untagged",
    "field-added-to-released-version/break-struct-in-new-place",
}


def wire_errors() -> list[tuple[str, Finding]]:
    return [
        (f"{folder.parent.name}/{folder.name}", item)
        for folder in PAIRS
        for item in findings(folder)
        if item.category is Category.WIRE and item.severity is Severity.ERROR
    ]


def side(*fields: dict[str, Any]) -> Protocol:
    spec = {"apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0"}
    text = json.dumps({**spec, "flexibleVersions": "0+", "fields": fields})
    return Protocol.of([read_kafka(text, "FooRequest.json", strict=False)])


def field(name: str, kind: str = "int32", **keys: Any) -> dict[str, Any]:
    return {"name": name, "type": kind, "versions": "0+", **keys}


def report(*found: Finding) -> CheckResult:
    return CheckResult(found, CLEAN.compared, CLEAN.tool_version, 1)


def proof_of(old: dict[str, Any], new: dict[str, Any], *releases: str) -> Proof:
    baselines = [Baseline(name, side(old)) for name in releases]
    (item,) = (
        each for each in check(side(old), side(new), baselines) if each.category is not Category.SET
    )
    assert item.proof is not None
    return item.proof


def test_an_error_on_the_wire_has_bytes_that_show_it() -> None:
    errors = wire_errors()
    assert len(errors) > 60
    without = {name for name, item in errors if item.proof is None and item.rule not in UNSEEN}
    assert without == NAMES_OF_TAGS | WITHOUT_BYTES


def test_nothing_else_has_bytes() -> None:
    others = [
        item for folder in PAIRS for item in findings(folder) if item.severity is not Severity.ERROR
    ]
    assert {item.rule for item in others if item.proof is not None} == set()


def test_a_proof_is_an_error_of_the_reader_or_two_values() -> None:
    for name, item in wire_errors():
        if item.proof is not None:
            is_read_alike = item.proof.written == item.proof.read and not name.endswith("-zero")
            assert bool(item.proof.error) == is_read_alike


def test_a_reader_that_rejects_bytes_is_quoted() -> None:
    proof = proof_of(field("Id", "int16"), field("Id"), "1.0.0")
    assert proof.sentence == (
        "a peer of 1.0.0 sends 00 00 00 in version 0; a peer with the new spec fails: byte 0: Id: 4 bytes "
        "should be here, but 3 are left"
    )


def test_text_json_and_sarif_show_the_bytes() -> None:
    found = [item for _, item in wire_errors() if item.proof is not None]
    for item in found:
        assert item.proof is not None
        text = render(report(item), "text").replace("\n         ", " ")
        assert f"  bytes: {item.proof.sentence}\n" in text
        (result,) = json.loads(render(report(item), "sarif"))["runs"][0]["results"]
        assert f"Bytes: {item.proof.sentence}" in result["message"]["text"]
        (plain,) = json.loads(render(report(item), "json"))["findings"]
        assert plain["proof"] == json.loads(json.dumps(item.proof.to_json()))
