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
    """One page: its place ("api/fetch/"), title, HTML, contents, and its entry in the theme's
    search.

    `boost` raises its rank; 0 leaves it out, if search.py has better entries. `words`
    are further search words.
    """

    path: str
    title: str
    html: Markup
    headings: tuple[Heading, ...] = ()
    boost: float = 1.0
    words: tuple[str, ...] = ()
    description: str = ""


def root_of(path: str) -> str:
    """The relative path from a page to the root of the site: "../../" for "api/fetch/"."""
    return "../" * path.count("/") or "./"
