"""One cause, one finding: what follows from it, what repeats it, and what says the same elsewhere."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.rules.reports import some_finding
from wirebook.rules.engine import check
from wirebook.rules.finding import Finding
from wirebook.rules.released import Baseline
from wirebook.rules.result import CheckResult
from wirebook.rules.roots import settled, without_repetitions
from wirebook.rules.rule import find
from wirebook.specs.model import Protocol
from wirebook.specs.reading.reader import read_message
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
    """The causes."""
    return sorted((item.severity.value, item.rule, item.field) for item in every if item.root is None)


def test_fields_that_an_error_makes_faulty_follow_from_it() -> None:
    old = Protocol((message(fields=TAGGED),))
    new = Protocol((message(fields=TAGGED, flexibleVersions="none"),))
    cause, *others = check(old, new)
    assert (cause.rule, cause.root) == ("flexible-versions-changed", None)
    assert [(item.rule, item.field, item.root) for item in others] == [
        ("tagged-in-inflexible-version", name, cause.identity) for name in "ABC"
    ]


def test_a_deleted_api_is_one_cause() -> None:
    halves = (message("response"), message("request"))
    kept = message("response", apiKey=901, name="BarResponse")
    findings = check(Protocol((*halves, kept)), Protocol(()))
    assert [(each.message_name, each.root and each.root.message_name) for each in findings] == [
        ("FooRequest", None),
        ("FooResponse", "FooRequest"),
        ("BarResponse", None),
    ]
    assert [each.rule for each in findings] == ["message-deleted"] * 3


def test_a_warning_hides_no_error_of_the_same_cause() -> None:
    """Version 1 is in no release, so that it is no longer flexible is a warning only."""
    old = Protocol((message(fields=TAGGED),))
    new = Protocol((message(fields=TAGGED, flexibleVersions="none"),))
    every = check(old, new, [Baseline("1.0.0", Protocol((message(validVersions="0"),)))])
    assert fired(every) == [
        ("error", "tagged-in-inflexible-version", "A"),
        ("error", "tagged-in-inflexible-version", "B"),
        ("error", "tagged-in-inflexible-version", "C"),
        ("warning", "flexible-versions-changed", ""),
    ]


def test_halves_that_differ_by_an_error_of_one_are_one_finding() -> None:
    both = message(fields=[]), message("response")
    old, new = Protocol(both), Protocol((message(flexibleVersions="none"), both[1]))
    assert fired(check(old, new)) == [("error", "flexible-versions-changed", "")]


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
    assert without_repetitions(both) == both[2 - kept :]
    # Of another API, of another rule, or of a rule that is not about both halves.
    for other in (raised("response", 2, "0"), raised("response", 1, "0", "highest-version-lowered")):
        assert without_repetitions([other, both[1]]) == [other, both[1]]
    alone = [raised(kind, 1, "0", "highest-version-lowered") for kind in ("request", "response")]
    assert without_repetitions(alone) == alone


def test_a_waiver_covers_what_follows_and_not_the_reverse() -> None:
    old = Protocol((message(fields=TAGGED),))
    new = Protocol((message(fields=TAGGED, flexibleVersions="none"),))
    cause, *others = check(old, new)
    assert all(item.waived == "agreed" for item in settled([cause._replace(waived="agreed"), *others]))
    first = others[0]._replace(waived="agreed")
    assert [item.waived for item in settled([cause, first, *others[1:]])] == [None, "agreed", None, None]
    assert CheckResult((cause, first), "", "", 1).failed
