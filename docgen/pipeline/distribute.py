"""Where the functions of the pipeline run: on Spark, or in this process."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

from wirebook.docgen.progress import Progress
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from pyspark import SparkContext

T = TypeVar("T")
R = TypeVar("R")

ITEMS_A_TASK = 600


# Runs a function over parts of some items; the results are in the order of the items.
Distribute = Callable[[Callable[[Iterable[Any]], Iterator[Any]], Sequence[Any]], Iterator[Any]]


def in_process(work: Callable[[Iterable[T]], Iterator[R]], items: Sequence[T]) -> Iterator[R]:
    """Run the function here."""
    # Python's search for cycles halves the speed at which trees are built, and finds none in them.
    gc.disable()
    try:
        yield from work(items)
    finally:
        # Without this, enabling it begins with a search through all trees: they count as searched.
        gc.freeze()
        gc.unfreeze()
        gc.enable()


def on_spark(context: SparkContext) -> Distribute:
    """Run functions in tasks of Spark."""
    cores = max(2, context.defaultParallelism)

    def distribute(work: Callable[[Iterable[T]], Iterator[R]], items: Sequence[T]) -> Iterator[R]:
        def task(part: Iterable[T]) -> Iterator[R]:
            return in_process(work, [*part])

        count = max(1, min(len(items), cores * max(1, round(len(items) / (cores * ITEMS_A_TASK)))))
        rows = context.parallelize(items, count).mapPartitions(task)
        # A few tasks at a time, so that the driver never holds the results of all.
        for first in range(0, count, cores):
            yield from context.runJob(rows, list, list(range(first, min(count, first + cores))))

    return distribute


@contextmanager
def distribution(
    master: str | None, conf: Mapping[str, str], progress: Progress
) -> Iterator[Distribute]:
    """Spark if it is installed; it ends with the block. Raises InputError."""
    if find_spec("pyspark") is None:
        if master or conf:
            raise InputError("Spark is not installed: install wirebook[spark]")
        progress.note("pyspark is not installed: all work is done in this process")
        yield in_process
        return
    from wirebook.docgen.pipeline.session import spark_context

    progress.step("starting Spark")
    with spark_context(master, conf) as context:
        yield on_spark(context)
