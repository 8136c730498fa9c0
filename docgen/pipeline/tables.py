"""The Parquet tables of the catalog, as DataFrames over the pipeline's rows."""

from __future__ import annotations

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from wirebook.docgen.catalog.api_history import EventRow
from wirebook.docgen.pipeline import schemas


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


def changes_schema() -> pa.Schema:
    """The columns of the table of changes: the subject, then those of an event."""
    text, number, yes_or_no = pa.string(), pa.int32(), pa.bool_()
    kinds = {"version": number, "ordinal": number, "branch": number, "first": yes_or_no, "kept": yes_or_no}
    names = ("subject", *EventRow._fields)
    return pa.schema([(name, kinds.get(name, text)) for name in names])


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
