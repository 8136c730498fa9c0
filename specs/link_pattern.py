"""Patterns of references in texts, such as `ISSUE-{number}`: literal text with placeholders."""

from __future__ import annotations

import re

from wirebook.specs.limits import MAX_LINK_PATTERN

# The characters of each placeholder, which takes as many as there are, at least one.
PLACEHOLDERS = {"{number}": "0-9", "{word}": "0-9A-Za-z_"}

_PART = re.compile(r"\{[^{}]*\}|[{}]|[^{}]+")
_SPECIAL = re.compile(r"[\\()\[\]*+?|^$]")


def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern as a regular expression that never backtracks: its time is linear in the text.

    Group N is the Nth placeholder. A pattern that begins with a letter or a digit does not match in
    the middle of a word. Raises ValueError, which describes what to write instead.
    """
    if len(pattern) > MAX_LINK_PATTERN:
        raise ValueError(f"a pattern has at most {MAX_LINK_PATTERN} characters")
    if _SPECIAL.search(pattern):
        words = 'write text with {number} and {word}, such as "ISSUE-{number}"'
        raise ValueError(f"regular expressions are not patterns; {words}")
    parts: list[str] = _PART.findall(pattern)
    expression = r"(?<!\w)" if re.match(r"\w|\{", pattern) else ""
    class_before = ""
    for part in parts:
        characters = PLACEHOLDERS.get(part, "")
        if not characters and part[0] in "{}":
            raise ValueError(
                f'"{part}" is not a placeholder; these are {" and ".join(PLACEHOLDERS)}'
            )
        if class_before and (characters or re.match(f"[{class_before}]", part)):
            raise ValueError("text that a placeholder cannot match must follow it")
        # A possessive repetition gives nothing back.
        expression += f"([{characters}]++)" if characters else re.escape(part)
        class_before = characters
    if all(part in PLACEHOLDERS for part in parts):
        raise ValueError('a pattern has text beside its placeholders, such as "ISSUE-{number}"')
    return re.compile(expression)
