"""Runs the scenarios: what people do with files, git and wirebook, and the first lines that they
read.

A scenario is a Markdown file with one block of commands, all of which one shell runs. Each command
begins with `$ `; below it are the first lines of its output, in which … stands for anything, and
its exit code in brackets if it is not 0. `helpers.sh` has functions that write specs.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_MARK = "--- exit code "


@dataclass(frozen=True)
class Step:
    """A command with the first lines of its output, and its exit code."""

    command: str
    lines: tuple[str, ...]
    code: int


def steps_of(text: str) -> list[Step]:
    """The steps of a scenario."""
    steps: list[Step] = []
    for block in _BLOCK.findall(text):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *lines = part.rstrip("\n").split("\n")
            code = 0
            if lines and re.fullmatch(r"\[[0-9]+\]", lines[-1]):
                code = int(lines.pop()[1:-1])
            steps.append(Step(command, tuple(lines), code))
    return steps


def outputs(steps: list[Step], folder: Path) -> list[tuple[str, int]]:
    """What one shell prints for each command, and its exit codes."""
    script = ["exec 2>&1", f". {shlex.quote(str(FOLDER / 'helpers.sh'))}"]
    for step in steps:
        script += [step.command, f'echo "{_MARK}$?"']
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    variables = {"PATH": path, "HOME": str(folder / "home"), "LC_ALL": "C.UTF-8", "COLUMNS": "200"}
    (folder / "home").mkdir()
    (folder / "work").mkdir()
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=folder / "work",
        env=variables,
        capture_output=True,
        text=True,
        timeout=120,
    )
    parts = done.stdout.split(_MARK)
    codes = [int(part.split("\n", 1)[0]) for part in parts[1:]]
    texts = [parts[0], *(part.split("\n", 1)[1] for part in parts[1:])]
    return list(zip(texts, codes, strict=False))


def fits(expected: str, line: str) -> bool:
    """Whether a line is as expected."""
    pattern = ".*".join(map(re.escape, expected.split("…")))
    return re.fullmatch(pattern, line) is not None


@pytest.mark.parametrize("scenario", sorted(path.stem for path in FOLDER.glob("*.md")))
def test_what_people_do(scenario: str, tmp_path: Path) -> None:
    steps = steps_of((FOLDER / f"{scenario}.md").read_text(encoding="utf-8"))
    assert steps, "the scenario has no commands"
    found = outputs(steps, tmp_path)
    assert len(found) >= len(steps), found
    for step, (text, code) in zip(steps, found, strict=False):
        shown = f"$ {step.command}\n{text}[{code}]"
        assert code == step.code, shown
        lines = text.split("\n")
        for number, expected in enumerate(step.lines):
            assert number < len(lines), shown
            assert fits(expected, lines[number]), f"{shown}\nexpected: {expected}"
