"""The progress of a long run on a terminal: its steps, with counts."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

HOLD_SECONDS = 2.0  # a run that ends before that, even with an error, shows no steps
TERMINAL_SECONDS = 0.2


class Progress:
    """Shows steps in a line that is overwritten if the stream is a terminal. Without a stream it
    shows nothing. A step ends when the next one begins, or with the run."""

    def __init__(self, stream: IO[str] | None = None) -> None:
        self.stream = stream
        self.terminal = stream if stream is not None and stream.isatty() else None
        self.words = ""
        self.done = 0
        self.total: int | None = None
        self.shown = time.monotonic() + HOLD_SECONDS

    def step(self, words: str, total: int | None = None) -> None:
        """Begin a step, such as "rendering pages", of `total` pieces if that is known."""
        self.words, self.done, self.total = words, 0, total
        self._show()

    def advance(self) -> None:
        """Note that one more piece is done."""
        self.done += 1
        if time.monotonic() - self.shown >= TERMINAL_SECONDS:
            self._show()

    def note(self, words: str) -> None:
        """Print a line that stays, at once, even in a short run and without a terminal."""
        if self.stream is not None:
            self.end()
            print(f"wirebook: {words}", file=self.stream, flush=True)

    def end(self) -> None:
        """Leave the line of the last step empty."""
        if self.terminal is not None:
            print("\r\x1b[K", end="", file=self.terminal, flush=True)

    def _show(self) -> None:
        now = time.monotonic()
        if self.terminal is None or now < self.shown:
            return
        self.shown = now
        count = "" if self.total is None else f" ({self.done:,} of {self.total:,})"
        print(f"\rwirebook: {self.words}{count}\x1b[K", end="", file=self.terminal, flush=True)


SILENT = Progress()


@contextmanager
def progress(quiet: bool) -> Iterator[Progress]:
    """What to show progress with, in the block."""
    shown = SILENT if quiet else Progress(sys.stderr)
    try:
        yield shown
    finally:
        shown.end()
