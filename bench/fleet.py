"""`wirebook fleet` beside pyarrow and `jq | sort | uniq -c`, and Spark beside one process."""

from __future__ import annotations

import gzip
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from wirebook.docgen.fleet import tables

ROOT = Path(__file__).resolve().parent.parent
Row = tuple[str, str, str]
A_DAY = 50_000
PLAIN = 2_000_000  # at most so many lines of plain text are written: 650 bytes each
_JQ_LINES = 100_000
_JQ = "[.requestHeader.requestApiKey,.requestHeader.requestApiVersion,.requestHeader.clientId,.principal]"
_SED = "s/.*Completed request:\\(.*\\) (kafka.request.logger)/\\1/p"
_APPLICATION = """
[[application]]
name = "app-{number}"
clients = {clients}
requests = {requests}
software = "librdkafka"
software_version = "2.3.0"
uses = {{ Fetch = [{version}, 80], Produce = [7, 20], Metadata = [12, 4], ApiVersions = 3 }}
"""


class Cost(NamedTuple):
    """What a command takes: processor time with its children, most memory in MB, and time."""

    processor: float
    memory: float
    wall: float


def rows(folder: Path, lines: int = 500_000) -> Iterator[Row]:
    """The rows of the table: speed on a plain log; size, cores, skew and a lost worker on compressed ones."""
    yield from _speed(folder, min(lines, PLAIN))
    yield from _scale(folder, lines)


def _speed(folder: Path, lines: int) -> Iterator[Row]:
    log = _plain(folder, lines)
    cost = _measured(_fleet(folder, "one", log))
    size = f"{log.stat().st_size / 1e6:,.0f} MB"
    yield (
        f"fleet: {lines:,} lines, {size}, one process",
        f"{lines / cost.processor:,.0f} lines a second of processor time, {_words(cost)}",
        "at least 150,000",
    )
    cost = _measured([sys.executable, "-m", "bench.fleet", str(log)])
    what = f"{lines / cost.processor:,.0f} lines a second of processor time, {_words(cost)}"
    yield ("  pyarrow: read_json and group_by, one process", what, "")
    if shutil.which("jq"):
        pipeline = (
            f"head -n {_JQ_LINES} '{log}' | sed -n '{_SED}' | jq -c '{_JQ}' | sort | uniq -c > /dev/null"
        )
        cost = _measured(["sh", "-c", pipeline])
        yield ("  jq | sort | uniq -c", f"{_JQ_LINES / cost.processor:,.0f} lines a second", "")
    log.unlink()


