"""Measures the tests: changes one token of the code at a time and lists the changes that no test notices.

The mutants are those of cosmic-ray. Its own `exec` runs one test command for all of them, one after the
other, in the working tree. Here each mutant runs only the tests of its area, in a copy of the tree: a sample
fits into minutes, and an interrupted run leaves nothing behind. mutmut does not work on this repository: it
runs several sessions of pytest in one process, while the clones and sites that tests share last for one
session, and it does not change what is outside functions.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

ROOT = Path(__file__).resolve().parent.parent
GOAL = 90  # percent
FOLDERS = ("specs", "rules", "docgen/catalog", "docgen/render")

# The tests of the code in a folder or file; the longest path that fits counts. The slowest tests of rules
# (random protocols and edits) and of the catalog (on Spark) are left out.
TESTS = {
    "specs": ("tests/specs/test_*.py", "tests/specs/reading", "tests/specs/wire"),
    "specs/files.py": (
        "tests/specs/test_files.py",
        "tests/specs/test_output.py",
        "tests/cli/test_write_faults.py",
    ),
    "specs/output.py": ("tests/specs/test_output.py",),
    "specs/load.py": ("tests/cli/test_cli.py", "tests/cli/test_codec.py"),
    "specs/reading": ("tests/specs/reading",),
    "specs/sources": ("tests/specs/sources",),
    "specs/sources/filesets.py": ("tests/specs/sources/test_filesets.py", "tests/rules/check"),
    "specs/sources/repository.py": ("tests/specs/sources", "tests/rules/check"),
    "specs/sources/revisions.py": ("tests/specs/sources/test_revisions.py", "tests/rules/check"),
    "specs/wire": ("tests/specs/wire",),
    "specs/exchange": ("tests/cli/test_codec.py", "tests/cli/test_records_command.py"),
    "specs/texts": ("tests/specs/texts", "tests/specs/kafka/test_texts.py"),
    "specs/writing": ("tests/specs/writing", "tests/rules/authoring"),
    "specs/kafka": ("tests/specs/kafka",),
    "rules": (
        "tests/rules/pairs",
        "tests/rules/test_validity.py",
        "tests/rules/test_fixtures.py",
        "tests/rules/test_verdicts.py",
        "tests/rules/test_[ers]*.py",
        "tests/rules/check",
        "tests/rules/diff",
        "tests/rules/formats",
        "tests/rules/project",
    ),
    "rules/authoring": ("tests/rules/authoring", "tests/cli/test_write_faults.py"),
    "rules/usage": ("tests/rules/check/test_fleet.py", "tests/rules/formats"),
    "rules/review": ("tests/rules/review", "tests/cli/test_report.py"),
    "docgen/catalog": (
        "tests/docgen/catalog",
        "tests/docgen/*/test_order.py",
        "tests/docgen/*/test_rows.py",
        "tests/docgen/*/test_output.py",
    ),
    "docgen/render": ("tests/docgen/render",),
    "docgen/render/review": ("tests/cli/test_report.py", "tests/docgen/render/test_audit_page.py"),
}

# One change for each token. Other operators of cosmic-ray change annotations (`|`), or nothing that can be
# observed (`==` to `is`, no `@cache`).
OPERATORS = (
    *(
        f"core/ReplaceComparisonOperator_{change}"
        for change in ("Eq_NotEq", "NotEq_Eq", "Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt", "Is_IsNot", "IsNot_Is")
    ),
    *(
        f"core/ReplaceBinaryOperator_{change}"
        for change in ("Add_Sub", "Sub_Add", "Mul_FloorDiv", "FloorDiv_Mul", "Mod_Add", "BitAnd_BitOr")
    ),
    "core/ReplaceBinaryOperator_LShift_RShift",
    "core/ReplaceBinaryOperator_RShift_LShift",
    "core/ReplaceUnaryOperator_Delete_Not",
    "core/ReplaceUnaryOperator_Delete_USub",
    "core/AddNot",
    "core/ReplaceTrueWithFalse",
    "core/ReplaceFalseWithTrue",
    "core/ReplaceAndWithOr",
    "core/ReplaceOrWithAnd",
    "core/ReplaceBreakWithContinue",
    "core/ReplaceContinueWithBreak",
    "core/ExceptionReplacer",
    "core/NumberReplacer",
    "core/ZeroIterationForLoop",
)


@dataclass(frozen=True, order=True)
class Mutant:
    """One change of one token: the `occurrence`-th place in a file where an operator applies."""

    path: str
    line: int
    operator: str
    occurrence: int


@dataclass(frozen=True)
class Outcome:
    """What the tests made of a mutant; `before` and `after` are its line."""

    mutant: Mutant
    killed: bool
    timed_out: bool
    before: str
    after: str


class BaselineError(Exception):
    """Tests that fail or find nothing without any mutant; says which."""


def mutants_in(path: str, source: str) -> Iterator[Mutant]:
    """Every mutant of a file."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator

    nodes = list(ast_nodes(get_ast(source)))
    for name in OPERATORS:
        operator = get_operator(name)()
        places = (place for node in nodes for place in operator.mutation_positions(node))
        for occurrence, ((line, _), _) in enumerate(places):
            yield Mutant(path, line, name, occurrence)


