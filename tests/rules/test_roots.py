"""One cause, one finding: what follows from it, what repeats it, and what says the same elsewhere."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from tests.rules.fixture_pairs import PAIRS
from tests.rules.fixture_pairs import findings as findings_of
from tests.rules.reports import REPORT, some_finding
from wirebook.docgen.render.review import html, markdown
from wirebook.rules.engine import check
from wirebook.rules.finding import Category, Finding, Severity
from wirebook.rules.formats import render
from wirebook.rules.released import Baseline
from wirebook.rules.result import CheckResult, counts
from wirebook.rules.review.review import ReviewReport
from wirebook.rules.roots import settled, without_repetitions
from wirebook.rules.rule import catalogue, find
from wirebook.specs.model import Message, Protocol
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


def test_a_message_without_an_api_key_is_no_half_of_another_one() -> None:
    halves = message("request", apiKey=None), message("response", apiKey=None, name="BarResponse")
    findings = check(Protocol(halves), Protocol(()))
    assert [(each.message_name, each.root) for each in findings] == [
        ("FooRequest", None),
        ("BarResponse", None),
    ]
    both = [raised("response", None, "0-1"), raised("request", None, "0-1")]
    assert without_repetitions(both) == both


def test_what_follows_from_an_error_is_of_its_message() -> None:
    old = Protocol((message(fields=TAGGED), message("response", fields=TAGGED)))
    changed = [message(kind, fields=TAGGED, flexibleVersions="none") for kind in ("request", "response")]
    every = check(old, Protocol(tuple(changed)))
    assert fired(every) == [("error", "flexible-versions-changed", "")] * 2
    below = [item for item in every if item.root is not None]
    assert len(below) == 6
    assert all(item.root is not None and item.root.message_name == item.message_name for item in below)


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


def test_halves_that_differ_by_two_edits_are_two_causes_with_their_own() -> None:
    """Other versions of one half do not follow from its flexible versions."""
    both = message(validVersions="0-2"), message("response", validVersions="0-2")
    changed = message(validVersions="0-3", flexibleVersions="2+")
    every = check(Protocol(both), Protocol((changed, both[1])))
    roots = {item.discriminator: item.root for item in every if item.rule == "partner-versions-differ"}
    assert roots["validVersions"] is None
    assert roots["flexibleVersions"] is not None
    assert roots["flexibleVersions"].rule == "flexible-versions-changed"


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
    assert without_repetitions(both) == both[2 - kept :]
    # Of another API, of another rule, or of a rule that is not about both halves.
    for other in (raised("response", 2, "0"), raised("response", 1, "0", "highest-version-lowered")):
        assert without_repetitions([other, both[1]]) == [other, both[1]]
    alone = [raised(kind, 1, "0", "highest-version-lowered") for kind in ("request", "response")]
    assert without_repetitions(alone) == alone


def test_a_struct_is_renamed_once_in_each_message() -> None:
    one = some_finding(rule="struct-renamed", discriminator="A B")
    others = [one._replace(**change) for change in DIFFERENT]
    assert without_repetitions([one, one._replace(field="X"), *others, one]) == [one, *others]
    twice = [one._replace(rule="tag-reused")] * 2
    assert without_repetitions(twice) == twice


DIFFERENT: tuple[dict[str, Any], ...] = (
    {"message_type": "response"},
    {"message_name": "BarRequest"},
    {"discriminator": "A C"},
)


# --- what a rule states ---------------------------------------------------------------------------------


@cache
def some_findings() -> tuple[Finding, ...]:
    return tuple(item for folder in PAIRS for item in findings_of(folder))


def test_rules_on_one_side_name_their_values() -> None:
    """Otherwise, a worse value than the one that was there before would pass for that one."""
    lacking = {
        item.rule
        for item in some_findings()
        if item.values is None and item.category in (Category.SPEC, Category.SET)
    }
    assert lacking == set()


# --- one cause in formats -------------------------------------------------------------------------------


def one_cause(**keys: Any) -> CheckResult:
    old = Protocol((message(fields=TAGGED),))
    every = check(old, Protocol((message(fields=TAGGED, flexibleVersions="none"),)))
    return REPORT._replace(findings=tuple(every), notices=(), unchecked=(), **keys)


def test_a_cause_is_counted_with_what_follows_from_it() -> None:
    report = one_cause()
    assert counts(report).startswith("1 error (and 3 that follow from it) in ")
    assert report.failed
    assert (report.summary["error"], report.summary["following"]) == (4, 3)
    twice = report._replace(findings=(*report.findings, report.findings[0]._replace(rule="tag-gap")))
    assert counts(twice).startswith("2 errors (and 3 that follow from them) in ")


def test_what_follows_is_counted_with_its_cause_whatever_its_own_severity() -> None:
    report = one_cause()
    findings = [
        finding._replace(severity=Severity.WARNING) if finding.root is not None else finding
        for finding in report.findings
    ]
    noted = some_finding(severity=Severity.WARNING, location=None)
    report = report._replace(findings=(*findings, noted))
    assert counts(report).startswith("1 error (and 3 that follow from it), 1 warning in ")


@pytest.mark.parametrize("form", ["text", "markdown", "github", "report.md", "report.html"])
def test_people_see_what_follows_below_its_cause(form: str) -> None:
    report = one_cause()
    made = {"report.md": markdown.render, "report.html": html.render}
    text = made[form](ReviewReport(report)) if form in made else render(report, form)
    cause, *others = report.findings
    assert all(text.count(item.rule) >= 1 for item in others)
    assert cause.fix.split(";")[-1] in text.replace("\n         ", " ")
    assert not [item for item in others if f"--waive={item.fingerprint}" in text]
    assert "add a new, flexible version and tag" not in text.replace("\n         ", " ")
    assert text.index(cause.rule) < text.index(others[0].rule)


def test_programs_get_the_root_of_each_finding() -> None:
    report = one_cause()
    cause, *others = json.loads(render(report, "json"))["findings"]
    assert cause["root"] is None
    assert {item["root"] for item in others} == {cause["fingerprint"]}
    _, *results = json.loads(render(report, "sarif"))["runs"][0]["results"]
    for result in results:
        assert result["properties"]["root"] == cause["fingerprint"]
        assert result["relatedLocations"][-1]["message"]["text"].startswith("the cause: flexible-versions-")
        assert "Instead" not in result["message"]["text"]
    assert render(report, "gitlab").lower().count("follows from flexible-versions-changed") == 3


def test_a_waiver_covers_what_follows_and_not_the_reverse() -> None:
    cause, *others = one_cause().findings
    assert all(item.waived == "agreed" for item in settled([cause._replace(waived="agreed"), *others]))
    first = others[0]._replace(waived="agreed")
    assert [item.waived for item in settled([cause, first, *others[1:]])] == [None, "agreed", None, None]
    assert CheckResult((cause, first), "", "", 1).failed


def test_the_same_bytes_are_shown_once() -> None:
    id_, more = ({"name": name, "type": "int32", "versions": "0+"} for name in ("Id", "More"))
    old = Protocol((message(fields=[id_], flexibleVersions="none"),))
    new = Protocol((message(fields=[id_, more], flexibleVersions="0+"),))
    every = [item for item in check(old, new) if item.proof is not None]
    assert len(every) == 2
    cause = next(item for item in every if item.proven_by is None)
    (other,) = (item for item in every if item.proven_by is not None)
    assert other.proven_by == cause.identity
    assert other.root is None, "each edit has to be undone by itself"
    plain, pointing = sorted(
        json.loads(render(REPORT._replace(findings=tuple(every)), "json"))["findings"],
        key=lambda item: "proof" not in item,
    )
    assert pointing["proven_by"] == plain["fingerprint"]
    assert [item.proven_by for item in settled([other])] == [None]


def test_tags_that_are_swapped_in_a_shared_struct_are_not_reused_where_no_version_sends_them() -> None:
    def pair(first: int, second: int) -> Message:
        tagged = [
            {"name": name, "type": kind, "versions": "2+", "taggedVersions": "2+", "tag": tag}
            for name, kind, tag in (("A", "string", first), ("B", "int32", second))
        ]
        spec = {
            "apiKey": 1, "type": "request", "name": "FooRequest", "validVersions": "0-2",
            "flexibleVersions": "0+",
            "fields": [
                {"name": "Early", "type": "[]Shared", "versions": "0-1"},
                {"name": "Late", "type": "[]Shared", "versions": "0+"},
            ],
            "commonStructs": [{"name": "Shared", "versions": "0+", "fields": tagged}],
        }  # fmt: skip
        return read_message(json.dumps(spec), "FooRequest.json")

    every = check(Protocol((pair(0, 1),)), Protocol((pair(1, 0),)))
    errors = [(item.rule, item.field) for item in every if item.severity is not Severity.INFO]
    assert errors == [("tag-changed", "Late.A"), ("tag-changed", "Late.B")]
