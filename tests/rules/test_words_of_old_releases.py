"""Listeners and entity types that a branch of an older release has, and today's format does not."""

from __future__ import annotations

import json

from wirebook.rules.engine import check
from wirebook.specs.model import Message, Protocol
from wirebook.specs.reading.reader import read_message


def spec(number: int, listeners: list[str], entity: str | None = None) -> Message:
    field = {"name": "Id", "type": "string", "versions": "0+", **({"entityType": entity} if entity else {})}
    keys = {"apiKey": number, "type": "request", "name": f"Foo{number}Request", "listeners": listeners}
    text = json.dumps({**keys, "validVersions": "0-1", "flexibleVersions": "1+", "fields": [field]})
    return read_message(text, f"Foo{number}Request.json")


def judged(old: list[Message], new: list[Message]) -> list[tuple[str, str]]:
    return [(item.rule, item.severity.value) for item in check(Protocol.of(old), Protocol.of(new))]


BOTH = ["zkBroker", "broker"]
OLD = [spec(number, BOTH, "clusterId") for number in (1, 2, 3)]


def test_a_new_spec_may_use_the_words_of_its_branch() -> None:
    assert judged(OLD, [*OLD, spec(4, BOTH, "clusterId")]) == []
    assert judged([spec(1, ["broker"])], [spec(1, ["broker"]), spec(2, BOTH, "clusterId")]) == [
        ("unknown-listener", "error"),
        ("unknown-entity-type", "error"),
    ]


def test_a_listener_that_one_api_loses_is_an_error_and_one_that_all_lose_is_a_note() -> None:
    one = [spec(1, ["broker"], "clusterId"), *OLD[1:]]
    assert judged(OLD, one) == [("listener-withdrawn", "error")]
    everywhere = [spec(number, ["broker"], "clusterId") for number in (1, 2, 3)]
    assert judged(OLD, everywhere) == [("listener-withdrawn", "info")] * 3
    broker = [spec(number, ["zkBroker"], "clusterId") for number in (1, 2, 3)]
    assert judged(OLD, broker) == [("listener-withdrawn", "error")] * 3
