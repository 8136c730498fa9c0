"""The page of an audit: one self-contained file, generated from its summary and its findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirebook.docgen.catalog.audit_records import (
    AuditFinding,
    AuditSummary,
    Counts,
    RuleCounts,
)
from wirebook.docgen.pages.standalone import standalone
from wirebook.rules.catalogue import find

SEVERITIES = ("error", "warning", "info")
SHOWN = 2_000  # errors on the page; the rest is in findings.jsonl


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A rule with its summary, "" if there is no such rule any more, and its findings."""

    name: str
    summary: str
    commits: Counts
    releases: Counts


@dataclass(frozen=True, slots=True)
class StepErrors:
    """The errors of one commit or release."""

    name: str
    date: str
    findings: Sequence[AuditFinding]


def audit_page(summary: AuditSummary, findings: Sequence[AuditFinding], title: str) -> str:
    """The page, as HTML; `title` is what was audited."""
    errors = [finding for finding in findings if finding.severity == "error"]
    steps = {
        "Releases": _steps(errors[:SHOWN], "release"),
        "Commits": _steps(errors[:SHOWN], "commit"),
    }
    return standalone(
        "audit.html.jinja",
        title=title,
        severities=SEVERITIES,
        tool=summary.tool,
        summary=summary,
        rules=[_rule_row(rule) for rule in sorted(summary.by_rule, key=_worst_first)],
        errors=[(heading, listed) for heading, listed in steps.items() if listed],
        errors_left_out=max(0, len(errors) - SHOWN),
    )


def _worst_first(rule: RuleCounts) -> tuple[int, int, str]:
    errors = rule.commits.error + rule.releases.error
    return -errors, -(rule.commits.warning + rule.releases.warning), rule.rule


def _rule_row(counts: RuleCounts) -> RuleRow:
    rule = find(counts.rule)
    summary = "" if rule is None else rule.summary.replace("`", "")
    return RuleRow(counts.rule, summary, counts.commits, counts.releases)


def _steps(errors: Sequence[AuditFinding], kind: str) -> list[StepErrors]:
    """The commits or the releases that have errors."""
    by_name: dict[str, list[AuditFinding]] = {}
    for error in errors:
        if error.kind == kind:
            by_name.setdefault(error.name, []).append(error)
    return [
        StepErrors(
            name if kind == "release" else f"{name[:12]} {findings[0].subject}",
            findings[0].date,
            findings,
        )
        for name, findings in by_name.items()
    ]
