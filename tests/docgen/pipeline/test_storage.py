"""Tables that executors write, and the progress of their stages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from wirebook.docgen.pipeline.session import spark_session
from wirebook.docgen.pipeline.spark import stages
from wirebook.docgen.pipeline.spark.stages import stages_shown
from wirebook.docgen.pipeline.spark.storage import Storage, checked_uri
from wirebook.docgen.progress import Progress
from wirebook.specs.problems import InputError

# For the Java process.
pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.long]


@pytest.fixture(scope="module", autouse=True)
def session() -> Iterator[None]:
    """One session for all tests of this file: what runs inside takes it."""
    with spark_session("local[2]"):
        yield


def test_progress_names_the_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "POLL_SECONDS", 0.05)

    class Seen(Progress):
        reached: ClassVar[set[tuple[int, int | None, str]]] = set()

        def reach(self, done: int, total: int | None = None, part: str = "") -> None:
            self.reached.add((done, total, part))

    def slowly(number: int) -> tuple[int, int]:
        import time

        time.sleep(0.3)
        return number % 2, number

    with spark_session() as spark, stages_shown(spark.sparkContext, Seen()):
        rows = spark.sparkContext.parallelize(range(4), 4).map(slowly).groupByKey(2)
        assert rows.mapValues(lambda some: slowly(len(list(some)))).count() == 2
    named = {(total, part) for _, total, part in Seen.reached}
    assert named >= {(4, "stage 1 of 2"), (2, "stage 2 of 2")}


def test_executors_replace_no_files_of_others(tmp_path: Path) -> None:
    (tmp_path / "requests").mkdir()
    (tmp_path / "requests" / "notes.txt").write_text("mine")
    table = pa.table({"day": ["2026-10-01"], "requests": [1]})
    with spark_session() as spark:
        with pytest.raises(InputError, match=r"holds file:.*notes\.txt, which no table of wirebook has"):
            Storage(spark, f"file://{tmp_path}").write("requests", table)
        Storage(spark, f"file://{tmp_path}").write("counts", table)
        with pytest.raises(InputError, match="holds a table with other columns"):
            Storage(spark, f"file://{tmp_path}").write("counts", table.rename_columns(["day", "other"]))
    assert (tmp_path / "requests" / "notes.txt").read_text() == "mine"
    assert pq.read_table(tmp_path / "counts").to_pylist() == table.to_pylist()


def test_a_file_system_that_spark_lacks_is_one_line() -> None:
    with pytest.raises(InputError) as caught, spark_session() as spark:
        Storage(spark, "s3a://bucket/folder").write("counts", pa.table({"day": ["2026-10-01"]}))
    assert str(caught.value).startswith("Spark failed: it has no file system for s3a: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["folder", "/folder", "s3a://", "file:///", "s3a:bucket"])
def test_what_is_no_uri_is_one_line(text: str) -> None:
    with pytest.raises(InputError, match="is not a URI for tables; write s3a://BUCKET/FOLDER"):
        checked_uri(text)
