"""The audit of a whole history on Spark: judges every step once, and writes the result."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa  # type: ignore[import-untyped]

from wirebook._version import __version__
from wirebook.docgen.catalog import files as output
from wirebook.docgen.catalog.json_records import from_json, to_json
from wirebook.docgen.catalog.records import Tool
from wirebook.docgen.pipeline.commits import AuditStep, History, Listing, read_history
from wirebook.docgen.pipeline.session import spark_session
from wirebook.docgen.pipeline.spark.storage import Storage
from wirebook.docgen.pipeline.verdicts import (
    StepBatch,
    TextNames,
    VerdictRow,
    judge_batches,
    read_names,
    touched,
)
from wirebook.docgen.progress import SILENT, Progress
from wirebook.docgen.render.review.audit import audit_page
from wirebook.docgen.render.review.audit_records import (
    AuditFinding,
    AuditManifest,
    AuditSummary,
    CommitCounts,
    Counts,
    MonthCounts,
    ReleaseCounts,
    RuleCounts,
    StepCounts,
)
from wirebook.specs import own_code
from wirebook.specs.files import sweep, write_atomically
from wirebook.specs.output import AUDIT, check_output, replaced
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from pyspark import RDD
    from pyspark.sql import SparkSession

BATCHES_A_CORE = 4
STEPS_A_BATCH = 200
WORST = 20
_STEP = ("kind", "name", "commit", "date", "subject", "against")


@dataclass(frozen=True, slots=True)
class Audit:
    """The result of an audit: the summary as written, and how much was judged in this run."""

    summary: AuditSummary
    judged: int
    seconds: float


@dataclass(frozen=True, slots=True)
class AuditRequest:
    """What is audited, and where to write the result.

    The releases are the tags of the repository that match `pattern`, the commits those on the first-parent
    line of `revision`. `protocol` names one of several protocols of the specs. `master` and `conf` are those
    of a new Spark session; the caller's own is used if there is one. Executors write the table of findings
    to the URI `tables` as well.
    """

    repository: str
    pattern: str
    output: Path
    revision: str = "HEAD"
    protocol: str | None = None
    master: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict)
    tables: str | None = None


def audit(request: AuditRequest, progress: Progress = SILENT) -> Audit:
    """Judge every commit and every release, and replace the output in one step.

    What an earlier audit in the folder has judged with the same texts and the same rules is reused, as is
    what an unfinished one left beside it. Raises InputError if it cannot finish; the folder is then
    unchanged.
    """
    started = time.monotonic()
    check_output(request.output, AUDIT)
    progress.step("reading the history")
    history = read_history(request.repository, request.pattern, request.revision, request.protocol)
    parts_file = KeptVerdicts(request.output)
    verdicts = parts_file.read()
    keys = step_keys(history)
    unjudged = [(key, step) for key, step in zip(keys, history.steps, strict=True) if key not in verdicts]
    if unjudged:
        progress.step("starting Spark")
        with spark_session(request.master, conf=request.conf, progress=progress) as spark:
            progress.step("judging commits and releases", len(unjudged))
            for part in _judged(spark, history, unjudged):
                parts_file.keep(part)
                progress.advance(len(part))
                verdicts |= part
    progress.step("writing the findings")
    written = _write(request, history, keys, verdicts)
    parts_file.forget()
    if request.tables:
        progress.step("writing tables by executors")
        with spark_session(request.master, conf=request.conf, progress=progress) as spark:
            Storage(spark, request.tables).write("findings", _table(written.rows))
    return Audit(written.summary, len(unjudged), time.monotonic() - started)


def step_keys(history: History) -> list[str]:
    """A digest for each step of all that its verdict depends on: both sides, the baselines, and the rules."""
    rules = f"{own_code.digest()} {history.profile!r}"
    trees = {
        name: _digest(repr([(entry.path, entry.digest) for entry in tree]))
        for name, tree in history.trees.items()
    }
    keys = []
    for step in history.steps:
        parts = [rules, step.old and trees[step.old], trees[step.new], step.name, step.against]
        keys.append(_digest(repr([*parts, *((name, trees[name]) for name in step.baselines)])))
    return keys


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


# -- Spark ----------------------------------------------------------------------------------------


def _judged(
    spark: SparkSession, history: History, steps: Sequence[tuple[str, AuditStep]]
) -> Iterator[dict[str, list[VerdictRow]]]:
    """The findings of the wanted steps by key, a few batches at a time."""
    context = spark.sparkContext
    cores = max(2, context.defaultParallelism)
    texts = [(digest, path, text) for digest, (path, text) in sorted(history.texts.items())]
    names = dict(context.parallelize(texts, cores).mapPartitions(read_names).collect())
    count = max(min(len(steps), cores * BATCHES_A_CORE), len(steps) // STEPS_A_BATCH)
    step_batches = list(batches(history, steps, names, count))
    rows: RDD[Any] = context.parallelize(step_batches, len(step_batches)).mapPartitions(judge_batches)
    for first in range(0, len(step_batches), cores * 2):
        parts = list(range(first, min(len(step_batches), first + cores * 2)))
        yield dict(context.runJob(rows, list, parts))


def batches(
    history: History, keyed_steps: Sequence[tuple[str, AuditStep]], names: Mapping[str, TextNames], count: int
) -> Iterator[StepBatch]:
    """The wanted steps in `count` runs of neighbors, because neighbors share nearly all texts."""
    edges = [len(keyed_steps) * number // count for number in range(count + 1)]
    for low, high in pairwise(edges):
        steps = tuple(keyed_steps[low:high])
        trees: dict[str, Listing] = {}
        for _, step in steps:
            old: Listing = () if step.old is None else history.trees[step.old]
            if step.old is not None:
                trees[step.old] = old
            trees[step.new] = new = history.trees[step.new]
            concerned = touched(old, new, names)
            for name in step.baselines:
                trees[f"{step.name} {name}"] = tuple(
                    entry for entry in history.trees[name] if not concerned.isdisjoint(names[entry.digest])
                )
        digests = {entry.digest for tree in trees.values() for entry in tree}
        needed_texts = {digest: history.texts[digest][1] for digest in sorted(digests)}
        yield StepBatch(steps, trees, needed_texts, history.profile)


# -- what is kept, and what is written ------------------------------------------------------------


_ATTEMPTS = 10


class KeptVerdicts:
    """Verdicts by key: those of the last audit in a folder and, beside it, those of an unfinished one."""

    def __init__(self, folder: Path) -> None:
        self.last = folder / "judged.jsonl"
        self.seen: set[Path] = set()
        self.aside = folder.absolute().parent / f".{folder.name}.wirebook-audit"

    def read(self) -> dict[str, list[VerdictRow]]:
        """All available verdicts; a step with a damaged line is judged again."""
        verdicts: dict[str, list[VerdictRow]] = {}
        with suppress(OSError):
            for path in [self.last, *sorted(self.aside.glob("*.jsonl"))]:
                if path.is_file():
                    self.seen.add(path)
                    verdicts |= _verdicts(path.read_bytes())
        return verdicts

    def keep(self, verdicts: Mapping[str, list[VerdictRow]]) -> None:
        """Write a part of the verdicts, completely or not at all."""
        part = self.aside / f"{_digest(repr(sorted(verdicts)))}.jsonl"
        text = _lines(_verdict(key, rows) for key, rows in verdicts.items())
        try:
            for attempt in range(_ATTEMPTS):
                self.aside.mkdir(parents=True, exist_ok=True)
                try:
                    write_atomically(part, text)
                    break
                except (FileNotFoundError, NotADirectoryError):
                    # Another audit has ended and removed the folder.
                    if attempt == _ATTEMPTS - 1:
                        raise
            self.seen.add(part)
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror or error}", str(self.aside)) from error

    def forget(self) -> None:
        """Remove from beside the folder what is now in it; what another run keeps there stays."""
        with suppress(OSError):
            for path in self.seen - {self.last}:
                path.unlink(missing_ok=True)
            sweep(self.aside)
            self.aside.rmdir()


def _verdicts(text: bytes) -> dict[str, list[VerdictRow]]:
    verdicts: dict[str, list[VerdictRow]] = {}
    for line in text.splitlines():
        try:
            verdict = json.loads(line)
            verdicts[verdict["key"]] = verdict["findings"]
        except (ValueError, KeyError, TypeError):
            continue
    return verdicts


def _lines(items: Iterable[Any]) -> bytes:
    return b"".join(output.encoded(item) + b"\n" for item in items)


class _Written(NamedTuple):
    """The summary as written, and the findings."""

    summary: AuditSummary
    rows: list[VerdictRow]


def _write(
    request: AuditRequest, history: History, keys: Sequence[str], verdicts: Mapping[str, list[VerdictRow]]
) -> _Written:
    """Write findings, summary, page and manifest."""
    rows = [
        {"schema": "wirebook/audit-finding/1", **{name: getattr(step, name) for name in _STEP}, **row}
        for key, step in zip(keys, history.steps, strict=True)
        for row in verdicts[key]
    ]
    summary = summarize(history, rows)
    with replaced(request.output, AUDIT) as output_folder:
        (output_folder / "findings.jsonl").write_bytes(_lines(rows))
        (output_folder / "judged.jsonl").write_bytes(_lines(_verdict(key, verdicts[key]) for key in keys))
        output.write_table(output_folder / "findings", 0, _table(rows))
        output.write_json(output_folder / "summary.json", to_json(summary))
        manifest = AuditManifest(
            tool=Tool("wirebook", __version__),
            tip=history.tip,
            pattern=request.pattern,
            releases=tuple(history.releases),
            steps=len(history.steps),
            distinct_texts=len(history.texts),
            rules=own_code.digest(),
        )
        path = Path(request.repository).resolve()
        title = (
            (path.parent if path.name == ".git" else path).name.removesuffix(".git").removesuffix(".bundle")
        )
        page = audit_page(manifest, summary, [from_json(AuditFinding, row) for row in rows], title)
        (output_folder / "index.html").write_text(page, encoding="utf-8", errors="backslashreplace")
        output.write_json(output_folder / output.MANIFEST, to_json(manifest))
    return _Written(summary, rows)


def _verdict(key: str, findings: list[VerdictRow]) -> dict[str, Any]:
    """The line of one step, which a later audit reuses."""
    return {"schema": "wirebook/audit-verdict/1", "key": key, "findings": findings}


def _table(rows: Sequence[VerdictRow]) -> pa.Table:
    """The findings as a table; a place is three columns."""
    text, number = pa.string(), pa.int32()
    columns: dict[str, Any] = dict.fromkeys(_STEP, text)
    columns |= dict.fromkeys(
        ("rule", "severity", "category", "message", "message_name", "message_type"), text
    )
    columns |= {"api_key": number, "field": text, "versions": text, "released_in": text, "fix": text}
    columns["fingerprint"] = text
    for side in ("location", "previous"):
        columns |= {f"{side}_path": text, f"{side}_line": number, f"{side}_column": number}
    flat = []
    for row in rows:
        cells = {name: value for name, value in row.items() if name != "schema"}
        for side in ("location", "previous"):
            for name, value in (cells.pop(side) or {}).items():
                cells[f"{side}_{name}"] = value
        flat.append(cells)
    return pa.Table.from_pylist(flat, schema=pa.schema(list(columns.items())))


def summarize(history: History, rows: Sequence[VerdictRow]) -> AuditSummary:
    """Findings by rule, by release and over time, and the worst commits."""
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
        over_time=tuple(
            MonthCounts(month, *astuple(_counts(some)))
            for month, some in sorted(_grouped(commits, "date", 7).items())
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


def _grouped(rows: Iterable[VerdictRow], key: str, length: int | None = None) -> dict[str, list[VerdictRow]]:
    groups: dict[str, list[VerdictRow]] = {}
    for row in rows:
        groups.setdefault(str(row[key])[:length], []).append(row)
    return groups


def _of(rows: Iterable[VerdictRow], kind: str) -> list[VerdictRow]:
    return [row for row in rows if row["kind"] == kind]
