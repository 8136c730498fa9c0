"""Flows: every recorded message is replayed against the codec, and what is wrong in a file has a position."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest

from tests.support import ROOT
from wirebook.specs.kafka.citations import citations
from wirebook.specs.kafka.flows import FLOWS, Flow, all_flows, read_flow
from wirebook.specs.kafka.origins import code_place
from wirebook.specs.problems import InputError

Document = dict[str, Any]

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
            frame = message.frame[:4]
            for _, codec, data in message.parts:
                value, end = codec.decode_from(data)
                assert end == len(data)
                frame += codec.encode(value)
            assert frame == message.frame[: message.end]
            rest = len(message.frame) - message.end
            assert bool(rest) == ((flow.name, message.layout.name) in WITH_MORE_BYTES), (
                "bytes that no field describes"
            )
            assert int.from_bytes(frame[:4], "big") == len(message.frame) - 4


@pytest.mark.parametrize("flow", flows())
def test_each_transition_is_taken_by_a_step(flow: Flow) -> None:
    taken = {move.number for step in flow.steps for move in step.transitions}
    assert taken == {move.number for move in flow.transitions}


@pytest.mark.parametrize("flow", flows())
def test_every_rule_has_a_source_and_most_are_code(flow: Flow) -> None:
    rules = [rule for step in flow.steps for rule in step.rules]
    assert all(rule.source for rule in rules)
    assert sum(any(map(code_place, citations(rule.source))) for rule in rules) > 0.8 * len(rules)


def test_every_flow_has_bytes() -> None:
    assert all(flow.recorded for flow in all_flows())


def document() -> Document:
    text: Document = json.loads((FLOWS / "version-negotiation.json").read_text(encoding="utf-8"))
    return text


def message(flow: Document, number: int = 0) -> Document:
    messages = [each for step in flow["steps"] for each in step.get("messages", ())]
    found: Document = messages[number]
    return found


def drop_ways_to(state: str) -> Callable[[Document], None]:
    def change(flow: Document) -> None:
        flow["transitions"] = [move for move in flow["transitions"] if move["to"] != state]

    return change


def cut(flow: Document) -> None:
    message(flow)["hex"] = message(flow)["hex"][:-2]


def cut_and_framed(flow: Document) -> None:
    data = bytes.fromhex(message(flow)["hex"])[4:-1]
    message(flow)["hex"] = (len(data).to_bytes(4, "big") + data).hex()


def other_version(flow: Document) -> None:
    # The body of version 3 is that of 4, but the header of the request names 4.
    message(flow)["version"] = 3


def answers_first(flow: Document) -> None:
    messages = flow["steps"][1]["messages"]
    flow["steps"][0]["messages"] = [messages[0]]


def sets(*keys: str | int, to: object) -> Callable[[Document], None]:
    def change(flow: Document) -> None:
        place: Any = flow
        for key in keys[:-1]:
            place = place[key]
        place[keys[-1]] = to

    return change


def of_message(key: str, to: object) -> Callable[[Document], None]:
    return lambda flow: message(flow).__setitem__(key, to)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (cut, "bytes of ApiVersionsRequest 4: byte 0: the frame length is 41, but 40 bytes follow"),
        (cut_and_framed, "these are not the bytes of ApiVersionsRequest 4: "),
        (other_version, "the header names version 4 of API key 18"),
        (answers_first, "no request of ApiVersions before it has the correlation id 1"),
        (of_message("hex", "0g"), "these are not bytes in hex"),
        (of_message("message", "ApiVersionRequest"), "there is no message 'ApiVersionRequest'"),
        (of_message("message", "RequestHeader"), "RequestHeader is neither a request nor a response"),
        (of_message("version", 9), "ApiVersionsRequest has no version 9; its valid versions are 0-"),
        (of_message("values", {"ClientSoftwareName": "kcat"}), "ClientSoftwareName is 'kafka-python' in the"),
        (of_message("values", {"ErrorCode": 0}), 'ApiVersionsRequest 4 has no value at "ErrorCode"'),
        (drop_ways_to("lower"), 'no way leads from the first state to the state "lower"'),
        (sets("transitions", 0, "to", to="askd"), "there is no state 'askd'"),
        (sets("transitions", 1, "from", to="lower"), "there is a transition from lower to ready already"),
        (sets("steps", 0, "transitions", 0, to="asked > connected"), "there is no transition 'asked > conn"),
        (sets("steps", 0, "rules", 0, "source", to="NetworkClinet"), "4.3.1 has no NetworkClinet, as far as"),
        (sets("steps", 0, "rules", 0, "source", to="Utils.murmur3"), "4.3.1 has no Utils.murmur3, as far"),
        (sets("steps", 0, "rules", 0, "source", to="KIP-35, the code"), "'the code' is neither code nor a K"),
        (sets("steps", 0, "rules", 0, "source", to="KIP-99999"), "kips.json has no KIP-99999"),
        (sets("steps", 0, "rules", 0, "text", to="<b>Ask</b>"), "a text must be plain: '<b' is markup"),
        (sets("steps", 0, "rules", to=[]), "a step needs a rule"),
        (sets("sources", to={"ApiKeys": "a/ApiKeys.java"}), 'there is no key "sources" here; known are'),
        (sets("kips", 0, to="KIP35"), "kips.json has no KIP35"),
        (sets("apis", to=["Metdata"]), "there is no message 'MetdataRequest'"),
        (sets("schema", to="wirebook/flow/2"), '"schema" must be "wirebook/flow/1"'),
        (sets("order", to="first"), '"order" must be a number'),
        (sets("page", to=1), 'there is no key "page" here; known are schema, order, title'),
        (lambda flow: flow.pop("recorded"), '"recorded" belongs to messages'),
        (sets("lacking", to="none"), "every step has bytes"),
    ],
)
def test_what_is_wrong_is_reported_with_its_position(
    change: Callable[[Document], object], words: str
) -> None:
    flow = document()
    change(flow)
    with pytest.raises(InputError) as caught:
        read_flow(json.dumps(flow, indent=1), "example")
    assert words in str(caught.value)
    assert caught.value.path == "specs/kafka/flows/example.json"
    assert caught.value.position is not None


def test_the_position_is_that_of_the_bytes() -> None:
    flow = document()
    cut(flow)
    text = json.dumps(flow, indent=1)
    with pytest.raises(InputError) as caught:
        read_flow(text, "example")
    position = caught.value.position
    assert position is not None
    line = text.split("\n")[position.line - 1]
    assert line.lstrip().startswith('"hex": ')
    assert line[position.column - 1 :].startswith('"0000002')


def test_a_body_may_end_before_its_frame_if_the_file_says_so() -> None:
    flow = document()
    data = bytes.fromhex(message(flow)["hex"])[4:] + b"\0"
    message(flow)["hex"] = (len(data).to_bytes(4, "big") + data).hex()
    with pytest.raises(InputError, match="the body ends at byte 45 of 46"):
        read_flow(json.dumps(flow), "example")
    message(flow)["rest"] = 1
    _, read = read_flow(json.dumps(flow), "example")
    first = read.steps[0].messages[0]
    assert first.frame[first.end :] == b"\0"
