"""Measures the tests: changes one token of the code at a time and lists the changes that no test notices.

The mutants are those of cosmic-ray. Its own `exec` runs one test command for all of them, one after the
other, in the working tree. Here each mutant runs only tests that execute its line, fast and near ones first,
up to the first failure, in a copy of the tree: a sample fits into minutes, and an interrupted run leaves
nothing behind. Which test executes which lines is recorded once, and again where the code of either changes.
mutmut does not work on this repository: it runs several sessions of pytest in one process, while the clones
and sites that tests share last for one session, and it does not change what is outside functions.
"""

from __future__ import annotations

import argparse
import itertools
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.mutations import Mutant, difference, mutants_in, mutated
from tools.reached import FOLDERS, ROOT, Reached, Workplace, chosen, ranked, recorded, spread

GOAL = 90  # percent
# How long the tests of a mutant may take, in seconds, by the record: a few first, then others.
STEPS = (1.5, 20)
# What pytest exits with if no test failed, or if the mutant left it no test.
PASSED = (0, 5)


@dataclass(frozen=True)
class Outcome:
    """What the tests made of a mutant; `before` and `after` are its line."""

    mutant: Mutant
    killed: bool
    timed_out: bool
    before: str
    after: str
    tests: int = 1
    """How many were chosen."""
    seconds: float = 0.0
    """The CPU time of all of them."""


def sampled(mutants: Iterable[Mutant], seed: int) -> list[Mutant]:
    """All mutants in the order of a seed: a run takes as many from the front as its time allows."""
    ordered = sorted(mutants)
    random.Random(seed).shuffle(ordered)
    return ordered


def judged(mutant: Mutant, workplace: Workplace, reached: Sequence[Reached]) -> Outcome:
    """Run the tests that are the most likely to notice a mutant, up to the first failure."""
    source = (workplace.folder / mutant.path).read_text(encoding="utf-8")
    changed = mutated(mutant, source)
    left, count, total, status = ranked(mutant, reached), 0, 0.0, 0
    workplace.write(mutant.path, changed)
    try:
        for limit in STEPS:
            tests = chosen(left, limit)
            if not tests or status not in PASSED:
                break
            limits = {name: 5 + 3 * each.slowest for each, name in tests}
            left = [(each, name) for each, name in left if name not in limits]
            count += len(tests)
            files = list(dict.fromkeys(each.file for each, _ in tests))
            request = {"files": files, "tests": limits, "seconds": 120 + 10 * limit}
            status, seconds = workplace.ask(request)
            total += seconds
    finally:
        workplace.write(mutant.path, source)
    late = status in (-signal.SIGPROF, -signal.SIGALRM)
    return Outcome(mutant, status not in PASSED, late, *difference(source, changed), count, total)


def run(
    mutants: Iterable[Mutant], workplaces: Sequence[Workplace], reached: Sequence[Reached], until: float
) -> list[Outcome]:
    """Judge mutants in their order, and start none after `until`."""
    outcomes: list[Outcome] = []

    def judge(mutant: Mutant, workplace: Workplace) -> None:
        outcome = judged(mutant, workplace, reached)
        outcomes.append(outcome)
        if not outcome.killed:
            print(survivor(outcome), file=sys.stderr, flush=True)

    spread(itertools.takewhile(lambda _: time.monotonic() < until, mutants), workplaces, judge)
    return outcomes


def survivor(outcome: Outcome) -> str:
    """A survivor for a terminal: place, before, after."""
    place = f"{outcome.mutant.path}:{outcome.mutant.line}{'' if outcome.tests else ' (no test executes it)'}"
    return f"{place}\n    - {outcome.before}\n    + {outcome.after}"


def area_of(path: str) -> str:
    """The folder that a file is counted in."""
    return "/".join(Path(path).parent.parts[:2])


def report(outcomes: Sequence[Outcome], total: int, seed: int) -> str:
    """The share of killed mutants, by area and in all, and the survivors."""
    lines = ["Survivors:"] if not all(outcome.killed for outcome in outcomes) else []
    lines += [survivor(each) for each in sorted(outcomes, key=lambda each: each.mutant) if not each.killed]
    lines.append("")
    for area in sorted({area_of(outcome.mutant.path) for outcome in outcomes}):
        lines.append(f"{area:<24}{share([each for each in outcomes if area_of(each.mutant.path) == area])}")
    timed_out = sum(outcome.timed_out for outcome in outcomes)
    lines.append(f"{'all':<24}{share(outcomes)}; {timed_out} of these took too long; the goal is {GOAL}%")
    seconds = sum(outcome.seconds for outcome in outcomes) / max(len(outcomes), 1)
    lines.append(f"A sample of {len(outcomes)} of {total} mutants, SEED={seed}, {seconds:.1f} s of CPU each")
    return "\n".join(lines)


def share(outcomes: Sequence[Outcome]) -> str:
    """ "9 of 10 killed (90%)"."""
    killed = sum(outcome.killed for outcome in outcomes)
    return f"{killed} of {len(outcomes)} killed ({100 * killed / max(len(outcomes), 1):.0f}%)"


def main(arguments: Sequence[str]) -> int:
    """Run a sample and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("paths", nargs="*", default=FOLDERS, help="files or folders (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="which sample (default: %(default)s)")
    parser.add_argument(
        "--minutes", type=float, default=20, help="start no mutant after this time (default: 20)"
    )
    parser.add_argument("--count", type=int, default=None, help="how many at most (default: as time allows)")
    parser.add_argument("--jobs", type=int, default=2, help="how many at once (default: 2)")
    parser.add_argument(
        "--python", default=str(ROOT / ".venv" / "bin" / "python"), help="what runs the tests"
    )
    given = parser.parse_args(arguments)
    until = time.monotonic() + 60 * given.minutes
    with tempfile.TemporaryDirectory(prefix="wirebook-mutants-") as folder:
        workplaces = [Workplace(Path(folder) / str(number), given.python) for number in range(given.jobs)]
        for workplace in workplaces:
            workplace.copy()
        found: list[Mutant] = []
        for path in given.paths:
            there = workplaces[0].folder / path
            for file in sorted(there.rglob("*.py")) if there.is_dir() else [there]:
                name = str(file.relative_to(workplaces[0].folder))
                found += mutants_in(name, file.read_text(encoding="utf-8"))
        reached = recorded(workplaces, ROOT / ".cache" / "reached")
        outcomes = run(sampled(found, given.seed)[: given.count], workplaces, reached, until)
        for workplace in workplaces:
            workplace.close()
    print(report(outcomes, len(found), given.seed))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
