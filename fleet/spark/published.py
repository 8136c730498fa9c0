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
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
import pyspark.sql.functions as f

from wirebook.docgen.pipeline.session import spark_session
from wirebook.docgen.pipeline.spark.storage import Storage
from wirebook.docgen.progress import SILENT, Progress
from wirebook.fleet.counting.counting import MOST_APPLICATIONS, Count, Counting
from wirebook.fleet.spark.job import SCHEMA, added_up, rows_of
from wirebook.fleet.tables import tables
from wirebook.fleet.verdicts.advice import api_name
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

ROWS_AT_ONCE = 100_000
REQUESTS, PUBLISHED = "requests", "published"
_PARTITIONS = ("cluster", "day", "publication")


@dataclass(frozen=True, slots=True)
class Added:
    """What a run has added to the folder `before`: what executors keep of it, and what they do not have."""

    before: Path
    kept: Sequence[DataFrame] = ()
    here: Counting = field(default_factory=Counting)
    most_applications: int = MOST_APPLICATIONS


def publish(
    folder: Path,
    uri: str,
    cluster: str,
    master: str | None,
    conf: Mapping[str, str],
    added: Added | None = None,
    progress: Progress = SILENT,
) -> int:
    """Publish the days of a fleet's folder that the URI lacks or that differ there; returns how many.

    Executors add what they keep of a day to what is published of it. Several clusters share the tables.
    Raises InputError.
    """
    added = added or Added(folder)
    digests = {day: _digest(folder, day) for day in tables.days_in(folder)}
    with spark_session(master, partitions=8, conf=conf, progress=progress, remote=True) as spark:
        storage = Storage(spark, uri)
        rows = storage.read(PUBLISHED, "cluster", "publication", "day", "digest")
        own = sorted((publication, day, digest) for name, publication, day, digest in rows if name == cluster)
        # The last publication of a day counts.
        published = {day: (publication, digest) for publication, day, digest in own}
        others = sorted(published.keys() - digests.keys())
        if others:
            raise InputError(
                f"holds the day {others[0]} of the cluster {cluster}, which this fleet lacks; name another "
                "--cluster or URI",
                uri,
            )
        changed = [day for day in digests if day not in published or published[day][1] != digests[day]]
        number = int(own[-1][0].partition("-")[0]) + 1 if own else 1
        # A run that was killed may have left files of the same number.
        publication = f"{number:09}-{uuid.uuid4().hex[:12]}"
        before = set(tables.days_in(added.before))
        stored = {
            day: published[day][0]
            for day in before.intersection(changed, published)
            if published[day][1] == _digest(added.before, day)
        }
        for days, counts in _batches(added, changed, before - stored.keys()):
            parts = [*added.kept, _from_here(storage, counts)]
            if stored:
                parts.append(_stored(storage, cluster, stored))
            merged = added_up(
                [part.where(f.col("day").isin(days)) for part in parts], added.most_applications
            )
            storage.append(REQUESTS, _columns(merged, cluster, publication), *_PARTITIONS)
        _check(storage, publication, folder, changed)
        if changed:
            columns = {"day": changed, "digest": [digests[day] for day in changed]}
            constant = {"cluster": [cluster], "publication": [publication]}
            repeated = {name: value * len(changed) for name, value in constant.items()}
            storage.append(PUBLISHED, pa.table(columns | repeated))
    return len(changed)


def _batches(added: Added, days: Sequence[str], local: set[str]) -> Iterator[tuple[list[str], list[Count]]]:
    """Days with the rows that executors do not have: of the days before that are `local`, and of this run."""
    days_of_batch: list[str] = []
    counts: list[Count] = []
    for day in days:
        days_of_batch.append(day)
        if day in local:
            counts += tables.counts_of(added.before, day)
        counts += added.here.of_day(day)
        if len(counts) >= ROWS_AT_ONCE:
            yield days_of_batch, counts
            days_of_batch, counts = [], []
    if days_of_batch:
        yield days_of_batch, counts


def _from_here(storage: Storage, counts: Sequence[Count]) -> DataFrame:
    return storage.spark.createDataFrame(list(rows_of(counts)), SCHEMA)


def _stored(storage: Storage, cluster: str, publications: Mapping[str, str]) -> DataFrame:
    """What is published of some days, as rows of SCHEMA."""
    current = [f"{day}/{publication}" for day, publication in publications.items()]
    table = storage.spark.read.parquet(f"{storage.uri}/{REQUESTS}")
    rows = table.where(f.col("cluster") == cluster).where(
        f.concat_ws("/", f.col("day").cast("string"), f.col("publication")).isin(current)
    )
    other = {"software": f.col("client_software"), "note": f.lit(None)}
    other |= {"first": _text_of("first_seen"), "last": _text_of("last_seen")}
    columns = [column.split(" ") for column in SCHEMA.split(", ")]
    return rows.select(*(other.get(name, f.col(name)).cast(kind).alias(name) for name, kind in columns))


def _text_of(moment: str) -> Column:
    return f.coalesce(f.date_format(moment, "yyyy-MM-dd'T'HH:mm:ss.SSS"), f.lit(""))


def _columns(rows: DataFrame, cluster: str, publication: str) -> DataFrame:
    """Rows of SCHEMA as those of the table, in its order."""
    moments = {"first_seen": "first", "last_seen": "last"}
    values = {
        name: f.when(f.col(text) != "", f.col(text)).cast("timestamp_ntz") for name, text in moments.items()
    }
    values |= {"client_software": f.col("software"), "cluster": f.lit(cluster)}
    values |= {"publication": f.lit(publication)}
    values["api"] = f.udf(api_name, "string", useArrow=False)("api_key")
    values |= {name: f.col(name).cast("short") for name in ("api_key", "version")}
    names = [*tables.schema().names, *_PARTITIONS]
    selected = rows.select(*(values.get(name, f.col(name)).alias(name) for name in names))
    return selected.repartition("day").sortWithinPartitions("day", *tables.schema().names)


def _check(storage: Storage, publication: str, folder: Path, days: Sequence[str]) -> None:
    """Raise InputError unless a publication has the requests of this folder."""
    expected = {
        day: pc.sum(tables.read_day(folder, day, columns=("requests",))["requests"]).as_py() for day in days
    }
    written: dict[str, int] = {}
    if days:
        table = storage.spark.read.parquet(f"{storage.uri}/{REQUESTS}").where(
            f.col("publication") == publication
        )
        sums = table.groupBy(f.col("day").cast("string").alias("day")).agg(f.sum("requests"))
        written = dict(map(tuple, sums.collect()))
    other = [day for day in days if (written.get(day) or 0) != (expected[day] or 0)]
    if other:
        raise InputError(
            f"executors have counted other requests of {other[0]}; nothing is published", storage.uri
        )


def _digest(folder: Path, day: str) -> str:
    text = repr(tables.read_day(folder, day).to_pylist())
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
