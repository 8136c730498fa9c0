"""The tables of a fleet on a file system of Hadoop, written by executors.

A file system has no step that replaces a day, so nothing is replaced: a publication adds changed days in
folders of its own, and then one file to the table `published`, which names the current publication of each
day. That file appears at once, also on object storage: a reader that follows `published` sees all changed
days as they were before or as they are after, and nothing of a publication that was killed.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
import pyspark.sql.functions as f

from wirebook.docgen.pipeline.session import spark_session
from wirebook.docgen.pipeline.spark.storage import Storage
from wirebook.docgen.progress import SILENT, Progress
from wirebook.fleet.counting.counting import MOST_APPLICATIONS, Count, Counting
from wirebook.fleet.spark.job import SCHEMA, added_up, row_of, rows_of
from wirebook.fleet.tables import tables
from wirebook.fleet.verdicts.advice import api_name
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

ROWS_AT_ONCE = 100_000
REQUESTS, PUBLISHED = "requests", "published"
_OWN = ("cluster", "publication")
_NOTES = pa.schema({"day": pa.string(), "digest": pa.string()})


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
    digests = {day: tables.digest(folder, day).hex() for day in tables.days_in(folder)}
    with spark_session(master, partitions=8, conf=conf, progress=progress, remote=True) as spark:
        storage = Storage(spark, uri)
        storage.check(REQUESTS, tables.schema(), *_OWN, "day")
        storage.check(PUBLISHED, _NOTES, *_OWN)
        published = _published(storage, cluster)
        changed = [day for day in digests if day not in published or published[day].digest != digests[day]]
        before = {day: tables.digest(added.before, day).hex() for day in tables.days_in(added.before)}
        stored = {
            day: published[day].publication
            for day in changed
            if day in published and published[day].digest == before.get(day)
        }
        for day in sorted(published):
            if day not in digests or (day in changed and day not in stored):
                _check_kept(storage, cluster, published[day], folder)
        if not changed:
            return 0
        number = 1 + max((int(note.publication.partition("-")[0]) for note in published.values()), default=0)
        # A run that was killed may have left files of the same number.
        own = {"cluster": cluster, "publication": f"{number:09}-{uuid.uuid4().hex[:12]}"}
        for days, counts in _batches(added, changed, before.keys() - stored.keys()):
            parts = [*added.kept, _from_here(storage, counts)]
            if stored:
                parts.append(_stored(storage, cluster, stored))
            merged = added_up(
                [part.where(f.col("day").isin(days)) for part in parts], added.most_applications
            )
            storage.add(REQUESTS, _columns(merged), "day", **own)
        _check(storage, own["publication"], folder, changed)
        if _published(storage, cluster) != published:
            raise InputError(f"another run has published days of the cluster {cluster} meanwhile", uri)
        columns = {"day": changed, "digest": [digests[day] for day in changed]}
        storage.add(PUBLISHED, pa.table(columns, _NOTES), **own)
    return len(changed)


class _Note(NamedTuple):
    """What is published of a day."""

    publication: str
    day: str
    digest: str


def _published(storage: Storage, cluster: str) -> dict[str, _Note]:
    """The current publication of each day of a cluster: the last one counts."""
    rows = storage.read(PUBLISHED, "cluster", *_Note._fields)
    notes = sorted(_Note(*values) for name, *values in rows if name == cluster)
    return {note.day: note for note in notes}


def _check_kept(storage: Storage, cluster: str, note: _Note, folder: Path) -> None:
    """Raise InputError if a published day has requests that this fleet lacks: they would be lost.

    A run that was killed has published what this one reads again; another fleet has other requests.
    """
    is_here = note.day in tables.days_in(folder)
    own = {count.row: count.requests for count in tables.counts_of(folder, note.day)} if is_here else {}
    for row in _stored(storage, cluster, {note.day: note.publication}).collect():
        if row["requests"] > own.get(row_of(row.asDict()), 0):
            raise InputError(
                f"holds requests of {note.day} of the cluster {cluster} that this fleet lacks; name another "
                "--cluster or URI",
                storage.uri,
            )


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


def _columns(rows: DataFrame) -> DataFrame:
    """Rows of SCHEMA as those of the table, in its order, with their day."""
    moments = {"first_seen": "first", "last_seen": "last"}
    values = {
        name: f.when(f.col(text) != "", f.col(text)).cast("timestamp_ntz") for name, text in moments.items()
    }
    values["client_software"] = f.col("software")
    values["api"] = f.udf(api_name, "string", useArrow=False)("api_key")
    values |= {name: f.col(name).cast("short") for name in ("api_key", "version")}
    names = [*tables.schema().names, "day"]
    selected = rows.select(*(values.get(name, f.col(name)).alias(name) for name in names))
    return selected.repartition("day").sortWithinPartitions("day", *tables.schema().names)


def _check(storage: Storage, publication: str, folder: Path, days: Sequence[str]) -> None:
    """Raise InputError unless a publication has the requests of this folder."""
    expected = {
        day: pc.sum(tables.read_day(folder, day, columns=("requests",))["requests"]).as_py() for day in days
    }
    table = storage.spark.read.parquet(f"{storage.uri}/{REQUESTS}").where(f.col("publication") == publication)
    sums = table.groupBy(f.col("day").cast("string").alias("day")).agg(f.sum("requests"))
    written = dict(map(tuple, sums.collect()))
    other = [day for day in days if (written.get(day) or 0) != (expected[day] or 0)]
    if other:
        raise InputError(
            f"executors have counted other requests of {other[0]}; nothing is published", storage.uri
        )
