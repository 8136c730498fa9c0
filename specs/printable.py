"""Makes text of a spec safe to print: control and invisible characters are escaped."""

from __future__ import annotations

import re
from typing import Any

LONGEST = 1000  # characters of a string in formats for people


def visible(text: str) -> str:
    """Text of a spec with control, invisible and bidirectional characters as \\uXXXX.

    The result has no line end and no lone surrogate, so that it is one line and any UTF-8 file can hold it.
    """
    if text.isprintable() and text.isascii():
        return text
    return "".join(
        # Marks that reorder text (U+202E, …) are not printable either.
        character if character.isprintable() else f"\\u{ord(character):04x}"
        for character in text
    )


def quiet(line: str) -> str:
    """A log line that GitHub's runners do not take for a command, in either syntax."""
    return re.sub(r"^(\s*)::", r"\1: :", line.replace("##[", "##("))


def to_json(value: Any) -> str:
    """Format as indented ASCII JSON, escaping "##[", which GitHub's runners take for a command."""
    import json

    return json.dumps(value, indent=2).replace("##[", "##\\u005b") + "\n"


def clip(text: str, longest: int = LONGEST) -> str:
    """The text on one line, with control characters escaped, and its middle omitted if it is too long."""
    shown = visible(text)
    if len(shown) <= longest:
        return shown
    half = (longest - 1) // 2
    return f"{shown[:half]}…{shown[-half:]}"
