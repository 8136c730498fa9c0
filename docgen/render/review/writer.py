"""Lines of Markdown within a number of characters: what does not fit is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from wirebook.rules.report.markdown import cell
from wirebook.specs.printable import quiet


class ReviewWriter:
    """Collects blocks while there is room, and counts those that do not fit."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.used = 0
        self.lines: list[str] = []
        self.cut: dict[str, int] = {}

    def add(self, *lines: str, what: str = "lines", number: int = 1) -> bool:
        """Add a block if it fits; `what` and `number` count it if not. Returns whether it fits."""
        size = sum(len(line) + 1 for line in lines)
        if size > self.room:
            self.cut[what] = self.cut.get(what, 0) + number
            return False
        self.room -= size
        self.used += size
        self.lines += lines
        return True

    def take(self, other: ReviewWriter) -> None:
        """Add the content of another one, with what it has cut."""
        if other.lines:
            self.add(*other.lines)
        for key, number in other.cut.items():
            self.cut[key] = self.cut.get(key, 0) + number

    def fold(self, title: str, write: Callable[[ReviewWriter], None], what: str) -> None:
        """A folded section that `write` fills; it is left out if it cannot be closed or has no content."""
        head = [f"<details><summary>{cell(title)}</summary>", ""]
        foot = ["</details>", ""]
        frame = sum(len(line) + 1 for line in (*head, *foot))
        inside = ReviewWriter(self.room - frame - 1)
        write(inside)
        lines = inside.lines
        if not any(lines):
            # A section of which nothing is shown counts once.
            self.cut[what] = self.cut.get(what, 0) + bool(inside.cut)
            return
        self.add(*head, *lines, *([] if lines[-1] == "" else [""]), *foot)
        for key, number in inside.cut.items():
            self.cut[key] = self.cut.get(key, 0) + number

    def text(self) -> str:
        """All of it, with what was cut at its end."""
        lines = list(self.lines)
        if self.cut:
            left = ", ".join(f"{number} {what}" for what, number in self.cut.items())
            lines += [f"> **Left out for length:** {left}. `wirebook report --format html` has all.", ""]
        lines.append("`wirebook explain RULE` has the reason for a rule and when a change is fine.")
        return "\n".join(lines) + "\n"


def fenced(lines: Iterable[str], language: str) -> Iterator[str]:
    """Lines as a block of code, which no backticks in them end."""
    content = list(map(quiet, lines))
    ticks = "`" * max(3, _longest_run(content) + 1)
    yield from (f"{ticks}{language}", *content, ticks)


def _longest_run(lines: Iterable[str]) -> int:
    longest = 0
    for line in lines:
        run = 0
        for character in line:
            run = run + 1 if character == "`" else 0
            longest = max(longest, run)
    return longest
