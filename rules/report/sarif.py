"""SARIF 2.1.0, for code scanning: rules with their documentation, results with both places."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from wirebook.rules.catalogue import all_rules
from wirebook.rules.finding import Finding, Place, Severity
from wirebook.rules.report.words import about, in_head, plain
from wirebook.rules.result import CheckResult
from wirebook.rules.rule import Rule
from wirebook.specs.printable import clip, to_json

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
# The base of URIs: only the uploading program knows it.
BASE = "%SRCROOT%"
FINGERPRINT = "wirebook/v1"


def render(result: CheckResult) -> str:
    """The result as a SARIF log in ASCII."""
    return to_json(document(result, all_rules()))


def document(result: CheckResult, rules: Iterable[Rule]) -> dict[str, Any]:
    """The SARIF log, with `rules` described in it."""
    notes = [{"level": "note", "message": _message(text)} for text in result.notices]
    notes += [{"level": "error", "message": _message(str(error))} for error in result.unchecked]
    driver = {"name": "wirebook", "version": result.tool_version, "rules": list(map(_rule, rules))}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {"executionSuccessful": not result.unchecked, "toolExecutionNotifications": notes},
        ],
        "results": list(map(_result, result.ordered, result.fingerprints)),
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Rule) -> dict[str, Any]:
    """The description of a rule."""
    sections = [f"## {name}\n\n{text}" for name, text in rule.documentation.items()]
    summary = {"text": f"{rule.summary}."}
    return {
        "id": rule.name,
        "shortDescription": summary,
        "fullDescription": summary,
        "help": {**summary, "markdown": "\n\n".join(sections)},
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "properties": {"tags": [rule.category.value, rule.topic], "source": rule.source},
    }


def _result(finding: Finding, fingerprint: str) -> dict[str, Any]:
    """A result; without a location, GitHub rejects the whole log."""
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "level": LEVELS[finding.severity],
        "message": _message(". ".join(plain(finding))),
        "locations": [{"physicalLocation": _physical(in_head(finding))}],
        "partialFingerprints": {FINGERPRINT: fingerprint},
        "properties": {"about": about(finding)},
    }
    if (previous := finding.previous) is not None:
        result["relatedLocations"] = [
            {"physicalLocation": _physical(previous), "message": _message("before")}
        ]
    if finding.waived is not None:
        accepted = {"kind": "external", "status": "accepted", "justification": clip(finding.waived)}
        result["suppressions"] = [accepted]
    return result


def _physical(place: Place) -> dict[str, Any]:
    """A place: its file, relative to the root of the sources, and its range."""
    uri = quote(place.path.encode("utf-8", "backslashreplace"))
    artifact = {"uri": f"file://{uri}"} if uri.startswith("/") else {"uri": uri, "uriBaseId": BASE}
    region = {"startLine": max(place.line, 1), "startColumn": max(place.column, 1)}
    if place.end_column is not None:
        region |= {"endLine": place.line, "endColumn": place.end_column}
    return {"artifactLocation": artifact, "region": region}


def _message(text: str) -> dict[str, str]:
    """A plain text message, with links and placeholders escaped."""
    return {"text": re.sub(r"\{(\d+)\}", r"{{\1}}", clip(text).replace("](", "] ("))}
