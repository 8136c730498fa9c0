"""Makes text of a spec safe to print: control and invisible characters are escaped."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

LONGEST = 1000  # characters of a string in formats for people


def visible(text: str) -> str:
    """Text of a spec with control, invisible and bidirectional characters as \\uXXXX.

    The result is one line and has no lone surrogate, so that any UTF-8 file can have it.
    """
    if text.isprintable():
        return text
    return "".join(
        # Marks that reorder text (U+202E, …) are not printable either.
        character if character.isprintable() else f"\\u{ord(character):04x}"
        for character in text
    )


def enumerated(words: Sequence[str]) -> str:
    """Words as a sentence lists them: "A, B and C"."""
    return " and ".join((", ".join(words[:-1]), words[-1]) if words[1:] else words)


def number_of(number: int, thing: str) -> str:
    """A number of things: "1 request", "2,000 requests"."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def quiet(line: str) -> str:
    """A log line that GitHub's runners do not take for a command, in either syntax."""
    return re.sub(r"^(\s*)::", r"\1: :", line.replace("##[", "##("))


def quiet_json(text: str) -> str:
    """JSON that GitHub's runners do not take for a command, which "##[" begins in any place."""
    return text.replace("##[", "##\\u005b")


def to_json(value: Any) -> str:
    """Format as indented ASCII JSON that `quiet_json` escapes."""
    return quiet_json(json.dumps(value, indent=2)) + "\n"


def clip(text: str, longest: int = LONGEST) -> str:
    """The text on one line, escaped, and without its middle if it is too long."""
    escaped = visible(text)
    if len(escaped) <= longest:
        return escaped
    half = (longest - 1) // 2
    return f"{escaped[:half]}…{escaped[-half:]}"


def columns(rows: Sequence[Sequence[str]], *, right: int = 0, rule: bool = False) -> Iterator[str]:
    """Each row as a line, with every column as wide as its widest cell.

    All rows have the same number of cells. The first `right` columns are aligned right; with
    `rule`, a line of dashes is below the first row.
    """
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        yield "  ".join(
            cell.rjust(width) if column < right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        if rule and number == 0:
            yield "  ".join("-" * width for width in widths)
