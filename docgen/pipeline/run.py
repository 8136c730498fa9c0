"""From the texts of snapshots to the finished catalog, through Spark."""

from __future__ import annotations

import sys
import time
import uuid
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.storagelevel import StorageLevel

from wirebook._version import __version__
from wirebook.docgen.catalog import files as output
from wirebook.docgen.catalog import snapshot_summaries
from wirebook.docgen.catalog.api_history import StateText
from wirebook.docgen.catalog.catalog import Manifest
from wirebook.docgen.catalog.errors import SUBJECT, error_codes, error_events
from wirebook.docgen.catalog.order import SnapshotFile
from wirebook.docgen.catalog.protocol import level_records
from wirebook.docgen.catalog.records import IndexRow, ReleaseChanges, Snapshots, Tool
from wirebook.docgen.catalog.rows import slug_of
from wirebook.docgen.pipeline import schemas, tables
from wirebook.docgen.pipeline.inputs import Inputs, Usable, gather, judged, write_protocol
from wirebook.docgen.pipeline.session import spark_session
from wirebook.docgen.pipeline.spark.stages import stages_shown
from wirebook.docgen.pipeline.spark.storage import Storage
from wirebook.docgen.pipeline.work import SubjectResult, make_documents, parse_texts
from wirebook.docgen.progress import SILENT, Progress
from wirebook.docgen.request import BuildRequest
from wirebook.specs.output import replaced

if TYPE_CHECKING:
    from pyspark import RDD

T = TypeVar("T")

LARGE = 40_000  # files from which Spark's slower start pays off: compiled queries, more optimization
FILES_A_PARTITION = 100_000  # for every two partitions of a shuffle
TEXTS_A_TASK = 600
TEXTS_A_PART = 20_000
FILES_A_PART = 200_000
CHANGES_A_PART = 50_000


@dataclass(slots=True)
class Summary:
    """What a run found: how many APIs and messages, and which specs of releases could not be read."""

    subjects: int = 0
    warnings: list[str] = field(default_factory=list)


def build_catalog(
    request: BuildRequest,
    progress: Progress = SILENT,
    *,
    quiet: bool = False,
    kept: ExitStack | None = None,
) -> None:
    """Build the catalog of a request in its folder; Spark runs on until `kept` ends, for the next build.

    Without a history, the ApiVersions of the specs' own `history` are the snapshots. An older catalog in the
    folder is replaced when the new one is complete. Raises InputError if it cannot finish; the folder is then
    unchanged.
    """
    with replaced(request.catalog) as folder:
        filled = fill_catalog(request, folder, progress, kept)
    if not quiet:
        print("\n".join((*filled.warnings, filled.summary)), file=sys.stderr)


class Filled(NamedTuple):
    """What to print of a catalog: warnings, and a summary of it."""

    warnings: tuple[str, ...]
    summary: str


def fill_catalog(
    request: BuildRequest, folder: Path, progress: Progress = SILENT, kept: ExitStack | None = None
) -> Filled:
    """As `build_catalog`, into an empty folder; returns what to print of it."""
    started = time.monotonic()
    progress.step("reading the specs")
    inputs = gather(request)
    summary = run(inputs, folder, request, progress, kept)
    return Filled(
        tuple(f"wirebook: {warning}" for warning in summary.warnings),
        f"wirebook: catalog of {summary.subjects} APIs and messages, {len(inputs.snapshots)} snapshots, "
        f"{len(inputs.texts)} distinct texts in {time.monotonic() - started:.1f} s",
    )


