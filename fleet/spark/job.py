"""The Spark job of `wirebook fleet`: executors count requests, Spark adds the counts up by their keys.

It uses data frames only, so that it runs in any session. Files that executors see under their paths are read
by Python (`SparkReader.pieces`), which knows how far each was read and needs nothing but the standard library
there; addresses are read by Spark's text reader (`SparkReader.objects`), whose lines come as Arrow arrays.
"""

from __future__ import annotations

import base64
import os
import pickle
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from typing import TYPE_CHECKING, Any, get_type_hints
from urllib.parse import unquote

import pyspark.sql.functions as f
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame
from pyspark.sql.pandas.functions import arrow_udf

from wirebook.docgen.pipeline.session import context_of, parallelism
from wirebook.docgen.pipeline.spark.stages import stages_shown
from wirebook.docgen.progress import SILENT, Progress
from wirebook.fleet.applications.naming import Naming
from wirebook.fleet.counting.counting import ClientIdCount, Count, Counting, Who
from wirebook.fleet.reading.blocks import Block, blocks_read, identified, joined
from wirebook.fleet.reading.objects import StoredObject
from wirebook.fleet.reading.pieces import PieceRead, read_piece, split
from wirebook.fleet.reading.progress import PREFIX, FilePiece, FilePosition, beginning_at
from wirebook.fleet.reading.reading import Read
from wirebook.fleet.requests import Origin, Row
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
    from pyspark.sql import SparkSession

_KINDS = {str: "string", Origin: "string", int: "int", bool: "boolean"}
_KEYS = {name: _KINDS[kind] for name, kind in get_type_hints(Row).items()}
_COLUMNS = _KEYS | {"requests": "long", "first": "string", "last": "string", "note": "string"}
SCHEMA = ", ".join(f"{name} {kind}" for name, kind in _COLUMNS.items())
_ROWS = "array<struct<" + ", ".join(f"{name}: {kind}" for name, kind in _COLUMNS.items()) + ">>"
# What a path of Hadoop has a meaning for.
_SPECIAL = re.compile(r"([\\*?\[\]{}^])")

_Pieces = list[tuple[int, FilePiece]]
_Counts = tuple[Any, ...]
_ClientIds = list[tuple[Who, ClientIdCount]]


