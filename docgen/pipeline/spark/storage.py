"""Tables that executors write, to any file system that Hadoop knows: s3a, abfs, gs, hdfs, file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.errors import AnalysisException
from pyspark.sql.pandas.types import from_arrow_schema

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
                self._check(address, frame)
            writer = frame.write.mode("append" if number else "overwrite")
            writer.option("compression", "zstd").parquet(address)

    def append(self, name: str, rows: pa.Table, *by: str) -> None:
        """Add rows to a table; without partitions (`by`), they are one file, which appears at once.

        Raises InputError as `write`.
        """
        address = f"{self.uri}/{name}"
        frame = self._frame(rows)
        self._check(address, frame)
        writer = (frame if by else frame.coalesce(1)).write.mode("append").option("compression", "zstd")
        writer.partitionBy(*by).parquet(address)

    def read(self, name: str, *columns: str) -> list[tuple[str, ...]]:
        """The texts in some columns of a small table; none if it is missing or unfinished."""
        try:
            rows = self.spark.read.parquet(f"{self.uri}/{name}").select(*columns).collect()
        except AnalysisException:
            return []
        return [tuple(map(str, row)) for row in rows]

    def _frame(self, rows: DataFrame | pa.Table) -> DataFrame:
        if not isinstance(rows, pa.Table):
            return rows
        # A moment of a log has no time zone, regardless of that of the session.
        schema = from_arrow_schema(rows.schema, prefer_timestamp_ntz=True)
        return self.spark.createDataFrame(rows, schema)

    def _check(self, uri: str, frame: DataFrame) -> None:
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
        if set(self.spark.read.parquet(uri).columns) != set(frame.columns):
            raise InputError("holds a table with other columns; choose another URI", uri)


def checked_uri(text: str) -> str:
    """A URI for tables, without a slash at its end. Raises InputError if it has no scheme."""
    match = re.fullmatch(r"[a-z][a-z0-9+.-]*:/.*[^/:]/*", text)
    if match is None:
        raise InputError(f'"{text}" is not a URI for tables; write s3a://BUCKET/FOLDER or file:///FOLDER')
    return text.rstrip("/")
