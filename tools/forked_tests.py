"""Runs tests in processes forked from one that has imported what they need; the working end of `mutants.py`.

A request is a line of JSON on standard input: either a file whose tests run once, to record which lines each
of them executes, or tests that run in the given order up to the first failure. The answer is the exit status
and the CPU time.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import json
import os
import resource
import signal
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.machinery import SourceFileLoader
from itertools import compress
from pathlib import Path
from types import CodeType
from typing import Any

import _hypothesis_pytestplugin  # type: ignore[import-untyped]
import hypothesis
import hypothesis.strategies
import jinja2
import jsonschema
import pyarrow  # type: ignore[import-untyped]
import pytest
import xdist.plugin  # type: ignore[import-untyped]

IMPORTED = (_hypothesis_pytestplugin, hypothesis.strategies, jinja2, jsonschema, pyarrow, xdist.plugin)
MEMORY = 6 << 30
# These build sites and packages, start Spark or wait for other programs.
SLOW_GROUPS = ("spark", "site", "foreign", "clients", "distributions")
OPTIONS = ("-q", "-x", "-p", "no:cacheprovider", "--hypothesis-profile=mutants", "--basetemp=../pytest")

hypothesis.settings.register_profile(
    "mutants",
    deadline=None,
    database=None,
    derandomize=True,
    max_examples=40,
    phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate),  # a failure need not be small
    suppress_health_check=list(hypothesis.HealthCheck),
)


class Reach:
    """Records which lines of some folders each test executes, by a mark before every statement."""

    def __init__(self, folders: Iterable[str], target: Path) -> None:
        self.target = target
        self.starts, codes = marked_code(tuple(folders))
        self.marks = bytearray(self.starts[-1][0])
        self.found: dict[str, Any] = {"loading": {}, "tests": {}, "failed": []}
        builtins.__dict__["__reached__"] = self.marks
        load = SourceFileLoader.get_code

        def get_code(loader: SourceFileLoader, name: str) -> CodeType | None:
            return codes.get(loader.get_filename(name)) or load(loader, name)

        SourceFileLoader.get_code = get_code  # type: ignore[assignment, method-assign]

    def taken(self) -> dict[str, int]:
        """The lines executed since the last call: for each file, a number whose bits are its lines."""
        places = list(compress(range(len(self.marks)), self.marks))
        self.marks[:] = bytes(len(self.marks))
        lines: dict[str, int] = {}
        at = 0
        for place in places:
            while self.starts[at + 1][0] <= place:
                at += 1
            start, path = self.starts[at]
            lines[path] = lines.get(path, 0) | 1 << (place - start)
        return lines

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave slow tests out, and take what importing and collecting has executed."""
        groups = ((item, item.get_closest_marker("xdist_group")) for item in items)
        items[:] = [item for item, group in groups if group is None or group.args[0] not in SLOW_GROUPS]
        self.found["loading"] = self.taken()
        self.found["seconds"] = seconds()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Take the time and the lines of a test."""
        self.taken()
        before = seconds()
        done = yield
        self.found["tests"][item.nodeid] = [round(seconds() - before, 3), self.taken()]
        return done

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember a failure."""
        if report.failed:
            self.found["failed"].append(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write what was recorded, and the modules of the checkout that it depends on."""
        here = Path.cwd()
        files = {str(getattr(module, "__file__", None)) for module in list(sys.modules.values())}
        own = sorted(str(Path(file).resolve().relative_to(here)) for file in files if is_below(file, here))
        self.target.write_text(json.dumps(self.found | {"modules": own}), encoding="utf-8")


@cache
def marked_code(folders: tuple[str, ...]) -> tuple[list[tuple[int, str]], dict[str, CodeType]]:
    """Where the lines of each file begin among all lines, and the marked code of each path."""
    starts, codes, size = [], {}, 0
    for file in sorted(file for folder in folders for file in Path(folder).rglob("*.py")):
        source, path = file.read_bytes(), str(Path("wirebook", file).absolute())
        starts.append((size, str(file)))
        codes[path] = compile(marked(ast.parse(source), size), path, "exec", dont_inherit=True)
        size += source.count(b"\n") + 2
    return [*starts, (size, "")], codes


def is_below(file: str, folder: Path) -> bool:
    """Whether a file is a module of a checkout."""
    return file.startswith(f"{folder}/")


def seconds() -> float:
    """The CPU time of this process and of those that it has waited for."""
    return sum(os.times()[:4])


def marked(tree: ast.Module, start: int) -> ast.Module:
    """The code with an assignment before each statement, to the place of its line in all lines."""
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                setattr(node, name, list(_with_marks(block, start)))
    return ast.fix_missing_locations(tree)


def _with_marks(block: list[ast.stmt], start: int) -> Iterator[ast.stmt]:
    for statement in block:
        is_docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        is_future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not is_docstring and not is_future:
            mark = ast.parse(f"__reached__[{start + statement.lineno}] = 1").body[0]
            for part in ast.walk(mark):
                if isinstance(part, (ast.expr, ast.stmt)):
                    ast.copy_location(part, statement)
            yield mark
        yield statement


class Chosen:
    """Runs tests in the given order, each for a limited time."""

    def __init__(self, tests: dict[str, float]) -> None:
        self.tests = tests

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave other tests out. Where a mutant renames the cases of a test, all of its cases run."""
        there = {item.nodeid: item for item in items}
        found: dict[str, pytest.Item] = {}
        for name, limit in list(self.tests.items()):
            cases = (case for case in there if case.partition("[")[0] == name.partition("[")[0])
            for case in [name] if name in there else cases:
                found.setdefault(case, there[case])
                self.tests.setdefault(case, limit)
        items[:] = found.values()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        """Start the time of a test: a loop without end uses it up."""
        signal.setitimer(signal.ITIMER_PROF, self.tests[item.nodeid])


def run(request: dict[str, Any]) -> int:
    """Do what a request asks for; returns the exit status of pytest."""
    signal.setitimer(signal.ITIMER_REAL, request["seconds"])
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    if "target" in request:
        plugin: object = Reach(request["folders"], Path(request["target"]))
        options = [option for option in OPTIONS if option != "-x"]
    else:
        plugin, options = Chosen(request["tests"]), [*OPTIONS]
        signal.setitimer(signal.ITIMER_PROF, 60)
    return int(pytest.main([*options, *request["files"]], plugins=[plugin]))


def forked(request: dict[str, Any]) -> tuple[int, float]:
    """The exit status of a request in a process of its own, or the signal that ended it; and its CPU time."""
    if "target" in request:
        marked_code(tuple(request["folders"]))  # in this process: once for all files
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setsid()
            null = os.open(os.devnull, os.O_RDWR)
            for descriptor in range(3):
                os.dup2(null, descriptor)
            status = run(request)
        finally:
            os._exit(status)
    try:
        _, ended, used = os.wait4(child, 0)
        return os.waitstatus_to_exitcode(ended), used.ru_utime + used.ru_stime
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)


def main() -> None:
    """Answer requests until the input ends."""
    for line in sys.stdin:
        print(json.dumps(forked(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
