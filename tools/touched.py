"""Tests to run after a change: those that mirror or import what it changed, and those that mirror its users.

A change is what differs from a revision: by default from the last commit. Prints test files, one a line:

- the changed ones, and those named after a changed module in the folder that mirrors its own;
- those that import it, or name its file;
- those named after the modules that import it, or that name its file;
- those that import it through helpers of tests.

A module that everything uses would select everything, as would a change of many modules: of these kinds, the
first is always selected, and the others as long as all together are at most `MOST` files.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from itertools import zip_longest
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("specs", "rules", "live", "docgen", "fleet", "cli", "wirebook")
MOST = 25
# What can import a module or name a file: code, and templates, which name each other.
_USING = (".py", ".jinja")
# Parsing all modules would take seconds. What looks like an import in a text selects a test too many.
_IMPORT = re.compile(r"^ *(?:from ([\w.]+) import (?:\(([^)]*)\)|(.*))|import (.*))$", re.MULTILINE)
_COMMENT = re.compile(r"#.*")


def changed(since: str = "HEAD") -> list[str]:
    """The files that differ from a revision, committed or not. Raises CalledProcessError if there is none."""
    return sorted({*_git("diff", "--name-only", since), *_git("ls-files", "--others", "--exclude-standard")})


def _git(*arguments: str) -> list[str]:
    run = subprocess.run(["git", *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return run.stdout.splitlines()


@cache
def _texts() -> dict[str, str]:
    """What each file has that can use another, by its path."""
    paths = (path for top in (*PACKAGES, "tests", "tools", "bench") for path in (ROOT / top).rglob("*.*"))
    return {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(paths)
        if path.suffix in _USING
    }


@cache
def _imported(path: str) -> frozenset[str]:
    """The dotted names that a module imports."""
    names: set[str] = set()
    for module, together, apart, plain in _IMPORT.findall(_texts()[path]):
        listed = _COMMENT.sub("", together or apart or plain).split(",")
        imported = {words[0] for each in listed if (words := each.split())}
        names |= {module, *(f"{module}.{name}" for name in imported)} if module else imported
    return frozenset(names)


def _dotted(path: str) -> str:
    """The name that a file is imported by."""
    name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return name if name.split(".")[0] in ("tests", "tools", "bench", "wirebook") else f"wirebook.{name}"


def users(path: str) -> set[str]:
    """The files that import a module, or that name a file of another kind."""
    name = PurePosixPath(path).name
    if not name.endswith(".py"):
        return {user for user, text in _texts().items() if name in text and user != path}
    module = _dotted(path)
    # Only a text with the last part of the name can import it.
    last = module.rpartition(".")[2]
    candidates = (user for user, text in _texts().items() if user.endswith(".py") and last in text)
    return {user for user in candidates if module in _imported(user)}


def mirrors(path: str) -> set[str]:
    """The tests named after a module: in the folder that mirrors its own, or else in the nearest above."""
    file = PurePosixPath(path)
    mirrored = PurePosixPath("tests" if file.parts[0] in ("tools", "wirebook") else f"tests/{file.parent}")
    for folder in (mirrored, *mirrored.parents[:-1]):
        named = {each.relative_to(ROOT).as_posix() for each in (ROOT / folder).glob(f"test_{file.stem}*.py")}
        if named:
            return named
    return set()


def _is_test(path: str) -> bool:
    return path.startswith("tests/") and PurePosixPath(path).match("test_*.py")


def _through(paths: Iterable[str], top: str, suffix: str) -> set[str]:
    """Files below a folder with a suffix, and all that use them, the users of the same kind included."""
    reached: set[str] = set()
    waiting = list(paths)
    while waiting:
        path = waiting.pop()
        if path not in reached and not _is_test(path) and path.startswith(top) and path.endswith(suffix):
            waiting += users(path)
        reached.add(path)
    return reached


def _kinds(path: str) -> tuple[set[str], ...]:
    """The test files for a changed file, in sets: the nearest tests first."""
    if _is_test(path):
        return ({path} if (ROOT / path).is_file() else set(),)
    # A template is used by templates, which are used by modules.
    using = _through(users(path), "docgen/", ".jinja")
    return (
        mirrors(path),
        set(filter(_is_test, using)),
        set().union(*(mirrors(user) for user in using if not user.startswith("tests/"))),
        set(filter(_is_test, _through(using, "tests/", ".py"))),
    )


def touched(paths: Iterable[str]) -> list[str]:
    """The test files for changed files, sorted."""
    kinds = [set().union(*kind) for kind in zip_longest(*map(_kinds, paths), fillvalue=set[str]())]
    tests = kinds[0] if kinds else set()
    for kind in kinds[1:]:
        if len(tests | kind) > MOST:
            break
        tests |= kind
    return sorted(tests)


def main(arguments: list[str]) -> int:
    """Print the test files for the given files, or for what is changed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("files", nargs="*", help="instead of what differs")
    parser.add_argument("--since", default="HEAD", help="the revision to compare with (default: %(default)s)")
    options = parser.parse_args(arguments)
    files = options.files or changed(options.since)
    tests = touched(files)
    print(f"{len(files)} changed files: tests of {len(tests)} files", file=sys.stderr)
    print("\n".join(tests))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
