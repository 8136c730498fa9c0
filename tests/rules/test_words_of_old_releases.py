"""Listeners and entity types that a branch of an older release has, and today's format does not."""

from __future__ import annotations

import json

from tests.kafka import read_kafka
from wirebook.rules.engine import check
from wirebook.rules.released import Baseline
from wirebook.specs.model import Message, Protocol


def spec(number: int, listeners: list[str], entity: str | None = None) -> Message:
    field = {"name": "Id", "type": "string", "versions": "0+", **({"entityType": entity} if entity else {})}
    keys = {"apiKey": number, "type": "request", "name": f"Foo{number}Request", "listeners": listeners}
    text = json.dumps({**keys, "validVersions": "0-1", "flexibleVersions": "1+", "fields": [field]})
    return read_kafka(text, f"Foo{number}Request.json")


def judged(old: list[Message], new: list[Message], *released: list[Message]) -> list[tuple[str, str]]:
    baselines = [Baseline(f"{number}.0.0", Protocol.of(specs)) for number, specs in enumerate(released, 3)]
    found = check(Protocol.of(old), Protocol.of(new), baselines)
    return [(item.rule, item.severity.value) for item in found]


BOTH = ["zkBroker", "broker"]
OLD = [spec(number, BOTH, "clusterId") for number in (1, 2, 3)]


def test_a_new_spec_may_use_the_words_of_its_branch() -> None:
    assert judged(OLD, [*OLD, spec(4, BOTH, "clusterId")]) == []
    assert judged([spec(1, ["broker"])], [spec(1, ["broker"]), spec(2, BOTH, "clusterId")]) == [
        ("unknown-listener", "error"),
        ("unknown-entity-type", "error"),
    ]


def test_a_new_spec_may_use_the_words_of_the_newest_release() -> None:
    old, new = [spec(1, ["broker"])], [spec(1, ["broker"]), spec(2, BOTH, "clusterId")]
    unknown = [("unknown-listener", "error"), ("unknown-entity-type", "error")]
    assert judged(old, new, OLD) == []
    # What a later release has removed is no word any more.
    assert judged(old, new, OLD, old) == unknown
    assert judged(old, new, old, OLD) == []


def test_a_listener_that_one_api_loses_is_an_error_and_one_that_all_lose_is_a_note() -> None:
    one = [spec(1, ["broker"], "clusterId"), *OLD[1:]]
    assert judged(OLD, one) == [("listener-withdrawn", "error")]
    everywhere = [spec(number, ["broker"], "clusterId") for number in (1, 2, 3)]
    assert judged(OLD, everywhere) == [("listener-withdrawn", "info")] * 3
    broker = [spec(number, ["zkBroker"], "clusterId") for number in (1, 2, 3)]
    assert judged(OLD, broker) == [("listener-withdrawn", "error")] * 3
