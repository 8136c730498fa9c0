"""Tables of hand-written pages with the heading of the column in each cell, for rows as cards on phones."""

from __future__ import annotations

import re
from html import escape, unescape
from itertools import chain, repeat

# Those that Markdown makes; ours have classes, and words for cards of their own.
_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_HEADING = re.compile(r"<th\b[^>]*>(.*?)</th>", re.DOTALL)
_ROW = re.compile(r"<tr\b.*?</tr>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


def labelled(html: str) -> str:
    """HTML in which each cell of a table without a class, except the first of a row, names its heading."""
    return _TABLE.sub(_labelled, html)


def _labelled(table: re.Match[str]) -> str:
    head, end, body = table[0].partition("</thead>")
    titles = [" ".join(unescape(_TAG.sub("", title)).split()) for title in _HEADING.findall(head)]

    def row(match: re.Match[str]) -> str:
        first, *cells = match[0].split("<td")
        marks = chain(
            ("", *(f' data-is="{escape(title)}"' if title else "" for title in titles[1:])), repeat("")
        )
        return first + "".join(f"<td{mark}{cell}" for mark, cell in zip(marks, cells, strict=False))

    return head + end + _ROW.sub(row, body)
