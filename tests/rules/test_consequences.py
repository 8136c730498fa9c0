"""One cause, one finding: what follows from it, what repeats it, and what says the same
elsewhere."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.rules.reports import some_finding
from wirebook.rules.catalogue import find
from wirebook.rules.engine import check, merged, without_consequences
from wirebook.rules.finding import Finding
from wirebook.rules.released import Baseline
from wirebook.specs.model import Protocol
from wirebook.specs.reader import read_message
from wirebook.specs.versions import VersionSet

pytestmark = pytest.mark.xdist_group("fixtures")

TAGGED = [
    {"name": name, "type": "int32", "versions": "1+", "taggedVersions": "1+", "tag": tag}
    for tag, name in enumerate(("A", "B", "C"))
]


def message(kind: str = "request", **keys: Any) -> Any:
    spec = {"apiKey": 900, "type": kind, "name": f"Foo{kind.title()}", "validVersions": "0-1"}
    text = json.dumps({**spec, "flexibleVersions": "1+", "fields": [], **keys})
    return read_message(text, f"Foo{kind}.json", strict=False)


def fired(every: list[Finding]) -> list[tuple[str, str, str]]:
    """What is reported in the end."""
    return sorted(
        (item.severity.value, item.rule, item.field) for item in without_consequences(every)
    )


def test_fields_that_an_error_makes_faulty_follow_from_it() -> None:
    old = Protocol((message(fields=TAGGED),))
    new = Protocol((message(fields=TAGGED, flexibleVersions="none"),))
    assert fired(check(old, new)) == [("error", "flexible-versions-changed", "")]


def test_a_waiver_of_a_value_does_not_hide_what_it_does_to_peers() -> None:
    field = {"name": "A", "type": "int32", "versions": "0+"}
    old, new = (
        Protocol((message(fields=[field]),)),
        Protocol((message(fields=[{**field, "type": "int99"}]),)),
    )
    every = check(old, new)
    assert fired(every) == [("error", "unknown-type", "A")]
    waived = [
        item._replace(waived="agreed") if item.rule == "unknown-type" else item for item in every
    ]
    assert fired(waived) == [("error", "type-changed", "A"), ("error", "unknown-type", "A")]


def test_a_key_without_a_meaning_is_one_finding() -> None:
    inner = [{"name": name, "type": "int32", "versions": "0+"} for name in ("A", "B")]
    holder = {"name": "Items", "type": "[]Item", "versions": "0+"}
    old = Protocol((message(fields=[{**holder, "fields": inner}]),))
    new = Protocol((message(fields=[{**holder, "Fields": inner}]),))
    assert fired(check(old, new)) == [("error", "unknown-key", "Items")]


def test_a_break_elsewhere_is_not_hidden_by_an_error_in_a_field() -> None:
    one, other = ({"name": name, "type": "int32", "versions": "0+"} for name in ("A", "B"))
    old = Protocol((message(fields=[one, other]),))
    new = Protocol((message(fields=[{**one, "type": "int99"}, {**other, "type": "int64"}]),))
    assert fired(check(old, new)) == [
        ("error", "type-changed", "B"),
        ("error", "unknown-type", "A"),
    ]


def test_a_deleted_api_is_one_cause() -> None:
    halves = (message("response"), message("request"))
    kept = message("response", apiKey=901, name="BarResponse")
    findings = check(Protocol((*halves, kept)), Protocol(()))
    assert [(each.rule, each.message_name) for each in findings] == [
        ("message-deleted", "FooRequest"),
        ("message-deleted", "BarResponse"),
    ]
    assert {spec.name for spec in findings[0].specs} == {"FooRequest", "FooResponse"}


def test_a_warning_hides_no_error_of_the_same_cause() -> None:
    """Version 1 is in no release, so that it is no longer flexible is a warning only."""
    old = Protocol((message(fields=TAGGED),))
    new = Protocol((message(fields=TAGGED, flexibleVersions="none"),))
    every = check(old, new, [Baseline("1.0.0", Protocol((message(validVersions="0"),)))])
    assert fired(every) == [
        ("error", "tagged-in-non-flexible-version", "A"),
        ("error", "tagged-in-non-flexible-version", "B"),
        ("error", "tagged-in-non-flexible-version", "C"),
        ("warning", "flexible-versions-changed", ""),
    ]


def test_halves_that_differ_by_an_error_of_one_are_one_finding() -> None:
    both = message(fields=[]), message("response")
    old, new = Protocol(both), Protocol((message(flexibleVersions="none"), both[1]))
    assert fired(check(old, new)) == [("error", "flexible-versions-changed", "")]


def raised(
    kind: str, key: int | None, versions: str, rule: str = "lowest-version-raised"
) -> Finding:
    find(rule)  # a rule that has a finding has been imported
    return some_finding(
        rule=rule, message_type=kind, api_key=key, versions=VersionSet.parse(versions)
    )


@pytest.mark.parametrize(
    ("request_versions", "response_versions", "kept"),
    [("0-1", "0-1", 1), ("0", "0-1", 2), ("0", "2", 2)],
)
def test_a_response_repeats_what_its_request_says(
    request_versions: str, response_versions: str, kept: int
) -> None:
    both = [raised("response", 1, response_versions), raised("request", 1, request_versions)]
    assert len(merged(both)) == kept
    names = {each.message_type for each in merged(both)}
    assert "request" in names
    # A waiver of the request alone does not accept the response.
    is_one = kept == 1
    assert (both[1].fingerprint in {each.fingerprint for each in merged(both)}) != is_one
    # Of another API, or of another rule.
    for other in (
        raised("response", 2, "0"),
        raised("response", 1, "0", "highest-version-lowered"),
    ):
        assert merged([other, both[1]]) == [other, both[1]]
