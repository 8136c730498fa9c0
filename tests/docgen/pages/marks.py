"""Marks in the texts of a whole book."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

# What they say is not about the protocol.
ELSEWHERE = re.compile(r"rules/|types/|data/$|compare/|decode/")


def marked(html: str) -> Iterator[str]:
    """The elements of a page with their attributes, except for targets of links, which the text
    shows."""
    found = re.findall(
        r"<(?!/|!)([^<>]+)>", re.sub(r"<script\b.*?</script>", "", html, flags=re.DOTALL)
    )
    counts = Counter(" ".join(re.sub(r' ?\bhref="[^"]*"', "", tag).split()) for tag in found)
    yield from (f"{count} {tag}" for tag, count in counts.items() if " " in tag)
