"""Each format of a report: golden files, schemas, and what its readers make of it.

`WIREBOOK_UPDATE=1` writes the golden files anew; the diff is then what to review.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.kafka import read_kafka
from tests.rules.fixture_pairs import PAIRS, findings
from tests.rules.report.showing import sarif_schema, schema, shown
from tests.rules.reports import (
    CLEAN,
    FINDINGS,
    GONE,
    GONE_PATH,
    HALF,
    NEW,
    OLD,
    PATH,
    REPORT,
    RULES,
    at,
)
from wirebook.rules.catalogue import all_rules
from wirebook.rules.finding import Finding, Severity
from wirebook.rules.report import FORMATS, html, markdown, render, sarif, text
from wirebook.rules.report.model import Report, report_of
from wirebook.rules.result import CheckResult, Judged, counts
from wirebook.rules.rule import SECTIONS
from wirebook.specs.model import Protocol
from wirebook.specs.printable import to_json

GOLDEN = Path(__file__).parent / "golden"
ENDINGS = {"text": "txt", "github": "github.txt", "gitlab": "gitlab.json"}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    ("name", "report"), [("findings", REPORT), ("clean", CLEAN), ("half", HALF)]
)
def test_golden(form: str, name: str, report: CheckResult) -> None:
    text = shown(report, form)
    path = GOLDEN / f"{name}.{ENDINGS.get(form, form)}"
    if os.environ.get("WIREBOOK_UPDATE"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
    assert text.endswith("\n")


@pytest.mark.parametrize(
    ("name", "render_report"),
    [
        ("report.md", markdown.render),
        ("report.html", html.render),
        ("report.json", lambda report: to_json(report.to_json())),
    ],
)
def test_golden_reports(name: str, render_report: Callable[[Report], str]) -> None:
    old = read_kafka(OLD, PATH), read_kafka(GONE, GONE_PATH)
    sides = Protocol(old), Protocol((read_kafka(NEW, PATH),))
    judged = Judged(*sides, findings=FINDINGS)
    text = render_report(report_of(replace(REPORT, projects=(judged,))))
    path = GOLDEN / name
    if os.environ.get("WIREBOOK_UPDATE"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("form", FORMATS)
def test_what_could_not_be_checked_is_said_in_every_format(form: str) -> None:
    text = shown(HALF, form)
    assert "old/Foo.json:1:1: this is no JSON" in text
    assert "no findings" not in text


# --- the report
# -------------------------------------------------------------------------------------------


def test_a_report_is_ordered_and_counted_without_what_is_waived() -> None:
    assert [item.rule for item in REPORT.ordered] == [
        "tag-reused",
        "message-deleted",
        "tag-gap",
        "api-key-hole",
        "default-changed",
    ]
    assert REPORT.summary == {
        "error": 2,
        "warning": 1,
        "info": 1,
        "waived": 1,
        "messages_checked": 2,
    }
    assert REPORT.failed
    assert not replace(
        REPORT, findings=tuple(item._replace(waived="agreed") for item in FINDINGS)
    ).failed
    assert (
        counts(REPORT)
        == "2 errors (1 on the wire), 1 warning, 1 for information, 1 waived; 2 messages checked"
    )
    assert counts(CLEAN) == "no findings; 281 messages checked"
    assert counts(HALF) == "incomplete: nothing found in the 1 message that could be checked"


def test_no_two_findings_of_a_report_share_a_fingerprint() -> None:
    twice = replace(REPORT, findings=FINDINGS[:1] * 3)
    assert len(set(twice.fingerprints)) == 3
    assert twice.fingerprints[0] == FINDINGS[0].fingerprint
    assert REPORT.fingerprints == tuple(item.fingerprint for item in REPORT.ordered)


# --- text
# -------------------------------------------------------------------------------------------------


def test_colours_are_only_there_when_asked_for() -> None:
    plain = text.render(REPORT)
    coloured = text.coloured(plain)
    assert "\x1b" not in plain
    assert "\x1b[1;31merror[tag-reused]\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_what_breaks_on_the_wire_comes_before_other_errors() -> None:
    wire, policy = FINDINGS[1], FINDINGS[3]
    report = replace(REPORT, findings=(policy, wire, policy))
    assert report.ordered == (wire, policy, policy)
    assert counts(report) == "3 errors (1 on the wire); 2 messages checked"
    assert counts(replace(REPORT, findings=(policy,))) == "1 error; 2 messages checked"


@pytest.mark.parametrize("number", [3, 10])
def test_what_many_findings_say_is_one_text_with_their_places(number: int) -> None:
    several = [
        FINDINGS[3]._replace(message_name=f"Foo{each}Request", message=f"Foo{each}Request is gone")
        for each in range(number)
    ]
    shown = text.render(replace(REPORT, findings=tuple(several)))
    assert shown.count("--waive=") == shown.count("  was ") == number
    assert ("error[message-deleted] 10 messages\n  each is gone\n" in shown) == (number > 3)
    # The number of many findings is also where a reader begins.
    assert shown.count(f"{number} errors; 2 messages checked\n") == (2 if number > 3 else 1)


# --- JSON
# -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("report", [REPORT, CLEAN, HALF])
def test_json_keeps_its_schema(report: CheckResult) -> None:
    Draft202012Validator.check_schema(schema("findings"))
    value = json.loads(render(report, "json"))
    assert [
        error.message for error in Draft202012Validator(schema("findings")).iter_errors(value)
    ] == []
    assert value["summary"] == report.summary
    assert [item["rule"] for item in value["findings"]] == [item.rule for item in report.ordered]


# --- SARIF
# ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("report", [REPORT, CLEAN, HALF])
def test_sarif_keeps_the_schema_of_its_standard(report: CheckResult) -> None:
    value = json.loads(render(report, "sarif"))
    assert [error.message for error in sarif_schema().iter_errors(value)] == []


def test_sarif_says_what_code_scanning_needs() -> None:
    run = json.loads(render(REPORT, "sarif"))["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert [item["id"] for item in rules[: len(all_rules())]] == [item.name for item in all_rules()]
    for item in rules:
        assert item["shortDescription"]["text"].endswith(".")
        assert all(f"## {heading}" in item["help"]["markdown"] for heading in SECTIONS)
        assert item["defaultConfiguration"]["level"] in ("error", "warning", "note")
    for result, finding in zip(run["results"], REPORT.ordered, strict=True):
        assert result["ruleId"] == finding.rule
        assert (
            result["level"]
            == {"error": "error", "warning": "warning", "info": "note"}[finding.severity]
        )
        assert result["partialFingerprints"] == {"wirebook/v1": finding.fingerprint}
        assert ("suppressions" in result) == (finding.waived is not None)
    both = run["results"][0]
    assert both["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 6,
        "startColumn": at(NEW, "0 },").column,
        "endLine": 6,
        "endColumn": at(NEW, "0 },").column + 1,
    }
    assert both["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 6


@pytest.mark.xdist_group("fixtures")
def test_a_finding_of_every_rule_has_a_place() -> None:
    found = [finding for folder in PAIRS for finding in findings(folder)]
    without = {rule.name for rule in all_rules()} - {finding.rule for finding in found}
    assert without == {"expired-waiver", "layout-restored", "stale-waiver"}
    report = replace(REPORT, findings=tuple(found))
    for result in sarif.document(report, ())["runs"][0]["results"]:
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"]
        assert place["region"]["startLine"] > 0
    for issue in json.loads(render(report, "gitlab")):
        assert issue["location"]["path"]


def test_a_check_that_could_not_be_made_is_no_success_in_sarif() -> None:
    run = sarif.document(HALF, RULES)["runs"][0]
    (invocation,) = run["invocations"]
    assert not invocation["executionSuccessful"]
    assert invocation["toolExecutionNotifications"][0]["level"] == "error"
    assert sarif.document(CLEAN, RULES)["runs"][0]["invocations"][0]["executionSuccessful"]


# --- the others
# -------------------------------------------------------------------------------------------


def test_gitlab_has_what_gitlab_asks_for() -> None:
    issues = json.loads(render(REPORT, "gitlab"))
    assert len({issue["fingerprint"] for issue in issues}) == len(issues) == len(FINDINGS)
    assert [issue["severity"] for issue in issues] == [
        "critical",
        "critical",
        "minor",
        "info",
        "info",
    ]
    assert issues[0]["location"] == {
        "path": "specs/FooRequest.json",
        "lines": {"begin": 6, "end": 6},
    }
    assert issues[4]["description"].startswith(
        "Accepted: nobody reads it (Ada Lovelace, until 2030-12-31). "
    )
    assert all(issue["description"] and issue["check_name"] for issue in issues)


def test_a_finding_is_known_again_when_its_lines_and_words_change() -> None:
    def moved(item: Finding) -> Finding:
        return item._replace(
            message="in other words", fix="", location=None, severity=Severity.INFO
        )

    assert [moved(item).fingerprint for item in FINDINGS] == [item.fingerprint for item in FINDINGS]
    assert len({item.fingerprint for item in FINDINGS}) == len(FINDINGS)
