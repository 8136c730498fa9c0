"""The Parquet tables of the catalog, as DataFrames over the pipeline's rows."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from wirebook.docgen.catalog.api_history import EventRow
from wirebook.docgen.pipeline import schemas


def held(files: DataFrame, parsed: DataFrame) -> DataFrame:
    """What each snapshot holds, as docgen.catalog.events.HeldText, by subject."""
    texts = _good(parsed).select("digest", "subject", F.explode("states_at").alias("at"))
    anywhere = F.col("at.ordinal").isNull()
    return (
        files.join(F.broadcast(texts), "digest")
        .where(anywhere | (F.col("at.ordinal") == F.col("ordinal")))
        .select("ordinal", "subject", "digest", "path", F.col("at.state").alias("state"))
        .repartition("subject")
    )


def messages(entries: DataFrame, parsed: DataFrame) -> DataFrame:
    """One row for each message of each snapshot, with the versions that existed there."""
    states = (
        _good(parsed)
        .select("digest", F.col("message").alias("name"), "type", "api", "api_key", F.inline("states"))
        .drop("facts")
    )
    return entries.join(F.broadcast(states), ["digest", "state"]).select(
        "ordinal",
        "subject",
        "type",
        "name",
        "api",
        "api_key",
        "path",
        "digest",
        "valid",
        "deprecated",
        "unstable",
    )


def changes(subject: str, events: Sequence[EventRow]) -> pa.RecordBatch:
    """The table of changes, of one subject: its name, then the columns of its events."""
    text, number, yes_or_no = pa.string(), pa.int32(), pa.bool_()
    kinds = {"version": number, "ordinal": number, "branch": number, "first": yes_or_no, "kept": yes_or_no}
    arrays = [pa.array([subject] * len(events), text)]
    for place, name in enumerate(EventRow._fields):
        arrays.append(pa.array([event[place] for event in events], kinds.get(name, text)))
    return pa.RecordBatch.from_arrays(arrays, ["subject", *EventRow._fields])


def versions(parsed: DataFrame) -> DataFrame:
    """One row for each version of each distinct text."""
    return _good(parsed).select("digest", "subject", "message", "type", F.inline("versions"))


def fields(parsed: DataFrame) -> DataFrame:
    """One row for each field, at every depth, of each version of each distinct text."""
    alike = _good(parsed).select(
        "digest", "subject", "message", F.col("type").alias("message_type"), F.inline("fields")
    )
    columns = schemas.FIELD.names[2:]
    return alike.select(
        "digest",
        "subject",
        "message",
        "message_type",
        F.inline(F.arrays_zip(F.col("versions").alias("version"), F.col("places").alias("place"))),
        *columns,
    )


def bucket() -> Column:
    """A number from 0 to BUCKETS that depends only on the digest, to split a large table evenly."""
    return F.conv(F.substring("digest", 1, 4), 16, 10).cast("int")


BUCKETS = 1 << 16


def _good(parsed: DataFrame) -> DataFrame:
    return parsed.where(F.col("error").isNull())
