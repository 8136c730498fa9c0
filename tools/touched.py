"""Tests to run after a change: those that mirror or import what differs from the main branch.

Prints test files, one a line: the changed ones, those of the folder that mirrors a changed module and that
are named after it, and those that import it, whether themselves or through helpers of tests. A change of
anything else adds the tests that name its file.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
# Where what a change is compared with may be; the first that exists.
BASES = ("@{upstream}", "origin/main", "main")
# A change of a module that everything uses would select everything: then those named after it must do.
MOST = 25


def changed() -> list[str]:
    """The files that differ from where the branch left the main one, committed or not."""
    for base in BASES:
        found = _git("merge-base", "HEAD", base)
        if found:
            named = _git("diff", "--name-only", found[0]) + _git("ls-files", "--others", "--exclude-standard")
            return sorted(set(named))
    return _git("ls-files", "--modified", "--others", "--exclude-standard")


def _git(*arguments: str) -> list[str]:
    run = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return run.stdout.splitlines() if run.returncode == 0 else []


@cache
def _modules() -> dict[str, set[str]]:
    """What each module of the tests imports, by its dotted name."""
    found = {}
    for path in sorted((ROOT / "tests").rglob("*.py")):
        name = _dotted(path.relative_to(ROOT).as_posix()).removeprefix("wirebook.")
        imported: set[str] = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                imported |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        found[name] = imported
    return found


def _dotted(path: str) -> str:
    """The name that a file is imported by."""
    name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return name if name.split(".")[0] in ("tests", "tools", "bench", "wirebook") else f"wirebook.{name}"


def importing(module: str) -> set[str]:
    """Test modules that import a module, whether themselves or through helpers of tests."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        wanted = waiting.pop()
        for name, imported in _modules().items():
            if wanted in imported and name not in found:
                found.add(name)
                waiting.append(name)
    return {name for name in found if name.rpartition(".")[2].startswith("test_")}


def for_file(path: str) -> set[str]:
    """The test files for a changed file."""
    file = PurePosixPath(path)
    if file.suffix != ".py":
        return _naming(file.name)
    if path.startswith("tests/") and file.name.startswith("test_"):
        return {path} if (ROOT / path).is_file() else set()
    folder = ROOT / ("tests" if file.parts[0] in ("tools", "wirebook") else f"tests/{file.parent}")
    named = {each.relative_to(ROOT).as_posix() for each in folder.glob(f"test_{file.stem}*.py")}
    users = {f"{name.replace('.', '/')}.py" for name in importing(_dotted(path))}
    return named | (users if len(users) <= MOST else set())


def _naming(name: str) -> set[str]:
    """Test files whose text has the name of a file."""
    return {
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        if f"{name}" in path.read_text(encoding="utf-8")
    }


def touched(paths: Iterable[str]) -> list[str]:
    """The test files for changed files, sorted."""
    return sorted(set().union(*map(for_file, paths)))


def main(arguments: list[str]) -> int:
    """Print the test files for the given files, or for what is changed."""
    print("\n".join(touched(arguments or changed())))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
