"""What an audit writes and its page shows: the summary, and each finding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from wirebook.docgen.catalog.records import Tool
from wirebook.specs.json_records import omitted


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
class ReleaseCounts(Counts):
    """The findings of one release against the one before; `against` is None for the first."""

    release: str
    date: str
    against: str | None


@dataclass(frozen=True, slots=True)
class CommitCounts(Counts):
    """The findings of one commit, and the rules that have them."""

    commit: str
    date: str
    subject: str
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AuditSummary:
    """summary.json: findings by rule and by release, and the commits that have the most. `tip` is
    the newest commit, `pattern` names the releases."""

    SCHEMA: ClassVar[str] = "wirebook/audit-summary/1"
    tool: Tool
    tip: str
    pattern: str
    commits: int
    releases: int
    findings: StepCounts
    by_rule: tuple[RuleCounts, ...]
    by_release: tuple[ReleaseCounts, ...]
    worst: tuple[CommitCounts, ...]


@dataclass(frozen=True, slots=True)
class FindingPlace:
    """A place in a spec, from line 1 and column 1."""

    path: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """A line of findings.jsonl: a commit or a release, what it was compared with, and what a rule
    found.

    `name` is the commit, or the release; `subject` is the first line of the commit's message. The
    other keys are those of a finding of `wirebook check --format json`.
    """

    SCHEMA: ClassVar[str] = "wirebook/audit-finding/1"
    kind: str
    name: str
    commit: str
    date: str
    subject: str
    against: str | None
    rule: str
    severity: str
    category: str
    message: str
    message_name: str
    message_type: str
    api_key: int | None
    field: str
    versions: str
    change: str
    released_in: str | None
    location: FindingPlace | None
    previous: FindingPlace | None
    fix: str
    fingerprint: str
    proof: Any
    releases: tuple[str, ...] = omitted((), "The releases that disagree on the versions.")
    # Further messages that a change of a shared struct concerns.
    reached: Any = omitted(None)  # noqa: RUF009 - it is a field
