"""Text of a spec in Markdown: nothing in it becomes markup, a link, a mention or a reference."""

from __future__ import annotations

import re

from wirebook.specs.printable import clip

# Markup, and what a runner of GitHub takes for a command at the start of a line of its log.
_MARKUP = re.compile(r"[&<>|`*_\[\]~\\#{}$]|(?<!\S):(?=:)")
# What GitHub and GitLab turn into links after they render the markup: @name, #1, !1, &1, $1, ~1,
# %1, GH-1, GL-1, addresses, and the hash of a commit, which has at least seven digits.
_LIVE = re.compile(
    r"@|(?:&#(?:35|36|38|126);|[!%])(?=[\w\"])|:(?=//)|www(?=\.)|G[HL](?=-\d)", re.IGNORECASE
)
_HASH = re.compile(r"\b[0-9a-f]{7,64}\b", re.IGNORECASE)
_BREAK = "&#8203;"  # a space without width


def cell(text: str, longest: int = 600) -> str:
    """Text of a spec for a cell or a line."""
    escaped = _MARKUP.sub(lambda match: f"&#{ord(match[0])};", clip(text, longest))
    return _HASH.sub(_broken, _LIVE.sub(rf"\g<0>{_BREAK}", escaped))


def _broken(hash_of: re.Match[str]) -> str:
    digits = hash_of[0]
    return _BREAK.join(digits[at : at + 6] for at in range(0, len(digits), 6))


def code_span(text: str) -> str:
    """Text as code, not for a table: it is unchanged before and after rendering, without links."""
    span = clip(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", span)), default=0))
    pad = " " if "`" in span[:1] + span[-1:] else ""
    return f"{fence}{pad}{span}{pad}{fence}"
