"""Which test executes which lines of which folders: recorded once, and again where code changes."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from tools.mutations import Mutant

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("specs", "rules", "docgen/catalog", "docgen/render")
SLOWEST = 10  # seconds: tests that take longer are left out
NOTHING = '{"modules": [], "failed": [], "loading": {}, "tests": {}, "seconds": 0}'
# What decides how each test runs.
EVERYWHERE = ("pyproject.toml", "tools/forked_tests.py")
# What is not here builds sites, starts Spark, runs commands, or has nothing to do with these folders.
TESTS = (
    *(*FOLDERS, "docgen/survey", "docgen/pipeline/test_order.py", "docgen/pipeline/test_rows.py", "cli"),
    *("live", "prove", "test_api.py", "test_examples.py"),
)
Task = TypeVar("Task")


@dataclass(frozen=True)
class Reached:
    """What the tests of a file execute: the lines of each path, as bits of a number."""

    file: str
    seconds: float
    """How long importing the file takes, without what all files import."""
    loading: Mapping[str, int]
    """What that executes."""
    tests: Mapping[str, tuple[float, Mapping[str, int]]]
    """How long each test takes, and what it executes."""

    @property
    def slowest(self) -> float:
        """How long the slowest test takes; others may take that long where they come first."""
        return max((seconds for seconds, _ in self.tests.values()), default=0)


class Workplace:
    """A copy of the working tree in which tests run, each session in a process forked from a prepared one."""

    def __init__(self, folder: Path, python: str) -> None:
        self.folder, self.python = folder / "copy", python
        self._written = 0
        self._process: subprocess.Popen[str] | None = None

    def copy(self) -> None:
        """Copy what git lists, tracked or new, with its links."""
        for name in listed(ROOT):
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

    def ask(self, request: Mapping[str, object]) -> tuple[int, float]:
        """The exit status of pytest for a request to `forked_tests.py`, or the signal; and the CPU time."""
        if self._process is None:
            shared = os.environ.get("WIREBOOK_SHARED", str(ROOT.parent / "shared"))
            temporary = self.folder.parent / "temporary"
            temporary.mkdir()
            self._process = subprocess.Popen(
                [self.python, str(self.folder / "tools" / "forked_tests.py")],
                cwd=self.folder,
                env={**os.environ, "WIREBOOK_SHARED": shared, "TMPDIR": str(temporary)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(request), file=self._process.stdin, flush=True)
        status, seconds = json.loads(self._process.stdout.readline())
        return int(status), float(seconds)

    def close(self) -> None:
        """End the prepared process."""
        if self._process is not None:
            self._process.communicate()


def listed(folder: Path) -> list[str]:
    """The files that git lists in a folder of the working tree, by their path from there."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    found = subprocess.run(command, cwd=folder, capture_output=True, check=True).stdout
    return [name for name in found.decode().split("\0") if name]


def spread(
    tasks: Iterable[Task], workplaces: Sequence[Workplace], do: Callable[[Task, Workplace], None]
) -> None:
    """Do tasks in their order, one in each workplace at a time."""
    waiting, guard = iter(tasks), Lock()

    def work(workplace: Workplace) -> None:
        while True:
            with guard:
                task = next(waiting, None)
            if task is None:
                return
            do(task, workplace)

    with ThreadPoolExecutor(len(workplaces)) as pool:
        for worker in [pool.submit(work, workplace) for workplace in workplaces]:
            worker.result()


