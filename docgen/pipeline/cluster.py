"""A remote Spark master or Spark Connect server: whether it can be reached and has live executors."""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from pyspark import SparkContext

CONNECT, CONNECT_PORT = "sc://", 15002  # the beginning of an address of Spark Connect, and its usual port
MASTER_SECONDS = 5.0
# A standalone master has its workers or has none; others first request machines.
EXECUTOR_SECONDS = 60.0
LOST_SECONDS = 30.0
MACHINE_SECONDS = 600.0
WAIT = "spark.wirebook.executorWait"
_PORT = re.compile(r":\d+$")
FIRST_JOB = "wirebook: the first executor"


@dataclass(frozen=True, slots=True)
class Patience:
    """For how many seconds to wait for the first executor, and for another one if all were lost."""

    first: float
    lost: float

    @classmethod
    def of(cls, master: str, setting: str | None) -> Patience:
        """The setting WAIT in seconds, or else a default for the kind of master. Raises InputError."""
        if setting is not None:
            match = re.fullmatch(r"(\d{1,6})s?", setting.strip())
            if match is None:
                raise InputError(f'{WAIT} is "{setting}"; write a number of seconds')
            return cls(float(match[1]), float(match[1]))
        if addresses(master):
            return cls(EXECUTOR_SECONDS, LOST_SECONDS)
        return cls(MACHINE_SECONDS, MACHINE_SECONDS)


def addresses(master: str) -> list[tuple[str, int]]:
    """The hosts and ports of spark://a:7077,b:7077 or sc://a:15002; [] for masters that Spark finds in
    another way.
    """
    scheme, is_address, names = named(master).partition("://")
    if not is_address or scheme not in ("spark", "sc"):
        return []
    pairs = []
    for part in names.split(","):
        # The address of a Spark Connect server may leave out the port.
        with_port = f"{part}:{CONNECT_PORT}" if scheme == "sc" and not _PORT.search(part) else part
        host, _, port = with_port.rpartition(":")
        if not host or not port.isdigit():
            raise InputError(f'"{named(master)}" is not a Spark master; write {scheme}://HOST:PORT')
        pairs.append((host.strip("[]"), int(port)))
    return pairs


def check_reachable(master: str) -> None:
    """Raise InputError at once if no master or server listens; Spark itself would try for minutes."""
    why = ""
    masters = addresses(master)
    if not masters and not re.match(r"(yarn|k8s://)", master):
        raise InputError(f'"{master}" is not a Spark master; write local[*] or spark://HOST:PORT')
    for address in masters:
        try:
            with socket.create_connection(address, timeout=MASTER_SECONDS):
                return
        except OSError as error:
            why = error.strerror or str(error)
    if masters:
        raise InputError(f"the Spark master {named(master)} cannot be reached: {why}")


def named(master: str) -> str:
    """A master as messages show it: without the parameters of Spark Connect, which may include a token."""
    return master.partition("/;")[0].rstrip("/") if master.startswith(CONNECT) else master


def own_address(master: str) -> str:
    """Our address as the master sees it, by which executors find us."""
    for host, port in addresses(master):
        with suppress(OSError), socket.create_connection((host, port), timeout=MASTER_SECONDS) as probe:
            return str(probe.getsockname()[0])
    return socket.gethostbyname(socket.gethostname())


def await_executor(
    context: SparkContext, master: str, wake: Callable[[], None], patience: Patience
) -> threading.Thread:
    """Run `wake`, a first job, in the returned thread; raises InputError if no executor takes it."""
    failed: list[BaseException] = []

    def work() -> None:
        context.setJobGroup(FIRST_JOB, FIRST_JOB)
        try:
            wake()
        except Exception as error:
            failed.append(error)

    job = threading.Thread(target=work, daemon=True)
    job.start()
    deadline = time.monotonic() + patience.first
    while job.is_alive() and time.monotonic() < deadline and not _working(context):
        job.join(0.1)
    if failed:
        raise failed[0]
    if job.is_alive() and not _working(context):
        context.cancelJobGroup(FIRST_JOB)
        job.join(MASTER_SECONDS)
        raise InputError(
            f"the Spark master {master} gave no executor within {patience.first:.0f} seconds: it has no free "
            f"worker with the cores and the memory of spark.executor.*; {WAIT} sets the time"
        )
    return job


def _working(context: SparkContext) -> bool:
    """Whether a task of an active stage runs or has run."""
    stages = _stages(context)
    return any(active + completed for active, completed in stages)


def _stages(context: SparkContext) -> list[tuple[int, int]]:
    """How many tasks run and have ended, for each active stage."""
    tracker = context.statusTracker()
    infos = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
    return [(info.numActiveTasks, info.numCompletedTasks) for info in infos if info is not None]


def watch_executors(context: SparkContext, stop: threading.Event, patience: Patience) -> threading.Thread:
    """Give up if no executor has run the pending work for so long; Spark would wait forever."""

    def watch() -> None:
        idle_since: float | None = None
        while not stop.wait(0.5):
            with suppress(Exception):
                stages = _stages(context)
                if not stages or any(active for active, _ in stages):
                    idle_since = None
                    continue
                idle_since = idle_since or time.monotonic()
                if time.monotonic() - idle_since > patience.lost:
                    context.cancelAllJobs()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread
