"""No text of a spec, no file name and no ref breaks out of any format, whatever it holds."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from tests.rules.report.showing import sarif_schema, schema, shown
from tests.rules.reports import reports
from wirebook.rules.finding import Severity
from wirebook.rules.report import FORMATS, render
from wirebook.rules.report.github import render as render_github
from wirebook.rules.result import CheckResult
from wirebook.specs.printable import visible


def command(line: str) -> tuple[str, dict[str, str], str] | None:
    """What a runner of GitHub takes a line of a log for, by its source: a command of two styles, or
    none."""
    trimmed = line.lstrip()
    if trimmed.startswith("::") and "::" in trimmed[2:]:
        head, _, data = trimmed[2:].partition("::")
        name, _, rest = head.partition(" ")
        pairs = [part.partition("=") for part in rest.split(",") if part]
        properties = {key: plain(value, ":,") for key, _, value in pairs}
        return name, properties, plain(data)
    if "##[" in line and "]" in line[line.index("##[") :]:
        return "old style", {}, line
    return None


def plain(text: str, more: str = "") -> str:
    for character in f"{more}\n\r%":
        text = text.replace(f"%{ord(character):02X}", character)
    return text


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "github"])
@given(report=reports())
def test_nothing_commands_a_runner_or_steers_a_terminal(form: str, report: CheckResult) -> None:
    text = shown(report, form)
    text.encode("utf-8")
    for line in text.split("\n"):
        assert command(line) is None
        assert line.isprintable()
        assert visible(line) == line


@given(report=reports())
def test_github_gets_one_command_a_finding(report: CheckResult) -> None:
    lines = render_github(report).split("\n")
    found = [each for each in map(command, lines) if each is not None]
    assert len(found) == len(report.findings) + len(report.unchecked)
    assert all(line.startswith("::") or command(line) is None for line in lines)
    kinds = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
    for (name, properties, data), finding in zip(
        found[len(report.unchecked) :], report.ordered, strict=True
    ):
        assert name == ("notice" if finding.waived is not None else kinds[finding.severity])
        assert properties.keys() <= {"file", "line", "col", "endLine", "endColumn", "title"}
        assert finding.rule in properties["title"]
        wanted = (
            finding.waived is None and finding.severity is not Severity.INFO and finding.waivable
        )
        assert (f"--waive={finding.fingerprint}" in data) == wanted
        place = finding.location
        if place is not None and "line" in properties:
            assert properties["line"] == str(place.line)
            assert place.path.endswith(properties["file"])


@given(report=reports())
def test_json_is_read_back_as_it_was(report: CheckResult) -> None:
    value = json.loads(render(report, "json"))
    assert value == report.to_json()
    assert Draft202012Validator(schema("findings")).is_valid(value)


@given(report=reports())
def test_sarif_stays_sarif(report: CheckResult) -> None:
    value = json.loads(shown(report, "sarif"))
    assert [error.message for error in sarif_schema().iter_errors(value)] == []
    for result in value["runs"][0]["results"]:
        # GitHub rejects the whole log for one result without a place.
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        # Neither an embedded link nor a placeholder.
        assert not re.search(r"(?<!\\)\[[^\]]*\]\(", result["message"]["text"])
        assert not re.search(r"(?<!\{)\{\d+\}(?!\})", result["message"]["text"])


@given(report=reports())
def test_gitlab_stays_a_list_of_distinct_issues(report: CheckResult) -> None:
    issues = json.loads(render(report, "gitlab"))
    unchecked = len(report.unchecked)
    assert [issue["check_name"] for issue in issues[unchecked:]] == [
        item.rule for item in report.ordered
    ]
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
