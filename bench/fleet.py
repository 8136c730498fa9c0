"""`wirebook fleet` beside pyarrow, Spark SQL and `jq | sort | uniq -c`, and Spark beside one process."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench.processes import ROOT, Cost, kill_a_worker, measured
from wirebook.fleet.tables import tables

Row = tuple[str, str, str]
A_DAY, DAYS = 50_000, 4
MANY_IDS = 50_000  # a new one on almost every line
TURNS = 5
PLAIN = 2_000_000  # at most so many lines of plain text are written: 650 bytes each
_CHANGES = r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9]+"
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


class _Size(NamedTuple):
    """A folder of compressed logs, one for each day's worth of requests, and how many lines they have."""

    logs: Path
    lines: int


def rows(folder: Path, lines: int = 500_000) -> Iterator[Row]:
    """The rows of the table: speed on a plain log; size, cores, skew and a lost worker on compressed ones.

    What is made of `lines` lines takes about 30 bytes for each of them on the disk.
    """
    yield from _speed(folder, min(lines, PLAIN))
    yield from _scale(folder, lines)


def _speed(folder: Path, lines: int) -> Iterator[Row]:
    for clients in (3, MANY_IDS):
        log, count = _plain(folder, lines, clients)
        yield from _beside_arrow(folder, log, count, clients)
        yield from _beside_sql(log, count)
        yield from _beside_jq(log, count)
        log.unlink()


