"""Logs that Structured Streaming reads as they appear, in batches that each count once.

Spark keeps in the checkpoint which files or offsets it has seen and which batch each is in: after a kill, a
batch that was not finished comes again, with the same number and content. The state of the output names the
last batch that it has, and both are replaced together, so that a batch that comes again is left out.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pyspark.errors import AnalysisException

from wirebook.docgen.pipeline.existing import is_remote
from wirebook.docgen.pipeline.failures import explained, is_known
from wirebook.fleet.counting.counting import Counting
from wirebook.fleet.reading.progress import FilePosition
from wirebook.fleet.reading.reading import Read
from wirebook.fleet.spark.job import SparkReader, located
from wirebook.fleet.spark.topics import Topic, lines_of_topic
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_FILES_PER_BATCH = 1_000
_STATE = re.compile(r" SQLSTATE: \w+")
_FOREVER = "36500d"  # without it, Spark ignores files that appear a week late

Add = Callable[[str, int, Counting, Read, Sequence[FilePosition]], None]
"""Adds a batch: the name of the query, the number of the batch, what executors have counted, what was read
besides, and the positions in its files.
"""


def _lines(spark: SparkSession, address: str | Topic, settings: Mapping[str, str]) -> DataFrame:
    """The lines at an address, those that appear later included. Raises InputError."""
    if is_remote(spark):
        words = "Spark Connect would write the output on its server: --stream needs a classic master"
        raise InputError(words)
    if isinstance(address, Topic):
        return lines_of_topic(spark, address, settings)
    source = spark.readStream.format("text").option("lineSep", "\n")
    source = source.option("recursiveFileLookup", "true").option("maxFileAge", _FOREVER)
    try:
        return located(source.option("maxFilesPerTrigger", _FILES_PER_BATCH).load(address))
    except AnalysisException as error:
        if error.getCondition() == "PATH_NOT_FOUND":
            raise InputError("there is no such file or folder", address) from None
        raise


def _read(reader: SparkReader, frame: DataFrame, counted: Counting, read: Read) -> list[FilePosition]:
    """Read the lines of a batch, and return the positions in their files, or in the partitions of a topic."""
    outcomes = reader.located_lines(frame, counted, read.counting).values()
    for lines, _ in outcomes:
        read.add_lines(lines)
    return [position for _, position in outcomes]


def _check_read(reader: SparkReader, checkpoint: Path, batch: int, paths: Collection[str]) -> None:
    """Raise InputError if a file of a batch vanished before Spark began to read the batch.

    Spark notes which files a batch has before it reads them, and leaves out those that it does not find then,
    without an error. Its notes are lines of JSON, every few batches those of all batches so far.
    """
    for name in (str(batch), f"{batch}.compact"):
        notes = checkpoint / "sources" / "0" / name
        for line in notes.read_text().splitlines()[1:] if notes.exists() else ():
            note = json.loads(line)
            path = unquote(note["path"])
            # Nothing is read of an empty file.
            if note["batchId"] == batch and path not in paths and not reader.has(path):
                words = f"vanished before it was read; put it back, or remove {checkpoint} and the output"
                raise InputError(f"{words} to start over", path)


def stream(
    reader: SparkReader,
    address: str | Topic,
    checkpoint: Path,
    counting: Callable[[], Counting],
    begin: Callable[[str], object],
    add: Add,
    *,
    once: bool,
    settings: Mapping[str, str] | None = None,
) -> None:
    """Read the files that appear at an address, or the records of a topic, until the process is stopped; with
    `once`, those that exist. `settings` are those of the consumer of a topic; `begin` gets the name of the
    query before the first batch.

    Raises InputError, also what `begin` and `add` raise.
    """
    lines = _lines(reader.spark, address, settings or {})
    if checkpoint.exists() and not checkpoint.is_dir():
        raise InputError("this is not a folder", str(checkpoint))
    is_new = not checkpoint.is_dir() or not any(checkpoint.iterdir())
    started, begun = threading.Event(), threading.Event()
    failures: list[InputError] = []

    def add_batch(frame: DataFrame, batch: int) -> None:
        started.wait()
        begun.set()
        try:
            if failures:
                raise failures[0]
            counted, read = counting(), Read(counting())
            positions = _read(reader, frame, counted, read)
            if isinstance(address, str):
                _check_read(reader, checkpoint, batch, {position.path for position in positions})
            add(query.id, batch, counted, read, positions if isinstance(address, str) else ())
            reader.forget()
        except InputError as error:
            failures.append(error)
            raise

    writer = lines.writeStream.foreachBatch(add_batch).option("checkpointLocation", checkpoint.as_uri())
    try:
        with explained(address if isinstance(address, str) else address.brokers, None):
            query = (writer.trigger(availableNow=True) if once else writer).start()
            try:
                begin(query.id)
                started.set()
                query.awaitTermination()
            except InputError as error:
                failures.append(error)
                raise
            finally:
                started.set()
                query.stop()
    except InputError as error:
        if failures:
            raise failures[0] from None
        cause = error.__cause__
        if cause is None or is_new or begun.is_set() or is_known(str(cause)):
            raise cause or error from None
        # Spark reads the checkpoint before the first batch.
        raise _unreadable(checkpoint, error.message) from None


def _unreadable(checkpoint: Path, message: str) -> InputError:
    """What a failure of Spark before the first batch means."""
    why = _STATE.sub("", message.removeprefix("Spark failed: "))
    words = f"this checkpoint cannot be read: {why.rpartition('terminated with exception: ')[2]}"
    return InputError(f"{words}; remove it and the output to start over", str(checkpoint))