def _scale(folder: Path, lines: int) -> Iterator[Row]:
    few, many = max(A_DAY, lines // 4), lines
    small, large = _packed(folder, few), _packed(folder, many)
    one = [_measured(_fleet(folder, f"one-{count}", log)) for count, log in ((few, small), (many, large))]
    drift = one[1].processor / one[0].processor / (many / few) - 1
    yield (f"  {few:,} and {many:,} compressed lines", f"{_words(one[0])}; {_words(one[1])}", "")
    yield ("  time for each line, against a quarter of the lines", f"{drift:+.0%}", "within 15%")
    both = f"{one[0].memory:.0f} and {one[1].memory:.0f} MB"
    yield ("  memory of this process, for both", both, "the same")
    two = [
        _measured(_on_spark(folder, f"two-{count}", log, "local[2]"))
        for count, log in ((few, small), (many, large))
    ]
    yield ("  on Spark (local[2])", f"{_words(two[0])}; {_words(two[1])}", "memory of the driver the same")
    yield ("  from which size on Spark is faster", _crossover(few, many, one, two), "")
    single = _measured(_on_spark(folder, "single", large, "local[1]"))
    share = two[1].wall / single.wall
    yield ("  two cores against one", f"{share:.2f} of the time", "at most 0.6")
    skewed = _packed(folder, many, skewed=True)
    for name, base, cost in (
        ("one process", one[1], _measured(_fleet(folder, "one-skew", skewed))),
        ("Spark", two[1], _measured(_on_spark(folder, "two-skew", skewed, "local[2]"))),
    ):
        times = cost.processor / base.processor if name == "one process" else cost.wall / base.wall
        yield (f"  one client with 90% of the lines, {name}", f"{times:.2f} times the time", "at most 1.3")
    killed = _on_spark(folder, "killed", large, "local[2,4]")
    lost: list[int] = []
    ended = _measured(killed, lambda pid: lost.extend(_kill_a_worker(pid, two[1].wall / 2)))
    same = tables.read_all(folder / "fleet-killed") == tables.read_all(folder / f"fleet-two-{many}")
    answer = "the same answer" if same else "ANOTHER ANSWER"
    how = f"{answer}, {ended.wall:.1f} s" if lost else "it ended before a worker was killed"
    yield ("  a worker killed half way", how, "the same answer")


def _crossover(few: int, many: int, one: Sequence[Cost], two: Sequence[Cost]) -> str:
    """The size at which both take as long, where each takes a time to start and a time for each line."""
    slopes = [(side[1].wall - side[0].wall) / (many - few) for side in (one, two)]
    starts = [side[0].wall - slope * few for side, slope in zip((one, two), slopes, strict=True)]
    if slopes[0] <= slopes[1]:
        return "none: each line takes longer on these cores"
    return f"{max(0.0, (starts[1] - starts[0]) / (slopes[0] - slopes[1])):,.0f} lines, by these two sizes"


def _plan(folder: Path, days: int, *, skewed: bool = False) -> Path:
    """A made-up fleet of 40 applications; `skewed` where a single client sends 90% of the lines."""
    parts = [f"days = {days}\n"]
    for number in range(40):
        requests, clients = A_DAY // 40, 3
        if skewed:
            requests, clients = (A_DAY * 9 // 10, 1) if number == 0 else (A_DAY // 390, 3)
        version = 3 + number % 9
        parts.append(_APPLICATION.format(number=number, requests=requests, clients=clients, version=version))
    plan = folder / "fleet.toml"
    plan.write_text("".join(parts))
    return plan


def _simulated(folder: Path, days: int, *, skewed: bool = False) -> list[Path]:
    """The logs of a made-up fleet, in the order of the days.

    Another process makes them: a command begins with the memory of the process that starts it.
    """
    plan = _plan(folder, days, skewed=skewed)
    given = ["--simulate", str(plan), "--output", str(folder / "simulated"), "-q"]
    subprocess.run([sys.executable, "-m", "wirebook.cli.main", "fleet", *given], cwd=ROOT, check=True)
    return sorted((folder / "simulated" / "logs").rglob("*.log*"))


def _plain(folder: Path, lines: int) -> Path:
    """A log as one plain file."""
    log = folder / "fleet.log"
    with log.open("wb") as whole:
        for path in _simulated(folder, max(1, lines // A_DAY)):
            with path.open("rb") as part:
                shutil.copyfileobj(part, whole)
    return log


def _packed(folder: Path, lines: int, *, skewed: bool = False) -> Path:
    """A folder of compressed logs, one per day: the same lines behind a first line that differs."""
    logs = folder / f"packed-{lines}{'-skewed' if skewed else ''}"
    logs.mkdir()
    body = folder / "body.gz"
    with gzip.open(body, "wb", 6) as whole:
        for path in _simulated(folder, 1, skewed=skewed):
            with path.open("rb") as part:
                shutil.copyfileobj(part, whole)
    for number in range(max(1, lines // A_DAY)):
        with (logs / f"{number:06}.gz").open("wb") as log, body.open("rb") as part:
            log.write(gzip.compress(b"log %d\n" % number))
            shutil.copyfileobj(part, log)
    return logs


def _fleet(folder: Path, name: str, log: Path) -> list[str]:
    command = [sys.executable, "-m", "wirebook.cli.main", "fleet", str(log), "--target", "4.0", "-q"]
    return [*command, "--output", str(folder / f"fleet-{name}")]


def _on_spark(folder: Path, name: str, log: Path, master: str) -> list[str]:
    return [*_fleet(folder, name, log), "--master", master]


def _measured(command: Sequence[str], beside: Callable[[int], object] | None = None) -> Cost:
    """What a command takes; `beside` runs meanwhile with its process id.

    What Java and its workers spend on Spark is not counted for this process, so that only its time counts.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    child = subprocess.Popen(command, cwd=ROOT)
    if beside is not None:
        threading.Thread(target=beside, args=(child.pid,), daemon=True).start()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - begun
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(spent, used.ru_maxrss / 1024, wall)


def _words(cost: Cost) -> str:
    return f"{cost.wall:.1f} s, {cost.memory:.0f} MB"


def _kill_a_worker(pid: int, after: float) -> Iterator[int]:
    """Kill a worker of PySpark below a process, the last that was started, after some seconds."""
    time.sleep(after)
    for _ in range(200):
        below, parents = {pid}, dict(_parents())
        for _ in range(5):
            below |= {child for child, parent in parents.items() if parent in below}
        # The daemon forks the workers.
        daemons = {child for child in below if b"pyspark.daemon" in _command(child)}
        workers = sorted(child for child in daemons if parents.get(child) in daemons)
        if workers:
            with suppress(ProcessLookupError):
                os.kill(workers[-1], signal.SIGKILL)
                yield workers[-1]
            return
        time.sleep(0.1)


def _parents() -> Iterator[tuple[int, int]]:
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError):
            yield int(path.parent.name), int(path.read_text().rpartition(")")[2].split()[1])


def _command(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def _by_arrow(log: Path) -> int:
    """Requests by API, version, client id and principal with pyarrow only; the number of groups."""
    import pyarrow as pa  # type: ignore[import-untyped]
    from pyarrow import json as arrow_json

    header = {"requestApiKey": pa.int16(), "requestApiVersion": pa.int16(), "clientId": pa.string()}
    schema = pa.schema({"requestHeader": pa.struct(header), "principal": pa.string()})
    options = arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    found = []
    with log.open("rb") as file:
        while lines := file.readlines(64 << 20):
            bodies = (line.partition(b"Completed request:")[2] for line in lines)
            text = b"\n".join(body.removesuffix(b" (kafka.request.logger)\n") for body in bodies)
            read = arrow_json.read_json(pa.BufferReader(text), parse_options=options).flatten()
            found.append(read.group_by(read.column_names).aggregate([([], "count_all")]))
    whole = pa.concat_tables(found)
    keys = [name for name in whole.column_names if name != "count_all"]
    return len(whole.group_by(keys).aggregate([("count_all", "sum")]))


if __name__ == "__main__":
    print(_by_arrow(Path(sys.argv[1])), file=sys.stderr)
