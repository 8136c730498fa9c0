"""Tables that executors write, to any file system that Hadoop knows: s3a, abfs, gs, hdfs, file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.errors import AnalysisException
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True, slots=True)
class Storage:
    """A folder for tables, as a URI; each table is a folder below it. Without a URI, nothing is written."""

    spark: SparkSession
    uri: str | None

    def write(self, name: str, *rows: DataFrame | pa.Table) -> None:
        """Replace a table; Spark writes `_SUCCESS` when it is complete.

        Raises InputError if the folder holds something else.
        """
        self.write_parts(name, rows)

    def write_parts(self, name: str, parts: Iterable[DataFrame | pa.Table]) -> None:
        """As `write`, with one part of the rows after another in memory."""
        if self.uri is None:
            return
        address = f"{self.uri}/{name}"
        for number, part in enumerate(parts):
            frame = self._frame(part)
            if number == 0:
                self._check(address, frame.schema)
            writer = frame.write.mode("append" if number else "overwrite")
            writer.option("compression", "zstd").parquet(address)

    def add(self, name: str, rows: DataFrame | pa.Table, *by: str, **own: str) -> None:
        """Add rows to a table, in a folder of their own, so that runs that add rows at the same time have no
        file in common. Its values are columns (`own`), and so are those of folders in it (`by`); without
        these, the rows are one file, which appears at once.
        """
        folder = "/".join((name, *(f"{column}={value}" for column, value in own.items())))
        frame = self._frame(rows)
        writer = (frame if by else frame.coalesce(1)).write.mode("append").option("compression", "zstd")
        writer.partitionBy(*by).parquet(f"{self.uri}/{folder}")

    def check(self, name: str, schema: pa.Schema, *folders: str) -> None:
        """Raise InputError unless a table is missing or has these columns, and those in names of folders."""
        self._check(f"{self.uri}/{name}", _struct(schema), folders)

    def read(self, name: str, *columns: str) -> list[tuple[str, ...]]:
        """The texts in some columns of a small table; none if it is missing or unfinished."""
        try:
            rows = self.spark.read.parquet(f"{self.uri}/{name}").select(*columns).collect()
        except AnalysisException as error:
            if error.getCondition() in ("PATH_NOT_FOUND", "UNABLE_TO_INFER_SCHEMA"):
                return []
            raise
        return [tuple(map(str, row)) for row in rows]

    def _frame(self, rows: DataFrame | pa.Table) -> DataFrame:
        if not isinstance(rows, pa.Table):
            return rows
        return self.spark.createDataFrame(rows, _struct(rows.schema))

    def _check(self, uri: str, schema: StructType, folders: Sequence[str] = ()) -> None:
        """Raise InputError if a folder holds anything other than a table with these columns."""
        listed = self.spark.read.format("binaryFile").option("recursiveFileLookup", "true")
        try:
            files = listed.load(uri).select("path")
            # Spark Connect looks for the folder only here.
            other = files.where("path NOT LIKE '%.parquet'").first()
        except AnalysisException as error:
            if error.getCondition() == "PATH_NOT_FOUND":
                return
            raise
        if other is not None:
            raise InputError(f"holds {other.path}, which no table of wirebook has; choose another URI", uri)
        if files.first() is None:
            # A run was killed before it wrote the first file.
            return
        stored = self.spark.read.parquet(uri).schema
        # The types of what names of folders have are guesses.
        columns = StructType([field for field in stored if field.name not in folders])
        names = [*schema.names, *folders]
        if stored.names != names or columns.simpleString() != schema.simpleString():
            words = "holds a table with other columns, as another version of wirebook writes it"
            raise InputError(f"{words}; choose another URI", uri)


def _struct(schema: pa.Schema) -> StructType:
    # A moment of a log has no time zone, regardless of that of the session.
    return from_arrow_schema(schema, prefer_timestamp_ntz=True)


def checked_uri(text: str) -> str:
    """A URI for tables, without a slash at its end. Raises InputError if it has no scheme."""
    match = re.fullmatch(r"[a-z][a-z0-9+.-]*:/.*[^/:]/*", text)
    if match is None:
        raise InputError(f'"{text}" is not a URI for tables; write s3a://BUCKET/FOLDER or file:///FOLDER')
    return text.rstrip("/")
