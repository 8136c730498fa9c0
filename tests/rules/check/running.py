"""The command `check` in a repository of a test."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repositories import Repo, started
from wirebook.cli.main import main

Run = Callable[..., "Outcome"]


class Outcome:
    """What a check printed, and its exit code."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err

    @property
    def first(self) -> str:
        return self.out.split("\n", 1)[0]

    @property
    def rules(self) -> list[str]:
        """The rules of the errors, of a report in JSON."""
        return [
            item["rule"] for item in json.loads(self.out)["findings"] if item["severity"] == "error"
        ]


@pytest.fixture
def check(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> Run:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)

    def run(folder: Path, *arguments: str) -> Outcome:
        monkeypatch.chdir(folder)
        capfdbinary.readouterr()
        try:
            code = main(["check", *arguments])
        except SystemExit as left:
            code = int(left.code or 0)
        done = capfdbinary.readouterr()
        return Outcome(code, done.out.decode(), done.err.decode())

    return run


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return started(tmp_path / "repo")
