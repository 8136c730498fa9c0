"""Flows: every recorded message is replayed against the codec, and every state is reached."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema
import pytest

from tests.sources import unlisted_code
from tests.support import ROOT
from wirebook.docgen.pages.proposals import all_kips
from wirebook.specs.codec import encode, read
from wirebook.specs.kafka.flows import Flow, all_flows
from wirebook.specs.kafka.origins import citations, code_place
from wirebook.specs.kafka.registry import header_layout

NAMES = (
    "version-negotiation",
    "sasl",
    "classic-group",
    "idempotent-producer",
    "transactions",
    "transactions-v2",
    "consumer-group",
    "fetch-session",
    "share-group",
    "client-session",
)
# The broker of this recording writes one tagged section too many.
WITH_MORE_BYTES = {("share-group", "ShareGroupHeartbeatResponse")}


def value_at(value: Any, path: str) -> Any:
    """The value at a path such as "Topics[0].Name"."""
    for name, index in re.findall(r"(\w+)|\[(\d+)\]", path):
        value = value[name or int(index)]
    return value


def flows() -> list[Any]:
    return [pytest.param(flow, id=flow.name) for flow in all_flows()]


def test_the_flows_are_listed_in_their_order() -> None:
    assert tuple(flow.name for flow in all_flows()) == NAMES


@pytest.mark.parametrize("flow", flows())
def test_a_file_is_valid_by_its_schema(flow: Flow) -> None:
    schema = json.loads((ROOT / "specs" / "schema" / "flow.json").read_text(encoding="utf-8"))
    document = json.loads((ROOT / flow.path).read_text(encoding="utf-8"))
    assert list(jsonschema.Draft202012Validator(schema).iter_errors(document)) == []


@pytest.mark.parametrize("flow", flows())
def test_the_codec_decodes_recorded_bytes_and_encodes_the_same(flow: Flow) -> None:
    for step in flow.steps:
        for message in step.messages:
            of = message.layout
            assert of.header_version is not None
            header = header_layout(of.type, of.header_version)
            frame, place = message.frame[:4], 4
            for each in (header, of):
                found = read(each, message.frame, place, whole=False).right()
                value = found.value
                frame += encode(each, value)
                place = found.at
            assert frame == message.frame[:place]
            assert {path: value_at(value, path) for path in message.values} == message.values
            assert of.api in flow.apis
            assert (place < len(message.frame)) == ((flow.name, of.name) in WITH_MORE_BYTES), (
                "bytes that no field describes"
            )
            assert int.from_bytes(frame[:4], "big") == len(message.frame) - 4


@pytest.mark.parametrize("flow", flows())
def test_each_transition_is_taken_by_a_step(flow: Flow) -> None:
    taken = {name for step in flow.steps for name in step.transitions}
    assert taken == {move.name for move in flow.transitions}


@pytest.mark.parametrize("flow", flows())
def test_every_rule_has_a_source_and_most_are_code(flow: Flow) -> None:
    rules = [rule for step in flow.steps for rule in step.rules]
    assert all(rule.source for rule in rules)
    assert sum(any(map(code_place, citations(rule.source))) for rule in rules) > 0.8 * len(rules)


@pytest.mark.parametrize("flow", flows())
def test_what_a_flow_names_is_there(flow: Flow) -> None:
    reached = {next(iter(flow.states))}
    while more := {move.target for move in flow.transitions if move.source in reached} - reached:
        reached |= more
    assert reached == flow.states.keys()
    assert {int(kip.removeprefix("KIP-")) for kip in flow.kips} <= all_kips().keys()
    assert [problem for source in flow.sources() for problem in unlisted_code(source)] == []


def test_every_flow_has_bytes() -> None:
    assert all(flow.recorded for flow in all_flows())
