"""A run that fails in one thread ends quietly, while another is still at work in Spark."""

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from tests.docgen.histories import inputs
from tests.docgen.pipeline.small_history import history
from wirebook.docgen.pipeline import run as module
from wirebook.specs.problems import InputError

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.long]


def test_a_failure_waits_for_the_thread_that_writes_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Where Java ended first, py4j and the thread logged what they made of that, now and then."""
    busy = threading.Event()
    alive: list[int] = []

    def slow(spark: SparkSession) -> None:
        rows = spark.sparkContext.parallelize(range(2), 2).map(lambda _: __import__("time").sleep(60))
        busy.set()
        try:
            rows.count()
        finally:
            alive.append(spark.sparkContext.defaultParallelism)  # raises where the session has ended

    def tables(self: module._Run, parsed: DataFrame, held: DataFrame) -> None:
        slow(self.spark)

    def documents(self: module._Run, *_: object) -> None:
        assert busy.wait(300)
        deadline = time.monotonic() + 300
        while not self.spark.sparkContext.statusTracker().getActiveStageIds():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        time.sleep(1)
        raise InputError("the disk is full")

    monkeypatch.setattr(module._Run, "tables", tables)
    monkeypatch.setattr(module._Run, "documents", documents)
    with caplog.at_level(logging.WARNING), pytest.raises(InputError, match="the disk is full"):
        module.run(inputs(history()), tmp_path)
    assert len(alive) == 1, "the session ended while a thread was at work in it"
    assert [record.getMessage() for record in caplog.records] == []