class SparkReader:
    """Reads logs in a session. With `keeps`, executors keep what they have counted, in the frames `kept`."""

    def __init__(self, spark: SparkSession, progress: Progress = SILENT, *, keeps: bool = False) -> None:
        self.spark = spark
        self.progress = progress
        self.keeps = keeps
        self.kept: list[DataFrame] = []

    def forget(self) -> None:
        """Have executors forget what they have kept."""
        for frame in self.kept:
            frame.unpersist()
        self.kept.clear()

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
            assert isinstance(note, PieceNote)
            done, whole = note.done, reads[note.piece]
            check_seen(pieces[note.piece].path, note.unseen)
            whole.read.add_lines(done.read)
            whole.position = done.position or whole.position
            whole.problem = done.problem or whole.problem
            whole.moved = done.moved or whole.moved
        yield from ((piece, reads[number]) for number, piece in enumerate(pieces))

    def listed(self, addresses: Sequence[str]) -> list[StoredObject]:
        """The files at some addresses, which may have wildcards. Raises InputError if there are none."""
        files: list[StoredObject] = []
        for address in addresses:
            at_address = self._at(address)
            if at_address is None:
                raise InputError("there is no such file or folder", address)
            if not at_address:
                raise InputError("there is no log in this folder", address)
            files += at_address
        return files

    def has(self, path: str) -> bool:
        """Whether there is a file at the address of one."""
        return self._at(_SPECIAL.sub(r"\\\1", path)) is not None

    def _at(self, address: str) -> list[StoredObject] | None:
        """The files at an address, without empty ones; None if there is nothing."""
        reader = self.spark.read.format("binaryFile").option("recursiveFileLookup", "true")
        try:
            frame = reader.load(address).select("path", "length", f.unix_micros("modificationTime"))
            return [StoredObject(*row) for row in frame.collect()]
        except AnalysisException as error:
            if error.getCondition() == "PATH_NOT_FOUND":
                return None
            raise

    def objects(
        self, objects: Sequence[StoredObject], counting: Counting, here: Counting
    ) -> Iterator[tuple[Read, FilePosition]]:
        """Read files at addresses with Spark's text reader; yields the lines and the position of each.

        `here` has the requests that this process counts, those of lines that two tasks had parts of.
        """
        if not objects:
            return
        reader = self.spark.read.format("text").option("lineSep", "\n").option("recursiveFileLookup", "true")
        lines = located(reader.load([_SPECIAL.sub(r"\\\1", stored.path) for stored in objects]))
        reads = self.located_lines(lines, counting, here)
        for stored in objects:
            # Without a note, the file has no line.
            read, position = reads.get(stored.path) or (Read(here), beginning_at(stored.path))
            yield read, replace(position, size=stored.size, modified=stored.modified)

    def located_lines(
        self, lines: DataFrame, counting: Counting, here: Counting
    ) -> dict[str, tuple[Read, FilePosition]]:
        """Count the requests of lines as `located` selects them; returns each file's lines and position."""
        # Not mapInArrow, for which the driver needs pandas as well.
        counter = arrow_udf(  # type: ignore[call-overload]
            _line_counter(counting.naming, counting.most_applications), _ROWS
        )
        frame = lines.select(f.explode(counter("path", "start", "line")).alias("row"))
        by_path: dict[str, list[Block]] = defaultdict(list)
        for note in self._added(frame, counting):
            assert isinstance(note, Block)
            by_path[note.path].append(note)
        return {path: _joined(path, blocks, here) for path, blocks in by_path.items()}

    def _added(self, frame: DataFrame, counting: Counting) -> list[PieceNote | Block]:
        """Add counted rows to `counting`, and return what tasks have noted besides."""
        counted = frame.select("row.*")
        if self.keeps:
            counted = counted.persist()
            self.kept.append(counted)
        with stages_shown(context_of(self.spark), self.progress):
            rows = _summed(counted).toArrow()
        self.progress.step("adding up the counts")
        notes: list[PieceNote | Block] = []
        for row in rows.to_pylist():
            if row["note"] is None:
                counting.add(row_of(row), row["requests"], row["first"] or "", row["last"] or "")
                continue
            note: PieceNote | Block | _ClientIds = pickle.loads(base64.b64decode(row["note"]))
            if not isinstance(note, list):
                notes.append(note)
                continue
            for who, ids in note:
                counting.ids_at(who).add(ids)
        return notes


def located(lines: DataFrame) -> DataFrame:
    """The lines of Spark's text reader, with the file and the offset of the block that each is in."""
    return lines.select(
        f.col("_metadata.file_path").alias("path"),
        f.col("_metadata.file_block_start").alias("start"),
        # Lines may have bytes that are not UTF-8.
        f.col("value").cast("binary").alias("line"),
    )


def added_up(parts: Sequence[DataFrame], most_applications: int) -> DataFrame:
    """Rows of SCHEMA added up on executors, with the same limits on names as in one process."""
    rows = _summed(reduce(DataFrame.unionByName, parts).where("note IS NULL"))
    adder = f.udf(_adder(most_applications), _ROWS, useArrow=False)
    groups = rows.groupBy("day", "principal", "owner").agg(f.collect_list(f.struct(*_COLUMNS)).alias("rows"))
    return groups.select(f.explode(adder("rows")).alias("row")).select("row.*")


def _summed(rows: DataFrame) -> DataFrame:
    """Equal rows of SCHEMA as one."""
    return rows.groupBy(*_KEYS, "note").agg(
        f.sum("requests").alias("requests"),
        # An empty string does not name a moment.
        f.min(f.when(f.col("first") != "", f.col("first"))).alias("first"),
        f.max("last").alias("last"),
    )


def _size(piece: FilePiece) -> int:
    return 1 << 26 if piece.end is None else piece.end - piece.start


# -- on executors ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PieceNote:
    """The outcome of a part of a piece besides its requests; `unseen` if this machine has no such file."""

    piece: int
    start: int
    done: PieceRead
    unseen: bool


def _counter(
    dealt: Sequence[_Pieces], naming: Naming, most_applications: int
) -> Callable[[int], list[_Counts]]:
    """A function that counts the pieces of a task, and returns rows of SCHEMA."""

    def count(task: int) -> list[_Counts]:
        counting = Counting(naming, most_applications)
        notes = []
        for number, piece in dealt[task]:
            done = read_piece(piece, counting)
            unseen = done.moved and not os.path.exists(piece.path)
            done.read = done.read.without_requests()
            notes.append(PieceNote(number, piece.start, done, unseen))
        return _counted(counting, notes)

    return count


