"""Where a text is, and what is wrong with it: positions, problems, and the one error of unusable input."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a text: line and column, both counted from 1, columns in characters."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a spec that its reader understood but its author should mend.

    `code` is a stable kebab-case name; `severity` is "error" (what stands there cannot be meant) or
    "warning" (loose, but its meaning is clear); `message` is one sentence without the place.
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
