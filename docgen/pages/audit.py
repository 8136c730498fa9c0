"""The page of an audit: one self-contained file, generated from its summary and its findings."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from wirebook.docgen.catalog.audit_records import (
    AuditFinding,
    AuditSummary,
    RuleCounts,
)
from wirebook.docgen.pages.standalone import standalone
from wirebook.rules.catalogue import find
from wirebook.rules.report.words import grouped

SEVERITIES = ("error", "warning", "info")
SHOWN = 2_000  # errors on the page; the rest is in findings.jsonl


def audit_page(summary: AuditSummary, findings: Sequence[AuditFinding], title: str) -> str:
    """The page, as HTML; `title` is what was audited."""
    errors = [finding for finding in findings if finding.severity == "error"]
    by_kind = grouped(errors[:SHOWN], attrgetter("kind"))
    return standalone(
        "audit.html.jinja",
        title=title,
        severities=SEVERITIES,
        tool=summary.tool,
        summary=summary,
        rules=[(rule, _about(rule)) for rule in sorted(summary.by_rule, key=_worst_first)],
        errors={
            heading: grouped(by_kind[kind], attrgetter("name"))
            for kind, heading in (("release", "Releases"), ("commit", "Commits"))
            if kind in by_kind
        },
        errors_left_out=max(0, len(errors) - SHOWN),
    )


def _worst_first(rule: RuleCounts) -> tuple[int, int, str]:
    errors = rule.commits.error + rule.releases.error
    return -errors, -(rule.commits.warning + rule.releases.warning), rule.rule


def _about(counts: RuleCounts) -> str:
    """The summary of a rule; "" if there is no such rule any more."""
    rule = find(counts.rule)
    return "" if rule is None else rule.summary.replace("`", "")
