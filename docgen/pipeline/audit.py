"""The audit of a whole history: judges every step once, and writes the result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path

from wirebook._version import __version__
from wirebook.docgen.catalog import files as output
from wirebook.docgen.catalog.audit_records import (
    AuditFinding,
    AuditSummary,
    CommitCounts,
    Counts,
    ReleaseCounts,
    RuleCounts,
    StepCounts,
)
from wirebook.docgen.catalog.records import Tool
from wirebook.docgen.pages.audit import audit_page
from wirebook.docgen.pipeline.distribute import distribution
from wirebook.docgen.pipeline.judgements import History, judge_steps, read_history
from wirebook.docgen.progress import SILENT, Progress
from wirebook.specs.output import AUDIT, check_output, replaced

WORST = 20


def audit(
    repository: str,
    pattern: str,
    folder: Path,
    revision: str = "HEAD",
    *,
    master: str | None = None,
    conf: Mapping[str, str] | None = None,
    progress: Progress = SILENT,
) -> AuditSummary:
    """Judge every commit and every release, and replace a folder; returns the summary as written.

    The releases are the tags of the repository that match `pattern`, the commits those on the
    first-parent line of `revision`. `master` and `conf` are those of a new Spark session; the
    caller's own is used if there is one. Raises InputError if it cannot finish; the folder is then
    unchanged.
    """
    check_output(folder, AUDIT)
    progress.step("reading the history")
    history = read_history(repository, pattern, revision)
    found: list[AuditFinding] = []
    with distribution(master, conf or {}, progress) as distribute:
        progress.step("judging commits and releases", len(history.steps))
        for findings in distribute(partial(judge_steps, history), history.steps):
            found += findings
            progress.advance()
    progress.step("writing the findings")
    summary = summarize(history, pattern, found)
    path = Path(repository).resolve()
    title = (path.parent if path.name == ".git" else path).name.removesuffix(".git")
    with replaced(folder, AUDIT) as made:
        lines = b"".join(output.encoded(each) + b"\n" for each in found)
        (made / "findings.jsonl").write_bytes(lines)
        output.write_table(made, "findings", AuditFinding, found)
        output.write_json(made / "summary.json", summary)
        page = audit_page(summary, found, title)
        (made / "index.html").write_text(page, encoding="utf-8", errors="backslashreplace")
    return summary


def summarize(history: History, pattern: str, found: Sequence[AuditFinding]) -> AuditSummary:
    """Findings by rule and by release, and the worst commits."""
    commits = [each for each in found if each.kind == "commit"]
    releases = [each for each in found if each.kind == "release"]
    worst = [_commit_counts(list(some)) for _, some in groupby(commits, lambda each: each.commit)]
    worst.sort(key=lambda each: (-each.error, -each.warning, -each.info))
    by_rule = []
    for rule in sorted({each.rule for each in found}):
        of_commits, of_releases = (
            Counts(*_counts(each for each in some if each.rule == rule))
            for some in (commits, releases)
        )
        by_rule.append(RuleCounts(rule, of_commits, of_releases))
    by_release = []
    for step in history.steps:
        if step.kind == "release":
            counts = _counts(each for each in releases if each.name == step.name)
            by_release.append(ReleaseCounts(*counts, step.name, step.date, step.against))
    return AuditSummary(
        tool=Tool("wirebook", __version__),
        tip=history.tip,
        pattern=pattern,
        commits=sum(step.kind == "commit" for step in history.steps),
        releases=len(history.releases),
        findings=StepCounts(Counts(*_counts(commits)), Counts(*_counts(releases))),
        by_rule=tuple(by_rule),
        by_release=tuple(by_release),
        worst=tuple(worst[:WORST]),
    )


def _commit_counts(found: Sequence[AuditFinding]) -> CommitCounts:
    first, rules = found[0], tuple(sorted({each.rule for each in found}))
    return CommitCounts(*_counts(found), first.commit, first.date, first.subject, rules)


def _counts(found: Iterable[AuditFinding]) -> tuple[int, int, int]:
    """The number of errors, of warnings and of others."""
    by_severity = Counter(each.severity for each in found)
    return by_severity["error"], by_severity["warning"], by_severity["info"]
