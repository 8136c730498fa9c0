"""Progress: one line on a terminal, nothing for a short run or elsewhere."""

from __future__ import annotations

import io

import pytest

from wirebook.docgen import progress as module
from wirebook.docgen.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(stream: io.StringIO) -> str:
    made = Progress(stream)
    made.step("reading")
    made.note("an address")
    made.step("rendering pages", 2)
    made.advance()
    made.end()
    return stream.getvalue()


def test_what_stays_is_shown_without_a_terminal() -> None:
    assert shown(io.StringIO()) == "wirebook: an address\n"


def test_a_short_run_shows_no_steps() -> None:
    assert "reading" not in shown(Terminal())


def test_a_long_run_shows_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "HOLD_SECONDS", 0.0)
    monkeypatch.setattr(module, "TERMINAL_SECONDS", 0.0)
    text = shown(Terminal())
    assert text.startswith("\rwirebook: reading\x1b[K")
    assert text.endswith("\rwirebook: rendering pages (1 of 2)\x1b[K\r\x1b[K")
