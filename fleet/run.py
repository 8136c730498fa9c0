"""The function behind `wirebook fleet`: logs in, tables, summary and page out."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook.docgen.catalog import files as output
from wirebook.docgen.catalog.json_records import to_json
from wirebook.docgen.pipeline.existing import at_hand
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
from wirebook.fleet.tables.state import STATE, FleetState, checked_state
from wirebook.fleet.verdicts.verdicts import Target
from wirebook.specs.files import locked_exclusively
from wirebook.specs.output import FLEET, check_output, owned, replaced
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from wirebook.fleet.spark.job import SparkReader

MOST_PROBLEMS = 100
CLUSTER = "default"
ATTEMPTS = 3  # to read logs that are rotated meanwhile
LARGE_MB = 8 << 10  # of logs, from which on Java's faster code pays off despite its slower start
TOPIC = "kafka://"
HIDDEN = "(a line of a log with pseudonyms)"


@dataclass(frozen=True, slots=True)
class FleetRequest:
    """Logs, the target release, and where to write the result.

    Spark reads the logs if there is a `master`, a Spark setting in `conf` or a Spark session of the caller,
    or under spark-submit; otherwise this process does. `tables` is a URI to which executors of
    Spark write the tables as well, as those of `cluster`. With `stream`, Spark reads logs as they appear, or
    those that are there (`once`), and keeps in the folder `checkpoint` which ones it has read; `consumer` is
    a file with settings for the topic that it reads.
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
    stream: bool = False
    once: bool = False
    checkpoint: Path | None = None
    consumer: Path | None = None


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
    started = time.monotonic()
    judged = _Judged.of(request)
    with (
        locked_exclusively(request.output, "another wirebook fleet is writing this folder"),
        ExitStack() as stack,
    ):
        state = _state(request.output, judged.naming)
        if request.stream:
            return _stream(request, judged, state, stack, started, progress)
        topics = [name for name in request.logs if name.startswith(TOPIC)]
        if topics:
            raise InputError("is a topic, which --stream reads", topics[0])
        if state.stream is not None:
            raise InputError("is the output of --stream; choose another folder", str(request.output))
        merged = Read(Counting(judged.naming, request.most_applications))
        merge(_inputs(request, state).outputs, state, merged)
        new = _read_new(request, state, judged.naming, stack, progress)
        lines = new.read.lines
        new.read.add(merged)
        _add(new.read, state, judged)
        _check_any(request, state)
        state.positions = _furthest(new.positions)
        # A stream and addresses know texts only by their starts.
        check_texts(state.positions, state.objects)
        tried = {*(piece.path for piece in new.planned.pieces), *new.dumps}
        problems = (problem for problem in state.problems if problem[0] not in tried)
        state.problems = sorted({*problems, *new.problems})[:MOST_PROBLEMS]
        added = _Counted(new.counted, new.read.counting, new.reader)
        summary = _write(request, judged, state, added, new.planned.unfinished, progress)
    seconds = time.monotonic() - started
    return Fleet(summary, new.planned.files, new.planned.unchanged, lines, seconds, sorted(new.problems))


@dataclass(frozen=True, slots=True)
class _Judged:
    """What requests are judged and named by."""

    target: Target
    owners: Owners
    naming: Naming

    @classmethod
    def of(cls, request: FleetRequest) -> _Judged:
        """Read the files that a request names. Raises InputError, also for folders of other kinds."""
        check_output(request.output, FLEET)
        target = Target.named(request.target, request.probe)
        owners = read_owners(request.owners) if request.owners else Owners()
        naming = Naming(owners, read_key(request.pseudonymize) if request.pseudonymize else b"")
        if request.baseline is not None and _named_alike(request.baseline, naming) is None:
            raise InputError("this is not the output of wirebook fleet", str(request.baseline))
        return cls(target, owners, naming)


def _add(read: Read, state: FleetState, judged: _Judged) -> None:
    if judged.naming.key:
        read.samples = [sample._replace(text=HIDDEN) for sample in read.samples]
    state.add_lines(read)
    state.forms = +state.forms  # without those of which metrics took everything back


@dataclass(frozen=True, slots=True)
class _Counted:
    """What a run adds to the output: what executors of a reader have counted, and what this process has."""

    on_executors: Counting = field(default_factory=Counting)
    here: Counting = field(default_factory=Counting)
    reader: SparkReader | None = None

    def total(self) -> Counting:
        """Both together; one of them has them afterwards."""
        if not self.on_executors.groups:
            return self.here
        self.on_executors.add_all(self.here)
        return self.on_executors


