"""One cause, one finding: what follows from an error is left out, and nothing else is."""

from __future__ import annotations

import json
from typing import Any

from wirebook.rules.engine import check
from wirebook.rules.finding import Finding, Severity
from wirebook.rules.released import Baseline
from wirebook.rules.rule import catalogue, find
from wirebook.specs.model import Protocol
from wirebook.specs.reading.reader import read_message

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
