"""What a generated page is: its place, title, contents and HTML."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup


@dataclass(frozen=True, slots=True)
class Heading:
    """A line of a page's contents."""

    title: str
    id: str
    level: int


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its place ("api/fetch/"), title, HTML, contents, and what it gives to the theme's search.

    `boost` lifts it there; 0 leaves it out, where search.py has better entries. `words` are others
    that it is found by. `listed` is whether search engines on the web may list it.
    `markdown` is the same as Markdown where it is made from the data, and "" where from the HTML.
    """

    path: str
    title: str
    html: Markup
    headings: tuple[Heading, ...] = ()
    boost: float = 1.0
    words: tuple[str, ...] = ()
    description: str = ""
    listed: bool = True
    markdown: str = ""


def root_of(path: str) -> str:
    """The way from a page to the root of the site: "../../" for "api/fetch/"."""
    return "../" * path.count("/") or "./"
