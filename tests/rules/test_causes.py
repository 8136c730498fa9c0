"""One cause, one finding: what follows from an error is left out, and nothing else is."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.kafka import read_kafka
from tests.rules.reports import some_finding
from wirebook.rules.causes import (
    by_precedent,
    customary,
    once_per_api,
    once_per_struct,
    removed_listeners,
)
from wirebook.rules.engine import check
from wirebook.rules.finding import Finding, Severity
from wirebook.rules.released import Baseline
from wirebook.rules.rule import catalogue, find
from wirebook.specs.model import Message, Protocol
from wirebook.specs.reading.reader import read_message
from wirebook.specs.versions import VersionSet

TAGGED = [
    {"name": name, "type": "int32", "versions": "1+", "taggedVersions": "1+", "tag": tag}
    for tag, name in enumerate(("A", "B", "C"))
]


def message(kind: str = "request", **keys: Any) -> Any:
    spec = {"apiKey": 900, "type": kind, "name": f"Foo{kind.title()}", "validVersions": "0-1"}
    text = json.dumps({**spec, "flexibleVersions": "1+", "fields": [], **keys})
    return read_message(text, f"Foo{kind}.json", strict=False)


def fired(found: list[Finding]) -> list[tuple[str, str, str]]:
    return sorted((item.severity.value, item.rule, item.field) for item in found)


def test_fields_that_an_error_makes_faulty_are_reported_by_the_first() -> None:
    old = Protocol((message(fields=TAGGED),))
    new = Protocol((message(fields=TAGGED, flexibleVersions="none"),))
    assert fired(check(old, new)) == [
        ("error", "flexible-versions-changed", ""),
        ("error", "tagged-in-inflexible-version", "A"),
    ]


def test_each_message_has_its_own_first_error() -> None:
    old = Protocol((message(fields=TAGGED), message("response", fields=TAGGED)))
    changed = [message(kind, fields=TAGGED, flexibleVersions="none") for kind in ("request", "response")]
    found = [item for item in fired(check(old, Protocol(tuple(changed)))) if item[0] == "error"]
    assert found == [
        *[("error", "flexible-versions-changed", "")] * 2,
        *[("error", "tagged-in-inflexible-version", "A")] * 2,
    ]


def test_a_warning_hides_no_error_of_the_same_cause() -> None:
    """Version 1 is in no release, so that it is no longer flexible is a warning only."""
    old = Protocol((message(fields=TAGGED),))
    new = Protocol((message(fields=TAGGED, flexibleVersions="none"),))
    found = check(old, new, [Baseline("1.0.0", Protocol((message(validVersions="0"),)))])
    assert fired(found) == [
        ("error", "tagged-in-inflexible-version", "A"),
        ("error", "tagged-in-inflexible-version", "B"),
        ("error", "tagged-in-inflexible-version", "C"),
        ("warning", "flexible-versions-changed", ""),
    ]


def test_an_error_of_another_rule_hides_nothing() -> None:
    plain = [{"name": "Id", "type": "int32", "versions": "0+"}]
    old = Protocol((message(fields=plain),))
    new = Protocol((message(fields=[{**plain[0], "type": "int64"}, *TAGGED], flexibleVersions="2+"),))
    baseline = Baseline("1.0.0", Protocol((message(validVersions="0", fields=plain),)))
    rules = [rule for severity, rule, _ in fired(check(old, new, [baseline])) if severity == "error"]
    assert rules == ["tagged-in-inflexible-version"] * 3 + ["type-changed"]


def test_halves_that_differ_by_an_error_of_one_are_one_finding() -> None:
    both = message(fields=[]), message("response")
    old, new = Protocol(both), Protocol((message(flexibleVersions="none"), both[1]))
    assert fired(check(old, new)) == [("error", "flexible-versions-changed", "")]


def test_halves_that_differ_otherwise_are_reported() -> None:
    old = Protocol((message(), message("response")))
    new = Protocol((message(validVersions="0-2"), message("response")))
    assert ("error", "partner-versions-differ", "") in fired(check(old, new))


def test_rules_follow_only_rules_that_there_are() -> None:
    followed = {name for rule in catalogue() for name in rule.follows}
    assert "flexible-versions-changed" in followed
    assert all(find(name) is not None for name in followed)
    assert Severity.ERROR in {rule.severity for rule in catalogue() if rule.name in followed}


# --- findings by themselves -------------------------------------------------------------------------------


def raised(kind: str, key: int | None, versions: str, rule: str = "lowest-version-raised") -> Finding:
    find(rule)  # a rule that has a finding has been imported
    return some_finding(rule=rule, message_type=kind, api_key=key, versions=VersionSet.parse(versions))


@pytest.mark.parametrize(
    ("request_versions", "response_versions", "kept"),
    [("0-1", "0-1", 1), ("0-1", "0", 1), ("0", "0-1", 2), ("0", "2", 2)],
)
def test_a_response_repeats_what_its_request_says(
    request_versions: str, response_versions: str, kept: int
) -> None:
    both = [raised("response", 1, response_versions), raised("request", 1, request_versions)]
    assert list(once_per_api(both)) == both[2 - kept :]
    # Of another API, of another rule, or of a rule that is not about both halves.
    for other in (raised("response", 2, "0"), raised("response", 1, "0", "highest-version-lowered")):
        assert list(once_per_api([other, both[1]])) == [other, both[1]]
    alone = [raised(kind, 1, "0", "highest-version-lowered") for kind in ("request", "response")]
    assert list(once_per_api(alone)) == alone


def test_a_struct_is_renamed_once_in_each_message() -> None:
    one = some_finding(rule="struct-renamed", discriminator="A B")
    others = [replace(one, **change) for change in DIFFERENT]
    assert list(once_per_struct([one, replace(one, field="X"), *others, one])) == [one, *others]
    twice = [replace(one, rule="tag-reused")] * 2
    assert list(once_per_struct(twice)) == twice


DIFFERENT: tuple[dict[str, Any], ...] = (
    {"message_type": "response"},
    {"message_name": "BarRequest"},
    {"discriminator": "A C"},
)


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
    item = replace(some_finding(rule="missing-key", discriminator="flexibleVersions"), **changed)
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
    new = Protocol((of_kafka(), message(listeners=["own"])))
    item = some_finding(rule="listener-withdrawn", discriminator=withdrawn)
    assert [found.severity for found in removed_listeners([item], new)] == [severity]
    other = replace(item, rule="tag-reused")
    assert list(removed_listeners([other], new)) == [other]
