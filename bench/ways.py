"""Requests that executors count, brought to Java in two ways: rows that Python pickles, and `mapInArrow`.

`python -m bench.ways` prints what they take, for counts as `wirebook fleet` has them of many clients. It
needs pandas, without which PySpark has no `mapInArrow`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from statistics import median
from typing import TYPE_CHECKING, Any, cast

from bench.processes import Watch
from wirebook.docgen.pipeline.session import spark_session
from wirebook.fleet.spark.job import SCHEMA

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
    from pyspark.sql import DataFrame, SparkSession

TASKS, ROWS, TURNS = 8, 25_000, 5


def main() -> None:
    """Bring the same rows to Java by turns, add them up there, and print what both ways take."""
    took: dict[str, list[tuple[float, float]]] = {"pickled": [], "arrow": []}
    watch = Watch()
    watch.start()
    with spark_session("local[2]", partitions=8) as spark:
        for turn in range(TURNS + 1):
            for name, make in (("pickled", _pickled), ("arrow", _arrow)):
                before, begun = watch.processor(), time.perf_counter()
                counted = make(spark).groupBy("api_key", "version").sum("requests").collect()
                wall = time.perf_counter() - begun
                # The first turn compiles and imports.
                if turn:
                    took[name].append((wall, watch.processor() - before))
                assert sum(row[2] for row in counted) == TASKS * ROWS
    arrow, pickled = (
        [median(each) for each in zip(*took[name], strict=True)] for name in ("arrow", "pickled")
    )
    words = [
        f"{a:.1f} against {p:.1f} s{of}"
        for a, p, of in zip(arrow, pickled, ("", " of processor"), strict=True)
    ]
    print(f"{', '.join(words)} for {TASKS * ROWS:,} rows")


def _rows(task: int) -> Iterator[tuple[Any, ...]]:
    for number in range(ROWS):
        client = f"client-{task}-{number // 10}"
        moment = f"2026-10-01T10:{number % 60:02}:00.000"
        yield (
            *("2026-10-01", "client", "librdkafka", "2.3.0", client, "User:app", "", "SASL_SSL", number % 10),
            *(number % 13, False, 1, moment, moment, None),
        )


def _pickled(spark: SparkSession) -> DataFrame:
    rows = spark.sparkContext.parallelize(range(TASKS), TASKS).flatMap(_rows)
    return spark.createDataFrame(rows, SCHEMA, verifySchema=False)


def _arrow(spark: SparkSession) -> DataFrame:
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import StructType

    schema = to_arrow_schema(cast(StructType, StructType.fromDDL(SCHEMA)))

    def batches(tasks: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for batch in tasks:
            for task in batch.column(0).to_pylist():
                columns = zip(*_rows(task), strict=True)
                arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
                yield pa.RecordBatch.from_arrays(arrays, schema=schema)

    return spark.range(0, TASKS, 1, TASKS).mapInArrow(batches, SCHEMA)


if __name__ == "__main__":
    main()