def _write(
    request: FleetRequest,
    judged: _Judged,
    state: FleetState,
    counted: _Counted,
    unfinished: Mapping[str, int],
    progress: Progress,
) -> FleetSummary:
    """Replace the output by one that has what was counted as well."""
    progress.step("writing the tables")
    with replaced(request.output, FLEET) as output_folder:
        _write_tables(request.output, output_folder, counted.total())
        summary = summarize(output_folder, judged.target, state, judged.owners, request.baseline, unfinished)
        (output_folder / STATE).write_bytes(state.text())
        output.write_json(output_folder / "summary.json", to_json(summary))
        page = fleet_page(summary)
        (output_folder / "index.html").write_text(page, encoding="utf-8", errors="backslashreplace")
        if request.tables:
            # If this fails, the folder is as it was, and the next run reads the same logs again.
            _publish(output_folder, counted, request, request.tables, progress)
    return summary


def _stream(
    request: FleetRequest,
    judged: _Judged,
    state: FleetState,
    stack: ExitStack,
    started: float,
    progress: Progress,
) -> Fleet:
    """Add batches of logs to the output as they appear. Returns at the end of what is there (`once`)."""
    name = _streamed(request)
    checkpoint = Path(os.path.abspath(request.checkpoint or f"{request.output}-checkpoint"))
    # A stream that was killed before its first batch has a checkpoint without commits: Spark reads all of it.
    commits = checkpoint / "commits"
    if owned(request.output, FLEET) is None and commits.is_dir() and any(commits.iterdir()):
        words = "is the checkpoint of an output that is not there; remove it to read everything again"
        raise InputError(words, str(checkpoint))
    if state.stream is None and owned(request.output, FLEET) is not None:
        raise InputError(
            "is the output of a run without --stream; choose another folder", str(request.output)
        )
    reader = _spark_reader(request, (), stack, progress)
    files = lines = 0

    def begin(query: str) -> None:
        state.follows(query, -1, str(request.output), str(checkpoint))

    def add(query: str, batch: int, counted: Counting, read: Read, positions: Sequence[FilePosition]) -> None:
        nonlocal files, lines
        state = _state(request.output, judged.naming)
        if state.follows(query, batch, str(request.output), str(checkpoint)):
            _add(read, state, judged)
            state.objects += positions
            added = _Counted(counted, read.counting, reader)
            _write(request, judged, state, added, {}, progress)
            files, lines = files + len(positions), lines + read.lines

    from wirebook.fleet.spark.stream import stream
    from wirebook.fleet.spark.topics import Topic, read_settings

    address = Topic.of(name) if name.startswith(TOPIC) else name
    settings = read_settings(request.consumer) if request.consumer else {}
    progress.step("waiting for logs")
    counting = partial(Counting, judged.naming, request.most_applications)
    stream(reader, address, checkpoint, counting, begin, add, once=request.once, settings=settings)
    if owned(request.output, FLEET) is None:
        raise InputError(f"there is no log in this {'topic' if name.startswith(TOPIC) else 'folder'}", name)
    state = _state(request.output, judged.naming)
    _check_any(request, state)
    summary = _write(request, judged, state, _Counted(), {}, progress)
    return Fleet(summary, files, 0, lines, time.monotonic() - started)


def _streamed(request: FleetRequest) -> str:
    """The one address that a stream reads. Raises InputError."""
    if len(request.logs) != 1:
        raise InputError("--stream reads one folder, pattern or topic: name one")
    name = request.logs[0]
    if request.consumer and not name.startswith(TOPIC):
        raise InputError("--consumer-config is for a topic")
    return name if is_address(name) else f"file://{os.path.abspath(name.removeprefix('file://'))}"


def _publish(folder: Path, counted: _Counted, request: FleetRequest, uri: str, progress: Progress) -> None:
    from wirebook.fleet.spark.published import Added, publish

    progress.step("writing tables by executors")
    kept = () if counted.reader is None else counted.reader.kept
    added = Added(request.output, kept, counted.here, request.most_applications)
    publish(folder, uri, request.cluster, request.master, request.conf, added, progress)


@dataclass(slots=True)
class _New:
    """What is new in the logs, how far they were read, and what was wrong with them.

    `counted` has the requests that executors have counted, `read` those that this process has, and all lines.
    """

    planned: Plan
    read: Read
    counted: Counting
    reader: SparkReader | None
    positions: list[FilePosition]
    problems: list[tuple[str, str]]
    moved: str = ""
    dumps: tuple[str, ...] = ()


