"""The audit of a whole history: judges every step once, and writes the result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

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
from wirebook.docgen.catalog.json_records import from_json, to_json
from wirebook.docgen.catalog.records import Tool
from wirebook.docgen.pipeline.commits import History, read_history
from wirebook.docgen.pipeline.distribute import distribution
from wirebook.docgen.pipeline.verdicts import VerdictRow, judge_steps
from wirebook.docgen.progress import SILENT, Progress
from wirebook.docgen.render.audit import audit_page
from wirebook.specs.output import AUDIT, check_output, replaced

WORST = 20
_STEP = ("kind", "name", "commit", "date", "subject", "against")


class FindingRow(NamedTuple):
    """A finding in the table: a place is three columns."""

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
    released_in: str | None
    fix: str
    fingerprint: str
    location_path: str | None
    location_line: int | None
    location_column: int | None
    previous_path: str | None
    previous_line: int | None
    previous_column: int | None


@dataclass(frozen=True, slots=True)
class AuditRequest:
    """What is audited, and where to write the result.

    The releases are the tags of the repository that match `pattern`, the commits those on the first-parent
    line of `revision`. `master` and `conf` are those of a new Spark session; the caller's own is used if
    there is one.
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
    found: list[VerdictRow] = []
    with distribution(request.master, request.conf, progress) as distribute:
        progress.step("judging commits and releases", len(history.steps))
        judged = distribute(partial(judge_steps, history), history.steps)
        for step, rows in zip(history.steps, judged, strict=True):
            about = {name: getattr(step, name) for name in _STEP}
            found += [{"schema": "wirebook/audit-finding/1", **about, **row} for row in rows]
            progress.advance()
    progress.step("writing the findings")
    return _write(request, history, found)


# -- what is written -------------------------------------------------------------------------------


def _write(request: AuditRequest, history: History, rows: Sequence[VerdictRow]) -> AuditSummary:
    """Write findings, summary, page and manifest."""
    summary = summarize(history, rows)
    with replaced(request.output, AUDIT) as output_folder:
        lines = b"".join(output.encoded(row) + b"\n" for row in rows)
        (output_folder / "findings.jsonl").write_bytes(lines)
        output.write_table(output_folder, "findings", FindingRow, map(_flat, rows))
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
        page = audit_page(manifest, summary, [from_json(AuditFinding, row) for row in rows], title)
        (output_folder / "index.html").write_text(page, encoding="utf-8", errors="backslashreplace")
        output.write_json(output_folder / output.MANIFEST, to_json(manifest))
    return summary


def _flat(row: VerdictRow) -> FindingRow:
    """A finding as a row of the table."""
    cells = dict(row)
    for side in ("location", "previous"):
        cells |= {f"{side}_{name}": value for name, value in (row[side] or {}).items()}
    return FindingRow._make(cells.get(name) for name in FindingRow._fields)


def summarize(history: History, rows: Sequence[VerdictRow]) -> AuditSummary:
    """Findings by rule and by release, and the worst commits."""
    commits, releases = _of(rows, "commit"), _of(rows, "release")
    by_commit = _grouped(commits, "commit")
    worst = sorted(by_commit.values(), key=lambda some: [-number for number in astuple(_counts(some))])
    by_release = _grouped(releases, "name")
    return AuditSummary(
        commits=sum(step.kind == "commit" for step in history.steps),
        releases=len(history.releases),
        findings=StepCounts(_counts(commits), _counts(releases)),
        by_rule=tuple(
            RuleCounts(rule, _counts(_of(some, "commit")), _counts(_of(some, "release")))
            for rule, some in sorted(_grouped(rows, "rule").items())
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


def _commit_counts(rows: Sequence[VerdictRow]) -> CommitCounts:
    first, counts = rows[0], _counts(rows)
    return CommitCounts(
        commit=first["commit"],
        date=first["date"],
        subject=first["subject"],
        error=counts.error,
        warning=counts.warning,
        info=counts.info,
        rules=tuple(sorted({str(row["rule"]) for row in rows})),
    )


def _counts(rows: Iterable[VerdictRow]) -> Counts:
    by_severity = Counter(str(row["severity"]) for row in rows)
    return Counts(by_severity["error"], by_severity["warning"], by_severity["info"])


def _grouped(rows: Iterable[VerdictRow], key: str) -> dict[str, list[VerdictRow]]:
    groups: dict[str, list[VerdictRow]] = {}
    for row in rows:
        groups.setdefault(str(row[key]), []).append(row)
    return groups


def _of(rows: Iterable[VerdictRow], kind: str) -> list[VerdictRow]:
    return [row for row in rows if row["kind"] == kind]
