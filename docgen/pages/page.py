"""What a generated page is: its place, title, HTML and headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import NamedTuple

_HEADING = re.compile(r'<h([23])\b([^>]*?\bid="([^"]*)"[^>]*)>(.*?)</h\1>', re.DOTALL)
# A badge after the words of a heading is no part of its title, nor is a link to it.
_MARKUP = re.compile(
    r'<span class="wb-b .*?</span>|<a class="headerlink".*?</a>|<[^>]*>', re.DOTALL
)


class Heading(NamedTuple):
    """A line of a page's contents."""

    level: int
    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its place ("api/fetch/"), title and HTML; `words` are other names to find it by.

    In the navigation it follows the hand-written page `after` where there is one, or else the
    pages before it in the section; "" is a page that only other pages lead to.
    """

    path: str
    title: str
    html: str
    description: str = ""
    words: tuple[str, ...] = ()
    section: str = ""
    after: str = ""

    @property
    def headings(self) -> list[Heading]:
        """The headings of the levels 2 and 3, except for those that the search leaves out."""
        return [heading for heading, _ in sections(self.html) if heading.id]


def sections(html: str) -> Iterator[tuple[Heading, str]]:
    """The sections of a page: heading and HTML; the first, before any heading, has no id. One whose
    heading has the attribute data-search-exclude is left out."""
    heading = Heading(1, "", "")
    attributes = ""
    start = 0
    for match in _HEADING.finditer(html):
        if "data-search-exclude" not in attributes:
            yield heading, html[start : match.start()]
        title = unescape(" ".join(_MARKUP.sub("", match[4]).split()))
        heading = Heading(int(match[1]), match[3], title)
        attributes = match[2]
        start = match.end()
    if "data-search-exclude" not in attributes:
        yield heading, html[start:]


def root_of(path: str) -> str:
    """The relative path from a page to the root of the site: "../../" for "api/fetch/"."""
    return "../" * path.count("/") or "./"
