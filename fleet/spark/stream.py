"""Logs that Structured Streaming reads as they appear, in batches that each count once.

Spark keeps in the checkpoint which files it has seen and which batch each is in: after a kill, a batch that
was not finished comes again, with the same number and files. The state of the output names the last batch
that it has, and both are replaced together, so that a batch that comes again is left out.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.errors import AnalysisException, StreamingQueryException

from wirebook.docgen.pipeline.existing import is_remote
from wirebook.fleet.counting.counting import Counting
from wirebook.fleet.reading.reading import Read
from wirebook.fleet.spark.job import SparkReader, located
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FILES_PER_BATCH = 1_000
_FOREVER = "36500d"  # without it, Spark ignores files that appear a week late

Add = Callable[[str, int, Counting, Read, int], None]
"""Adds a batch: the name of the query, the number of the batch, what executors have counted, what was read
besides, of how many files.
"""


def stream(
    reader: SparkReader,
    address: str,
    checkpoint: Path,
    counting: Callable[[], Counting],
    add: Add,
    *,
    once: bool,
    files_per_batch: int = FILES_PER_BATCH,
) -> None:
    """Read the files that appear at an address until the process is stopped; with `once`, those that exist.

    Raises InputError, also what `add` raises.
    """
    if is_remote(reader.spark):
        raise InputError(
            "Spark Connect would write the output on its server: --stream needs a classic master"
        )
    source = reader.spark.readStream.format("text").option("lineSep", "\n")
    source = source.option("recursiveFileLookup", "true").option("maxFileAge", _FOREVER)
    try:
        lines = located(source.option("maxFilesPerTrigger", files_per_batch).load(address))
    except AnalysisException as error:
        if error.getCondition() == "PATH_NOT_FOUND":
            raise InputError("there is no such file or folder", address) from None
        raise
    started = threading.Event()
    failures: list[InputError] = []

    def add_batch(frame: DataFrame, batch: int) -> None:
        started.wait()
        try:
            counted, read = counting(), Read(counting())
            outcomes = reader.located_lines(frame, counted, read.counting)
            for done, _ in outcomes.values():
                read.add_lines(done.read)
            add(query.id, batch, counted, read, len(outcomes))
            reader.forget()
        except InputError as error:
            failures.append(error)
            raise

    writer = lines.writeStream.foreachBatch(add_batch).option("checkpointLocation", checkpoint.as_uri())
    query = (writer.trigger(availableNow=True) if once else writer).start()
    started.set()
    try:
        query.awaitTermination()
    except StreamingQueryException:
        if failures:
            raise failures[0] from None
        raise
    finally:
        query.stop()