def _read_new(
    request: FleetRequest, state: FleetState, naming: Naming, stack: ExitStack, progress: Progress
) -> _New:
    """Read what is new; start over from the plan if a log was moved meanwhile, as by rotation."""
    reader: SparkReader | None = None
    addresses = [name for name in request.logs if is_address(name)]
    try:
        for _ in range(ATTEMPTS):
            progress.step("looking for what is new")
            logs = _inputs(request, state)
            planned = plan(logs.logs, state.positions)
            if reader is None:
                reader = _reader(request, planned.pieces, addresses, stack, progress)
            else:
                reader.forget()
            here, counted = (Counting(naming, request.most_applications) for _ in range(2))
            new = _New(planned, Read(here), counted, reader, list(planned.positions), [])
            new.problems += [(file, _vanished(file)) for file in planned.vanished]
            new.problems += [
                (file, "has text that another file has, too, and counts once") for file in planned.copies
            ]
            progress.step("reading the logs", sum(map(_size, planned.pieces)))
            reads = (
                read_here(planned.pieces, here) if reader is None else reader.pieces(planned.pieces, counted)
            )
            for piece, done in reads:
                progress.advance(_size(piece))
                new.read.add_lines(done.read)
                if done.position is not None:
                    new.positions.append(done.position)
                new.moved = piece.path if done.moved else new.moved
                if done.problem:
                    new.problems.append((piece.path, done.problem))
            if not new.moved:
                _read_dumps(logs, new, state, progress)
                if reader is not None and addresses:
                    _read_objects(addresses, reader, new, state, progress)
                return new
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", str(error.filename or "")) from error
    raise InputError("was repeatedly moved or replaced while it was read; try again later", new.moved)


def _inputs(request: FleetRequest, state: FleetState) -> LogInputs:
    names = [name for name in request.logs if not is_address(name)]
    return inputs(names, request.output, (*state.positions, *state.dumps))


def _read_objects(
    addresses: Sequence[str], reader: SparkReader, new: _New, state: FleetState, progress: Progress
) -> None:
    """Read the files at addresses that are new there."""
    progress.step("listing the files at addresses")
    listed = reader.listed(addresses)
    objects = unread(listed, state.objects)
    progress.step("reading the files at addresses")
    positions = []
    for read, position in reader.objects(objects, new.counted, new.read.counting):
        new.read.add_lines(read)
        positions.append(position)
    check_texts(positions, state.objects)
    state.objects += positions
    new.planned.files += len(set(listed))
    new.planned.unchanged += len(set(listed)) - len(objects)


def _read_dumps(log_inputs: LogInputs, new: _New, state: FleetState, progress: Progress) -> None:
    """Read metrics and results of the probe, which are small, in this process."""
    if log_inputs.dumps:
        progress.step("reading metrics", len(log_inputs.dumps))
    dumps = Dumps(Counters(state.brokers), state.dumps, state.instances)
    dumps.read(log_inputs.dumps, new.read)
    state.dumps, state.instances = dumps.positions, dumps.instances
    new.problems += dumps.problems
    new.dumps = tuple(str(path) for path, _, _ in log_inputs.dumps)
    new.planned.files += log_inputs.files
    new.planned.unchanged += log_inputs.unchanged


def _vanished(path: str) -> str:
    is_link = os.path.islink(path)
    return "is a symbolic link to nothing" if is_link else "the file vanished before it was read"


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


def _state(folder: Path, naming: Naming) -> FleetState:
    return _named_alike(folder, naming) or FleetState(key=naming.fingerprint)


def _named_alike(folder: Path, naming: Naming) -> FleetState | None:
    """The state of an output; None if there is none. Raises InputError if its names are of another kind."""
    state = checked_state(folder)
    key = naming.fingerprint
    if state is not None and state.key != key:
        with_other = "with another key of pseudonyms" if state.key and key else "without pseudonyms"
        words = f"holds names {with_other}" if key else "holds pseudonyms, and --pseudonymize names no key"
        raise InputError(f"{words}; choose an output of the same kind", str(folder))
    return state


def _check_any(request: FleetRequest, state: FleetState) -> None:
    """Raise InputError if none of the lines is a request: the result would wrongly show that nobody
    is cut off.
    """
    if state.forms.total():
        return
    skipped = ", ".join(f"{number:,} {reason}" for reason, number in state.skipped.most_common(3))
    lines = f"; lines are {skipped}" if skipped else ""
    sample = f', such as "{state.samples[0].text[:80]}"' if state.samples else ""
    raise InputError(
        f"there is no request in these logs{lines}{sample}. Kafka writes them if "
        "kafka.request.logger is at DEBUG",
        request.logs[0],
    )


def _reader(
    request: FleetRequest,
    pieces: Sequence[FilePiece],
    addresses: Sequence[str],
    stack: ExitStack,
    progress: Progress,
) -> SparkReader | None:
    """A reader on Spark; None if this process reads the logs."""
    wants_spark = bool(pieces) and (request.master or request.conf or request.tables or at_hand())
    return _spark_reader(request, pieces, stack, progress) if wants_spark or addresses else None


def _spark_reader(
    request: FleetRequest, pieces: Sequence[FilePiece], stack: ExitStack, progress: Progress
) -> SparkReader:
    try:
        from wirebook.fleet.spark.job import spark_reader
    except ModuleNotFoundError as error:
        raise InputError(f"this needs the package {error.name}: install wirebook[spark]") from None
    progress.step("starting Spark")
    large = sum(map(_size, pieces)) > LARGE_MB
    keeps = request.tables is not None
    reader = spark_reader(request.master, request.conf, large=large, keeps=keeps, progress=progress)
    return stack.enter_context(reader)


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
