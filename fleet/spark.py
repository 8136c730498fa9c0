"""Counts the lines of logs on Spark, which reads them and adds up what its tasks have counted.

Spark splits files into blocks between lines; the lines that a container has split between two
blocks are read by the driver.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any
from urllib.parse import unquote

import pyarrow as pa  # type: ignore[import-untyped]
import pyspark.sql.functions as f
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from pyspark.sql.pandas.functions import arrow_udf

from wirebook.fleet.containers import Parts
from wirebook.fleet.counts import Counts
from wirebook.fleet.logs import check_name
from wirebook.fleet.owners import Owners
from wirebook.specs.problems import InputError

_ENTRIES = "array<struct<key: string, number: bigint, first: string, last: string>>"
_SPLIT = "split"
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
    reader = spark.read.format("text").option("lineSep", "\n").option("recursiveFileLookup", "true")
    try:
        files = reader.load(list(addresses))
        lines = files.select(
            f.col("_metadata.file_path").alias("path"),
            f.col("_metadata.file_block_start").alias("start"),
            # Lines may have bytes that are not UTF-8.
            f.col("value").cast("binary").alias("line"),
        )
    except AnalysisException as error:
        if error.getCondition() == "PATH_NOT_FOUND":
            raise InputError("there is no such file or folder", ", ".join(addresses)) from None
        raise
    for file in files.inputFiles():
        check_name(file)
    # Not mapInArrow, for which the driver needs pandas as well.
    counter = arrow_udf(_counter(owners), _ENTRIES)  # type: ignore[call-overload]
    entries = lines.select(f.explode(counter("path", "start", "line")).alias("entry")).select(
        "entry.*"
    )
    summed = entries.groupBy("key").agg(f.sum("number"), f.min("first"), f.max("last"))
    counts = Counts(owners)
    split: list[tuple[str, int, list[str]]] = []
    for row in summed.toArrow().to_pylist():
        key, number, first, last = row.values()
        kind, *values = json.loads(key)
        if kind == _SPLIT:
            split.append((values[0], values[1], values[2]))
        else:
            counts.add(key, number, first, last)
    lines_read = counts.lines
    for path, blocks in groupby(sorted(split), key=lambda block: block[0]):
        parts = Parts()
        counts.read(
            (line.encode("latin-1") for _, _, texts in blocks for line in texts), path, parts
        )
        counts.end(path, parts)
    counts.lines = lines_read  # tasks have counted those that are split
    return counts


def _counter(owners: Owners) -> Callable[..., Iterator[Any]]:
    """A function from batches of lines to entries, all of them beside the last line of a task."""

    def count(batches: Iterator[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        text = pa.string()
        columns = [("key", text), ("number", pa.int64()), ("first", text), ("last", text)]
        entries_type = pa.list_(pa.struct(columns))
        counts = Counts(owners)
        parts: dict[tuple[str, int], Parts] = {}
        name_of = lru_cache(lambda path: re.sub("^file:/+", "/", unquote(path)))
        pending = 0
        for batch in batches:
            # Spark keeps a line until its row comes back, so rows come back at once.
            if pending:
                yield pa.nulls(pending, entries_type)
            rows = zip(*(column.to_pylist() for column in batch), strict=True)
            for (path, start), some in groupby(rows, key=lambda row: row[:2]):
                block = (name_of(path), start)
                of_block = parts.setdefault(block, Parts(is_first=start == 0))
                counts.read((line for _, _, line in some), block[0], of_block)
            pending = len(batch[0])
        if pending:
            split = [
                (json.dumps([_SPLIT, *block, lines]), 1, None, None)
                for block, of_block in parts.items()
                if (lines := [line.decode("latin-1") for line in (*of_block.head, *of_block.rest)])
            ]
            names = [name for name, _ in columns]
            last = [dict(zip(names, entry, strict=True)) for entry in (*counts.entries(), *split)]
            yield pa.array([*([None] * (pending - 1)), last], entries_type)

    return count
