"""Logs that Structured Streaming reads as they appear, in batches that each count once.

Spark keeps in the checkpoint which files or offsets it has seen and which batch each is in: after a kill, a
batch that was not finished comes again, with the same number and content. The state of the output names the
last batch that it has, and both are replaced together, so that a batch that comes again is left out.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.errors import AnalysisException

from wirebook.docgen.pipeline.existing import is_remote
from wirebook.docgen.pipeline.failures import explained, is_known
from wirebook.fleet.counting.counting import Counting
from wirebook.fleet.reading.reading import Read
from wirebook.fleet.spark.job import SparkReader, located
from wirebook.fleet.spark.topics import Topic, lines_of_topic
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FILES_PER_BATCH = 1_000
_STATE = re.compile(r" SQLSTATE: \w+")
_FOREVER = "36500d"  # without it, Spark ignores files that appear a week late

Add = Callable[[str, int, Counting, Read, int], None]
"""Adds a batch: the name of the query, the number of the batch, what executors have counted, what was read
besides, of how many files.
"""


def _lines_of_files(spark: SparkSession, address: str, files_per_batch: int) -> DataFrame:
    """The lines of the files at an address, those that appear included. Raises InputError."""
    source = spark.readStream.format("text").option("lineSep", "\n")
    source = source.option("recursiveFileLookup", "true").option("maxFileAge", _FOREVER)
    try:
        return located(source.option("maxFilesPerTrigger", files_per_batch).load(address))
    except AnalysisException as error:
        if error.getCondition() == "PATH_NOT_FOUND":
            raise InputError("there is no such file or folder", address) from None
        raise


def stream(
    reader: SparkReader,
    address: str | Topic,
    checkpoint: Path,
    counting: Callable[[], Counting],
    add: Add,
    *,
    once: bool,
    files_per_batch: int = FILES_PER_BATCH,
    settings: Mapping[str, str] | None = None,
) -> None:
    """Read the files that appear at an address, or the records of a topic, until the process is stopped; with
    `once`, those that exist. `settings` are those of the consumer of a topic.

    Raises InputError, also what `add` raises.
    """
    if is_remote(reader.spark):
        raise InputError(
            "Spark Connect would write the output on its server: --stream needs a classic master"
        )
    if isinstance(address, Topic):
        lines = lines_of_topic(reader.spark, address, settings or {})
    else:
        lines = _lines_of_files(reader.spark, address, files_per_batch)
    if checkpoint.exists() and not checkpoint.is_dir():
        raise InputError("this is not a folder", str(checkpoint))
    is_new = not checkpoint.is_dir() or not any(checkpoint.iterdir())
    started, begun = threading.Event(), threading.Event()
    failures: list[InputError] = []

    def add_batch(frame: DataFrame, batch: int) -> None:
        started.wait()
        begun.set()
        try:
            counted, read = counting(), Read(counting())
            outcomes = reader.located_lines(frame, counted, read.counting)
            for done, _ in outcomes.values():
                read.add_lines(done.read)
            files = 0 if isinstance(address, Topic) else len(outcomes)
            add(query.id, batch, counted, read, files)
            reader.forget()
        except InputError as error:
            failures.append(error)
            raise

    writer = lines.writeStream.foreachBatch(add_batch).option("checkpointLocation", checkpoint.as_uri())
    try:
        with explained(address if isinstance(address, str) else address.brokers, None):
            query = (writer.trigger(availableNow=True) if once else writer).start()
            started.set()
            try:
                query.awaitTermination()
            finally:
                query.stop()
    except InputError as error:
        if failures:
            raise failures[0] from None
        cause = error.__cause__
        if cause is None or is_new or begun.is_set() or is_known(str(cause)):
            raise cause or error from None
        # Spark reads the checkpoint before the first batch.
        why = _STATE.sub("", error.message.removeprefix("Spark failed: "))
        words = f"this checkpoint cannot be read: {why.rpartition('terminated with exception: ')[2]}"
        raise InputError(f"{words}; remove it and the output to start over", str(checkpoint)) from None