def mutated(mutant: Mutant, source: str) -> str:
    """The text of the file with the change."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    changed = mutate_code(source, get_operator(mutant.operator)(), mutant.occurrence)
    assert isinstance(changed, str)
    return changed


def sampled(mutants: Iterable[Mutant], seed: int) -> list[Mutant]:
    """All mutants in the order of a seed: a run takes as many from the front as its time allows."""
    ordered = sorted(mutants)
    random.Random(seed).shuffle(ordered)
    return ordered


def area_of(path: str) -> str:
    """The key of TESTS that a file or folder belongs to."""
    return max((area for area in TESTS if f"{path}/".startswith(f"{area}/")), key=len)


def tests_of(path: str, root: Path) -> list[str]:
    """The test files of a file's area, those of the same name first: they kill most mutants."""
    found: list[Path] = []
    for pattern in TESTS[area_of(path)]:
        for match in sorted(root.glob(pattern)):
            found += sorted(match.rglob("test_*.py")) if match.is_dir() else [match]
    stem = Path(path).stem
    ordered = sorted(dict.fromkeys(found), key=lambda file: stem not in file.stem)
    return [str(file.relative_to(root)) for file in ordered]


def difference(before: str, after: str) -> tuple[str, str]:
    """The first line that differs, before and after."""
    pairs = itertools.zip_longest(before.splitlines(), after.splitlines(), fillvalue="")
    return next(((old.strip(), new.strip()) for old, new in pairs if old != new), ("", ""))


