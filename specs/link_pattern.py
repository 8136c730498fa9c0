"""Patterns of references in texts, such as `ISSUE-{number}`: literal text with placeholders."""

from __future__ import annotations

import re

from wirebook.specs.limits import MAX_LINK_PATTERN

# The characters of each placeholder, which takes as many as there are, at least one, and gives
# none back: the time is linear in the text.
PLACEHOLDERS = {"{number}": "([0-9]++)", "{word}": "([0-9A-Za-z_]++)"}

_SPECIAL = re.compile(r"[\\()\[\]*+?|^$]")


def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern as a regular expression, whose group N is the Nth placeholder.

    A pattern that begins with a letter or a digit does not match in the middle of a word. Raises
    ValueError, which describes what to write instead.
    """
    if len(pattern) > MAX_LINK_PATTERN:
        raise ValueError(f"a pattern has at most {MAX_LINK_PATTERN} characters")
    if _SPECIAL.search(pattern):
        words = 'write text with {number} and {word}, such as "ISSUE-{number}"'
        raise ValueError(f"regular expressions are not patterns; {words}")
    expression = r"(?<!\w)" if re.match(r"\w|\{", pattern) else ""
    for part in re.split(r"(\{[^{}]*\})", pattern):
        if part not in PLACEHOLDERS and "{" in part:
            these = " and ".join(PLACEHOLDERS)
            raise ValueError(f'"{part}" is not a placeholder; these are {these}')
        expression += PLACEHOLDERS.get(part) or re.escape(part)
    return re.compile(expression)
