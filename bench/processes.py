"""What commands and all that they start (Java, Python workers) take: time, processor time, memory."""

from __future__ import annotations

import ctypes
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
POLL_SECONDS = 0.1
ENDING_SECONDS = 30.0
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)


class Cost(NamedTuple):
    """What a command takes: seconds, processor time with all that it starts (Java, workers), and most memory
    in MB, its own and that of its Java process.
    """

    wall: float
    processor: float
    memory: float
    java: float


def measured(
    command: Sequence[str],
    beside: Callable[[int], object] | None = None,
    *,
    folder: Path = ROOT,
    output: IO[bytes] | None = None,
) -> Cost:
    """What a command takes that runs in a folder and writes to `output`; `beside` runs meanwhile with its
    process id. Raises CalledProcessError.
    """
    _adopt()
    # What others have left to this process counts before.
    _reap(0.0)
    before, begun = _children(), time.perf_counter()
    child = subprocess.Popen(command, cwd=folder, stdout=output)
    watch = Watch(child.pid)
    watch.start()
    if beside is not None:
        threading.Thread(target=beside, args=(child.pid,), daemon=True).start()
    _, status, used = os.wait4(child.pid, 0)
    wall = time.perf_counter() - begun
    child.returncode = os.waitstatus_to_exitcode(status)
    watch.stopped.set()
    watch.join()
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command)
    # Java and the workers end after the command, and are children of this process by then.
    _reap(ENDING_SECONDS)
    processor = _children() - before + sum(watch.workers.values())
    return Cost(wall, processor, used.ru_maxrss / 1024, watch.java / 1024)


def _reap(seconds: float) -> None:
    """Wait for children that have ended, or end within some seconds."""
    deadline = time.monotonic() + seconds
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0) or time.monotonic() < deadline:
            time.sleep(POLL_SECONDS / 10)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@cache
def _adopt() -> None:
    """Become the parent of processes whose own parents end, so that what they took is known."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


class Watch(threading.Thread):
    """Watches what a process has started: the largest resident size of its Java process, in KiB, and the
    processor time of PySpark's workers, which nobody waits for (their parent ignores SIGCHLD).
    """

    def __init__(self, pid: int | str = "self") -> None:
        super().__init__(daemon=True)
        self.pid = pid
        self.java = 0
        self.workers: dict[int, float] = {}
        self.stopped = threading.Event()

    def run(self) -> None:
        """Look every tenth of a second until stopped."""
        while not self.stopped.wait(POLL_SECONDS):
            for java in _below(self.pid):
                if b"SparkSubmit" in _command(java):
                    self.java = max(self.java, _peak(java))
                    daemons = [each for each in _below(java) if _DAEMON in _command(each)]
                    for worker in (each for daemon in daemons for each in _below(daemon)):
                        self.workers[worker] = max(_processor(worker), self.workers.get(worker, 0.0))

    def processor(self) -> float:
        """The seconds that Java and the workers have taken by now."""
        time.sleep(2 * POLL_SECONDS)
        java = [each for each in _below(self.pid) if b"SparkSubmit" in _command(each)]
        return sum(self.workers.values()) + sum(map(_processor, java))


_DAEMON = b"pyspark.daemon"


def _below(pid: int | str) -> list[int]:
    """The processes that a process has started."""
    found: list[int] = []
    with suppress(OSError):  # processes and threads end
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return found


def _peak(pid: int) -> int:
    with suppress(OSError):
        found = re.search(r"VmHWM:\s*(\d+)", Path(f"/proc/{pid}/status").read_text())
        return int(found[1]) if found else 0
    return 0


def _processor(pid: int) -> float:
    """The seconds of a process, and of those that it has started and waited for."""
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def kill_a_worker(pid: int, spent: float) -> Iterator[int]:
    """Kill a worker of PySpark below a process, the last that was started, when all have taken so many
    seconds of processor time.
    """
    watch = Watch(pid)
    watch.start()
    while Path(f"/proc/{pid}").exists():
        time.sleep(POLL_SECONDS)
        if sum(watch.workers.values()) < spent:
            continue
        java = [each for each in _below(pid) if b"SparkSubmit" in _command(each)]
        daemons = [each for above in java for each in _below(above) if _DAEMON in _command(each)]
        workers = sorted(each for daemon in daemons for each in _below(daemon))
        if workers:
            with suppress(ProcessLookupError):
                os.kill(workers[-1], signal.SIGKILL)
                yield workers[-1]
            break
    watch.stopped.set()


def _command(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""
