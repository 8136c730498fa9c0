"""Tables that executors write, to any file system that Hadoop knows: s3a, abfs, gs, hdfs, file."""

from __future__ import annotations

import re
from collections.abc import Iterable
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

    def _frame(self, rows: DataFrame | pa.Table) -> DataFrame:
        if not isinstance(rows, pa.Table):
            return rows
        return self.spark.createDataFrame(rows, from_arrow_schema(rows.schema))

    def _check(self, uri: str, schema: StructType) -> None:
        """Raise InputError if a folder holds anything other than a table with these columns."""
        listed = self.spark.read.format("binaryFile").option("recursiveFileLookup", "true")
        try:
            files = listed.load(uri).select("path")
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
        if stored.simpleString() != schema.simpleString():
            words = "holds a table with other columns, as another version of wirebook writes it"
            raise InputError(f"{words}; choose another URI", uri)


def checked_uri(text: str) -> str:
    """A URI for tables, without a slash at its end. Raises InputError if it has no scheme."""
    match = re.fullmatch(r"[a-z][a-z0-9+.-]*:/.*[^/:]/*", text)
    if match is None:
        raise InputError(f'"{text}" is not a URI for tables; write s3a://BUCKET/FOLDER or file:///FOLDER')
    return text.rstrip("/")
