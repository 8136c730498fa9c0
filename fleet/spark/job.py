"""The Spark job of `wirebook fleet`: executors count requests, Spark adds the counts up by their keys.

It uses data frames only, so that it runs in any session. Files that executors see under their paths are read
by Python (`SparkReader.pieces`), which knows how far each was read and needs nothing but the standard library
there; addresses are read by Spark's text reader (`SparkReader.objects`), whose lines come as Arrow arrays.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pyspark.sql.functions as f
from pyspark.errors import AnalysisException
from pyspark.sql.pandas.functions import arrow_udf

from wirebook.docgen.pipeline.session import context_of, parallelism, spark_session
from wirebook.docgen.pipeline.spark.stages import stages_shown
from wirebook.docgen.progress import SILENT, Progress
from wirebook.fleet.applications.naming import Naming
from wirebook.fleet.counting.counting import Counting, Who
from wirebook.fleet.reading.blocks import Block, blocks_read, digest_of, joined
from wirebook.fleet.reading.objects import StoredObject
from wirebook.fleet.reading.pieces import PieceRead, read_piece, split
from wirebook.fleet.reading.progress import FilePiece, FilePosition
from wirebook.fleet.reading.reading import Read, Sample
from wirebook.fleet.requests import LineForm, Origin, Reason, Row
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
    from pyspark.sql import DataFrame, SparkSession

_KEYS = (
    "day string, origin string, software string, software_version string, application string, "
    "principal string, owner string, listener string, api_key int, version int, deprecated boolean"
)
_NAMES = [column.split()[0] for column in _KEYS.split(", ")]
SCHEMA = f"{_KEYS}, requests long, first string, last string, note string"
_ALL_NAMES = [column.split()[0] for column in SCHEMA.split(", ")]
_ROWS = "array<struct<" + ", ".join(column.replace(" ", ": ") for column in SCHEMA.split(", ")) + ">>"
# What a path of Hadoop has a meaning for.
_SPECIAL = re.compile(r"([\\*?\[\]{}^])")

_Pieces = list[tuple[int, FilePiece]]
_Note = dict[str, Any]
_Counts = tuple[Any, ...]


class SparkReader:
    """Reads logs in a session."""

    def __init__(self, spark: SparkSession, progress: Progress = SILENT) -> None:
        self.spark = spark
        self.progress = progress

    def pieces(
        self, pieces: Sequence[FilePiece], counting: Counting
    ) -> Iterator[tuple[FilePiece, PieceRead]]:
        """Read pieces of files that executors see under the same names; large plain files are split."""
        if not pieces:
            return
        parts = [(number, part) for number, piece in enumerate(pieces) for part in split(piece)]
        count = max(1, min(len(parts), parallelism(self.spark) * 4))
        # Large parts first, dealt out in turn.
        parts.sort(key=lambda part: -_size(part[1]))
        dealt = [parts[first::count] for first in range(count)]
        counter = f.udf(_counter(dealt, counting.naming, counting.most_applications), _ROWS, useArrow=False)
        frame = self.spark.range(0, count, 1, count).select(f.explode(counter("id")).alias("row"))
        reads = {number: PieceRead(Read(counting)) for number, _ in enumerate(pieces)}
        for note in self._added(frame, counting):
            number, done = _read_note(note)
            check_seen(pieces[number].path, note["unseen"])
            whole = reads[number]
            whole.read.note(done.read.forms, done.read.skipped, done.read.samples)
            whole.lines += done.lines
            whole.position = done.position or whole.position
            whole.problem = done.problem or whole.problem
            whole.moved = done.moved or whole.moved
        yield from ((piece, reads[number]) for number, piece in enumerate(pieces))

    def listed(self, addresses: Sequence[str]) -> list[StoredObject]:
        """The files at some addresses, which may have wildcards. Raises InputError if there are none."""
        files: list[StoredObject] = []
        for address in addresses:
            reader = self.spark.read.format("binaryFile").option("recursiveFileLookup", "true")
            try:
                frame = reader.load(address).select("path", "length", f.unix_micros("modificationTime"))
                rows = frame.collect()
            except AnalysisException as error:
                if error.getCondition() == "PATH_NOT_FOUND":
                    raise InputError("there is no such file or folder", address) from None
                raise
            if not rows:
                raise InputError("there is no log in this folder", address)
            files += (StoredObject(*row) for row in rows)
        return files

    def objects(
        self, objects: Sequence[StoredObject], counting: Counting
    ) -> Iterator[tuple[StoredObject, PieceRead, str]]:
        """Read files at addresses with Spark's text reader; yields each with its outcome and its digest."""
        if not objects:
            return
        reader = self.spark.read.format("text").option("lineSep", "\n").option("recursiveFileLookup", "true")
        lines = located(reader.load([_SPECIAL.sub(r"\\\1", stored.path) for stored in objects]))
        reads = self.located_lines(lines, counting)
        for stored in objects:
            # Without a note, the file has no line.
            done, digest = reads.get(stored.path) or (PieceRead(Read(counting)), "")
            yield stored, done, digest

    def located_lines(self, lines: DataFrame, counting: Counting) -> dict[str, tuple[PieceRead, str]]:
        """Count the requests of lines as `located` selects them; returns each file's outcome and digest."""
        counter = arrow_udf(  # type: ignore[call-overload]
            _line_counter(counting.naming, counting.most_applications), _ROWS
        )
        frame = lines.select(f.explode(counter("path", "start", "line")).alias("row"))
        by_path: dict[str, list[_Note]] = defaultdict(list)
        for note in self._added(frame, counting):
            by_path[note["path"]].append(note)
        return {path: _joined(path, notes, counting) for path, notes in by_path.items()}

    def _added(self, frame: DataFrame, counting: Counting) -> list[_Note]:
        """Add counted rows to `counting`, and return the notes among them."""
        summed = (
            frame.select("row.*")
            .groupBy(*_NAMES, "note")
            .agg(
                f.sum("requests").alias("requests"),
                # An empty string does not name a moment.
                f.min(f.when(f.col("first") != "", f.col("first"))).alias("first"),
                f.max("last").alias("last"),
            )
        )
        with stages_shown(context_of(self.spark), self.progress):
            rows = summed.toArrow()
        self.progress.step("adding up the counts")
        notes: list[_Note] = []
        for row in rows.to_pylist():
            if row["note"] is not None:
                note = json.loads(row["note"])
                notes.append(note)
                for who, hashes, samples in note["ids"]:
                    counting.add_ids(Who(*who), hashes, samples)
            else:
                one = Row(*(row[name] for name in _NAMES))._replace(origin=Origin(row["origin"]))
                counting.add(one, row["requests"], row["first"] or "", row["last"] or "")
        return notes


