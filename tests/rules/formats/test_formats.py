"""Each format of a report: golden files, schemas, and what its readers make of it.

`WIREBOOK_UPDATE=1` writes the golden files anew; the diff is then what to review.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.rules.formats.showing import sarif_schema, schema, shown
from tests.rules.reports import CLEAN, FINDINGS, HALF, NEW, PATH, REPORT, RULES, at
from wirebook.rules.finding import Finding, Place, ReachedMessage, Severity
from wirebook.rules.formats import FORMATS, render, sarif
from wirebook.rules.meta_rules import all_rules
from wirebook.rules.result import CheckResult, counts
from wirebook.rules.rule import SECTIONS
from wirebook.specs.versions import VersionSet

GOLDEN = Path(__file__).parent / "golden"
ENDINGS = {"text": "txt", "github": "github.txt", "gitlab": "gitlab.json", "markdown": "md"}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(("name", "report"), [("findings", REPORT), ("clean", CLEAN), ("half", HALF)])
def test_golden(form: str, name: str, report: CheckResult) -> None:
    text = shown(report, form)
    path = GOLDEN / f"{name}.{ENDINGS.get(form, form)}"
    if os.environ.get("WIREBOOK_UPDATE"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
    assert text.endswith("\n")


@pytest.mark.parametrize("form", FORMATS)
def test_what_could_not_be_checked_is_said_in_every_format(form: str) -> None:
    text = shown(HALF, form)
    assert "old/Foo.json:1:1: this is no JSON" in text
    assert "no findings" not in text


def test_what_could_not_be_checked_is_marked_at_its_place() -> None:
    why = "new/Foo.json:3:7: this is no JSON"
    report = HALF._replace(
        unchecked=(why, *HALF.unchecked), unchecked_places={why: Place("new/Foo.json", 3, 7)}
    )
    placed, other = [line for line in render(report, "github").splitlines() if line.startswith("::error ")]
    assert placed.startswith(
        "::error file=new/Foo.json,line=3,col=7,title=could not be checked::new/Foo.json"
    )
    assert other.startswith("::error title=could not be checked::old/Foo.json")
    first, second = json.loads(render(report, "gitlab"))
    assert (first["location"]["path"], first["location"]["lines"]["begin"]) == ("new/Foo.json", 3)
    assert second["location"] == {"path": ".", "lines": {"begin": 1}}


@pytest.mark.parametrize(("number", "hidden"), [(10, ""), (11, "20 of 21"), (40, "20 of 50")])
def test_annotations_that_github_does_not_show_are_counted(number: int, hidden: str) -> None:
    errors = [FINDINGS[0]._replace(severity=Severity.ERROR, field=f"Field{each}") for each in range(number)]
    warnings = [item._replace(severity=Severity.WARNING) for item in errors[:10]]
    text = render(REPORT._replace(findings=(*errors, *warnings)), "github")
    (said,) = re.findall(r"(\d+ of \d+) are shown", text) or [""]
    assert said == hidden
    assert len(re.findall("^::(?:error|warning) ", text, re.MULTILINE)) == number + 10


def test_the_golden_files_are_all_in_use() -> None:
    names = ("findings", "clean", "half")
    known = {f"{name}.{ENDINGS.get(form, form)}" for form in FORMATS for name in names}
    assert {path.name for path in GOLDEN.iterdir()} == known


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ValueError, match="no format yaml"):
        render(CLEAN, "yaml")


# --- the report -------------------------------------------------------------------------------------------


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
        "following": 0,
        "waived": 1,
        "messages_checked": 2,
    }
    assert REPORT.failed
    assert not REPORT._replace(findings=tuple(item.waive("agreed") for item in FINDINGS)).failed
    assert counts(REPORT) == "2 errors, 1 warning, 1 for information, 1 waived in 2 messages"
    assert counts(CLEAN) == "no findings in 281 messages"
    assert counts(HALF) == "incomplete: nothing found in the 1 message that could be checked"


def test_no_two_findings_of_a_report_share_a_fingerprint() -> None:
    twice = REPORT._replace(findings=FINDINGS[:1] * 3)
    assert len(set(twice.fingerprints)) == 3
    assert twice.fingerprints[0] == FINDINGS[0].fingerprint
    assert REPORT.fingerprints == tuple(item.fingerprint for item in REPORT.ordered)


# --- text -------------------------------------------------------------------------------------------------


def test_carets_stand_below_what_they_point_at() -> None:
    lines = render(REPORT, "text").split("\n")
    row = next(number for number, line in enumerate(lines) if '"Weight", "type"' in line)
    start = lines[row].index("0 },")
    assert lines[row + 1] == "    | " + " " * (start - 6) + "^"


def test_carets_know_tabs_and_wide_letters() -> None:
    finding = FINDINGS[0]._replace(location=at(NEW, '"0" }'))
    lines = render(REPORT._replace(findings=(finding,)), "text").split("\n")
    row = next(number for number, line in enumerate(lines) if "Größe 東京" in line and "|" in line)
    # Two tabs are eight columns, and each of the two last letters of the name takes two.
    assert lines[row].startswith("  7 |         {")
    assert lines[row + 1].index("^") == lines[row].index('"0" }') + 2
    assert lines[row + 1].count("^") == 3


def test_of_a_line_that_is_too_long_only_what_is_near_is_shown() -> None:
    text = "[" + '"x", ' * 1_000_000 + '"here"' + ', "y"' * 1000 + "]"
    finding = FINDINGS[0]._replace(location=at(text, '"here"'))
    lines = render(REPORT._replace(findings=(finding,) * 300, new_texts={PATH: text}), "text").split("\n")
    assert max(map(len, lines)) < 200
    row = next(number for number, line in enumerate(lines) if '"here"' in line)
    assert "…" in lines[row]
    assert lines[row + 1].index("^") == lines[row].index('"here"')


def test_a_place_that_the_text_does_not_have_has_no_frame() -> None:
    for place in (at(NEW, "fields")._replace(line=99), at(NEW, "fields")._replace(path="elsewhere")):
        finding = FINDINGS[0]._replace(location=place)
        text = render(REPORT._replace(findings=(finding,)), "text")
        assert f"--> {place.path}:{place.line}" in text
        assert "|\n" not in text


def test_colours_are_only_there_when_asked_for() -> None:
    plain, coloured = render(REPORT, "text"), render(REPORT, "text", colour=True)
    assert "\x1b" not in plain
    assert "\x1b[1;31merror[tag-reused]\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_every_finding_but_a_note_says_how_to_waive_it_and_all_where_they_are_explained() -> None:
    text = render(REPORT, "text")
    for item in FINDINGS:
        command = f"wirebook check --staged --waive={item.fingerprint}"
        assert (command in text) == (item.waived is None and item.severity is not Severity.INFO)
        assert (f"wirebook explain {item.rule}" in text) == (item.waived is None)


# --- JSON -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("report", [REPORT, CLEAN, HALF])
def test_json_keeps_its_schema(report: CheckResult) -> None:
    Draft202012Validator.check_schema(schema("findings"))
    value = json.loads(render(report, "json"))
    assert [error.message for error in Draft202012Validator(schema("findings")).iter_errors(value)] == []
    assert value["summary"] == report.summary
    assert [item["rule"] for item in value["findings"]] == [item.rule for item in report.ordered]


def test_the_schema_describes_every_key_that_is_printed() -> None:
    finding = REPORT.ordered[0]._replace(releases=("3.7.0",), protocol="kafka")
    reached = ReachedMessage("FooResponse", "response", 1, "Topics", VersionSet.parse("2"), None)
    proven = finding._replace(proven_by=finding.identity, reached=(reached,))
    value = REPORT._replace(findings=(finding, proven)).to_json()
    assert schema("findings")["properties"].keys() == value.keys()
    assert schema("findings")["$defs"]["finding"]["properties"].keys() == {
        key for item in value["findings"] for key in item
    }
    assert schema("findings")["properties"]["summary"]["properties"].keys() == value["summary"].keys()


@pytest.mark.parametrize("key", ["rule", "severity", "fingerprint", "location", "waived"])
def test_the_schema_refuses_what_is_broken(key: str) -> None:
    value = REPORT.to_json()
    value["findings"][0][key] = {"nonsense": True}
    assert not Draft202012Validator(schema("findings")).is_valid(value)
    del value["findings"][0][key]
    assert not Draft202012Validator(schema("findings")).is_valid(value)


# --- SARIF ------------------------------------------------------------------------------------------------


def test_the_schema_of_sarif_refuses_what_is_none() -> None:
    assert not sarif_schema().is_valid({"version": "2.1.0", "runs": [{"results": []}]})
    assert not sarif_schema().is_valid({"version": "2.0.0", "runs": []})


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
        assert all(heading in item["help"]["text"] for heading in SECTIONS)
        assert all(f"## {heading}" in item["help"]["markdown"] for heading in SECTIONS)
        assert item["defaultConfiguration"]["level"] in ("error", "warning", "note")
    for result, finding in zip(run["results"], REPORT.ordered, strict=True):
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == finding.rule
        assert result["level"] == {"error": "error", "warning": "warning", "info": "note"}[finding.severity]
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


def test_a_rule_that_is_not_described_is_still_named() -> None:
    run = sarif.document(REPORT, RULES)["runs"][0]
    names = [item["id"] for item in run["tool"]["driver"]["rules"]]
    assert names == ["tag-reused", "tag-gap", "message-deleted", "api-key-hole", "default-changed"]


def test_a_check_that_could_not_be_made_is_no_success_in_sarif() -> None:
    run = sarif.document(HALF, RULES)["runs"][0]
    (invocation,) = run["invocations"]
    assert not invocation["executionSuccessful"]
    assert invocation["toolExecutionNotifications"][0]["level"] == "error"
    assert sarif.document(CLEAN, RULES)["runs"][0]["invocations"][0]["executionSuccessful"]


def test_paths_are_uris_in_sarif() -> None:
    def uri(path: str) -> dict[str, str]:
        finding = FINDINGS[0]._replace(location=at(NEW, "fields")._replace(path=path))
        run = sarif.document(REPORT._replace(findings=(finding,)), RULES)["runs"][0]
        location = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
        return {key: str(value) for key, value in location.items()}

    assert uri("./a b/Ä#.json") == {"uri": "a%20b/%C3%84%23.json", "uriBaseId": "%SRCROOT%"}
    assert uri("a:b.json")["uri"] == "a%3Ab.json"
    assert uri("/tmp/x.json") == {"uri": "file:///tmp/x.json"}
    assert uri("\udce4.json")["uri"] == "%E4.json"


# --- the others -------------------------------------------------------------------------------------------


def test_gitlab_has_what_gitlab_asks_for() -> None:
    issues = json.loads(render(REPORT, "gitlab"))
    assert len({issue["fingerprint"] for issue in issues}) == len(issues) == len(FINDINGS)
    assert [issue["severity"] for issue in issues] == ["critical", "critical", "minor", "info", "info"]
    assert issues[0]["location"] == {
        "path": "specs/FooRequest.json",
        "lines": {"begin": 6, "end": 6},
        "positions": {"begin": {"line": 6, "column": 93}, "end": {"line": 6, "column": 94}},
    }
    assert issues[4]["description"].startswith("Waived (nobody reads it (Ada Lovelace, until 2030-12-31)): ")
    assert all(issue["description"] and issue["check_name"] for issue in issues)


def test_the_line_of_a_removed_item_is_one_of_the_old_file() -> None:
    removed = FINDINGS[0]._replace(location=None, previous=Place(PATH, 90, 5, 90, 12))
    report = REPORT._replace(findings=(removed,))
    (issue,) = json.loads(render(report, "gitlab"))
    assert issue["location"] == {"path": PATH, "lines": {"begin": 1}}
    assert "It was in line 90 of the old file. " in issue["description"]
    (result,) = json.loads(render(report, "sarif"))["runs"][0]["results"]
    (location,), (before,) = result["locations"], result["relatedLocations"]
    assert location["physicalLocation"]["region"] == {"startLine": 1, "startColumn": 1}
    assert "It was in line 90 of the old file. " in result["message"]["text"]
    region = before["physicalLocation"]["region"]
    assert (before["message"]["text"], region["startLine"]) == ("before", 90)


def test_a_place_whose_end_is_not_known_has_none() -> None:
    report = REPORT._replace(findings=(FINDINGS[0]._replace(location=Place(PATH, 5, 33)),))
    # The token at the place is underlined all the same.
    assert f"| {' ' * 32}^^^^^^^^^\n" in render(report, "text")
    location = json.loads(render(report, "json"))["findings"][0]["location"]
    assert (location["endLine"], location["endColumn"]) == (None, None)
    result = json.loads(render(report, "sarif"))["runs"][0]["results"][0]
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 5, "startColumn": 33}
    assert json.loads(render(report, "gitlab"))[0]["location"] == {"path": PATH, "lines": {"begin": 5}}
    assert f"file={PATH},line=5,col=33,title=" in render(report, "github")


def test_markdown_stays_short_enough_for_a_comment() -> None:
    many = tuple(FINDINGS[1]._replace(discriminator=str(number), message="x" * 5000) for number in range(500))
    waived = tuple(item.waive("y" * 3000) for item in many)
    text = render(REPORT._replace(findings=(*many, *waived)), "markdown")
    assert len(text) < 65_536
    left = [int(number) for number in re.findall(r"… and (\d+) more", text)]
    rows = text.count("| 🛑 error |")
    assert len(left) == 2
    assert rows + left[0] == 500
    assert rows > 10


def test_github_sorts_errors_first_and_tells_each() -> None:
    many = tuple(
        FINDINGS[0]._replace(severity=severity, discriminator=str(number))
        for number in range(20)
        for severity in Severity
    )
    text = render(REPORT._replace(findings=many), "github")
    lines = [line for line in text.splitlines() if line.startswith("::")]
    assert [line[2:].split(" ")[0] for line in lines] == ["error"] * 20 + ["warning"] * 20 + ["notice"] * 20


@pytest.mark.long
@pytest.mark.parametrize("form", FORMATS)
def test_ten_thousand_findings_are_rendered(form: str) -> None:
    many = tuple(FINDINGS[1]._replace(discriminator=str(number)) for number in range(10_000))
    text = shown(REPORT._replace(findings=many), form)
    told = {
        "text": "--waive=",
        "github": "::error",
        "markdown": "9950 more",
    }
    wanted = 1 if form == "markdown" else 10_000
    assert text.count(told.get(form, '"fingerprint"' if form != "sarif" else '"ruleId"')) == wanted


def test_a_finding_is_known_again_when_its_lines_and_words_change() -> None:
    def moved(item: Finding) -> Finding:
        return item._replace(message="in other words", fix="", location=None, severity=Severity.INFO)

    assert [moved(item).fingerprint for item in FINDINGS] == [item.fingerprint for item in FINDINGS]
    assert len({item.fingerprint for item in FINDINGS}) == len(FINDINGS)


# --- links to the pages of rules ----------------------------------------------------------------------------


def test_a_rule_in_sarif_links_to_its_page_where_a_site_is_known() -> None:
    def described(site: str) -> list[dict[str, Any]]:
        made = sarif.document(REPORT._replace(site=site), RULES)
        assert [error.message for error in sarif_schema().iter_errors(made)] == []
        rules: list[dict[str, Any]] = made["runs"][0]["tool"]["driver"]["rules"]
        return rules

    assert (
        described("https://example.com/book/")[0]["helpUri"] == "https://example.com/book/rules/#tag-reused"
    )
    assert all("helpUri" not in item for item in described(""))
