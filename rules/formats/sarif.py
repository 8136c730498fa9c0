"""SARIF 2.1.0, for code scanning: rules with their documentation, results with both places."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from wirebook.rules.finding import Finding, Place, Severity
from wirebook.rules.formats.words import about, advice, bytes_of, in_new_tree, named, relative
from wirebook.rules.meta_rules import all_rules
from wirebook.rules.result import CheckResult
from wirebook.rules.rule import Rule
from wirebook.specs.printable import clip, to_json

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
# The base of URIs: only the uploading program knows it.
BASE = "%SRCROOT%"
FINGERPRINT = "wirebook/v1"
# A byte of a file name that is not UTF-8, as sources spell it.
_BYTE = re.compile(rb"\\x([89a-f][0-9a-f])")


def render(report: CheckResult) -> str:
    """The report as a SARIF log in ASCII."""
    return to_json(document(report, all_rules()))


def document(report: CheckResult, rules: Iterable[Rule]) -> dict[str, Any]:
    """The SARIF log, with `rules` described in it; a finding of another rule gets a short description."""
    described = [_rule(rule, report.site) for rule in rules]
    rule_ids = {description["id"] for description in described}
    described += [
        {"id": name} for name in dict.fromkeys(f.rule for f in report.ordered) if name not in rule_ids
    ]
    index = {description["id"]: number for number, description in enumerate(described)}
    pairs = zip(report.ordered, report.fingerprints, strict=True)
    notes = [{"level": "note", "message": _message(text)} for text in report.notices]
    notes += [{"level": "error", "message": _message(text)} for text in report.unchecked]
    run = {
        "tool": {"driver": {"name": "wirebook", "version": report.tool_version, "rules": described}},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {"executionSuccessful": not report.unchecked, "toolExecutionNotifications": notes},
        ],
        "properties": {"compared": clip(report.compared), "messagesChecked": report.messages_checked},
        "results": [_result(report, finding, mark, index[finding.rule]) for finding, mark in pairs],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Rule, site: str) -> dict[str, Any]:
    sections = rule.documentation
    markdown = "\n\n".join(f"## {name}\n\n{text}" for name, text in sections.items())
    return {
        "id": rule.name,
        **({"helpUri": f"{site}{rule.page}"} if site else {}),
        "shortDescription": {"text": f"{rule.summary}."},
        "fullDescription": {"text": " ".join(next(iter(sections.values()), rule.summary).split())},
        "help": {
            "text": "\n\n".join(f"{name}\n\n{text}" for name, text in sections.items()),
            "markdown": markdown,
        },
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "properties": {"tags": [rule.category.value, rule.topic], "source": rule.source},
    }


def _result(report: CheckResult, finding: Finding, fingerprint: str, index: int) -> dict[str, Any]:
    place, old = in_new_tree(finding)
    text = ". ".join(filter(None, (clip(finding.message), old, advice(finding))))
    name = ".".join(part for part in (finding.message_name, finding.field) if part)
    spot: dict[str, Any] = {"physicalLocation": _physical(place)} if place is not None else {}
    if name:
        kind = "member" if finding.field else "type"
        spot["logicalLocations"] = [{"fullyQualifiedName": clip(name), "kind": kind}]
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": LEVELS[finding.severity],
        "message": _message(text),
        "locations": [spot] if spot else [],
        "partialFingerprints": {FINGERPRINT: fingerprint},
        "properties": {
            "about": about(finding),
            "category": finding.category.value,
            "versions": finding.versions.text,
            "releasedIn": finding.released_in,
            **({"proof": bytes_of(finding)} if finding.proof is not None else {}),
            **({"root": finding.root.fingerprint} if finding.root is not None else {}),
        },
    }
    related: list[tuple[Place | None, str]] = [(finding.previous, "before")]
    root = None if finding.root is None else report.by_identity.get(finding.root)
    if root is not None:
        related.append((in_new_tree(root)[0], f"the cause: {named(root.identity)}"))
    placed = [(at, text) for at, text in related if at is not None]
    if placed:
        result["relatedLocations"] = [
            {"id": number, "physicalLocation": _physical(at), "message": _message(text)}
            for number, (at, text) in enumerate(placed, 1)
        ]
    if finding.waived is not None:
        accepted = {"kind": "external", "status": "accepted", "justification": clip(finding.waived)}
        result["suppressions"] = [accepted]
    return result


def _physical(place: Place) -> dict[str, Any]:
    region = {"startLine": max(place.line, 1), "startColumn": max(place.column, 1)}
    if place.end_line is not None and place.end_column is not None:
        region |= {"endLine": place.end_line, "endColumn": place.end_column}
    return {"artifactLocation": _artifact(place.path), "region": region}


def _artifact(path: str) -> dict[str, str]:
    path = relative(path)
    name = path.encode("utf-8", "surrogateescape" if _is_bytes(path) else "backslashreplace")
    uri = quote(_BYTE.sub(lambda match: bytes.fromhex(match[1].decode()), name))
    return {"uri": f"file://{uri}"} if path.startswith("/") else {"uri": uri, "uriBaseId": BASE}


def _is_bytes(path: str) -> bool:
    """Whether non-Unicode characters of a path represent bytes of a file name, as Python decodes them."""
    return all("\udc80" <= character <= "\udcff" for character in path if "\ud800" <= character <= "\udfff")


def _message(text: str) -> dict[str, str]:
    """A plain text message, with links and placeholders escaped."""
    plain = clip(text).replace("](", "] (")
    return {"text": re.sub(r"\{(\d+)\}", r"{{\1}}", plain)}