@contextmanager
def spark_reader(
    master: str | None, conf: Mapping[str, str], *, large: bool = False, shown: Progress = SILENT
) -> Iterator[SparkReader]:
    """A reader on Spark; the session lasts as long as the block.

    `large` is as in `spark_session`. Java does little here, so a quick start pays off up to a larger size
    than elsewhere.
    """
    with spark_session(master, large=large, partitions=8, conf=conf, progress=shown, remote=True) as spark:
        yield SparkReader(spark, shown)


def located(lines: DataFrame) -> DataFrame:
    """The lines of Spark's text reader, with the file and the offset of the block that each is in."""
    return lines.select(
        f.col("_metadata.file_path").alias("path"),
        f.col("_metadata.file_block_start").alias("start"),
        # Lines may have bytes that are not UTF-8.
        f.col("value").cast("binary").alias("line"),
    )


def _size(piece: FilePiece) -> int:
    return 1 << 26 if piece.end is None else piece.end - piece.start


# -- on executors ----------------------------------------------------------------------------------


def _counter(
    dealt: Sequence[_Pieces], naming: Naming, most_applications: int
) -> Callable[[int], list[_Counts]]:
    """A function that counts the pieces of a task, and returns rows of SCHEMA."""

    def count(task: int) -> list[_Counts]:
        counting = Counting(naming, most_applications)
        notes = [_note(number, piece, read_piece(piece, counting)) for number, piece in dealt[task]]
        return _counted(counting, notes)

    return count


