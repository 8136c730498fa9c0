"""`make prove`: many cases in several processes; the first case of each disagreement is printed."""

from __future__ import annotations

import argparse
import difflib
import gc
import json
import sys
import time
from collections.abc import Iterable, Iterator
from multiprocessing import get_context
from typing import NamedTuple

from tests.prove.cases import Case, against, case, disagreements, truth_of
from tests.prove.protocols import NUMBER
from tests.prove.shapes import Spec

CHUNK = 50


class Report(NamedTuple):
    """What a run of cases came to: how many patches break something, and the cases of each
    disagreement and of each ground on which the truth is undecided.
    """

    cases: int
    breaking: int
    found: dict[str, list[int]]
    unsure: dict[str, list[int]]


def judge(numbers: Iterable[int]) -> Report:
    """The cases of some numbers, judged."""
    gc.collect()
    gc.disable()  # a case leaves little behind, and its many small objects make for many collections
    try:
        return _judged(numbers)
    finally:
        gc.enable()


def _judged(numbers: Iterable[int]) -> Report:
    count = breaking = 0
    found: dict[str, list[int]] = {}
    unsure: dict[str, list[int]] = {}
    for number in numbers:
        given = case(number)
        count += 1
        real = truth_of(given)
        breaking += bool(real.breaks)
        for label in {item.label for item in against(given, real)}:
            found.setdefault(label, []).append(number)
        for why in {item.why for item in real.unsure}:
            unsure.setdefault(why, []).append(number)
    return Report(count, breaking, found, unsure)


def judge_all(first: int, count: int, jobs: int) -> Iterator[Report]:
    """Reports on `count` cases from a number on, as they come from several processes."""
    chunks = [
        range(at, min(at + CHUNK, first + count)) for at in range(first, first + count, CHUNK)
    ]
    if jobs == 1:
        yield from map(judge, chunks)
        return
    with get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap_unordered(judge, chunks)


def explained(number: int, label: str) -> str:
    """A disagreement of a case, and the specs of the case."""
    given = case(number)
    what = sorted(
        {f"{item.label}: {item.what}" for item in disagreements(given) if item.label == label}
    )
    return "\n".join((f"case {number}: {label}", shown(given), *what))


def shown(given: Case) -> str:
    """The specs of a case, and how the patch changes the old side."""
    parts = [
        f"--- release {number}\n{compact(spec)}" for number, spec in enumerate(given.releases, 1)
    ]
    parts.append(f"--- old\n{compact(given.old)}")
    lines = difflib.ndiff(compact(given.old).splitlines(), compact(given.new).splitlines())
    parts.append("--- new, against old\n" + "\n".join(line for line in lines if line[0] != "?"))
    return "\n".join(parts)


def compact(spec: Spec) -> str:
    """A spec with a line for each field."""
    head = {key: value for key, value in spec.items() if key not in ("fields", "commonStructs")}
    lines = [json.dumps(head)]

    def add(fields: list[Spec], depth: int) -> None:
        for field in fields:
            own = {key: value for key, value in field.items() if key not in (NUMBER, "fields")}
            lines.append("  " * depth + json.dumps(own))
            add(field.get("fields", []), depth + 1)

    add(spec["fields"], 1)
    for struct in spec.get("commonStructs", ()):
        lines.append(f"  struct {struct['name']} {struct['versions']}")
        add(struct["fields"], 2)
    return "\n".join(lines)


def main() -> int:
    """The cases, a summary, their numbers, and the first case of each disagreement; 1 where there
    is any."""
    parser = argparse.ArgumentParser(prog="python -m tests.prove.run", description=__doc__)
    parser.add_argument("--cases", type=int, default=50_000, help="how many; default: 50,000")
    parser.add_argument(
        "--first", type=int, default=0, help="the number of the first case; default: 0"
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes; default: 2")
    parser.add_argument(
        "--show", type=int, default=1, help="cases shown of each disagreement; default: 1"
    )
    options = parser.parse_args()
    started = time.monotonic()
    cases = breaking = 0
    found: dict[str, list[int]] = {}
    unsure: dict[str, list[int]] = {}
    for report in judge_all(options.first, options.cases, options.jobs):
        cases += report.cases
        breaking += report.breaking
        for why, numbers in report.unsure.items():
            unsure.setdefault(why, []).extend(numbers)
        for label, numbers in report.found.items():
            found.setdefault(label, []).extend(numbers)
            # A run takes long: who watches it need not wait for the rest.
            print(f"case {' '.join(map(str, numbers))}: {label}", file=sys.stderr, flush=True)
        if sys.stderr.isatty():
            print(f"\r{cases} of {options.cases} cases", end="", file=sys.stderr, flush=True)
    seconds = time.monotonic() - started
    for label, numbers in sorted(found.items(), key=lambda item: -len(item[1])):
        print(f"{len(numbers)} cases with a {label}: {' '.join(map(str, sorted(numbers)))}")
    for why, numbers in sorted(unsure.items()):
        print(f"{len(numbers)} cases undecided, {why}: {' '.join(map(str, sorted(numbers)[:20]))}")
    print(
        f"{cases} cases, {breaking} of which break peers, {cases / seconds:.0f} a second: "
        f"{sum(map(len, found.values()))} disagreements",
        flush=True,
    )
    for label, numbers in sorted(found.items()):
        for number in sorted(numbers)[: options.show]:
            print(f"\n{explained(number, label)}", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
