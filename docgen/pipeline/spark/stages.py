"""The progress of a Spark job: which of its stages is running, and how many of its tasks are done."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from wirebook.docgen.progress import SILENT, Progress

if TYPE_CHECKING:
    from pyspark import SparkContext

POLL_SECONDS = 0.5


@contextmanager
def stages_shown(context: SparkContext | None, progress: Progress) -> Iterator[None]:
    """While the block runs, the current step of `progress` counts Spark's tasks, and names the stage.

    A session of Spark Connect has no context, and shows nothing.
    """
    if progress is SILENT or context is None:
        yield
        return
    over = threading.Event()
    watch = threading.Thread(target=_watch, args=(context, progress, over), daemon=True)
    watch.start()
    try:
        yield
    finally:
        over.set()
        # A session that has failed may not answer.
        watch.join(2 * POLL_SECONDS)


def _watch(context: SparkContext, progress: Progress, over: threading.Event) -> None:
    while not over.wait(POLL_SECONDS):
        with suppress(Exception):
            done, total, part = running_stages(context)
            if total and not over.is_set():
                progress.reach(done, total, part)


def running_stages(context: SparkContext) -> tuple[int, int, str]:
    """How many tasks of the stages that run are done, how many they have, and which stages they are:
    "stage 2 of 3", or "" if that is not meaningful.
    """
    tracker = context.statusTracker()
    active = sorted(tracker.getActiveStageIds())
    infos = [info for info in map(tracker.getStageInfo, active) if info is not None]
    done, total = sum(info.numCompletedTasks for info in infos), sum(info.numTasks for info in infos)
    jobs = [info for info in map(tracker.getJobInfo, tracker.getActiveJobsIds()) if info is not None]
    stages = sorted({number for job in jobs for number in job.stageIds})
    if len(stages) < 2 or not active or active[0] not in stages:
        return done, total, ""
    return done, total, f"stage {stages.index(active[0]) + 1} of {len(stages)}"
