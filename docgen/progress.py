"""The progress of a long run: steps with counts and time left, on standard error."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import TaskID

HOLD_SECONDS = 2.0  # a run that ends before that, even with an error, shows no lines
LINE_SECONDS = 10.0  # how often a long step prints a line without a terminal


class Progress:
    """Shows nothing; subclasses show each step as it begins, and its progress.

    A step ends when the next one begins, or with the run.
    """

    def step(self, words: str, total: int | None = None) -> None:
        """Begin a step, such as "rendering pages", of `total` pieces if that is known."""

    def reach(self, done: int, total: int | None = None, part: str = "") -> None:
        """Note how many pieces of the step are done, and their number if it was not known.

        `part` names what they are pieces of, such as "stage 2 of 3".
        """

    def advance(self, count: int = 1) -> None:
        """Note that some more pieces are done."""

    def note(self, words: str) -> None:
        """Print a line that stays, such as an address; at once, even in a short run."""

    def end(self) -> None:
        """End the last step."""


SILENT = Progress()


class ProgressLines(Progress):
    """A line for each step, and one every ten seconds while it runs: for logs.

    The first lines are held back for two seconds: a short run has none.
    """

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream
        self.held: list[str] | None = []
        self.lock = threading.Lock()
        self.timer = threading.Timer(HOLD_SECONDS, self._release)
        self.timer.daemon = True
        self.timer.start()
        self.words = self.part = ""
        self.done = 0
        self.total: int | None = None
        self.began = self.shown = 0.0

    def step(self, words: str, total: int | None = None) -> None:
        """Print the step."""
        self.words, self.part, self.done, self.total = words, "", 0, total
        self.began = self.shown = time.monotonic()
        self._print(f"{words} ({total:,})" if total else words)

    def reach(self, done: int, total: int | None = None, part: str = "") -> None:
        """Print how far the step is, if the last line is old."""
        now = time.monotonic()
        if part != self.part:
            # The time that other parts took says nothing about this one.
            self.part, self.began = part, now
        self.done, self.total = done, total or self.total
        if now - self.shown >= LINE_SECONDS:
            self.shown = now
            words = f"{self.words}, {part}" if part else self.words
            self._print(f"{words}: {counted(self.done, self.total, now - self.began)}")

    def advance(self, count: int = 1) -> None:
        """As `reach`."""
        self.reach(self.done + count)

    def note(self, words: str) -> None:
        """Print the line."""
        with self.lock:
            print(f"wirebook: {words}", file=self.stream, flush=True)

    def end(self) -> None:
        """Discard the lines that are held back."""
        self.timer.cancel()

    def _print(self, text: str) -> None:
        with self.lock:
            if self.held is None:
                print(f"wirebook: {text}", file=self.stream, flush=True)
            else:
                self.held.append(text)

    def _release(self) -> None:
        with self.lock:
            for text in self.held or ():
                print(f"wirebook: {text}", file=self.stream, flush=True)
            self.held = None


class Bars(Progress):
    """A bar for each step with counts and the time left: for terminals."""

    def __init__(self, stream: IO[str]) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            SpinnerColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.progress import Progress as Shown

        self.shown = Shown(
            SpinnerColumn(finished_text="✓"),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(compact=True),
            console=Console(file=stream, force_terminal=True),
        )
        self.task: TaskID | None = None
        self.words = ""

    def step(self, words: str, total: int | None = None) -> None:
        """Begin a bar; the last one is full."""
        self._close()
        if self.task is None:
            self.shown.start()
        self.words = words
        self.task = self.shown.add_task(self.words, total=total)

    def reach(self, done: int, total: int | None = None, part: str = "") -> None:
        """Move the bar; its words name the part."""
        if self.task is not None and total is not None:
            words = f"{self.words}, {part}" if part else self.words
            self.shown.update(self.task, completed=done, total=total, description=words)
        elif self.task is not None:
            self.shown.update(self.task, completed=done)

    def advance(self, count: int = 1) -> None:
        """Move the bar."""
        if self.task is not None:
            self.shown.advance(self.task, count)

    def note(self, words: str) -> None:
        """Print the line above the bars."""
        self.shown.console.print(words, markup=False, highlight=False, soft_wrap=True)

    def end(self) -> None:
        """Leave the bars where they are."""
        self._close()
        self.shown.stop()

    def _close(self) -> None:
        if self.task is None:
            return
        task = next(each for each in self.shown.tasks if each.id == self.task)
        total = task.total or max(task.completed, 1)
        self.shown.update(self.task, completed=total, total=total, description=self.words)


def counted(done: int, total: int | None, seconds: float) -> str:
    """How far a step is, in words: "400 of 1,200, 20 s left"."""
    if not total:
        return f"{done:,}"
    text = f"{min(done, total):,} of {total:,}"
    # The first items take longest: a process has to start for them.
    if done < 5 or done * 20 < total or done >= total:
        return text
    left = seconds / done * (total - done)
    return f"{text}, {left / 60:.0f} min left" if left >= 120 else f"{text}, {left:.0f} s left"


@contextmanager
def progress(
    quiet: bool, stream: IO[str] | None = None, environ: Mapping[str, str] = os.environ
) -> Iterator[Progress]:
    """What to show progress with, in the block: bars on a terminal, lines in CI and in a pipe, or nothing."""
    if quiet:
        yield SILENT
        return
    with _own(sys.stderr if stream is None else stream) as own:
        bar = _shown(own, environ)
        try:
            yield bar
        finally:
            bar.end()


@contextmanager
def _own(stream: IO[str]) -> Iterator[IO[str]]:
    """A stream to the current target of another one: standard error is redirected while Spark starts."""
    try:
        stream.flush()
        number = os.dup(stream.fileno())
    except (OSError, ValueError):
        yield stream
        return
    with open(number, "w", encoding=getattr(stream, "encoding", None), errors="backslashreplace") as own:
        yield own


def _shown(stream: IO[str], environ: Mapping[str, str]) -> Progress:
    if stream.isatty() and environ.get("TERM") != "dumb" and not environ.get("CI"):
        try:
            return Bars(stream)
        except ModuleNotFoundError:
            pass
    return ProgressLines(stream)