def recorded(workplaces: Sequence[Workplace], record: Path) -> list[Reached]:
    """What each test file executes, from the record as far as the files it depends on are the same.

    What depends on a module depends on its folder as well: rules are looked up there, and templates are read.
    """
    root = workplaces[0].folder
    found: list[Reached] = []
    digest = cache(partial(digested, root))

    def read(file: str, workplace: Workplace) -> None:
        kept = record / f"{file.replace('/', '.')}.json"
        data: dict[str, Any] = json.loads(kept.read_bytes()) if kept.is_file() else {}
        if not data or any(digest(path) != known for path, known in data["digests"].items()):
            made = workplace.folder.parent / "reached.json"
            made.write_text(NOTHING)
            request = {"files": [file], "folders": FOLDERS, "target": str(made), "seconds": 600}
            status, _ = workplace.ask(request)
            data = json.loads(made.read_bytes())
            modules = data.pop("modules")
            folders = {str(Path(path).parent) for path in modules if Path(path).parts[0] != "tests"}
            # The files beside a test, its fixtures, decide which tests there are.
            parts = {*EVERYWHERE, file, str(Path(file).parent), *modules, *folders - {"."}}
            data["digests"] = {part: digest(part) for part in sorted(parts)}
            if status in (0, 1, 5):
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_text(json.dumps(data))
            else:
                data["failed"] = [*data["tests"], file]
        if data["failed"]:
            names = ", ".join(data["failed"])
            print(f"mutants: left out, as it fails without any mutant: {names}", file=sys.stderr)
        tests = {
            name: (each[0], each[1]) for name, each in data["tests"].items() if name not in data["failed"]
        }
        found.append(Reached(file, data["seconds"], data["loading"], tests))

    places = [place for pattern in TESTS for place in sorted((root / "tests").glob(pattern))]
    files = [file for place in places for file in (place.rglob("test_*.py") if place.is_dir() else [place])]
    spread((str(file.relative_to(root)) for file in files), workplaces, read)
    base = min((each.seconds for each in found), default=0)  # what every file needs
    return sorted((replace(each, seconds=each.seconds - base) for each in found), key=lambda each: each.file)


def digested(root: Path, name: str) -> str:
    """A digest of a file, or of a folder: the names in it if it has code, and all files below but code."""
    found, path = hashlib.sha256(), root / name
    if path.is_dir():
        if Path(name).parts[0] != "tests":
            names = sorted(part.name for part in path.iterdir() if part.name[0] not in "_.")
            found.update("\0".join(names).encode())
        files = (part for part in path.rglob("*") if part.suffix not in (".py", ".pyc") and part.is_file())
        for part in sorted(files):
            found.update(bytes(part.relative_to(path)) + part.read_bytes())
    elif path.is_file():
        found.update(path.read_bytes())
    return found.hexdigest()


def distance(file: str, path: str) -> int:
    """How far a test file is from a module: 1 if it mirrors its path, up to 5."""
    tests, module = Path(file), Path("tests", path)
    if tests.stem == f"test_{module.stem}":
        return 1 if tests.parent == module.parent else 2
    return 3 if tests.parent == module.parent else 4 if tests.parts[1] == module.parts[1] else 5


def ranked(mutant: Mutant, reached: Iterable[Reached]) -> list[tuple[Reached, str]]:
    """The tests that may notice a mutant, fast and near ones first, and different ones before similar ones.

    These are those that execute it, and where that happens as a file is loaded, or in a test that
    may have left it behind for others, the rest of that file.
    """
    found: list[tuple[float, str, Reached]] = []
    for each in reached:
        far = distance(each.file, mutant.path)
        here = {name: lines.get(mutant.path, 0) for name, (_, lines) in each.tests.items()}
        everything = [each.loading.get(mutant.path, 0), *here.values()]
        if far > 1 and not any(lines >> mutant.statement & 1 for lines in everything):
            continue
        # A constant is executed by no test, but by loading: the tests of its own module come first.
        around = 8 if far == 1 else 100
        cases: Counter[str] = Counter()
        order = []
        for name, (seconds, _) in sorted(each.tests.items(), key=lambda item: item[1][0]):
            weight = 1 if here[name] >> mutant.statement & 1 else 5 if here[name] else around
            if seconds < SLOWEST:
                cases[name.partition("[")[0]] += 1
                order.append((weight, cases[name.partition("[")[0]], seconds, name))
        for place, (weight, _, seconds, name) in enumerate(sorted(order)):
            found.append(((seconds + 0.02) * far * weight * (place + 1), name, each))
    return [(each, name) for _, name, each in sorted(found, key=lambda item: item[:2])]


def chosen(tests: Sequence[tuple[Reached, str]], limit: float) -> list[tuple[Reached, str]]:
    """The first tests that take no longer than a limit, those of a file together."""
    total = 0.0
    files: dict[str, int] = {}
    found: list[tuple[Reached, str]] = []
    for each, name in tests:
        needed = each.tests[name][0] + 0.002 + (0 if each.file in files else each.seconds)
        if not found or total + needed <= limit:
            total += needed
            files.setdefault(each.file, len(files))
            found.append((each, name))
    return sorted(found, key=lambda item: files[item[0].file])
