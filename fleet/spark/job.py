"""The Spark job of `wirebook fleet`: executors read pieces of logs, and send back counted requests."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as f

from wirebook.docgen.pipeline.session import spark_session
from wirebook.docgen.pipeline.spark.stages import stages_shown
from wirebook.docgen.progress import SILENT, Progress
from wirebook.fleet.applications.naming import Naming
from wirebook.fleet.counting.counting import Counting, Who
from wirebook.fleet.reading.pieces import PieceRead, read_piece, split
from wirebook.fleet.reading.progress import FilePiece, FilePosition
from wirebook.fleet.reading.reading import Read, Sample
from wirebook.fleet.requests import LineForm, Origin, Reason, Row
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_KEYS = (
    "day string, origin string, software string, software_version string, application string, "
    "principal string, owner string, listener string, api_key int, version int, deprecated boolean"
)
_NAMES = [column.split()[0] for column in _KEYS.split(", ")]
SCHEMA = f"{_KEYS}, requests long, first string, last string, note string"

_Pieces = list[tuple[int, FilePiece]]


@contextmanager
def spark_reader(
    master: str | None, conf: Mapping[str, str], *, large: bool = False, progress: Progress = SILENT
) -> Iterator[Callable[..., Any]]:
    """A reader for `run.py` that reads on Spark; the session lasts as long as the block.

    `large` is as in `spark_session`. Java does little here, so a quick start pays off up to a larger size
    than elsewhere.
    """
    with spark_session(master, large=large, partitions=8, conf=conf, progress=progress) as spark:

        def read(pieces: Sequence[FilePiece], counting: Counting) -> Iterator[tuple[FilePiece, PieceRead]]:
            yield from read_on_spark(spark, pieces, counting, progress)

        yield read


def read_on_spark(
    spark: SparkSession,
    pieces: Sequence[FilePiece],
    counting: Counting,
    progress: Progress = SILENT,
) -> Iterator[tuple[FilePiece, PieceRead]]:
    """Read pieces on executors, which must see the files under the same names, into `counting`.

    Large plain files are split. Executors count what they read, Spark adds the counts up by their keys, and
    this process gets one row for each of them.
    """
    parts = [(number, part) for number, piece in enumerate(pieces) for part in split(piece)]
    count = max(1, min(len(parts), spark.sparkContext.defaultParallelism * 4))
    # Large parts first, dealt out in turn.
    parts.sort(key=lambda part: -_size(part[1]))
    dealt = [parts[first::count] for first in range(count)]
    tasks = spark.sparkContext.parallelize(dealt, count)
    # Not mapInArrow, which needs pandas: what executors send is small, and 200,000 rows take 1.7 s of
    # processor time in that way, 1.9 s in this one (bench/ways.py).
    counted = spark.createDataFrame(
        tasks.flatMap(_counter(counting.naming, counting.most_applications)),
        SCHEMA,
        verifySchema=False,
    )
    summed = counted.groupBy(*_NAMES, "note").agg(
        f.sum("requests").alias("requests"),
        # An empty string does not name a moment.
        f.min(f.when(f.col("first") != "", f.col("first"))).alias("first"),
        f.max("last").alias("last"),
    )
    reads: dict[int, PieceRead] = {number: PieceRead(Read(counting)) for number, _ in enumerate(pieces)}
    with stages_shown(spark.sparkContext, progress):
        rows = summed.toArrow()
    progress.step("adding up the counts")
    for row in rows.to_pylist():
        if row["note"] is not None:
            note = json.loads(row["note"])
            number, done = _read_note(note)
            check_seen(pieces[number].path, note["unseen"])
            whole = reads[number]
            whole.read.note(done.read.forms, done.read.skipped, done.read.samples)
            for who, hashes, samples in note["ids"]:
                counting.add_ids(Who(*who), hashes, samples)
            whole.lines += done.lines
            whole.position = done.position or whole.position
            whole.problem = done.problem or whole.problem
            whole.moved = done.moved or whole.moved
        else:
            one = Row(*(row[name] for name in _NAMES))._replace(origin=Origin(row["origin"]))
            counting.add(one, row["requests"], row["first"] or "", row["last"] or "")
    yield from ((piece, reads[number]) for number, piece in enumerate(pieces))


def _size(piece: FilePiece) -> int:
    return 1 << 26 if piece.end is None else piece.end - piece.start


def _counter(naming: Naming, most_applications: int) -> Callable[[_Pieces], Iterator[tuple[Any, ...]]]:
    """What executors run: the pieces of a task, counted, as rows of SCHEMA."""

    def count(pieces: _Pieces) -> Iterator[tuple[Any, ...]]:
        counting = Counting(naming, most_applications)
        notes = [_note(number, piece, read_piece(piece, counting)) for number, piece in pieces]
        for row, requests, first, last in counting:
            # Java unpickles only plain values.
            yield (row.day, row.origin.value, *row[2:], requests, first, last, None)
        if notes:
            notes[-1]["ids"] = [(who, list(ids.hashes), ids.names) for who, ids in counting.ids()]
        for note in notes:
            yield (*([None] * len(_NAMES)), 0, "", "", json.dumps(note))

    return count


def check_seen(path: str, unseen: bool) -> None:
    """Raise InputError if an executor does not see a file that this process sees."""
    if unseen and os.path.exists(path):
        raise InputError(
            "an executor of Spark does not see this file: logs have to be on a file system that all machines "
            "see under the same names",
            path,
        )


def _note(number: int, piece: FilePiece, done: PieceRead) -> dict[str, Any]:
    """The outcome of a piece besides its requests; that of a task's last one has the client ids as well."""
    return {
        "ids": [],
        "piece": number,
        # This distinguishes the notes of equal pieces of one file.
        "start": piece.start,
        "lines": done.lines,
        "problem": done.problem,
        "moved": done.moved,
        "unseen": done.moved and not os.path.exists(piece.path),
        "position": None if done.position is None else done.position.to_json(),
        "forms": dict(done.read.forms),
        "skipped": dict(done.read.skipped),
        "samples": done.read.samples,
    }


def _read_note(note: Mapping[str, Any]) -> tuple[int, PieceRead]:
    read = Read(
        forms=Counter({LineForm(name): number for name, number in note["forms"].items()}),
        skipped=Counter({Reason(name): number for name, number in note["skipped"].items()}),
        samples=[Sample(Reason(reason), file, text) for reason, file, text in note["samples"]],
    )
    position = None if note["position"] is None else FilePosition.from_json(note["position"])
    return note["piece"], PieceRead(read, note["lines"], position, note["problem"], note["moved"])
