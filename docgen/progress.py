"""The progress of a long run on standard error: its steps, with counts."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

HOLD_SECONDS = 2.0  # a run that ends before that, even with an error, shows no steps
LINE_SECONDS = 10.0  # how often a long step prints a line without a terminal
TERMINAL_SECONDS = 0.2


class Progress:
    """Shows steps on a stream: a line that is overwritten on a terminal, lines elsewhere.

    Without a stream it shows nothing. A step ends when the next one begins, or with the run.
    """

    def __init__(self, stream: IO[str] | None = None) -> None:
        self.stream = stream
        self.words = ""
        self.done = 0
        self.total: int | None = None
        self.is_terminal = stream is not None and stream.isatty()
        self.began = time.monotonic()
        self.shown = 0.0

    def step(self, words: str, total: int | None = None) -> None:
        """Begin a step, such as "rendering pages", of `total` pieces if that is known."""
        self.words, self.done, self.total, self.shown = words, 0, total, 0.0
        self._show()

    def advance(self) -> None:
        """Note that one more piece is done."""
        self.done += 1
        if time.monotonic() - self.shown >= (
            TERMINAL_SECONDS if self.is_terminal else LINE_SECONDS
        ):
            self._show()

    def note(self, words: str) -> None:
        """Print a line that stays, at once, even in a short run."""
        if self.stream is not None:
            self.end()
            print(f"wirebook: {words}", file=self.stream, flush=True)

    def end(self) -> None:
        """Leave the line of the last step on a terminal empty."""
        if self.stream is not None and self.is_terminal:
            print("\r\x1b[K", end="", file=self.stream, flush=True)

    def _show(self) -> None:
        now = time.monotonic()
        if self.stream is None or now - self.began < HOLD_SECONDS:
            return
        self.shown = now
        count = "" if self.total is None else f" ({self.done:,} of {self.total:,})"
        line = f"wirebook: {self.words}{count}"
        if self.is_terminal:
            print(f"\r{line}\x1b[K", end="", file=self.stream, flush=True)
        else:
            print(line, file=self.stream, flush=True)


SILENT = Progress()


@contextmanager
def progress(quiet: bool) -> Iterator[Progress]:
    """What to show progress with, in the block."""
    shown = SILENT if quiet else Progress(sys.stderr)
    try:
        yield shown
    finally:
        shown.end()
