"""Counts the lines of logs on Spark, which reads them and adds up what its tasks have counted.

It uses DataFrames alone: a session of Spark Connect has nothing else. A file is one task, because a
container may have split a line anywhere in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from typing import Any
from urllib.parse import unquote

import pyarrow as pa  # type: ignore[import-untyped]
import pyspark.sql.functions as f
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.functions import arrow_udf

from wirebook.fleet.counts import Counts, Tally
from wirebook.fleet.logs import check_name
from wirebook.fleet.owners import Owners
from wirebook.specs.problems import InputError

_ENTRIES = "array<struct<key: string, requests: bigint, first: string, last: string>>"
# Settings of Spark: files are split above the first, unless the second is as large.
_SIZES = ("spark.sql.files.maxPartitionBytes", "spark.sql.files.openCostInBytes")
_LARGER = str(1 << 50)
# What a path of Hadoop has a meaning for.
_SPECIAL = re.compile(r"([\\*?\[\]{}^])")


def address_of(path: str) -> str:
    """The address of a file of this machine, or of a file system that all machines have at one
    place."""
    return "file://" + _SPECIAL.sub(r"\\\1", path)


def count_on(addresses: Sequence[str], owners: Owners) -> Counts:
    """Count the requests in the files at addresses, which may be folders or patterns, on the Spark
    of this process. Raises InputError."""
    spark = SparkSession.builder.getOrCreate()
    # Not mapInArrow, for which the driver needs pandas as well.
    counter = arrow_udf(_counter(owners), _ENTRIES)  # type: ignore[call-overload]
    counts = Counts(owners)
    with _whole_files(spark):
        found = _lines(spark, addresses).select(f.explode(counter("path", "line")).alias("entry"))
        by_key = found.select("entry.*").groupBy("key")
        summed = by_key.agg(f.sum("requests"), f.min("first"), f.max("last"))
        for row in summed.toArrow().to_pylist():
            key, requests, first, last = row.values()
            counts.add(json.loads(key), Tally(requests, first or "", last or ""))
    return counts


@contextmanager
def _whole_files(spark: SparkSession) -> Iterator[None]:
    """Let Spark read each file in one task, in the block."""
    before = {key: spark.conf.get(key) for key in _SIZES}
    for key in _SIZES:
        spark.conf.set(key, _LARGER)
    try:
        yield
    finally:
        for key, value in before.items():
            spark.conf.set(key, str(value))


def _lines(spark: SparkSession, addresses: Sequence[str]) -> DataFrame:
    """The lines of the files, each with the path of its file."""
    reader = spark.read.format("text").option("lineSep", "\n").option("recursiveFileLookup", "true")
    try:
        files = reader.load(list(addresses))
    except AnalysisException as error:
        if error.getCondition() == "PATH_NOT_FOUND":
            raise InputError("there is no such file or folder", ", ".join(addresses)) from None
        raise
    for file in files.inputFiles():
        check_name(file)
    # Lines may have bytes that are not UTF-8.
    path = f.col("_metadata.file_path").alias("path")
    return files.select(path, f.col("value").cast("binary").alias("line"))


def _counter(owners: Owners) -> Callable[..., Iterator[Any]]:
    """A function from batches of lines to a row for each, of which the last one of a task has all
    entries."""

    def count(batches: Iterator[tuple[pa.Array, pa.Array]]) -> Iterator[pa.Array]:
        text = pa.string()
        columns = [("key", text), ("requests", pa.int64()), ("first", text), ("last", text)]
        entries = pa.list_(pa.struct(columns))
        counts = Counts(owners)
        pending = 0
        for batch in batches:
            # Spark keeps a line until its row comes back, so rows come back at once.
            if pending:
                yield pa.nulls(pending, entries)
            rows = zip(*(column.to_pylist() for column in batch), strict=True)
            for path, of_file in groupby(rows, key=itemgetter(0)):
                file = re.sub("^file:/+", "/", unquote(path))
                counts.read((line for _, line in of_file), file)
            pending = len(batch[0])
        counts.end()
        last = []
        for key, tally in counts.entries():
            times = {"first": tally.first or None, "last": tally.last or None}
            last.append({"key": json.dumps(key), "requests": tally.requests, **times})
        if pending:
            yield pa.array([*([None] * (pending - 1)), last], entries)

    return count
