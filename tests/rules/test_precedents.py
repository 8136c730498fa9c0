"""What a repository already practises: what its other specs speak against is left out or lowered."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.kafka import read_kafka
from tests.rules.reports import some_finding
from wirebook.rules.finding import Severity
from wirebook.rules.precedents import by_precedent, customary, removed_listeners
from wirebook.specs.model import Message, Protocol
from wirebook.specs.reading.reader import read_message


def of_kafka(**keys: Any) -> Message:
    spec = {"apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0", "fields": []}
    return read_kafka(json.dumps({**spec, "flexibleVersions": "none", **keys}), "Foo.json", strict=False)


@pytest.mark.parametrize(
    ("changed", "is_customary"),
    [
        ({}, True),
        ({"rule": "unknown-key"}, True),
        ({"rule": "wrong-type"}, False),
        ({"severity": Severity.WARNING}, False),
        ({"discriminator": ""}, False),
        ({"discriminator": "name"}, False),
        ({"discriminator": "validVersions"}, False),
    ],
)
def test_what_the_format_requires_today_may_be_customary(changed: dict[str, Any], is_customary: bool) -> None:
    item = some_finding(rule="missing-key", discriminator="flexibleVersions")._replace(**changed)
    assert customary(item) == is_customary


def test_what_other_files_also_violate_is_left_out() -> None:
    strange = [some_finding(rule="unknown-listener", discriminator=name) for name in ("zk", "edge", "new")]
    plain = some_finding(rule="wrong-type", discriminator="zk")
    old, newest = Protocol((of_kafka(listeners=["zk"]),)), Protocol((of_kafka(listeners=["edge"]),))
    asked: list[Protocol] = []

    def release() -> Protocol:
        asked.append(newest)
        return newest

    assert list(by_precedent([*strange, plain], old, release)) == [strange[2], plain]
    assert asked == [newest], "once for each rule"
    assert list(by_precedent([*strange, plain], old)) == [*strange[1:], plain]
    assert list(by_precedent([plain], old, release)) == [plain]
    assert len(asked) == 1
    # The same for words of fields.
    kinds = [some_finding(rule="unknown-entity-type", discriminator=name) for name in ("host", "port")]
    field = {"name": "A", "type": "string", "versions": "0+", "entityType": "host"}
    assert list(by_precedent(kinds, Protocol((of_kafka(fields=[field]),)))) == [kinds[1]]


@pytest.mark.parametrize(
    ("withdrawn", "severity"),
    [
        ("zk", Severity.INFO),
        ("zk edge", Severity.INFO),
        ("zk broker", Severity.ERROR),
        ("controller", Severity.ERROR),
        ("edge own", Severity.ERROR),
    ],
)
def test_a_listener_that_no_spec_has_is_removed_as_a_whole(withdrawn: str, severity: Severity) -> None:
    own = {"apiKey": 900, "type": "request", "name": "OwnRequest", "validVersions": "0", "fields": []}
    text = json.dumps({**own, "flexibleVersions": "none", "listeners": ["own"]})
    new = Protocol((of_kafka(), read_message(text, "Own.json", strict=False)))
    item = some_finding(rule="listener-withdrawn", values=tuple(withdrawn.split()))
    assert [found.severity for found in removed_listeners([item], new)] == [severity]
    other = item._replace(rule="tag-reused")
    assert list(removed_listeners([other], new)) == [other]
