"""The function behind `wirebook fleet`: logs in, tables, summary and page out."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook.docgen.catalog import files as output
from wirebook.docgen.catalog.json_records import to_json
from wirebook.docgen.pipeline.existing import at_hand
from wirebook.docgen.pipeline.session import spark_session
from wirebook.docgen.progress import SILENT, Progress
from wirebook.fleet.applications.naming import Naming, read_key
from wirebook.fleet.applications.owners import Owners, read_owners
from wirebook.fleet.counting.counting import MOST_APPLICATIONS, Counting
from wirebook.fleet.page.page import fleet_page
from wirebook.fleet.page.records import FleetSummary
from wirebook.fleet.page.summary import summarize
from wirebook.fleet.reading.inputs import LogInputs, inputs
from wirebook.fleet.reading.metrics.counters import Counters
from wirebook.fleet.reading.metrics.reading import Dumps
from wirebook.fleet.reading.objects import check_texts, is_address, unread
from wirebook.fleet.reading.pieces import PieceRead, read_piece
from wirebook.fleet.reading.progress import FilePiece, FilePosition, Plan, plan
from wirebook.fleet.reading.reading import Read
from wirebook.fleet.tables import tables
from wirebook.fleet.tables.merging import merge
from wirebook.fleet.tables.state import FleetState, checked_state
from wirebook.fleet.verdicts.verdicts import Target
from wirebook.specs.files import locked_exclusively
from wirebook.specs.output import FLEET, check_output, replaced
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from wirebook.fleet.spark.job import SparkReader

MOST_PROBLEMS = 100
CLUSTER = "default"
ATTEMPTS = 3  # to read logs that are rotated meanwhile
LARGE_MB = 8 << 10  # of logs, from which on Java's faster code pays off despite its slower start
HIDDEN = "(a line of a log with pseudonyms)"


@dataclass(frozen=True, slots=True)
class FleetRequest:
    """Logs, the target release, and where to write the result.

    Spark reads the logs if there is a `master`, a Spark setting in `conf` or a Spark session of the caller,
    or under spark-submit; otherwise this process does. `tables` is a URI to which executors of
    Spark write the tables as well, as those of `cluster`.
    """

    logs: Sequence[str]
    target: str
    output: Path
    owners: Path | None = None
    baseline: Path | None = None
    pseudonymize: Path | None = None
    master: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict)
    probe: Path | None = None
    most_applications: int = MOST_APPLICATIONS
    tables: str | None = None
    cluster: str = CLUSTER


@dataclass(frozen=True, slots=True)
class Fleet:
    """The summary as written, and what this run has read: files, unchanged ones, lines, problems of files."""

    summary: FleetSummary
    files: int
    unchanged: int
    lines: int
    seconds: float
    problems: Sequence[tuple[str, str]] = ()


Pieces = Iterable[tuple[FilePiece, PieceRead]]


def read_here(pieces: Sequence[FilePiece], counting: Counting) -> Pieces:
    """Count the requests of pieces in this process, and yield each piece with its outcome."""
    for piece in pieces:
        yield piece, read_piece(piece, counting)


def fleet(request: FleetRequest, progress: Progress = SILENT) -> Fleet:
    """Read what is new in the logs, and replace the output in one step.

    A run that fails or is killed leaves the output as it was, and the next one reads the same again. Raises
    InputError if it cannot finish.
    """
    check_output(request.output, FLEET)
    with ExitStack() as stack:
        run = _Run(request, stack, progress)
        stack.enter_context(
            locked_exclusively(request.output, "another wirebook fleet is writing this folder")
        )
        run.state = run.kept_state()
        return run.read()


@dataclass(slots=True)
class _New:
    """What is new in the logs: `counted` has the requests that executors have counted, `read` those that this
    process has, and all lines. `dumps` are the files that were read as a whole.
    """

    planned: Plan
    read: Read
    counted: Counting
    dumps: Sequence[str] = ()


class _Run:
    """A run: what its request names, the state that it continues, and a reader on Spark if it needs one."""

    def __init__(self, request: FleetRequest, stack: ExitStack, progress: Progress) -> None:
        """Read the files that a request names. Raises InputError."""
        self.request, self.stack, self.progress = request, stack, progress
        self.started = time.monotonic()
        self.target = Target.named(request.target, request.probe)
        self.owners = read_owners(request.owners) if request.owners else Owners()
        self.naming = Naming(self.owners, read_key(request.pseudonymize) if request.pseudonymize else b"")
        self.addresses = [name for name in request.logs if is_address(name)]
        self.reader: SparkReader | None = None
        self.state = FleetState(key=self.naming.fingerprint)
        if request.baseline is not None and self.named_alike(request.baseline) is None:
            raise InputError("this is not the output of wirebook fleet", str(request.baseline))

    def counting(self) -> Counting:
        """A counting of nothing yet."""
        return Counting(self.naming, self.request.most_applications)

    def kept_state(self) -> FleetState:
        """The state of the output, or that of a new one."""
        return self.named_alike(self.request.output) or FleetState(key=self.naming.fingerprint)

    def named_alike(self, folder: Path) -> FleetState | None:
        """The state of an output, None without one. Raises InputError if its names are of another kind."""
        state = checked_state(folder)
        key = self.naming.fingerprint
        if state is not None and state.key != key:
            with_other = "with another key of pseudonyms" if state.key and key else "without pseudonyms"
            words = (
                f"holds names {with_other}" if key else "holds pseudonyms, and --pseudonymize names no key"
            )
            raise InputError(f"{words}; choose an output of the same kind", str(folder))
        return state

    # -- one run ------------------------------------------------------------------------------------

    def read(self) -> Fleet:
        """Add what is new in the logs to the output."""
        state = self.state
        merged = Read(self.counting())
        merge(self._inputs().outputs, state, merged)
        new = self._read_new()
        lines, planned = new.read.lines, new.planned
        new.read.add(merged)
        self._add(new.read)
        self._check_any(planned.problems)
        state.positions = _furthest(planned.positions)
        # Addresses know texts only by their starts.
        check_texts(state.positions, state.objects)
        tried = {*(piece.path for piece in planned.pieces), *new.dumps}
        problems = (problem for problem in state.problems if problem[0] not in tried)
        state.problems = sorted({*problems, *planned.problems})[:MOST_PROBLEMS]
        summary = self._write(new.counted, new.read.counting, planned.unfinished)
        seconds = time.monotonic() - self.started
        return Fleet(summary, planned.files, planned.unchanged, lines, seconds, sorted(planned.problems))

    def _inputs(self) -> LogInputs:
        names = [name for name in self.request.logs if not is_address(name)]
        return inputs(names, self.request.output, (*self.state.positions, *self.state.dumps))

    def _read_new(self) -> _New:
        """Read what is new; start over from the plan if a log was moved meanwhile, as by rotation."""
        moved = ""
        try:
            for _ in range(ATTEMPTS):
                self.progress.step("looking for what is new")
                logs = self._inputs()
                planned = plan(logs.logs, self.state.positions)
                self._start_spark(planned.pieces)
                new = _New(planned, Read(self.counting()), self.counting())
                moved = self._read_pieces(new)
                if not moved:
                    self._read_dumps(logs, new)
                    self._read_objects(new)
                    return new
        except OSError as error:
            words = f"cannot be read: {error.strerror or error}"
            raise InputError(words, str(error.filename or "")) from error
        raise InputError("was repeatedly moved or replaced while it was read; try again later", moved)

    def _start_spark(self, pieces: Sequence[FilePiece]) -> None:
        """Have a reader on Spark, unless this process reads the logs; it has read nothing yet."""
        request = self.request
        wants_spark = bool(pieces) and (request.master or request.conf or request.tables or at_hand())
        if self.reader is not None:
            self.reader.forget()
        elif wants_spark or self.addresses:
            self.reader = self._spark_reader(pieces)

    def _spark_reader(self, pieces: Sequence[FilePiece]) -> SparkReader:
        try:
            from wirebook.fleet.spark.job import SparkReader
        except ModuleNotFoundError as error:
            raise InputError(f"this needs the package {error.name}: install wirebook[spark]") from None
        self.progress.step("starting Spark")
        request, large = self.request, sum(map(_size, pieces)) > LARGE_MB
        session = spark_session(
            request.master,
            large=large,
            partitions=8,
            conf=request.conf,
            progress=self.progress,
            remote=True,
        )
        spark = self.stack.enter_context(session)
        return SparkReader(spark, self.progress, keeps=request.tables is not None)

    def _read_pieces(self, new: _New) -> str:
        """Read pieces of logs; returns a file that was moved meanwhile, "" if none was."""
        moved, pieces = "", new.planned.pieces
        self.progress.step("reading the logs", sum(map(_size, pieces)))
        reads: Pieces = (
            read_here(pieces, new.read.counting)
            if self.reader is None
            else self.reader.pieces(pieces, new.counted)
        )
        for piece, done in reads:
            self.progress.advance(_size(piece))
            new.read.add_lines(done.read)
            if done.position is not None:
                new.planned.positions.append(done.position)
            if done.problem:
                new.planned.problems.append((piece.path, done.problem))
            moved = piece.path if done.moved else moved
        return moved

    def _read_objects(self, new: _New) -> None:
        """Read the files at addresses that are new there."""
        if self.reader is None or not self.addresses:
            return
        self.progress.step("listing the files at addresses")
        listed = set(self.reader.listed(self.addresses))
        objects = unread(listed, self.state.objects)
        self.progress.step("reading the files at addresses")
        positions = []
        for read, position in self.reader.objects(objects, new.counted, new.read.counting):
            new.read.add_lines(read)
            positions.append(position)
        self.state.objects += positions
        check_texts(positions, self.state.objects)
        new.planned.files += len(listed)
        new.planned.unchanged += len(listed) - len(objects)

    def _read_dumps(self, log_inputs: LogInputs, new: _New) -> None:
        """Read metrics and results of the probe, which are small, in this process."""
        state, planned = self.state, new.planned
        if log_inputs.dumps:
            self.progress.step("reading metrics", len(log_inputs.dumps))
        dumps = Dumps(Counters(state.brokers), state.dumps, state.instances)
        dumps.read(log_inputs.dumps, new.read)
        state.dumps, state.instances = dumps.positions, dumps.instances
        planned.problems += dumps.problems
        new.dumps = [str(path) for path, _, _ in log_inputs.dumps]
        planned.files += log_inputs.files
        planned.unchanged += log_inputs.unchanged

    # -- what both write -------------------------------------------------------------------------------

    def _add(self, read: Read) -> None:
        """Add lines to the state."""
        if self.naming.key:
            read.samples = [sample._replace(text=HIDDEN) for sample in read.samples]
        self.state.add_lines(read)
        # Without those of which metrics took everything back.
        self.state.forms = +self.state.forms

    def _check_any(self, problems: Sequence[tuple[str, str]] = ()) -> None:
        """Raise InputError if none of the lines is a request: the result would wrongly show that nobody
        is cut off. `problems` are those of files.
        """
        state = self.state
        if state.forms.total():
            return
        skipped = ", ".join(f"{number:,} {reason}" for reason, number in state.skipped.most_common(3))
        lines = f"; lines are {skipped}" if skipped else ""
        sample = f', such as "{state.samples[0].text[:80]}"' if state.samples else ""
        damaged = f"; {problems[0][0]}: {problems[0][1]}" if problems else ""
        raise InputError(
            f"there is no request in these logs{damaged}{lines}{sample}. Kafka writes them if "
            "kafka.request.logger is at DEBUG",
            self.request.logs[0],
        )

    def _write(self, counted: Counting, here: Counting, unfinished: Mapping[str, int]) -> FleetSummary:
        """Replace the output by one that has what executors have `counted` as well, and what is counted
        `here`.
        """
        request, state = self.request, self.state
        self.progress.step("writing the tables")
        total = counted if counted.groups else here
        if total is counted:
            counted.add_all(here)
        with replaced(request.output, FLEET) as folder:
            _write_tables(request.output, folder, total)
            summary = summarize(folder, self.target, state, self.owners, request.baseline, unfinished)
            state.write(request.output, folder)
            output.write_json(folder / "summary.json", to_json(summary))
            page = fleet_page(summary)
            (folder / "index.html").write_text(page, encoding="utf-8", errors="backslashreplace")
            if request.tables:
                self.progress.step("writing tables by executors")
                # If this fails, the folder is as it was, and the next run reads the same logs again.
                _publish(folder, request, self.reader, here, self.progress)
        return summary


def _publish(
    folder: Path, request: FleetRequest, reader: SparkReader | None, here: Counting, progress: Progress
) -> None:
    from wirebook.fleet.spark.published import Added, publish

    assert request.tables is not None
    kept = () if reader is None else reader.kept
    added = Added(request.output, kept, here, request.most_applications)
    publish(folder, request.tables, request.cluster, request.master, request.conf, added, progress)


def _size(piece: FilePiece) -> int:
    """The size of a piece in MiB; for compressed data, the compressed size."""
    if piece.end is None:
        return max(1, os.path.getsize(piece.path) >> 20) if os.path.exists(piece.path) else 1
    return max(1, (piece.end - piece.start) >> 20)


def _furthest(positions: Iterable[FilePosition]) -> list[FilePosition]:
    """One position of each text under each name: the furthest that was read."""
    positions_by_text: dict[tuple[str, str], FilePosition] = {}
    for position in positions:
        key = (position.path, position.prefix)
        if key not in positions_by_text or position.offset >= positions_by_text[key].offset:
            positions_by_text[key] = position
    return [positions_by_text[key] for key in sorted(positions_by_text)]


def _write_tables(old: Path, new: Path, counting: Counting) -> None:
    """Write the days that have new requests, and keep the others."""
    before = set(tables.days_in(old))
    for day in sorted(before | set(counting.days)):
        if day not in counting.days:
            tables.keep_day(old, new, day)
            continue
        if day in before:
            tables.add_day(old, day, counting)
        tables.write_day(new, counting, day)