def _line_counter(naming: Naming, most_applications: int) -> Callable[..., Iterator[Any]]:
    """A function from batches of lines to rows of SCHEMA, all of them beside the last line of a task."""

    def count(batches: Iterator[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        import pyarrow

        counting = Counting(naming, most_applications)
        blocks: dict[tuple[str, int], Block] = {}
        name_of = lru_cache(unquote)
        kinds = {"string": pyarrow.string(), "int": pyarrow.int32(), "boolean": pyarrow.bool_()}
        columns = [(name, kinds.get(kind, pyarrow.int64())) for name, kind in _COLUMNS.items()]
        rows_type = pyarrow.list_(pyarrow.struct(columns))
        pending = 0
        for batch in batches:
            # Spark keeps a line until its row comes back, so rows come back at once.
            if pending:
                yield pyarrow.nulls(pending, rows_type)
            paths, starts, lines = (column.to_pylist() for column in batch)
            blocks_read(zip(map(name_of, paths), starts, lines, strict=True), counting, blocks)
            pending = len(lines)
        if pending:
            for block in blocks.values():
                block.read = block.read.without_requests()
            rows = _counted(counting, list(blocks.values()))
            last = [dict(zip(_COLUMNS, row, strict=True)) for row in rows]
            yield pyarrow.array([*([None] * (pending - 1)), last], rows_type)

    return _with_hints(count)


def _with_hints(count: Callable[..., Any]) -> Callable[..., Any]:
    """The function with annotations that Spark can read: pyarrow is imported only where a batch comes."""
    import pyarrow

    batches, arrays = Iterator[tuple[pyarrow.Array, ...]], Iterator[pyarrow.Array]
    count.__annotations__ = {"batches": batches, "return": arrays}
    return count


def _counted(counting: Counting, notes: Sequence[PieceNote | Block]) -> list[_Counts]:
    """What a task has counted, as rows of SCHEMA; notes are pickled, and no two tasks have the same."""
    ids: _ClientIds = list(counting.ids())
    nothing = [None] * len(_KEYS)
    return [
        *rows_of(counting),
        *((*nothing, 0, "", "", base64.b64encode(pickle.dumps(note)).decode()) for note in (*notes, ids)),
    ]


def rows_of(counts: Iterable[Count]) -> Iterator[_Counts]:
    """Counts as rows of SCHEMA: Java unpickles only plain values."""
    return ((row.day, row.origin.value, *row[2:], *rest, None) for row, *rest in counts)


def row_of(columns: Mapping[str, Any]) -> Row:
    """The row of a row of SCHEMA."""
    return Row(*(columns[name] for name in _KEYS))._replace(origin=Origin(columns["origin"]))


def _adder(most_applications: int) -> Callable[[list[Any]], list[_Counts]]:
    """A function that adds up the rows of a principal and owner on a day."""

    def add(rows: list[Any]) -> list[_Counts]:
        counting = Counting(most_applications=most_applications)
        for row in rows:
            counting.add(row_of(row), row["requests"], row["first"] or "", row["last"] or "")
        # What was counted without a day moves to its day once that is known.
        return [row for row in rows_of(counting) if row[len(_KEYS)]]

    return add


# -- on the driver ---------------------------------------------------------------------------------


def check_seen(path: str, unseen: bool) -> None:
    """Raise InputError if an executor does not see a file that this process sees."""
    if unseen and os.path.exists(path):
        raise InputError(
            "an executor of Spark does not see this file: logs have to be on a file system that all machines "
            "see under the same names",
            path,
        )


def _joined(path: str, blocks: list[Block], counting: Counting) -> tuple[Read, FilePosition]:
    """The lines of a file from those of its blocks, with the ones that are split between them."""
    blocks.sort(key=lambda block: block.start)
    read = Read(counting)
    for block in blocks:
        read.add_lines(block.read)
    joined(path, [(block.head, block.rest) for block in blocks], read)
    return read, identified(b"".join(block.beginning for block in blocks)[:PREFIX], path)
