"""`make bench`: what its options measure, and the table; the rows of single commands and their goals."""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from bench import checks, fleet, mock, phone, pipeline, survey, wire
from bench.pipeline import seconds, times
from bench.processes import ROOT
from wirebook.specs.sources.git import git_releases

Row = tuple[str, str, str]
FUZZ_SECONDS = 120.0
SURVEYED = 10  # made-up forks; --survey 100 is 43,000 commits


def main() -> None:
    """Measure and print; rows that need the history are left out where it is not at hand."""
    parser = argparse.ArgumentParser(prog="python -m bench.run", description=__doc__)
    parser.add_argument("--history", help="a repository or bundle with releases; default: ../shared")
    parser.add_argument("--releases", default="[0-9]*", help="which tags are releases")
    parser.add_argument("--repeat", type=int, default=3, help="runs of which the median is shown")
    parser.add_argument(
        "--quick", action="store_true", help="without the runs over 10 and 100 times the data"
    )
    parser.add_argument("--checks", action="store_true", help="the rows of the check alone")
    parser.add_argument("--fleet", type=int, metavar="LINES", help="the rows of so many lines of logs only")
    parser.add_argument("--survey", type=int, metavar="FORKS", help="the rows of so many made-up forks only")
    parser.add_argument(
        "--than",
        metavar="COMMIT",
        help="the pipeline only, or with --checks the check, by turns with that commit",
    )
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    python = f"{platform.python_implementation()} {platform.python_version()}"
    print(f"{cores} cores, {_memory()} of memory, {python}")
    print(f"medians of {options.repeat}, of the check {5 * options.repeat}; 100 times the data: one run\n")
    rows = [("what", "measured", "goal"), ("---", "---", "---")]
    with tempfile.TemporaryDirectory(prefix="wirebook-bench-") as name:
        folder = Path(name)
        history = _history(options.history, folder)
        for row in _rows(options, history, folder):
            print("  ".join(row), file=sys.stderr, flush=True)
            rows.append(row)
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        line = (
            cell.ljust(width, "-" if cell == "---" else " ") for cell, width in zip(row, widths, strict=True)
        )
        print(f"| {' | '.join(line)} |")


def _rows(options: argparse.Namespace, history: str | None, folder: Path) -> Iterator[Row]:
    if options.fleet is not None:
        yield from fleet.rows(folder, options.fleet)
        return
    if options.than is not None and options.checks:
        if history is not None:
            yield from checks.than(options.than, options.repeat, history, folder / "checks")
        return
    if options.than is not None:
        yield from pipeline.rows(options.than, options.repeat, history, options.releases, folder)
        return
    if options.survey is not None and history is not None:
        yield from survey.rows(history, folder / "survey", options.survey, _newest(history, options.releases))
        return
    if history is not None:
        yield from checks.rows(options.repeat, history, folder / "checks")
    if options.checks:
        return
    yield _show(options.repeat)
    yield from wire.rows(options.repeat)
    yield wire.fuzz(FUZZ_SECONDS, seed=1)
    yield from mock.rows()
    yield from fleet.rows(folder)
    own = folder / "own"
    yield ("pipeline over the specs that come with wirebook", seconds(times(options.repeat, keep=own)), "")
    yield from _settings(options.repeat)
    yield from _site("default site after the pipeline", own, folder / "own-site", "at most 15 s")
    if history is None:
        print("no history at hand: give --history", file=sys.stderr)
        return
    given = ["--history", history, "--releases", options.releases]
    catalog = folder / "history"
    once = times(options.repeat, *given, keep=catalog)
    size = f"{once[0]['snapshots']} releases, {once[0]['files']:,} files, {once[0]['texts']:,} distinct texts"
    yield (f"pipeline over {size}, warm", seconds(once), "at most 10 s")
    yield ("the same work in one Python process", seconds(times(options.repeat, *given, "--plain")), "")
    yield from _site("history site after the pipeline", catalog, folder / "history-site", "at most 45 s")
    yield from phone.rows(folder / "history-site")
    yield from survey.rows(history, folder / "survey", SURVEYED, _newest(history, options.releases))
    if options.quick:
        return
    for factor in (10, 100):
        yield from _multiplied(factor, given, median(run["seconds"] for run in once))


