"""What a generated page is: its place, title, HTML and headings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from typing import Any, NamedTuple

from wirebook.docgen.pages.environment import render

_HEADING = re.compile(r'<h([23]) id="([^"]*)"([^>]*)>(.*?)</h\1>', re.DOTALL)
# A badge after the words of a heading is no part of its title.
_MARKUP = re.compile(r'<span class="wb-b .*?</span>|<[^>]*>', re.DOTALL)


class Heading(NamedTuple):
    """A line of a page's contents."""

    level: int
    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its place ("api/fetch/"), title and HTML; `words` are other names to find it by."""

    path: str
    title: str
    html: str
    description: str = ""
    words: tuple[str, ...] = ()

    @property
    def headings(self) -> list[Heading]:
        """The headings of the levels 2 and 3, except for those that the search leaves out."""
        return [
            Heading(int(level), id_, unescape(" ".join(_MARKUP.sub("", title).split())))
            for level, id_, attributes, title in _HEADING.findall(self.html)
            if "data-search-exclude" not in attributes
        ]


def root_of(path: str) -> str:
    """The relative path from a page to the root of the site: "../../" for "api/fetch/"."""
    return "../" * path.count("/") or "./"


def page_of(
    template: str,
    path: str,
    title: str,
    description: str = "",
    words: tuple[str, ...] = (),
    **values: Any,
) -> Page:
    """The page of a template, which gets the values, its title and the `root` of its path."""
    html = render(template, root=root_of(path), title=title, **values)
    return Page(path, title, html, description, words)
