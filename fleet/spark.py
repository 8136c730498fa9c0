"""Counts the lines of logs on Spark, which reads them and adds up what its tasks have counted.

A file is one task, because a container may have split a line anywhere in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from operator import itemgetter
from urllib.parse import unquote

import pyspark.sql.functions as f
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

from wirebook.fleet.counts import Counts, Key, Tally
from wirebook.fleet.logs import check_name
from wirebook.fleet.owners import Owners
from wirebook.specs.problems import InputError

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
    counts = Counts(owners)
    with _whole_files(spark):
        tallies = _lines(spark, addresses).rdd.mapPartitions(partial(_counted, owners))
        cores = spark.sparkContext.defaultParallelism
        for key, tally in tallies.reduceByKey(Tally.__add__, cores).toLocalIterator():
            counts.add(key, tally)
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
    return files.select(f.col("_metadata.file_path"), f.col("value").cast("binary"))


def _counted(owners: Owners, rows: Iterable[tuple[str, bytearray]]) -> Iterator[tuple[Key, Tally]]:
    """What a task counts in its lines."""
    counts = Counts(owners)
    for path, some in groupby(rows, key=itemgetter(0)):
        file = re.sub("^file:/+", "/", unquote(path))
        counts.read((bytes(line) for _, line in some), file)
    return counts.entries()
