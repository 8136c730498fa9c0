"""Standard input for a command."""

from __future__ import annotations

import io
import sys

import pytest

from tests.cli.refusing import FALLBACK, refused
from wirebook.cli.main import main


class Feeds:
    """Feeds standard input, and gives back what is printed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch, self.capsys = monkeypatch, capsys

    def __call__(self, given: str | bytes, *arguments: str) -> list[str]:
        self.give(given)
        assert main(arguments) == 0
        out, err = self.capsys.readouterr()
        assert err in ("", FALLBACK)
        return out.splitlines()

    def refused(self, given: str | bytes, *arguments: str) -> str:
        self.give(given)
        return refused(self.capsys, *arguments)

    def give(self, given: str | bytes) -> None:
        data = given.encode() if isinstance(given, str) else given
        self.monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.fixture
def feeds(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Feeds:
    return Feeds(monkeypatch, capsys)
