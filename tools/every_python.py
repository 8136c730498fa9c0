"""Runs the tests on every Python that the project supports and this machine has: `make test-all`."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
OLDEST, NEWEST = (3, 11), (3, 15)

# Also where a program is a venv's: its base is what a new venv is made from.
_PROBE = """import sys
if sys.implementation.name == "cpython":
    print(*sys.version_info[:3], getattr(sys, "_base_executable", sys.executable))"""


class Interpreter(NamedTuple):
    """A Python: its version (major, minor, micro), and the program."""

    version: tuple[int, int, int]
    program: str

    @property
    def name(self) -> str:
        """Its version as text."""
        return ".".join(map(str, self.version))


def main(arguments: list[str]) -> int:
    """Run the tests on each Python, with what comes after `--` given to pytest; returns 1 where some fail."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", metavar="PROGRAM", action="append", help="this one, instead of all")
    parser.add_argument("pytest", nargs="*", help="arguments for pytest")
    options = parser.parse_args(arguments)
    try:
        chosen = named(options.python) if options.python else newest(interpreters(candidates()))
    except ValueError as error:
        say(str(error))
        return 2
    outcomes = [(each.name, outcome(each, options.pytest)) for each in chosen]
    if not options.python:
        here = {each.version[:2] for each in chosen}
        for minor in range(OLDEST[1], NEWEST[1] + 1):
            if (3, minor) not in here:
                outcomes.append((f"3.{minor}", "skipped: there is no such Python here"))
    for name, told in outcomes:
        say(f"Python {name}: {told}")
    if not chosen:
        return 2
    return int(any(not told.startswith(("passed", "skipped")) for _, told in outcomes))


def candidates() -> Iterator[Path]:
    """Every program on the PATH, and of pyenv, that is called as a Python is."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    folders = [Path(name) for name in os.environ.get("PATH", "").split(os.pathsep) if name]
    for folder in [*folders, *sorted(pyenv.glob("*/bin"))]:
        if folder.is_dir():
            yield from sorted(
                path for path in folder.iterdir() if re.fullmatch(r"python3(\.\d+)?", path.name)
            )


def interpreters(programs: Iterable[Path | str]) -> Iterator[Interpreter]:
    """The programs that are a CPython; a shim of pyenv that leads nowhere is none."""
    for program in programs:
        try:
            done = subprocess.run(
                [program, "-I", "-c", _PROBE], capture_output=True, text=True, timeout=60, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        match = re.fullmatch(r"(\d+) (\d+) (\d+) (.+)\n", done.stdout)
        if done.returncode == 0 and match is not None:
            yield Interpreter((int(match[1]), int(match[2]), int(match[3])), match[4])


def newest(found: Iterable[Interpreter]) -> list[Interpreter]:
    """The newest patch release of each supported minor version, oldest first."""
    best: dict[tuple[int, int], Interpreter] = {}
    for each in found:
        minor = each.version[:2]
        if minor >= OLDEST and (minor not in best or each.version > best[minor].version):
            best[minor] = each
    return [best[minor] for minor in sorted(best)]


def named(programs: list[str]) -> list[Interpreter]:
    """The interpreters of these programs. Raises ValueError for one that is not Python, or too old."""
    found = []
    for program in programs:
        here = list(interpreters([shutil.which(program) or program]))
        if not here:
            raise ValueError(f"{program} is not a Python that runs here")
        if here[0].version < OLDEST:
            raise ValueError(f"{program} is Python {here[0].name}, and 3.11 is the oldest that is supported")
        found += here
    return found


def outcome(interpreter: Interpreter, arguments: list[str]) -> str:
    """Prepare an environment for an interpreter and run the tests in it; returns the outcome."""
    venv = f".venv-{interpreter.name}"
    say(f"Python {interpreter.name} ({interpreter.program}) in {venv}")
    environment = {**os.environ, "WIREBOOK_VENV": venv}
    prepare = [interpreter.program, str(ROOT / "tools" / "prepare.py"), "dev"]
    if subprocess.run(prepare, cwd=ROOT, env=environment, check=False).returncode != 0:
        return "not tested: its packages could not be installed, see above"
    tests = [str(ROOT / venv / "bin" / "python"), "-m", "pytest", *arguments]
    code = subprocess.run(tests, cwd=ROOT, check=False).returncode
    return "passed" if code == 0 else f"failed (exit code {code} of pytest)"


def say(text: str) -> None:
    """Print one line."""
    print(f"wirebook: {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
