"""Texts of pages that agree with each other."""

from __future__ import annotations

import os
import re
from html import unescape
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden"


def agree(name: str, text: str) -> None:
    """Compare a text with a golden file, or write the file."""
    path = GOLDEN / name
    if os.environ.get("WIREBOOK_UPDATE"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def plain(html: str) -> str:
    """The text of an insert: a line for each row and block, without markup and without scripts."""
    html = re.sub(r"<(script|style|template)\b.*?</\1>", "", html, flags=re.DOTALL)
    html = re.sub(r'<a [^>]*href="([^"]*)"[^>]*>(.*?)</a>', r"\2 (\1)", re.sub(r"\s+", " ", html))
    # A cell may end without a tag; only the first one of a row has nothing before it.
    html = re.sub(r"</t[dh]> ?", "", html)
    html = re.sub(
        r"(<tr[^>]*> ?)?(<t[dh]\b)", lambda cell: cell[0] if cell[1] else f" | {cell[2]}", html
    )
    html = re.sub(r"</(?:tr|p|div|li|pre|h\d|caption|figcaption|summary)>|<br */?>", "\n", html)
    lines = (" ".join(unescape(re.sub(r"<[^>]+>", "", line)).split()) for line in html.split("\n"))
    return "\n".join(filter(None, lines))