class Workplace:
    """A copy of the working tree in which mutants run, one after the other."""

    def __init__(self, folder: Path, python: str, seed: int) -> None:
        self.folder = folder
        self.command = [
            python,
            "-m",
            "pytest",
            "-q",
            "-x",
            "-p",
            "no:cacheprovider",
            f"--hypothesis-seed={seed}",
        ]
        self._written = 0

    def copy(self) -> None:
        """Copy what git lists, tracked or new, with its links."""
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            check=True,
        ).stdout
        for name in filter(None, listed.decode().split("\0")):
            source, target = ROOT / name, self.folder / name
            if source.is_symlink() or source.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target, follow_symlinks=False)

    def write(self, path: str, source: str) -> None:
        """Write a file with a new time, or Python might load the compiled form of another mutant."""
        target = self.folder / path
        target.write_text(source, encoding="utf-8")
        self._written += 1
        os.utime(target, (self._written, self._written))

    def passes(self, tests: Sequence[str], limit: float | None) -> bool | None:
        """Whether the tests pass; None if they take longer than `limit` seconds."""
        shared = os.environ.get("WIREBOOK_SHARED", str(ROOT.parent / "shared"))
        process = subprocess.Popen(
            [*self.command, *tests],
            cwd=self.folder,
            env={**os.environ, "WIREBOOK_SHARED": shared},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return process.wait(limit) == 0
        except subprocess.TimeoutExpired:
            return None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class Limits:
    """How long the tests of each area may take: several times what they take on code that is not changed."""

    def __init__(self) -> None:
        self._guards = {area: Lock() for area in TESTS}
        self._seconds: dict[str, float] = {}

    def seconds(self, area: str, workplace: Workplace) -> float:
        """The limit of an area, measured once. Raises BaselineError if its tests fail."""
        with self._guards[area]:
            if area not in self._seconds:
                began = time.monotonic()
                if not workplace.passes(tests_of(area, workplace.folder), None):
                    raise BaselineError(f"the tests of {area} fail without any mutant")
                self._seconds[area] = 3 * (time.monotonic() - began) + 20
            return self._seconds[area]


def judged(mutant: Mutant, workplace: Workplace, limits: Limits) -> Outcome:
    """Run the tests of one mutant's area."""
    limit = limits.seconds(area_of(mutant.path), workplace)
    # The working tree may have changed since it was copied.
    source = (workplace.folder / mutant.path).read_text(encoding="utf-8")
    changed = mutated(mutant, source)
    workplace.write(mutant.path, changed)
    try:
        passes = workplace.passes(tests_of(mutant.path, workplace.folder), limit)
    finally:
        workplace.write(mutant.path, source)
    return Outcome(mutant, passes is not True, passes is None, *difference(source, changed))


def run(mutants: Sequence[Mutant], workplaces: Sequence[Workplace], until: float) -> list[Outcome]:
    """Judge mutants in their order, one in each workplace at a time, and start none after `until`."""
    waiting, guard, limits = iter(mutants), Lock(), Limits()
    outcomes: list[Outcome] = []

    def work(workplace: Workplace) -> None:
        workplace.copy()
        while time.monotonic() < until:
            with guard:
                mutant = next(waiting, None)
            if mutant is None:
                return
            outcome = judged(mutant, workplace, limits)
            outcomes.append(outcome)
            if not outcome.killed:
                print(survivor(outcome), file=sys.stderr, flush=True)

    with ThreadPoolExecutor(len(workplaces)) as pool:
        for worker in [pool.submit(work, workplace) for workplace in workplaces]:
            worker.result()
    return outcomes


def survivor(outcome: Outcome) -> str:
    """A survivor for a terminal: place, before, after."""
    place = f"{outcome.mutant.path}:{outcome.mutant.line}"
    return f"{place}\n    - {outcome.before}\n    + {outcome.after}"


def report(outcomes: Sequence[Outcome], total: int, seed: int) -> str:
    """The share of killed mutants, by area and in all, and the survivors."""
    lines = ["Survivors:"] if not all(outcome.killed for outcome in outcomes) else []
    lines += [survivor(each) for each in sorted(outcomes, key=lambda each: each.mutant) if not each.killed]
    lines.append("")
    for area in TESTS:
        found = [outcome for outcome in outcomes if area_of(outcome.mutant.path) == area]
        if found:
            lines.append(f"{area:<24}{share(found)}")
    timed_out = sum(outcome.timed_out for outcome in outcomes)
    lines.append(f"{'all':<24}{share(outcomes)}; {timed_out} of these took too long; the goal is {GOAL}%")
    lines.append(f"A sample of {len(outcomes)} of {total} mutants, SEED={seed}")
    return "\n".join(lines)


def share(outcomes: Sequence[Outcome]) -> str:
    """ "9 of 10 killed (90%)"."""
    killed = sum(outcome.killed for outcome in outcomes)
    return f"{killed} of {len(outcomes)} killed ({100 * killed / max(len(outcomes), 1):.0f}%)"


def main(arguments: Sequence[str]) -> int:
    """Run a sample and print what came of it; returns 0, or 2 where the tests fail without any mutant."""
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
    found: list[Mutant] = []
    for path in given.paths:
        for file in sorted((ROOT / path).rglob("*.py")) if (ROOT / path).is_dir() else [ROOT / path]:
            found += mutants_in(str(file.relative_to(ROOT)), file.read_text(encoding="utf-8"))
    chosen = sampled(found, given.seed)[: given.count]
    with tempfile.TemporaryDirectory(prefix="wirebook-mutants-") as folder:
        workplaces = [
            Workplace(Path(folder) / str(number), given.python, given.seed) for number in range(given.jobs)
        ]
        try:
            outcomes = run(chosen, workplaces, until)
        except BaselineError as error:
            print(f"mutants: {error}", file=sys.stderr)
            return 2
    print(report(outcomes, len(found), given.seed))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
