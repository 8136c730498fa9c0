"""What an audit writes and its page shows: the manifest, the summary, and each finding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from wirebook.docgen.catalog.records import Tool


@dataclass(frozen=True, slots=True)
class Counts:
    """Findings by severity."""

    error: int
    warning: int
    info: int


@dataclass(frozen=True, slots=True)
class StepCounts:
    """Findings between commits, and between releases."""

    commits: Counts
    releases: Counts


@dataclass(frozen=True, slots=True)
class RuleCounts:
    """The findings of one rule, between commits and between releases."""

    rule: str
    commits: Counts
    releases: Counts


@dataclass(frozen=True, slots=True)
class ReleaseCounts:
    """The findings of one release against the one before; `against` is None for the first."""

    release: str
    date: str
    against: str | None
    error: int
    warning: int
    info: int


@dataclass(frozen=True, slots=True)
class CommitCounts:
    """The findings of one commit, and the rules that have them."""

    commit: str
    date: str
    subject: str
    error: int
    warning: int
    info: int
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AuditSummary:
    """summary.json: findings by rule and by release, and the commits that have the most."""

    SCHEMA: ClassVar[str] = "wirebook/audit-summary/1"
    commits: int
    releases: int
    findings: StepCounts
    by_rule: tuple[RuleCounts, ...]
    by_release: tuple[ReleaseCounts, ...]
    worst: tuple[CommitCounts, ...]


@dataclass(frozen=True, slots=True)
class AuditManifest:
    """manifest.json: what was audited and by what; `tip` is the newest commit, `pattern` names releases."""

    SCHEMA: ClassVar[str] = "wirebook/audit/1"
    tool: Tool
    tip: str
    pattern: str
    releases: tuple[str, ...]
    steps: int
    distinct_texts: int


@dataclass(frozen=True, slots=True)
class FindingPlace:
    """The line of a spec that a finding is about."""

    path: str
    line: int


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """A line of findings.jsonl, as far as the page shows it: the step, and what the rule found."""

    kind: str
    name: str
    date: str
    subject: str
    rule: str
    severity: str
    message: str
    message_name: str
    field: str
    versions: str
    location: FindingPlace | None
    previous: FindingPlace | None
