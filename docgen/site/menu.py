"""The menu of our own theme: tabs, the path of a page, and a sidebar with all APIs.

MkDocs' own navigation grows with the square of the pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape, unescape

from mkdocs.structure import StructureItem
from mkdocs.structure.nav import Link, Section
from mkdocs.structure.pages import Page

from wirebook.docgen.catalog.records import IndexRow
from wirebook.docgen.pages.environment import breakable
from wirebook.docgen.pages.groups import apis_by_group

_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """A line of the sidebar: its title as HTML, its URL from the root of the site or elsewhere
    (None for a heading), what is inside, and the key of an API."""

    label: str
    url: str | None
    inside: Sequence[Item] = ()
    key: int | None = None


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
        elif isinstance(each, Link):
            items.append(Item(_label(str(each.title)), each.url))
        elif isinstance(each, Page):
            url = each.url.removeprefix("./")
            title = str(each.title or url)
            items.append(Item(_label(title), url, below if url == apis else ()))
    return items


@dataclass(frozen=True, slots=True)
class Menu:
    """The items of the sidebar (the outermost are tabs), and the titles of pages by URL."""

    items: Sequence[Item]
    titles: Mapping[str, str]

    @property
    def tabs(self) -> list[tuple[str, str]]:
        """The title of each tab, and the URL of its first page."""
        firsts = [(item, _first(item)) for item in self.items]
        return [(_plain(item.label), first) for item, first in firsts if first is not None]

    def sidebar(self, url: str, root: str) -> str:
        """The sidebar of a page, with its link marked; `root` leads to the root of the site."""
        path = self._nearest(url)
        return f"<ul>{_list(self.items, path, url, root)}</ul>"

    def path(self, url: str) -> tuple[str, list[tuple[str, str | None]]]:
        """The tab of a page ("": none), and the tab and pages above it as (title, URL or None)."""
        path = self._nearest(url)
        if not path or not url:
            return "", []
        titles, tab = self.titles, _plain(path[0].label)
        pages: list[tuple[str, str | None]] = [
            (titles[each], each) for each in _above(url) if each in titles
        ]
        first = _first(path[0])
        if first is None or titles.get(first) != tab:
            pages.insert(0, (tab, None))
        return tab, pages

    def _nearest(self, url: str) -> list[Item]:
        """The items that lead to a page, or to the nearest one above it."""
        for each in (url, *reversed(_above(url))):
            if path := _path(self.items, each):
                return path
        return []


def _path(items: Sequence[Item], url: str) -> list[Item]:
    for item in items:
        if item.url == url:
            return [item]
        if path := _path(item.inside, url):
            return [item, *path]
    return []


def _first(item: Item) -> str | None:
    """The first URL of an item or inside of it."""
    if item.url is not None:
        return item.url
    found = (_first(inner) for inner in item.inside)
    return next((url for url in found if url is not None), None)


def _list(items: Sequence[Item], path: Sequence[Item], url: str, root: str) -> str:
    lines = []
    for item in items:
        html, attributes = "", ""
        if item.url is not None:
            href = item.url if "://" in item.url else root + item.url or "./"
            mark = ""
            if path and item is path[-1]:
                current = "page" if item.url == url else "true"
                mark = f' class="md-nav__link--active" aria-current="{current}"'
            html = f'<a href="{escape(href)}"{mark}>{item.label}</a>'
        if item.inside:
            tag = "ol" if item.inside[0].key is not None else "ul"
            inner = f"<{tag}>{_list(item.inside, path, url, root)}</{tag}>"
            if item.url is None:
                state = " open" if item in path else ""
                inner = f"<details{state}><summary>{item.label}</summary>{inner}</details>"
            html += inner
        if path and item is path[0]:
            attributes = ' class="wb-here"'
        elif item.key is not None:
            attributes = f' value="{item.key}"'
        lines.append(f"<li{attributes}>{html}</li>")
    return "".join(lines)


def _above(url: str) -> list[str]:
    """The URLs above a page; without directory URLs, those end with the name of a file."""
    name = "index.html" if url.endswith("/index.html") else ""
    parts = url.removesuffix(name).rstrip("/").split("/")
    return [f"{'/'.join(parts[:count])}/{name}" for count in range(1, len(parts))]


def _label(title: str) -> str:
    return breakable(_plain(title))


def _plain(title: str) -> str:
    return " ".join(unescape(_TAG.sub("", title)).split())
