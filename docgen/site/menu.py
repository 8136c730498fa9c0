"""The menu of our own theme: tabs, the path of a page, and a sidebar that is rendered once for all
pages.

MkDocs' own navigation grows with the square of the pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape, unescape
from typing import Any

from mkdocs.structure import StructureItem
from mkdocs.structure.nav import Link, Navigation, Section
from mkdocs.structure.pages import Page

from wirebook.docgen.catalog.records import IndexRow
from wirebook.docgen.pages.environment import breakable
from wirebook.docgen.pages.groups import grouped
from wirebook.specs.printable import visible

TITLE = "Protocol"
_ROOT = "\0"  # the place at which the way to the root of the site is written
_TAG = re.compile(r"<[^>]*>")
_NUMBER = re.compile(r' data-n="\d+"')


@dataclass
class Menu:
    """The tabs, and the sidebar with places for what differs from page to page.

    `around` are the numbers of the boxes around each link, the outermost of which is its tab;
    `titles` are those of all pages by URL.
    """

    tabs: list[tuple[str, str]] = field(default_factory=list)
    html: str = ""
    around: dict[str, tuple[int, ...]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        items: Iterable[StructureItem],
        titles: Mapping[str, str],
        rows: Iterable[IndexRow],
        apis: str,
        urls: Mapping[str, str],
    ) -> Menu:
        """The menu of MkDocs, with the APIs of `rows` below the page `apis`; `urls` are theirs by
        slug."""
        menu = cls(titles=titles)
        groups = grouped(row for row in rows if row.is_api)

        def link(url: str, title: str, boxes: tuple[int, ...]) -> str:
            menu.around.setdefault(url, boxes)
            return f'<a href="{_ROOT}{escape(url)}">{breakable(_plain(title))}</a>'

        def box(title: str, tag: str, inner: Iterable[str], number: int) -> str:
            return (
                f'<details data-n="{number}"><summary>{escape(visible(_plain(title)))}</summary>'
                f"<{tag}>{''.join(inner)}</{tag}></details>"
            )

        def below(item: StructureItem, boxes: tuple[int, ...]) -> str:
            number = boxes[-1]
            if isinstance(item, Section):
                inner = (f"<li>{below(child, (*boxes, number))}</li>" for child in item.children)
                return box(str(item.title), "ul", inner, number)
            if isinstance(item, Link):
                outside = item.url.lower().startswith(("https://", "http://"))
                href = escape(item.url) if outside else _ROOT + escape(item.url)
                return f'<a href="{href}">{escape(visible(_plain(str(item.title))))}</a>'
            assert isinstance(item, Page)
            url = item.url.removeprefix("./")
            html = link(url, str(item.title or url), boxes)
            if url != apis:
                return html
            lists = []
            for place, (name, of_group) in enumerate(groups.items()):
                inside = (*boxes, 1000 + place)
                links = (
                    f"<li{'' if row.api_key is None else f' value={row.api_key}'}>"
                    f"{link(urls[row.slug], row.api, inside)}</li>"
                    for row in of_group
                )
                lists.append(f"<li>{box(name, 'ol', links, 1000 + place)}</li>")
            return f"{html}<ul>{''.join(lists)}</ul>"

        parts = []
        for number, item in enumerate(items):
            parts.append(f'<li data-n="{number}">{below(item, (number,))}</li>')
            first = next((url for url, boxes in menu.around.items() if boxes[0] == number), None)
            menu.tabs += [] if first is None else [(str(item.title or first), first)]
        menu.html = f"<ul>{''.join(parts)}</ul>"
        return menu

    def near(self, url: str) -> str | None:
        """The page of the menu that is the page with this URL, or the nearest one above it."""
        return next((each for each in (url, *reversed(_above(url))) if each in self.around), None)

    def sidebar(self, url: str, root: str) -> str:
        """The sidebar of a page, from which `root` leads to the root of the site; its link is
        marked."""
        html, near = self.html, self.near(url)
        if near is not None:
            tab, *boxes = self.around[near]
            html = html.replace(f'<li data-n="{tab}">', '<li class="wb-here">', 1)
            for number in (tab, *boxes):
                html = html.replace(f'<details data-n="{number}">', "<details open>", 1)
            link, current = f'<a href="{_ROOT}{escape(near)}"', "page" if near == url else "true"
            html = html.replace(
                link, f'{link} class="md-nav__link--active" aria-current="{current}"', 1
            )
        return _NUMBER.sub("", html).replace(f'"{_ROOT}"', f'"{root or "./"}"').replace(_ROOT, root)

    def path(self, url: str) -> tuple[str, list[tuple[str, str | None]]]:
        """The tab of a page ("" for none), and the tab and the pages above it as (title, URL or
        None)."""
        near = self.near(url)
        if near is None or not url:
            return "", []
        tab, first = next(
            pair for pair in self.tabs if self.around[pair[1]][0] == self.around[near][0]
        )
        path: list[tuple[str, str | None]] = [] if self.titles.get(first) == tab else [(tab, None)]
        return tab, [
            *path,
            *((self.titles[each], each) for each in _above(url) if each in self.titles),
        ]


def _above(url: str) -> list[str]:
    """The URLs of the folders above a page; without directory URLs, those end with the name of a
    file."""
    name = "index.html" if url.endswith("/index.html") else ""
    parts = url.removesuffix(name).rstrip("/").split("/")
    return [f"{'/'.join(parts[:count])}/{name}" for count in range(1, len(parts))]


def add_pages(nav: Navigation, title: str, pages: Iterable[Page]) -> None:
    """Add pages to the section `title`, or to a new one at the end; a page that `nav` names stays
    there."""
    named = {page.file.src_uri for page in nav.pages}
    new = [page for page in pages if page.file.src_uri not in named]
    if not new:
        return
    section = next((each for each in _inside(nav.items, Section) if each.title == title), None)
    if section is None:
        section = Section(title, [])
        nav.items.append(section)
    section.children.extend(new)
    for page in new:
        page.parent = section
    nav.pages[:] = _inside(nav.items, Page)
    for page, before, after in zip(
        nav.pages, [None, *nav.pages], [*nav.pages[1:], None], strict=False
    ):
        page.previous_page, page.next_page = before, after


def _inside(items: Iterable[Any], kind: type[Any]) -> Iterator[Any]:
    for item in items:
        if isinstance(item, kind):
            yield item
        if isinstance(item, Section):
            yield from _inside(item.children, kind)


def _plain(title: str) -> str:
    return " ".join(unescape(_TAG.sub("", title)).split())
