"""Positions in texts, problems, and the error for unusable input."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple


class Position(NamedTuple):
    """A place in a text: line and column, both counted from 1, columns in characters."""

    line: int
    column: int


class Place(NamedTuple):
    """A place in a file: where it begins, and where the part of it on that line ends, if known.

    Lines and columns count from 1, columns in characters; `end_column` is the one after it.
    """

    path: str
    line: int
    column: int
    end_column: int | None = None

    @property
    def position(self) -> Position:
        """Where it begins."""
        return Position(self.line, self.column)

    def to_json(self) -> dict[str, Any]:
        """The place as wirebook/findings/1 has it; its end is for editors and for SARIF."""
        return {
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "endLine": None if self.end_column is None else self.line,
            "endColumn": self.end_column,
        }


@dataclass(eq=False)
class Lines:
    """Turns offsets of one text into positions."""

    text: str

    @cached_property
    def _starts(self) -> list[int]:
        """The offsets at which lines begin."""
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def position(self, offset: int) -> Position:
        """The line and column of the character at `offset` (0 to the length of the text)."""
        line = bisect_right(self._starts, offset)
        return Position(line, offset - self._starts[line - 1] + 1)


class ProblemKind(StrEnum):
    """The kinds of problems that the reader reports."""

    TRAILING_TEXT = "trailing-text"
    DUPLICATE_KEY = "duplicate-key"
    UNKNOWN_KEY = "unknown-key"
    MISSING_KEY = "missing-key"
    EMPTY_VALUE = "empty-value"
    WRONG_TYPE = "wrong-type"
    NUMBER_OUT_OF_RANGE = "number-out-of-range"
    BAD_VERSION_RANGE = "bad-version-range"
    REPEATED_VALUE = "repeated-value"


class Problem(NamedTuple):
    """Something in a spec that its author should fix.

    `severity` is "unusable" (the model cannot represent it), "error" (it cannot be intended) or
    "warning" (loose, but its meaning is clear); `message` is one sentence without the place, for
    people only. `path` is that of the field or struct, "" for the message, and `key` the JSON key
    concerned, "" for the whole text; `meant` is the key that an unknown one resembles, "" for none.
    """

    kind: ProblemKind
    severity: str
    message: str
    place: Place
    path: str = ""
    key: str = ""
    meant: str = ""


class InputError(Exception):
    """Input that cannot be used: one message, with file, line and column if known; exit code 2."""

    def __init__(
        self, message: str, path: str | None = None, position: Position | None = None
    ) -> None:
        super().__init__(message, path, position)
        self.message = message
        self.path = path
        self.position = position

    @classmethod
    def at(cls, place: Place, message: str) -> "InputError":
        """The error for something at a place."""
        return cls(message, place.path or None, place.position)

    def __str__(self) -> str:
        if self.path is None:
            return self.message
        if self.position is None:
            return f"{self.path}: {self.message}"
        return f"{self.path}:{self.position.line}:{self.position.column}: {self.message}"