def _multiplied(factor: int, history: Sequence[str], seconds_once: float) -> Iterator[Row]:
    """The pipeline over a history with each text many times."""
    more = [*history, "--times", str(factor)]
    runs = times(1, *more)
    longer = runs[0]["seconds"] / seconds_once
    goal = "at most 10 times the time" if factor == 100 else ""
    what = f"{factor} times the data: {runs[0]['files']:,} files, {runs[0]['texts']:,} distinct texts"
    yield (what, f"{seconds(runs)}, {longer:.1f} times", goal)
    peaks = f"{runs[0]['java_mb']:.0f} + {runs[0]['python_mb']:.0f} MB"
    yield ("  its driver: Java + Python at their peaks", peaks, "below 2 GiB" if factor == 100 else "")
    fixed = times(1, *more, "--conf", "spark.sql.adaptive.enabled=false")
    yield ("  without adaptive execution", seconds(fixed), "")
    yield ("  the same work in one Python process", seconds(times(1, *more, "--plain")), "")


def _show(repeat: int) -> Row:
    command = [sys.executable, "-m", "wirebook.cli.main", "show", "Fetch", "--version", "12"]
    took = []
    for _ in range(5 * repeat):
        begun = time.perf_counter()
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        took.append(time.perf_counter() - begun)
    return ("wirebook show Fetch --version 12", f"{median(took) * 1000:.0f} ms", "at most 150 ms")


def _settings(repeat: int) -> Iterator[Row]:
    """What the settings of Spark's start save: the same run with one of them as Spark or Java has it."""
    from wirebook.docgen.pipeline.settings import java_flags

    java = "spark.driver.defaultJavaOptions"
    for what, given in {
        "  without Java's class archive": [f"{java}={' '.join(java_flags(large=False))}"],
        "  and with Java's own compiler and collector": [f"{java}=-Xlog:disable"],
        "  with queries compiled": [
            "spark.sql.codegen.wholeStage=true",
            "spark.sql.codegen.factoryMode=FALLBACK",
        ],
        "  with adaptive execution": ["spark.sql.adaptive.enabled=true"],
        "  with Spark's web UI": ["spark.ui.enabled=true"],
    }.items():
        options = [word for setting in given for word in ("--conf", setting)]
        yield (what, seconds(times(repeat, *options)), "")


def _site(what: str, catalog: Path, target: Path, goal: str) -> Iterator[Row]:
    """The site of a catalog: how long it takes, and how much of it a browser must load at once."""
    code = "import sys\nfrom pathlib import Path\nfrom wirebook.docgen.site.build import render_site\n"
    code += "render_site(Path(sys.argv[1]), Path(sys.argv[2]))\n"
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", code, str(catalog), str(target)], cwd=ROOT, check=True)
    yield (what, f"{time.perf_counter() - begun:.1f} s", goal)
    index = target / "assets" / "search-data.js"
    pages = [path.stat().st_size for path in target.rglob("*.html")]
    if index.exists():
        yield ("  its search index", f"{index.stat().st_size / 2**20:.2f} MB", "at most 0.62 MB")
    yield (f"  the largest of its {len(pages)} pages", f"{max(pages) / 1024:.0f} KB", "at most 300 KB")


def _history(given: str | None, folder: Path) -> str | None:
    """A clone of the history, so that nothing is unpacked while the clock runs."""
    bundle = ROOT.parent / "shared" / "data" / "kafka-history.bundle"
    found = given or (str(bundle) if bundle.is_file() else None)
    if found is None:
        return None
    target = folder / "history.git"
    subprocess.run(["git", "clone", "-q", "--bare", found, str(target)], check=True)
    return str(target)


def _newest(history: str, pattern: str) -> str:
    """The newest release of a history."""
    return git_releases(history, pattern)[-1].name


def _memory() -> str:
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return "an unknown amount"
    return f"{total / 2**30:.0f} GiB"


if __name__ == "__main__":
    main()
