"""The menu of our own theme: tabs, the path of a page, and a sidebar with all APIs.

MkDocs' own navigation grows with the square of the pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape, unescape

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
    def urls(self) -> Iterator[str]:
        """Its URL, and those of what is inside."""
        if self.url is not None:
            yield self.url
        for each in self.inside:
            yield from each.urls


def api_items(rows: Iterable[IndexRow], urls: Mapping[str, str]) -> list[Item]:
    """The APIs by group; `urls` are theirs by slug."""
    groups = []
    for name, of_group in apis_by_group(rows).items():
        apis = [Item(breakable(row.api), urls[row.slug], (), row.api_key) for row in of_group]
        groups.append(Item(_label(name), None, apis))
    return groups


def items_of(nav: Iterable[StructureItem], apis: str, below: Sequence[Item]) -> list[Item]:
    """The menu of MkDocs, with the items `below` the page with the URL `apis`."""
    items = []
    for each in nav:
        if isinstance(each, Section):
            items.append(Item(_label(each.title), None, items_of(each.children, apis, below)))
        elif isinstance(each, Page):
            items.append(Item(_label(str(each.title)), each.url, below if each.url == apis else ()))
    return items


class Menu:
    """The items of the sidebar (the outermost are tabs), and the titles of pages by URL."""

    def __init__(self, items: Sequence[Item], titles: Mapping[str, str]) -> None:
        self.items = items
        self.titles = titles
        # The title of each tab, and the URL of its first page.
        self.tabs = [(_plain(item.label), next(item.urls)) for item in items]
        # The first tab that has a page.
        self._tab_of = {url: item for item in reversed(items) for url in item.urls}

    def sidebar(self, url: str, root: str) -> str:
        """The sidebar of a page, with its link marked; `root` leads to the root of the site."""
        at, lines = self._nearest(url), []
        tab = self._tab_of.get(at)
        for item in self.items:
            here = ' class="wb-here"' if item is tab else ""
            lines.append(f"<li{here}>{_line(item, at, url, root)}</li>")
        return f"<ul>{''.join(lines)}</ul>"

    def path(self, url: str) -> tuple[str, list[tuple[str, str | None]]]:
        """The tab of a page ("": none), and the tab and pages above it as (title, URL or None)."""
        tab = self._tab_of.get(self._nearest(url))
        if tab is None or not url:
            return "", []
        title = _plain(tab.label)
        path: list[tuple[str, str | None]] = []
        if self.titles.get(next(tab.urls)) != title:
            path.append((title, None))
        path += [(self.titles[each], each) for each in _above(url) if each in self.titles]
        return title, path

    def _nearest(self, url: str) -> str:
        """The URL of a page, or of the nearest one above it, that an item has; that of the page if
        none has any."""
        pages = (url, *reversed(_above(url)))
        return next((each for each in pages if each in self._tab_of), url)


def _line(item: Item, at: str, url: str, root: str) -> str:
    """An item with what is inside, on the page `url`, which the item `at` leads to."""
    inner = ""
    if item.inside:
        for each in item.inside:
            number = "" if each.key is None else f' value="{each.key}"'
            inner += f"<li{number}>{_line(each, at, url, root)}</li>"
        tag = "ol" if number else "ul"
        inner = f"<{tag}>{inner}</{tag}>"
    if item.url is None:
        state = " open" if at in item.urls else ""
        return f"<details{state}><summary>{item.label}</summary>{inner}</details>"
    href = root + item.url or "./"
    mark = ""
    if item.url == at:
        current = "page" if at == url else "true"
        mark = f' class="md-nav__link--active" aria-current="{current}"'
    return f'<a href="{escape(href)}"{mark}>{item.label}</a>{inner}'


def _above(url: str) -> list[str]:
    """The URLs above a page."""
    parts = url.rstrip("/").split("/")
    return [f"{'/'.join(parts[:count])}/" for count in range(1, len(parts))]


def _label(title: str) -> str:
    return breakable(_plain(title))


def _plain(title: str) -> str:
    return " ".join(unescape(_TAG.sub("", title)).split())
