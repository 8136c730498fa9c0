"""The menu of our own theme: tabs, the path of a page, and a sidebar with all APIs.

MkDocs' own navigation grows with the square of the pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import unescape

from mkdocs.structure import StructureItem
from mkdocs.structure.nav import Section
from mkdocs.structure.pages import Page

from wirebook.docgen.catalog.records import IndexRow
from wirebook.docgen.pages.environment import breakable
from wirebook.docgen.pages.groups import apis_by_group

_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True)
class Item:
    """A line of the sidebar: its title as HTML, its URL from the root of the site (None for a
    heading), what is inside, and the key of an API."""

    label: str
    url: str | None
    inside: Sequence[Item] = ()
    key: int | None = None

    @property
    def title(self) -> str:
        """Its title as text."""
        return plain(self.label)

    @property
    def urls(self) -> list[str]:
        """Its URL, and those of what is inside."""
        inside = [url for each in self.inside for url in each.urls]
        return inside if self.url is None else [self.url, *inside]


def api_items(rows: Iterable[IndexRow], urls: Mapping[str, str]) -> list[Item]:
    """The APIs by group; `urls` are those of all pages by address."""
    groups = []
    for name, of_group in apis_by_group(rows).items():
        apis = []
        for row in of_group:
            apis.append(Item(breakable(row.api), urls[f"api/{row.slug}/"], (), row.api_key))
        groups.append(Item(breakable(name), None, apis))
    return groups


def items_of(nav: Iterable[StructureItem], apis: str, below: Sequence[Item]) -> list[Item]:
    """The menu of MkDocs, with the items `below` the page with the URL `apis`."""
    items = []
    for each in nav:
        label = breakable(plain(str(each.title)))
        if isinstance(each, Section):
            items.append(Item(label, None, items_of(each.children, apis, below)))
        elif isinstance(each, Page):
            items.append(Item(label, each.url, below if each.url == apis else ()))
    return items


class Menu:
    """The items of the sidebar (the outermost are tabs), and the titles of pages by URL."""

    def __init__(self, items: Sequence[Item], titles: Mapping[str, str]) -> None:
        self.items = items
        self.titles = titles
        # The first tab that has a page.
        self._tab_of = {url: item for item in reversed(items) for url in item.urls}

    def tab(self, url: str) -> Item | None:
        """The tab of a page, which the home page has not."""
        return self._tab_of.get(self.nearest(url)) if url else None

    def path(self, url: str) -> list[tuple[str, str | None]]:
        """The tab of a page and the pages above it, each with its title and URL."""
        tab = self.tab(url)
        path = list[tuple[str, str | None]]()
        if tab is None:
            return path
        if self.titles.get(tab.urls[0]) != tab.title:
            path.append((tab.title, None))
        return path + [(self.titles[each], each) for each in _above(url) if each in self.titles]

    def nearest(self, url: str) -> str:
        """The URL of a page, or of the nearest one above it, that an item has; that of the page if
        none has any."""
        pages = (url, *reversed(_above(url)))
        return next((each for each in pages if each in self._tab_of), url)


def _above(url: str) -> list[str]:
    """The URLs above a page."""
    parts = url.rstrip("/").split("/")
    return [f"{'/'.join(parts[:count])}/" for count in range(1, len(parts))]


def plain(html: str) -> str:
    """HTML of a title as text."""
    return " ".join(unescape(_TAG.sub("", html)).split())
