"""Markdown of reports and changes, in which nothing in the text of a spec becomes markup."""

from __future__ import annotations

import re

from wirebook.specs.printable import clip

# Markup, and what a runner of GitHub takes for a command at the start of a line of its log.
_MARKUP = re.compile(r"[&<>|`*_\[\]~\\#{}$]|(?<!\S):(?=:)")
# What a server turns into links and mentions after it renders the markup.
_LIVE = re.compile(r"@|&#35;(?=\d)|:(?=//)|(?<=www)\.|(?<=GH)-(?=\d)", re.IGNORECASE)


def cell(text: str, longest: int = 600) -> str:
    """Text of a spec for a cell or a line: nothing in it becomes markup, a link or a mention."""
    escaped = _MARKUP.sub(lambda match: f"&#{ord(match[0])};", clip(text, longest))
    # A zero-width space after the first character keeps "@name" from mentioning anybody.
    return _LIVE.sub(r"\g<0>&#8203;", escaped)


def code_span(text: str) -> str:
    """Text to copy, on a line of its own: in a code span it is unchanged, even before rendering.

    Not for a table, where a pipe ends the cell even in code.
    """
    code = clip(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", code)), default=0))
    pad = " " if "`" in code[:1] + code[-1:] else ""
    return f"{fence}{pad}{code}{pad}{fence}"
