"""`wirebook fleet` beside `jq | sort | uniq -c`, in processor time, and Spark beside one process."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from wirebook.live.fleet.simulation.run import simulate

ROOT = Path(__file__).resolve().parent.parent
Row = tuple[str, str, str]
A_DAY = 50_000
_JQ_LINES = 100_000
_JQ = "[.requestHeader.requestApiKey,.requestHeader.requestApiVersion,.requestHeader.clientId,.principal]"
_APPLICATION = """
[[application]]
name = "app-{number}"
clients = 3
requests = {requests}
software = "librdkafka"
software_version = "2.3.0"
uses = {{ Fetch = [{version}, 80], Produce = [7, 20], Metadata = [12, 4], ApiVersions = 3 }}
"""


def rows(folder: Path, days: int = 10) -> list[Row]:
    """The rows of the table, on the logs of 40 applications over some days."""
    log = _log(folder, days)
    lines = days * A_DAY
    processor, memory, wall = _measured(_fleet(folder, "one", log))
    size = f"{log.stat().st_size / 1e6:,.0f} MB"
    made = [
        (
            f"fleet: {lines:,} lines, {size}, one process",
            f"{lines / processor:,.0f} lines a second of processor time, {wall:.1f} s, {memory:.0f} MB",
            "at least 150,000",
        )
    ]
    if shutil.which("jq"):
        body = "s/.*Completed request:\\(.*\\) (kafka.request.logger)/\\1/p"
        pipeline = (
            f"head -n {_JQ_LINES} '{log}' | sed -n '{body}' | jq -c '{_JQ}' | sort | uniq -c > /dev/null"
        )
        processor, _, _ = _measured(["sh", "-c", pipeline])
        made.append(("  jq | sort | uniq -c", f"{_JQ_LINES / processor:,.0f} lines a second", ""))
    # What Java and its workers spend is not counted for this process.
    _, _, wall = _measured([*_fleet(folder, "spark", log), "--master", "local[*]"])
    made.append(("  on Spark (local[*])", f"{wall:.1f} s", ""))
    return made


def _log(folder: Path, days: int) -> Path:
    """The log of a made-up fleet, as one file."""
    plan, log = folder / "fleet.toml", folder / "fleet.log"
    plan.write_text(
        f"days = {days}\n"
        + "".join(
            _APPLICATION.format(number=number, requests=A_DAY // 40, version=3 + number % 9)
            for number in range(40)
        )
    )
    simulate(plan, folder / "simulated")
    with log.open("wb") as whole:
        for path in sorted((folder / "simulated" / "logs").rglob("*.log*")):
            whole.write(path.read_bytes())
    return log


def _fleet(folder: Path, name: str, log: Path) -> list[str]:
    command = [sys.executable, "-m", "wirebook.cli.main", "fleet", str(log), "--target", "4.0", "-q"]
    return [*command, "--output", str(folder / f"fleet-{name}")]


def _measured(command: Sequence[str]) -> tuple[float, float, float]:
    """The processor time of a command with its children, its most memory in MB, and the time that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    child = subprocess.Popen(command, cwd=ROOT)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - begun
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, used.ru_maxrss / 1024, wall
