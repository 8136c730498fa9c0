"""Requests that executors count, brought to Java in two ways: rows that Python pickles, and `mapInArrow`.

`python -m bench.ways` prints what they take, for counts as `wirebook fleet` has them of many clients. It
needs pandas, without which PySpark has no `mapInArrow`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from statistics import median
from typing import TYPE_CHECKING, Any, cast

from wirebook.docgen.pipeline.fleet.job import SCHEMA
from wirebook.docgen.pipeline.session import spark_session

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
    from pyspark.sql import DataFrame, SparkSession

TASKS, ROWS, TURNS = 8, 25_000, 5


def main() -> None:
    """Bring the same rows to Java by turns, add them up there, and print both times."""
    took: dict[str, list[float]] = {"pickled": [], "arrow": []}
    with spark_session("local[2]", partitions=8) as spark:
        for turn in range(TURNS + 1):
            for name, make in (("pickled", _pickled), ("arrow", _arrow)):
                begun = time.perf_counter()
                counted = make(spark).groupBy("api_key", "version").sum("requests").collect()
                # The first turn compiles and imports.
                if turn:
                    took[name].append(time.perf_counter() - begun)
                assert sum(row[2] for row in counted) == TASKS * ROWS
    arrow, pickled = median(took["arrow"]), median(took["pickled"])
    print(f"{arrow:.2f} s against {pickled:.2f} s for {TASKS * ROWS:,} rows: {arrow / pickled:.2f} times")


def _rows(task: int) -> Iterator[tuple[Any, ...]]:
    for number in range(ROWS):
        client = f"client-{task}-{number // 10}"
        moment = f"2026-10-01T10:{number % 60:02}:00.000"
        yield (
            *("2026-10-01", "librdkafka", "2.3.0", client, "User:app", "SASL_SSL", number % 10, number % 13),
            *(False, "", 1, moment, moment, None),
        )


def _pickled(spark: SparkSession) -> DataFrame:
    rows = spark.sparkContext.parallelize(range(TASKS), TASKS).flatMap(_rows)
    return spark.createDataFrame(rows, SCHEMA, verifySchema=False)


def _arrow(spark: SparkSession) -> DataFrame:
    return spark.range(0, TASKS, 1, TASKS).mapInArrow(_batches, SCHEMA)


def _batches(tasks: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import StructType

    schema = to_arrow_schema(cast(StructType, StructType.fromDDL(SCHEMA)))
    for batch in tasks:
        for task in batch.column(0).to_pylist():
            columns = zip(*_rows(task), strict=True)
            arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)


if __name__ == "__main__":
    main()
