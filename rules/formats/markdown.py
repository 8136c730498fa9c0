"""Markdown of reports and changes, in which nothing in the text of a spec becomes markup."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wirebook.rules.finding import Finding
from wirebook.rules.formats.words import about, state, where
from wirebook.specs.printable import clip

LISTED = 60  # findings that follow from one
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


def following(below: Sequence[Finding]) -> str:
    """The findings that follow from one, on one line that is folded."""
    lines = (
        f"{state(finding)} {_code(finding.rule)} {cell(about(finding, 100))} {_at(finding)}"
        for finding in below
    )
    listed = "<br>".join(list(lines)[:LISTED])
    more = f"<br>and {len(below) - LISTED} more" if len(below) > LISTED else ""
    title = f"{len(below)} follow{'s' if len(below) == 1 else ''} from it"
    return f"<details><summary>{title}</summary>{listed}{more}</details>"


def _at(finding: Finding) -> str:
    place, new = where(finding)
    return "" if place is None else f"{'' if new else 'was '}{_code(f'{place.path}:{place.line}')}"


def _code(text: str) -> str:
    return f"<code>{cell(text, 200)}</code>"
