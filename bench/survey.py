"""`wirebook survey` over made-up forks of the history: one worker, two workers, and the truth compared."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.forks import Truth, Upstream, make_forks
from bench.processes import Cost, measured

Row = tuple[str, str, str]


def rows(
    history: str, folder: Path, forks: int, release: str, workers: Sequence[int] = (1, 2)
) -> Iterator[Row]:
    """The rows of the table: how long forks of a bare repository take, and whether the answer is the truth.

    `release` is the newest release of the history, whose specs the truth is counted from.
    """
    begun = time.perf_counter()
    upstream = Upstream(Path(history), release)
    (folder / "forks").mkdir(parents=True)
    truths = make_forks(upstream, folder / "forks", forks)
    made = time.perf_counter() - begun
    commits = sum(_commits(truth.path) for truth in truths)
    yield (f"survey: {forks} made-up forks, {commits:,} commits", f"made in {made:.0f} s", "")
    took = {}
    for number in workers:
        output = folder / f"survey-{number}"
        cost = _survey(history, truths, output, number)
        took[number] = cost.wall
        texts = json.loads((output / "survey.json").read_text(encoding="utf-8"))["texts"]
        share = f", {took[number] / took[1]:.2f} of one" if number > 1 and 1 in took else ""
        words = f"{cost.wall:.1f} s ({cost.processor:.1f} s of processor){share}, {texts:,} different specs"
        yield (
            f"  with {number} worker{'s' * (number > 1)}",
            words,
            "two: at most 0.6 of one" if number > 1 else "",
        )
        wrong = wrong_answers(output, truths)
        yield ("    memory of the driver: Python + Java", f"{cost.memory:.0f} + {cost.java:.0f} MB", "")
        yield ("  answers that differ from the truth", f"{len(wrong)} of {len(truths)}", "0")


def wrong_answers(output: Path, truths: Sequence[Truth]) -> list[str]:
    """The forks of which a survey reports something else than the truth."""
    document = json.loads((output / "survey.json").read_text(encoding="utf-8"))
    found = {each["name"]: each for each in document["repositories"]}
    days: dict[str, set[int]] = {}
    for each in document["taken_over"]:
        if each["taken"]:
            days.setdefault(each["repository"], set()).add(each["days"])
    keys = {each["api_key"] for each in document["collisions"]["keys"]}
    pairs = [truth.key for truth in truths if truth.key is not None]
    expected = {key for key in pairs if pairs.count(key) > 1}
    wrong = [
        truth.name
        for truth in truths
        if found[truth.name]["layouts"]
        != {
            "same": truth.same,
            "earlier": 0,
            "other": truth.other,
            "own": truth.own,
            "missing": truth.missing,
        }
        or found[truth.name]["difference"]["differing"] != truth.differing
        or found[truth.name]["problems"] != truth.broken
        or days[truth.name] != {truth.days}
    ]
    return [*wrong, *(f"key {key}" for key in sorted(keys ^ expected))]


def _survey(history: str, truths: Sequence[Truth], output: Path, workers: int) -> Cost:
    names = [f"upstream={history}", *(str(truth.path) for truth in truths)]
    command = [sys.executable, "-m", "wirebook.cli.main", "survey", *names, "--output", str(output), "-q"]
    return measured([*command, "--master", f"local[{workers}]"])


def _commits(repository: Path) -> int:
    command = ["git", "-C", os.fspath(repository), "rev-list", "--first-parent", "--count", "HEAD"]
    return int(subprocess.run(command, capture_output=True, check=True).stdout)
