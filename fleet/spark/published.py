"""The tables of a fleet on a file system of Hadoop, written by executors: each day once, and completely."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]

from wirebook.docgen.pipeline.session import spark_session
from wirebook.docgen.pipeline.spark.storage import Storage
from wirebook.docgen.progress import SILENT, Progress
from wirebook.fleet.tables import tables
from wirebook.specs.problems import InputError

ROWS_AT_ONCE = 500_000
REQUESTS, PUBLISHED = "requests", "published"


def publish(
    folder: Path,
    uri: str,
    cluster: str,
    master: str | None,
    conf: Mapping[str, str],
    progress: Progress = SILENT,
) -> int:
    """Write the days of a fleet's folder that the URI lacks or that differ there; returns how many.

    Several clusters share the tables. A day of a cluster replaces its whole partition, and the table
    `published` then has a digest of each day. A run that is killed in between leaves that table unchanged or
    missing: the next run writes the same days again. Raises InputError.
    """
    digests = {day: _digest(tables.read_day(folder, day)) for day in tables.days_in(folder)}
    with spark_session(master, partitions=8, conf=conf, progress=progress) as spark:
        storage = Storage(spark, uri)
        published = {
            str(day): str(digest) for day, digest, name in storage.read(PUBLISHED) if str(name) == cluster
        }
        others = sorted(published.keys() - digests.keys())
        if others:
            raise InputError(
                f"holds the day {others[0]} of the cluster {cluster}, which this fleet lacks; name another "
                "--cluster or URI",
                uri,
            )
        changed = [day for day, digest in digests.items() if published.get(day) != digest]
        for some in _batches(folder, changed):
            storage.replace_parts(REQUESTS, _of(cluster, some), "cluster", "day")
        if changed:
            columns = {"day": list(digests), "digest": list(digests.values())}
            storage.replace_parts(PUBLISHED, _of(cluster, pa.table(columns)), "cluster")
    return len(changed)


def _of(cluster: str, table: pa.Table) -> pa.Table:
    return table.append_column("cluster", pa.array([cluster] * len(table), pa.string()))


def _batches(folder: Path, days: Sequence[str]) -> Iterator[pa.Table]:
    """Days in tables of so many rows; no day is split."""
    tables_of_batch, rows = [], 0
    for day in days:
        table = tables.read_day(folder, day)
        tables_of_batch.append(table.append_column("day", pa.array([day] * len(table), pa.string())))
        rows += len(table)
        if rows >= ROWS_AT_ONCE:
            yield pa.concat_tables(tables_of_batch)
            tables_of_batch, rows = [], 0
    if tables_of_batch:
        yield pa.concat_tables(tables_of_batch)


def _digest(table: pa.Table) -> str:
    return hashlib.sha256(repr(table.to_pylist()).encode("utf-8", "backslashreplace")).hexdigest()
