"""Where a text is, and what is wrong with it: positions, problems, and the one error of unusable input."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple


class Position(NamedTuple):
    """A place in a text: line and column, both counted from 1, columns in characters."""

    line: int
    column: int


class Lines:
    """Turns offsets of one text into positions."""

    __slots__ = ("_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts: list[int] | None = None

    def position(self, offset: int) -> Position:
        """The line and column of the character at `offset` (0 to the length of the text)."""
        if self._starts is None:
            starts, at = [0], self.text.find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = self.text.find("\n", at + 1)
            self._starts = starts
        line = bisect_right(self._starts, offset)
        return Position(line, offset - self._starts[line - 1] + 1)

    def __reduce__(self) -> tuple[type[Lines], tuple[str]]:
        return (Lines, (self.text,))


class Problem(NamedTuple):
    """Something in a spec that its author should mend.

    `code` is a stable kebab-case name; `severity` is "unusable" (no model can hold it), "error" (what
    stands there cannot be meant) or "warning" (loose, but its meaning is clear); `message` is one
    sentence without the place.
    """

    code: str
    severity: str
    message: str
    path: str
    position: Position

    def __str__(self) -> str:
        return f"{self.path}:{self.position.line}:{self.position.column}: {self.severity}: {self.message}"


class InputError(Exception):
    """Input that cannot be used: one message, with file, line and column where there are any.

    The command line prints it as one line and exits with 2.
    """

    def __init__(self, message: str, path: str | None = None, position: Position | None = None) -> None:
        super().__init__(message, path, position)
        self.message = message
        self.path = path
        self.position = position

    def __str__(self) -> str:
        if self.path is None:
            return self.message
        if self.position is None:
            return f"{self.path}: {self.message}"
        return f"{self.path}:{self.position.line}:{self.position.column}: {self.message}"
