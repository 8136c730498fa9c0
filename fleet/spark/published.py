"""The tables of a fleet on a file system of Hadoop, written by executors.

A file system has no step that replaces a day, so nothing is replaced: a publication adds changed days in
folders of its own, and then one file to the table `published`, which names the current publication of each
day. That file appears at once, also on object storage: a reader that follows `published` sees all changed
days as they were before or as they are after, and nothing of a publication that was killed.
"""

from __future__ import annotations

import hashlib
import uuid
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
    """Publish the days of a fleet's folder that the URI lacks or that differ there; returns how many.

    Several clusters share the tables. Raises InputError.
    """
    digests = {day: _digest(tables.read_day(folder, day)) for day in tables.days_in(folder)}
    with spark_session(master, partitions=8, conf=conf, progress=progress, remote=True) as spark:
        storage = Storage(spark, uri)
        rows = storage.read(PUBLISHED, "cluster", "publication", "day", "digest")
        own = sorted((publication, day, digest) for name, publication, day, digest in rows if name == cluster)
        # The last publication of a day counts.
        published = {day: digest for _, day, digest in own}
        others = sorted(published.keys() - digests.keys())
        if others:
            raise InputError(
                f"holds the day {others[0]} of the cluster {cluster}, which this fleet lacks; name another "
                "--cluster or URI",
                uri,
            )
        changed = [day for day, digest in digests.items() if published.get(day) != digest]
        number = int(own[-1][0].partition("-")[0]) + 1 if own else 1
        # A run that was killed may have left files of the same number.
        constant = {"cluster": cluster, "publication": f"{number:09}-{uuid.uuid4().hex[:12]}"}
        for some in _batches(folder, changed):
            storage.append(REQUESTS, _with(some, constant), "cluster", "day", "publication")
        if changed:
            columns = {"day": changed, "digest": [digests[day] for day in changed]}
            storage.append(PUBLISHED, _with(pa.table(columns), constant))
    return len(changed)


def _with(table: pa.Table, constant: Mapping[str, str]) -> pa.Table:
    for name, text in constant.items():
        table = table.append_column(name, pa.array([text] * len(table), pa.string()))
    return table


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