def _beside_arrow(folder: Path, log: Path, lines: int, clients: int) -> Iterator[Row]:
    """One process by turns with a plain script of pyarrow, which only counts: medians of all turns."""
    arrows, costs = [], []
    for turn in range(TURNS):
        arrows.append(measured([sys.executable, "-m", "bench.fleet", "arrow", str(log)]))
        costs.append(measured(_fleet(folder, f"one-of-{clients}-{turn}", log)))
    cost, arrow = (sorted(each, key=lambda cost: cost.processor)[TURNS // 2] for each in (costs, arrows))
    size = f"{log.stat().st_size / 1e6:,.0f} MB, {clients:,} client ids an application"
    yield (
        f"fleet: {lines:,} lines, {size}, one process",
        f"{lines / cost.processor:,.0f} lines a second of processor time, {_words(cost)}",
        "at least 150,000" if clients == 3 else "at most 1 GB",
    )
    what = f"{lines / arrow.processor:,.0f} lines a second of processor time, {_words(arrow)}"
    yield ("  pyarrow: read_json, ids by an expression, group_by, one process", what, "")
    share = median(one.processor / other.processor for one, other in zip(costs, arrows, strict=True))
    yield (f"  processor time, of pyarrow is 1, {TURNS} turns", f"{share:.2f}", "at most 1.2")


def _beside_sql(log: Path, lines: int) -> Iterator[Row]:
    sql = measured([sys.executable, "-m", "bench.fleet", "sql", str(log)])
    what = f"{lines / sql.processor:,.0f} lines a second of processor time, {_words(sql)}"
    yield ("  Spark SQL: from_json and groupBy, one core", what, "")


def _beside_jq(log: Path, lines: int) -> Iterator[Row]:
    if shutil.which("jq"):
        pipeline = (
            f"head -n {_JQ_LINES} '{log}' | sed -n '{_SED}' | jq -c '{_JQ}' | sort | uniq -c > /dev/null"
        )
        cost = measured(["sh", "-c", pipeline])
        what = f"{min(lines, _JQ_LINES) / cost.processor:,.0f} lines a second of processor time"
        yield ("  jq | sort | uniq -c", what, "")


def _scale(folder: Path, lines: int) -> Iterator[Row]:
    sizes = _sizes(folder, lines)
    first, quarter, whole = sizes
    one = [measured(_fleet(folder, f"one-{size.lines}", size.logs)) for size in sizes]
    two = [_on_spark(folder, f"two-{size.lines}", size.logs, 2) for size in sizes]
    single = [_on_spark(folder, f"single-{size.lines}", size.logs, 1) for size in (first, whole)]
    for name, costs in (("one process", one), ("Spark, two cores", two)):
        words = "; ".join(_words(cost) for cost in costs)
        yield (f"  {first.lines:,}, {quarter.lines:,} and {whole.lines:,} lines, {name}", words, "")
        for what, times in (
            ("time", [cost.wall for cost in costs]),
            ("processor time", [cost.processor for cost in costs]),
        ):
            yield (f"    {what} of 4n lines, of n is 1", _growth(sizes, times), "3.4 to 4.6")
    most = [f"{cost.memory + cost.java:.0f}" for cost in two]
    words = f"{most[0]} and {most[2]} MB"
    yield (f"    memory of the driver with Java, {first.lines:,} and {whole.lines:,}", words, "the same")
    yield ("  from which size Spark on two cores is faster", _crossover(sizes, one, two), "")
    start = single[0].wall - first.lines * (single[1].wall - single[0].wall) / (whole.lines - first.lines)
    share = (two[2].wall - start) / (single[1].wall - start)
    total = f"{two[2].wall / single[1].wall:.2f} of {single[1].wall:.1f} s"
    words = f"{total}; {share:.2f} without {start:.1f} s to start"
    yield (f"  two cores against one, {whole.lines:,} lines", words, "at most 0.6")
    yield from _ways(folder, quarter, two[1])
    skewed = _packed(folder, "skewed", len(list(quarter.logs.iterdir())), skewed=True)
    skew = (
        measured(_fleet(folder, "one-skewed", skewed.logs)),
        _on_spark(folder, "two-skewed", skewed.logs, 2),
    )
    for name, base, cost in (("one process", one[1], skew[0]), ("Spark", two[1], skew[1])):
        # The two have about as many lines.
        more = skewed.lines / quarter.lines
        longer = f"{cost.wall / base.wall / more:.2f} times the time for each line"
        words = f"{longer}, {cost.processor / base.processor / more:.2f} of processor"
        yield (f"  one client with 90% of {skewed.lines:,} lines, {name}", words, "at most 1.3")
    lost: list[int] = []
    # Half of what the lines take the workers, which is what one process takes.
    half = (one[1].processor - one[0].processor) / 2
    ended = _on_spark(
        folder, "killed", quarter.logs, 2, beside=lambda pid: lost.extend(kill_a_worker(pid, half))
    )
    same = tables.read_all(folder / "fleet-killed") == tables.read_all(folder / f"fleet-two-{quarter.lines}")
    answer = "the same answer" if same else "ANOTHER ANSWER"
    how = f"{answer}, {ended.wall:.1f} s" if lost else "it ended before a worker was killed"
    yield ("  a worker killed half way", how, "the same answer")
    right = all(
        _requests(folder, f"{name}-{size.lines}") == size.lines for size in sizes for name in ("one", "two")
    )
    yield (
        "  requests in the tables",
        "one for each line" if right else "OTHERS THAN LINES",
        "one for each line",
    )


def _ways(folder: Path, size: _Size, present: Cost) -> Iterator[Row]:
    """The same work in other ways: the plan adapted by Spark, and rows that leave Python as Arrow's."""
    adaptive = _on_spark(folder, "adaptive", size.logs, 2, "--conf", "spark.sql.adaptive.enabled=true")
    shares = adaptive.wall / present.wall, adaptive.processor / present.processor
    words = f"{shares[0]:.2f} times the time, {shares[1]:.2f} of processor"
    yield ("  with adaptive execution", words, "")
    if find_spec("pandas") is None:
        yield ("  mapInArrow instead of rows that Python pickles", "needs pandas, which is not installed", "")
        return
    with tempfile.TemporaryFile() as said:
        measured([sys.executable, "-m", "bench.ways"], output=said)
        said.seek(0)
        words = said.read().decode().strip()
    yield ("  mapInArrow instead of rows that Python pickles", words, "")


def _growth(sizes: Sequence[_Size], times: Sequence[float]) -> str:
    """How many times as long four times the lines take, without the time to start."""
    few, quarter = sizes[0].lines, sizes[1].lines
    each = (times[1] - times[0]) / (quarter - few)
    start = times[0] - each * few
    return f"{(times[2] - start) / (times[1] - start):.2f}, without {start:.1f} s to start"


def _crossover(sizes: Sequence[_Size], one: Sequence[Cost], two: Sequence[Cost]) -> str:
    """The size at which both take as long, where each takes a time to start and a time for each line."""
    few, many = sizes[0].lines, sizes[-1].lines
    slopes = [(side[-1].wall - side[0].wall) / (many - few) for side in (one, two)]
    starts = [side[0].wall - slope * few for side, slope in zip((one, two), slopes, strict=True)]
    if slopes[0] <= slopes[1]:
        return "none: each line takes longer on these cores"
    return (
        f"{max(0.0, (starts[1] - starts[0]) / (slopes[0] - slopes[1])):,.0f} lines, by {few:,} and {many:,}"
    )


def _requests(folder: Path, name: str) -> int:
    found = json.loads((folder / f"fleet-{name}" / "summary.json").read_text(encoding="utf-8"))
    return sum(found["requests"].values())


def _plan(folder: Path, days: int, clients: int = 3, *, skewed: bool = False) -> Path:
    """A made-up fleet of 40 applications; `skewed` where a single client sends 90% of the lines."""
    parts = [f"days = {days}\n"]
    for number in range(40):
        requests, ids = A_DAY // 40, clients
        if skewed:
            requests, ids = (A_DAY * 9 // 10, 1) if number == 0 else (A_DAY // 390, clients)
        version = 3 + number % 9
        parts.append(_APPLICATION.format(number=number, requests=requests, clients=ids, version=version))
    plan = folder / "fleet.toml"
    plan.write_text("".join(parts))
    return plan


def _simulated(folder: Path, days: int, clients: int = 3, *, skewed: bool = False) -> list[Path]:
    """The logs of a made-up fleet, in the order of the days.

    Another process makes them: a command begins with the memory of the process that starts it.
    """
    plan = _plan(folder, days, clients, skewed=skewed)
    given = [str(plan), str(folder / "simulated")]
    subprocess.run([sys.executable, "-m", "bench.simulation", *given], cwd=ROOT, check=True)
    return sorted((folder / "simulated" / "logs").rglob("*.log*"))


def _plain(folder: Path, lines: int, clients: int = 3) -> _Size:
    """A log as one plain file."""
    log = folder / "fleet.log"
    count = 0
    with log.open("wb") as whole:
        for path in _simulated(folder, max(1, lines // A_DAY), clients):
            text = path.read_bytes()
            count += text.count(b"\n")
            whole.write(text)
    return _Size(log, count)


def _sizes(folder: Path, lines: int) -> list[_Size]:
    """A hundredth, a quarter and all of some lines, in whole days."""
    files = max(4 * DAYS, lines // A_DAY // (4 * DAYS) * 4 * DAYS)
    counts = {"few": max(1, files // 100), "quarter": files // 4, "all": files}
    return [_packed(folder, name, count) for name, count in counts.items()]


def _packed(folder: Path, name: str, files: int, *, skewed: bool = False) -> _Size:
    """A folder of compressed logs, each of a day with about A_DAY lines; there are DAYS days, used in turn.

    Each file begins with a line of its own that is no request, so that none is a copy of another. The rest is
    the same compressed bytes, since a gzip file is a series of members (RFC 1952, 2.2).
    """
    logs = folder / f"packed-{name}"
    logs.mkdir()
    # The logs of several brokers of a day have the same name.
    days: dict[str, bytes] = {}
    for path in _simulated(folder, DAYS, skewed=skewed):
        days[path.name] = days.get(path.name, b"") + path.read_bytes()
    bodies = [(text.count(b"\n"), gzip.compress(text, 6)) for text in days.values()]
    for number in range(files):
        first = gzip.compress(b"log %d\n" % number)
        (logs / f"{number:06}.gz").write_bytes(first + bodies[number % DAYS][1])
    return _Size(logs, sum(bodies[number % DAYS][0] for number in range(files)))


def _fleet(folder: Path, name: str, log: Path) -> list[str]:
    command = [sys.executable, "-m", "wirebook.cli.main", "fleet", str(log), "--target", "4.0", "-q"]
    return [*command, "--output", str(folder / f"fleet-{name}")]


def _on_spark(
    folder: Path,
    name: str,
    log: Path,
    cores: int,
    *options: str,
    beside: Callable[[int], object] | None = None,
) -> Cost:
    """A run on Spark; a task whose worker is killed is tried again."""
    return measured([*_fleet(folder, name, log), "--master", f"local[{cores},4]", *options], beside)


def _words(cost: Cost) -> str:
    return f"{cost.wall:.1f} s ({cost.processor:.1f} s of processor), {cost.memory:.0f} + {cost.java:.0f} MB"


def _by_arrow(log: Path) -> int:
    """Requests by day, application, principal, API and version with pyarrow only; the number of groups.

    It is the script that somebody would write for the same question: numbers and UUIDs in client ids are
    replaced, since the answer is about applications. It reads one form of lines only, and has no software, no
    times, no number of client ids, no state and no page.
    """
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.compute as pc  # type: ignore[import-untyped]
    from pyarrow import json as arrow_json

    header = {"requestApiKey": pa.int16(), "requestApiVersion": pa.int16(), "clientId": pa.string()}
    schema = pa.schema({"day": pa.string(), "requestHeader": pa.struct(header), "principal": pa.string()})
    options = arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    found = []
    with log.open("rb") as file:
        while lines := file.readlines(64 << 20):
            bodies = []
            for line in lines:
                head, _, body = line.partition(b"Completed request:{")
                bodies.append(
                    b'{"day":"%b",%b' % (head[1:11], body.removesuffix(b" (kafka.request.logger)\n"))
                )
            text = b"\n".join(bodies)
            read = arrow_json.read_json(pa.BufferReader(text), parse_options=options).flatten()
            column = read.column_names.index("requestHeader.clientId")
            application = pc.replace_substring_regex(read.column(column), _CHANGES, "<n>")
            read = read.set_column(column, "application", application)
            found.append(read.group_by(read.column_names).aggregate([([], "count_all")]))
    whole = pa.concat_tables(found)
    keys = [name for name in whole.column_names if name != "count_all"]
    return len(whole.group_by(keys).aggregate([("count_all", "sum")]))


def _by_sql(log: Path) -> int:
    """Requests by client id, principal, API and version with Spark SQL on one core; the number of groups."""
    import pyspark.sql.functions as f

    from wirebook.docgen.pipeline.session import spark_session

    header = "requestHeader struct<requestApiKey: int, requestApiVersion: int, clientId: string>"
    with spark_session("local[1]") as spark:
        lines = spark.read.text(log.as_uri())
        body = f.regexp_extract("value", r"Completed request:(\{.*\})", 1)
        requests = lines.select(f.from_json(body, f"{header}, principal string").alias("request"))
        columns = requests.select("request.requestHeader.*", "request.principal")
        return columns.groupBy(*columns.columns).count().count()


if __name__ == "__main__":
    print({"arrow": _by_arrow, "sql": _by_sql}[sys.argv[1]](Path(sys.argv[2])), file=sys.stderr)
