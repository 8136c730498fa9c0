"""The audit of a whole history: judges every step once, and writes the result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from functools import partial
from pathlib import Path

from wirebook._version import __version__
from wirebook.docgen.catalog import files as output
from wirebook.docgen.catalog.audit_records import (
    AuditFinding,
    AuditManifest,
    AuditSummary,
    CommitCounts,
    Counts,
    ReleaseCounts,
    RuleCounts,
    StepCounts,
)
from wirebook.docgen.catalog.records import Tool
from wirebook.docgen.pages.audit import audit_page
from wirebook.docgen.pipeline.commits import History, read_history
from wirebook.docgen.pipeline.distribute import distribution
from wirebook.docgen.pipeline.verdicts import judge_steps
from wirebook.docgen.progress import SILENT, Progress
from wirebook.specs.json_records import to_json
from wirebook.specs.output import AUDIT, check_output, replaced

WORST = 20


@dataclass(frozen=True, slots=True)
class AuditRequest:
    """What is audited, and where to write the result.

    The releases are the tags of the repository that match `pattern`, the commits those on the
    first-parent line of `revision`. `master` and `conf` are those of a new Spark session; the
    caller's own is used if there is one.
    """

    repository: str
    pattern: str
    output: Path
    revision: str = "HEAD"
    master: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict)


def audit(request: AuditRequest, progress: Progress = SILENT) -> AuditSummary:
    """Judge every commit and every release, and replace the output; returns the summary as written.

    Raises InputError if it cannot finish; the folder is then unchanged.
    """
    check_output(request.output, AUDIT)
    progress.step("reading the history")
    history = read_history(request.repository, request.pattern, request.revision)
    found: list[AuditFinding] = []
    with distribution(request.master, request.conf, progress) as distribute:
        progress.step("judging commits and releases", len(history.steps))
        for findings in distribute(partial(judge_steps, history), history.steps):
            found += findings
            progress.advance()
    progress.step("writing the findings")
    return _write(request, history, found)


# -- what is written -------------------------------------------------------------------------------


def _write(request: AuditRequest, history: History, found: Sequence[AuditFinding]) -> AuditSummary:
    """Write findings, summary, page and manifest."""
    summary = summarize(history, found)
    with replaced(request.output, AUDIT) as output_folder:
        lines = b"".join(output.encoded(each) + b"\n" for each in found)
        (output_folder / "findings.jsonl").write_bytes(lines)
        output.write_table(output_folder, "findings", AuditFinding, found)
        output.write_json(output_folder / "summary.json", to_json(summary))
        manifest = AuditManifest(
            tool=Tool("wirebook", __version__),
            tip=history.tip,
            pattern=request.pattern,
            releases=tuple(history.releases),
            steps=len(history.steps),
            distinct_texts=len({text.digest for texts in history.specs.values() for text in texts}),
        )
        path = Path(request.repository).resolve()
        title = (path.parent if path.name == ".git" else path).name.removesuffix(".git")
        page = audit_page(manifest, summary, found, title)
        (output_folder / "index.html").write_text(page, encoding="utf-8", errors="backslashreplace")
        output.write_json(output_folder / output.MANIFEST, to_json(manifest))
    return summary


def summarize(history: History, found: Sequence[AuditFinding]) -> AuditSummary:
    """Findings by rule and by release, and the worst commits."""
    commits, releases = _of(found, "commit"), _of(found, "release")
    by_commit = _grouped(commits, "commit")
    worst = sorted(
        by_commit.values(), key=lambda some: [-number for number in astuple(_counts(some))]
    )
    by_release = _grouped(releases, "name")
    return AuditSummary(
        commits=sum(step.kind == "commit" for step in history.steps),
        releases=len(history.releases),
        findings=StepCounts(_counts(commits), _counts(releases)),
        by_rule=tuple(
            RuleCounts(rule, _counts(_of(some, "commit")), _counts(_of(some, "release")))
            for rule, some in sorted(_grouped(found, "rule").items())
        ),
        by_release=tuple(
            ReleaseCounts(
                step.name, step.date, step.against, *astuple(_counts(by_release.get(step.name, ())))
            )
            for step in history.steps
            if step.kind == "release"
        ),
        worst=tuple(map(_commit_counts, worst[:WORST])),
    )


def _commit_counts(found: Sequence[AuditFinding]) -> CommitCounts:
    first, counts, rules = found[0], _counts(found), tuple(sorted({each.rule for each in found}))
    return CommitCounts(
        first.commit, first.date, first.subject, counts.error, counts.warning, counts.info, rules
    )


def _counts(found: Iterable[AuditFinding]) -> Counts:
    by_severity = Counter(each.severity for each in found)
    return Counts(by_severity["error"], by_severity["warning"], by_severity["info"])


def _grouped(found: Iterable[AuditFinding], key: str) -> dict[str, list[AuditFinding]]:
    groups: dict[str, list[AuditFinding]] = {}
    for each in found:
        groups.setdefault(getattr(each, key), []).append(each)
    return groups


def _of(found: Iterable[AuditFinding], kind: str) -> list[AuditFinding]:
    return [each for each in found if each.kind == kind]
