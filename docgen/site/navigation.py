"""The place of generated pages in the navigation of a site."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mkdocs.structure import StructureItem
from mkdocs.structure.nav import Link, Navigation, Section
from mkdocs.structure.pages import Page

TITLE = "Protocol"


@dataclass(frozen=True)
class MenuItem:
    """An entry of the menu, apart from any generator of sites: a page with its URL, a section, or a link.

    `is_outside` is whether it leads out of the site: its URL is absolute, or relative to the root.
    """

    title: str
    url: str | None = None
    children: tuple[MenuItem, ...] = ()
    is_outside: bool = False

    @property
    def urls(self) -> list[str]:
        """Its own URL, or those of all pages below it; none of a link out of the site."""
        if self.is_outside:
            return []
        if self.url is not None:
            return [self.url]
        return [url for child in self.children for url in child.urls]


@dataclass(frozen=True)
class Places:
    """Where pages are: the tab of each, and the pages above it. `titles` are those of all pages by URL."""

    menu: tuple[MenuItem, ...]
    titles: Mapping[str, str]

    @cached_property
    def tabs(self) -> list[tuple[str, str]]:
        """The title of each tab, and the URL of its first page."""
        return [(entry.title, entry.urls[0]) for entry in self.menu if entry.urls]

    @cached_property
    def _tab_of(self) -> dict[str, str]:
        return {url: entry.title for entry in self.menu for url in entry.urls}

    def of(self, url: str) -> tuple[str, list[tuple[str, str | None]]]:
        """The tab of a page ("" for none) and its path: the section of the menu, then the pages above.

        A page that is not in the menu is in the tab of the nearest page above it.
        """
        # Without directory URLs, those of folders end with the name of a file.
        name = "index.html" if url.endswith("/index.html") else ""
        parts = url.removesuffix(name).rstrip("/").split("/")
        above = [f"{'/'.join(parts[:count])}/{name}" for count in range(1, len(parts))]
        near = next((each for each in (url, *reversed(above)) if each in self._tab_of), None)
        if near is None or not url:
            return ("" if near is None else self._tab_of[near]), []
        tab = self._tab_of[near]
        first = next(address for title, address in self.tabs if title == tab)
        path: list[tuple[str, str | None]] = [] if self.titles.get(first) == tab else [(tab, None)]
        path += [(self.titles[each], each) for each in above if each in self.titles]
        return tab, path


def menu_of(items: Iterable[StructureItem]) -> tuple[MenuItem, ...]:
    """The menu of MkDocs. Of its links, those remain that lead to a website or to a relative address."""
    return tuple(entry for nav_item in items if (entry := _menu_item(nav_item)) is not None)


def _menu_item(nav_item: StructureItem) -> MenuItem | None:
    if isinstance(nav_item, Section):
        return MenuItem(str(nav_item.title), None, menu_of(nav_item.children))
    if isinstance(nav_item, Page):
        url = nav_item.url.removeprefix("./")
        return MenuItem(str(nav_item.title or nav_item.url), url)
    if isinstance(nav_item, Link) and (is_web(nav_item.url) or ":" not in nav_item.url):
        return MenuItem(str(nav_item.title or nav_item.url), nav_item.url, is_outside=True)
    return None


def is_web(url: str) -> bool:
    """Whether an address is that of a website; the name of a scheme is not case-sensitive."""
    return url.lower().startswith(("https://", "http://"))


def add_pages(nav: Navigation, title: str, pages: Iterable[Page]) -> None:
    """Add pages to the section `title`, or to a new one at the end; a page that `nav` names stays there."""
    named = {page.file.src_uri for page in nav.pages}
    new = [page for page in pages if page.file.src_uri not in named]
    if not new:
        return
    section = next((nav_section for nav_section in _sections(nav.items) if nav_section.title == title), None)
    if section is None:
        section = Section(title, [])
        nav.items.append(section)
    section.children.extend(new)
    for page in new:
        page.parent = section
    nav.pages[:] = _pages(nav.items)
    for page, before, after in zip(nav.pages, [None, *nav.pages], [*nav.pages[1:], None], strict=False):
        page.previous_page, page.next_page = before, after


def _sections(items: Iterable[Any]) -> Iterator[Section]:
    for nav_item in items:
        if isinstance(nav_item, Section):
            yield nav_item
            yield from _sections(nav_item.children)


def _pages(items: Iterable[Any]) -> Iterator[Page]:
    for nav_item in items:
        if isinstance(nav_item, Page):
            yield nav_item
        elif isinstance(nav_item, Section):
            yield from _pages(nav_item.children)