def _line_counter(naming: Naming, most_applications: int) -> Callable[..., Iterator[Any]]:
    """A function from batches of lines to rows of SCHEMA, all of them beside the last line of a task."""

    def count(batches: Iterator[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        import pyarrow

        counting = Counting(naming, most_applications)
        blocks: dict[tuple[str, int], Block] = {}
        kinds = {"string": pyarrow.string(), "int": pyarrow.int32(), "boolean": pyarrow.bool_()}
        pairs = [column.split() for column in SCHEMA.split(", ")]
        columns = [(name, kinds.get(kind, pyarrow.int64())) for name, kind in pairs]
        rows_type = pyarrow.list_(pyarrow.struct(columns))
        held = 0
        for batch in batches:
            # Spark keeps a line until its row comes back, so rows come back at once.
            if held:
                yield pyarrow.nulls(held, rows_type)
            paths, starts, lines = (column.to_pylist() for column in batch)
            blocks_read(zip(map(unquote, paths), starts, lines, strict=True), counting, blocks)
            held = len(lines)
        if held:
            rows = _counted(counting, [_block_note(block) for block in blocks.values()])
            last = [dict(zip(_ALL_NAMES, row, strict=True)) for row in rows]
            yield pyarrow.array([*([None] * (held - 1)), last], rows_type)

    return _with_hints(count)


def _with_hints(count: Callable[..., Any]) -> Callable[..., Any]:
    """The function with annotations that Spark can read: pyarrow is imported only where a batch comes."""
    import pyarrow

    batches, arrays = Iterator[tuple[pyarrow.Array, ...]], Iterator[pyarrow.Array]
    count.__annotations__ = {"batches": batches, "return": arrays}
    return count


def _counted(counting: Counting, notes: list[_Note]) -> list[_Counts]:
    """What a task has counted, as rows of SCHEMA; the last note has the client ids as well."""
    if notes:
        notes[-1]["ids"] = [(who, list(ids.hashes), ids.names) for who, ids in counting.ids()]
    nothing = [None] * len(_NAMES)
    return [
        # Java unpickles only plain values.
        *((row.day, row.origin.value, *row[2:], *rest, None) for row, *rest in counting),
        *((*nothing, 0, "", "", json.dumps(note)) for note in notes),
    ]


def _read_values(read: Read) -> _Note:
    """The lines of a read as JSON, without its requests."""
    return {"ids": [], "forms": dict(read.forms), "skipped": dict(read.skipped), "samples": read.samples}


def _note(number: int, piece: FilePiece, done: PieceRead) -> _Note:
    """The outcome of a piece besides its requests."""
    return _read_values(done.read) | {
        "piece": number,
        # This distinguishes the notes of equal pieces of one file.
        "start": piece.start,
        "lines": done.lines,
        "problem": done.problem,
        "moved": done.moved,
        "unseen": done.moved and not os.path.exists(piece.path),
        "position": None if done.position is None else done.position.to_json(),
    }


def _block_note(block: Block) -> _Note:
    """The outcome of a block besides its requests."""
    texts = {"beginning": [block.beginning], "head": block.head, "rest": block.rest}
    return (
        _read_values(block.read)
        | {"path": block.path, "start": block.start, "lines": block.lines + len(block.head) + len(block.rest)}
        | {name: [line.decode("latin-1") for line in lines] for name, lines in texts.items()}
    )


# -- on the driver ---------------------------------------------------------------------------------


def check_seen(path: str, unseen: bool) -> None:
    """Raise InputError if an executor does not see a file that this process sees."""
    if unseen and os.path.exists(path):
        raise InputError(
            "an executor of Spark does not see this file: logs have to be on a file system that all machines "
            "see under the same names",
            path,
        )


def _read_of(note: Mapping[str, Any]) -> Read:
    return Read(
        forms=Counter({LineForm(name): number for name, number in note["forms"].items()}),
        skipped=Counter({Reason(name): number for name, number in note["skipped"].items()}),
        samples=[Sample(Reason(reason), file, text) for reason, file, text in note["samples"]],
    )


def _read_note(note: Mapping[str, Any]) -> tuple[int, PieceRead]:
    position = None if note["position"] is None else FilePosition.from_json(note["position"])
    return note["piece"], PieceRead(_read_of(note), note["lines"], position, note["problem"], note["moved"])


def _joined(path: str, notes: list[_Note], counting: Counting) -> tuple[PieceRead, str]:
    """The outcome of a file from those of its blocks, with the lines that are split between them."""
    notes.sort(key=lambda note: int(note["start"]))
    done = PieceRead(Read(counting))
    for note in notes:
        part = _read_of(note)
        done.read.note(part.forms, part.skipped, part.samples)
        done.lines += note["lines"]
    edges = [
        tuple([text.encode("latin-1") for text in note[name]] for name in ("head", "rest")) for note in notes
    ]
    joined(path, [(head, rest) for head, rest in edges], done.read)
    return done, digest_of(notes[0]["beginning"][0].encode("latin-1"), path)