def run(
    inputs: Inputs,
    folder: Path,
    request: BuildRequest | None = None,
    progress: Progress = SILENT,
    kept: ExitStack | None = None,
) -> Summary:
    """Fill `folder` with the catalog of `inputs`, on the Spark and with the further tables of a request."""
    request = request or BuildRequest()
    large = len(inputs.files) > LARGE
    partitions = 2 * -(-len(inputs.files) // FILES_A_PARTITION)
    progress.step("starting Spark")
    session = spark_session(
        request.master, large=large, partitions=partitions, conf=request.conf, progress=progress
    )
    with ExitStack() as own:
        spark = (own if kept is None else kept).enter_context(session)
        pipeline = _Run(spark, inputs, folder, progress, Storage(spark, request.tables))
        try:
            return pipeline.run()
        finally:
            pipeline.end()


class _Documented(NamedTuple):
    """What is known of all documents: their summaries, and the events of all subjects."""

    summaries: snapshot_summaries.SnapshotSummaries
    events: pa.Table


class _Parts(NamedTuple):
    """How a table is divided: a key, how many values it has (from 0 on), and the number of parts."""

    key: Column
    keys: int
    number: int


class _Run:
    def __init__(
        self, spark: SparkSession, inputs: Inputs, folder: Path, progress: Progress, storage: Storage
    ) -> None:
        self.spark, self.storage = spark, storage
        self.progress = progress
        self.inputs = inputs
        self.folder = folder
        self.summary = Summary()
        self.group = f"wirebook-{uuid.uuid4()}"
        self.pool = ThreadPoolExecutor(
            2, initializer=lambda: spark.sparkContext.setJobGroup(self.group, "wirebook")
        )
        self.submitted: list[Future[Any]] = []

    def submit(self, work: Callable[..., T], *arguments: Any) -> Future[T]:
        """Run a Spark job in another thread."""
        future = self.pool.submit(work, *arguments)
        self.submitted.append(future)
        return future

    def awaited(self, work: Future[T]) -> T:
        """The result of such a job; until it ends, progress counts Spark's tasks."""
        with stages_shown(self.spark.sparkContext, self.progress):
            return work.result()

    def end(self) -> None:
        """Cancel these jobs, and wait for their threads: the session may be about to stop."""
        for future in self.submitted:
            future.cancel()
        running: Collection[Future[Any]] = self.submitted
        # A thread between two jobs has none to cancel at that moment.
        while running := wait(running, 0.2).not_done:
            with suppress(Exception):
                self.spark.sparkContext.cancelJobGroup(self.group)
        self.pool.shutdown()

    def run(self) -> Summary:
        inputs = self.inputs
        self.progress.step("reading texts in tasks of Spark")
        parsed = self.parsed().persist(StorageLevel.MEMORY_AND_DISK)
        columns = parsed.select("digest", "path", "error", "subject", "part", "api")
        texts = judged(inputs, self.awaited(self.submit(columns.collect)))
        self.summary.warnings = texts.warnings
        contents = tables.held(self.listed(texts.files), parsed).persist(StorageLevel.MEMORY_AND_DISK)
        slugs = addresses(inputs, texts.usable)
        writing = self.submit(self.tables, parsed, contents)
        self.progress.step("describing APIs and messages", len(slugs))
        self.changes(self.documents(parsed, contents, slugs))
        self.progress.step("writing tables in tasks of Spark")
        self.awaited(writing)
        output.write_json(self.folder / "errors.json", error_codes(inputs.errors, inputs.registry))
        output.write_json(self.folder / "levels.json", level_records(inputs.registry, inputs.snapshots))
        write_protocol(inputs, self.folder)
        output.write_json(self.folder / output.MANIFEST, manifest(inputs, self.summary.warnings))
        self.summary.subjects = len(slugs)
        return self.summary

    def listed(self, files: list[SnapshotFile]) -> DataFrame:
        """The files of all snapshots, column by column: row by row a million would take seconds."""
        ordinals, paths, digests = zip(*files, strict=True) if files else ((), (), ())
        columns = [
            pa.array(ordinals, pa.int32()),
            pa.array(paths, pa.string()),
            pa.array(digests, pa.string()),
        ]
        return self.spark.createDataFrame(pa.table(columns, names=schemas.FILES.names), schemas.FILES)

    def parsed(self) -> DataFrame:
        texts = [(digest, *text) for digest, text in sorted(self.inputs.texts.items())]
        context = self.spark.sparkContext
        cores = max(2, context.defaultParallelism)
        rows = context.parallelize(texts, cores * max(1, round(len(texts) / (cores * TEXTS_A_TASK))))
        parse = parse_texts(self.inputs.levels, self.inputs.profile)
        return self.spark.createDataFrame(rows.mapPartitions(parse), schemas.PARSED, verifySchema=False)

    def documents(self, parsed: DataFrame, contents: DataFrame, slugs: dict[str, str]) -> _Documented:
        """Write the document of each API and message; returns their summaries and events."""
        inputs = self.inputs
        context = inputs.context()
        texts = (
            parsed.where(F.col("error").isNull())
            .groupBy("subject")
            .agg(F.collect_list(F.struct("digest", "model", "states")).alias("texts"))
        )
        entry = F.struct(*StateText._fields)
        entries = contents.groupBy("subject").agg(F.collect_list(entry).alias("entries"))
        rows = texts.join(entries, "subject", "left").select("subject", "texts", "entries")
        index: list[IndexRow] = []
        presence: dict[str, snapshot_summaries.InSnapshots] = {}
        batches = [tables.changes(SUBJECT, error_events(inputs.errors, inputs.snapshots))]
        (self.folder / "api").mkdir()
        for subject in self.stream(rows.rdd.mapPartitions(make_documents(context, slugs))):
            self.progress.advance()
            batches.append(tables.changes(subject.subject, subject.events))
            slug = slugs[subject.subject]
            (self.folder / "api" / f"{slug}.json").write_bytes(subject.document.text)
            index.append(subject.document.row)
            presence[slug] = subject.document.presence
        output.write_json(self.folder / "index.json", snapshot_summaries.index(index))
        summaries = snapshot_summaries.SnapshotSummaries(inputs.snapshots, index, presence, slugs)
        return _Documented(summaries, pa.Table.from_batches(batches))

    def changes(self, documented: _Documented) -> None:
        """Write the table of changes and its summary of each snapshot, some snapshots at a time."""
        snapshots, folder, events = self.inputs.snapshots, self.folder, documented.events
        order = ["ordinal", *(name for name in events.column_names if name != "ordinal")]
        ordered = events.sort_by([(name, "ascending") for name in order])
        ordinals = ordered.column("ordinal").to_pylist()
        self.storage.write("changes", events)
        count = len(ordinals) // CHANGES_A_PART + 1
        with (
            output.JsonList(folder / "snapshots.json", Snapshots.SCHEMA, "snapshots") as records,
            output.JsonList(folder / "changes.json", ReleaseChanges.SCHEMA, "pairs") as pairs,
        ):
            for part in range(count):
                low, high = len(snapshots) * part // count, len(snapshots) * (part + 1) // count
                first, last = bisect_left(ordinals, low), bisect_left(ordinals, high)
                table = ordered.slice(first, last - first)
                output.write_table(folder / "tables" / "changes", part, table)
                by_snapshot: dict[int, list[dict[str, Any]]] = {}
                for row in table.to_pylist():
                    by_snapshot.setdefault(row["ordinal"], []).append(row)
                for snapshot in snapshots[low:high]:
                    rows = by_snapshot.get(snapshot.ordinal, ())
                    record, pair = documented.summaries.summary(snapshot, rows)
                    records.add(record)
                    if pair is not None:
                        pairs.add(pair)

    def stream(self, rows: RDD[SubjectResult]) -> Iterator[SubjectResult]:
        """The rows, a few partitions at a time, so that the driver never holds them all."""
        context = self.spark.sparkContext
        count, at_once = rows.getNumPartitions(), max(2, context.defaultParallelism)
        for first in range(0, count, at_once):
            yield from context.runJob(rows, list, list(range(first, min(count, first + at_once))))

    def tables(self, parsed: DataFrame, entries: DataFrame) -> None:
        folder, inputs = self.folder / "tables", self.inputs
        snapshots = pa.Table.from_pylist([asdict(snapshot) for snapshot in inputs.snapshots])
        output.write_table(folder / "snapshots", 0, snapshots)
        self.storage.write("snapshots", snapshots)
        count = len(inputs.files) // FILES_A_PART + 1
        by_snapshot = _Parts(F.col("ordinal"), len(inputs.snapshots), count)
        by_text = _Parts(tables.bucket(), tables.BUCKETS, len(inputs.texts) // TEXTS_A_PART + 1)
        messages = tables.messages(entries, parsed)
        for name, frame, parts, order in (
            ("messages", messages, by_snapshot, ["ordinal", "subject", "type", "path"]),
            ("versions", tables.versions(parsed), by_text, ["digest", "version"]),
            ("fields", tables.fields(parsed), by_text, ["digest", "version", "place"]),
        ):
            self.write_parts(folder / name, frame, parts, order)
            self.storage.write(name, frame)

    def write_parts(self, folder: Path, frame: DataFrame, parts: _Parts, order: list[str]) -> None:
        """Write a table, one part after another, so that the driver holds only one."""
        key, count = parts.key, parts.number
        for part in range(count):
            low, high = parts.keys * part // count, parts.keys * (part + 1) // count
            rows = frame if count == 1 else frame.where((key >= low) & (key < high))
            # Rows arrive in the order of the partitions, which is arbitrary.
            table = rows.toArrow().sort_by([(name, "ascending") for name in order])
            output.write_table(folder, part, table)


def addresses(inputs: Inputs, usable: Mapping[str, Usable]) -> dict[str, str]:
    """An address for each subject: by its newest name, with the key or type where two would share it."""
    newest: dict[str, tuple[int, str]] = {}
    for file in inputs.files:
        if file.digest in usable:
            text = usable[file.digest]
            newest[text.subject] = max(newest.get(text.subject, (-1, "")), (file.ordinal, text.api))
    for digest in inputs.source_texts:
        text = usable[digest]
        newest.setdefault(text.subject, (-1, text.api))
    slugs = {subject: slug_of(api) for subject, (_, api) in newest.items()}
    count = Counter(slugs.values())
    return {
        subject: slug if count[slug] == 1 else f"{slug}-{slug_of(subject.replace(':', ' '))}"
        for subject, slug in sorted(slugs.items())
    }


def manifest(inputs: Inputs, warnings: Sequence[str]) -> Manifest:
    """What the catalog was built from and by which tool, without time or place."""
    return Manifest(
        tool=Tool("wirebook", __version__),
        inputs=inputs.described,
        snapshots=len(inputs.snapshots),
        specs=len(inputs.files),
        distinct_texts=len(inputs.texts),
        newest=inputs.snapshots[-1].name,
        problems=tuple(warnings),
    )
