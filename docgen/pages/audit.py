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
from wirebook.rules.catalogue import all_rules
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
        rules=sorted(summary.by_rule, key=_worst_first),
        about={rule.name: rule.summary.replace("`", "") for rule in all_rules(True)},
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
