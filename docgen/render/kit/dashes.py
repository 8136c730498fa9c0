"""Ranges of versions as pages write them: "0–3" with an en dash, where data, commands and code have "0-3"."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

# Both sides of the hyphen. Not dates, names or paths; in quotes, a range is what a reader writes: "0-4".
_BEFORE = re.compile(r"""(?<![\w./#+"'-])(?<!&#34;|&#39;)(?<!&quot;|&#x27;)(\d{1,5})$""", re.ASCII)
_AFTER = re.compile(r"-(\d{1,5})(?![\w/-]|\.\d)", re.ASCII)
_CONTEXT = 12  # characters before the hyphen: five digits and an entity
# What readers copy, and what scripts read.
_KEPT = re.compile(r"<(pre|code|kbd|samp|script|style|textarea|option)\b.*?</\1\s*>", re.DOTALL)


def dashed(text: str) -> str:
    """Plain text with an en dash in each range of versions, "0-3" but not "2026-11-22" or "KIP-35"."""
    return _replaced(text, _hyphens(text))


def with_dashes(html: str) -> str:
    """HTML with an en dash in each range of versions in its text; tags, code and scripts are unchanged."""
    hyphens = list(_hyphens(html))
    if not hyphens:
        return html
    spans = [match.span() for match in _KEPT.finditer(html)]
    starts = [start for start, _ in spans]
    done, in_tag = 0, False

    def is_text(at: int) -> bool:
        nonlocal done, in_tag
        # Only from the last hyphen on: a long text may have many, and no tag.
        opened, closed = html.rfind("<", done, at), html.rfind(">", done, at)
        if opened != closed:
            in_tag = opened > closed
        done = at
        before = bisect_right(starts, at) - 1
        return not in_tag and (before < 0 or at >= spans[before][1])

    return _replaced(html, filter(is_text, hyphens))


def _hyphens(text: str) -> Iterator[int]:
    # From the hyphen on, because there are many more digits than hyphens.
    for match in _AFTER.finditer(text):
        at = match.start()
        before = _BEFORE.search(text[max(0, at - _CONTEXT) : at])
        if before is not None and int(before[1]) < int(match[1]):
            yield at


def _replaced(text: str, hyphens: Iterable[int]) -> str:
    parts, done = [], 0
    for at in hyphens:
        parts += [text[done:at], "\u2013"]
        done = at + 1
    return "".join((*parts, text[done:]))
