"""The sidebar of our own theme: every API by group and every section of the menu, on every page.

MkDocs' own navigation grows with the square of the pages. This one is rendered once, without the addresses
and the marks of a page, which are inserted as strings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape, unescape

from wirebook.docgen.catalog.records import IndexRow
from wirebook.docgen.render.kit.environment import breakable
from wirebook.docgen.render.kit.groups import grouped
from wirebook.docgen.site.navigation import MenuItem
from wirebook.specs.printable import visible

_ROOT = "\0"
_LINE = 19
_NUMBER = re.compile(r'<details data-n="\d+">')
_TAG = re.compile(r"<[^>]*>")


@dataclass
class Sidebar:
    """The HTML with places for the root of a page, and which boxes are around a link, by its address."""

    html: str = ""
    boxes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, menu: Iterable[MenuItem], rows: Iterable[IndexRow], apis: str, urls: Mapping[str, str]
    ) -> Sidebar:
        """The sidebar of a menu; the APIs are listed below its item with the address `apis`.

        `urls` are those of the pages of APIs, by their slugs.
        """
        maker = _Maker([row for row in rows if row.is_api], apis, urls)
        return cls(f"<ul>{''.join(maker.item(entry, ()) for entry in menu)}</ul>", maker.boxes)

    def on(self, url: str, root: str) -> str:
        """The sidebar for the page with an address, from which `root` leads to the root of the site.

        The link to the page is marked, or else the one to the nearest page above it.
        """
        html = self.html
        parts = url.rstrip("/").split("/")
        above = ["/".join(parts[:count]) + "/" for count in range(len(parts) - 1, 0, -1)]
        near = next((folder for folder in (url, *above) if folder in self.boxes), None)
        if near is not None:
            for number in self.boxes[near]:
                html = html.replace(f'<details data-n="{number}">', "<details open>", 1)
            current = "page" if near == url else "true"
            link = f'<a href="{_ROOT}{escape(near)}"'
            html = html.replace(link, f'{link} class="md-nav__link--active" aria-current="{current}"', 1)
        return _NUMBER.sub("<details>", html).replace(f'"{_ROOT}"', f'"{root or "./"}"').replace(_ROOT, root)


class _Maker:
    """Makes the lists of a sidebar; `boxes` are the numbers of the boxes around each address."""

    def __init__(self, rows: Sequence[IndexRow], apis: str, urls: Mapping[str, str]) -> None:
        self.rows = rows
        self.apis = apis
        self.urls = urls
        self.boxes: dict[str, tuple[int, ...]] = {}
        self._count = 0

    def item(self, entry: MenuItem, around: tuple[int, ...]) -> str:
        """An item of the menu with what is below it."""
        if entry.url is None:
            number = self._next()
            inner = [self.item(child, (*around, number)) for child in entry.children]
            return _box(number, _plain(entry.title), "ul", inner)
        url = entry.url
        if entry.is_outside:
            root = "" if ":" in url or url.startswith("/") else _ROOT
            return f'<li><a href="{root}{escape(url)}">{escape(visible(_plain(entry.title)))}</a></li>'
        link = self._link(url, _plain(entry.title), around)
        if url != self.apis:
            return f"<li>{link}</li>"
        groups = grouped(self.rows)
        lists = "".join(self._group(name, rows, around) for name, rows in groups.items())
        if len(groups) == 1:
            lists = _NUMBER.sub("<details open>", lists)
        return f'<li class="wb-nav-apis">{link}<ul>{lists}</ul></li>'

    def _group(self, name: str, rows: Iterable[IndexRow], around: tuple[int, ...]) -> str:
        number = self._next()
        links = [
            f"<li{'' if row.api_key is None else f' value={row.api_key}'}>"
            f"{self._link(self.urls[row.slug], row.api, (*around, number))}</li>"
            for row in rows
        ]
        return _box(number, name, "ol", links)

    def _link(self, url: str, title: str, around: tuple[int, ...]) -> str:
        self.boxes.setdefault(url, around)
        # What does not fit in a line breaks between its words.
        words = breakable(title) if len(title) > _LINE else escape(visible(title))
        return f'<a href="{_ROOT}{escape(url)}">{words}</a>'

    def _next(self) -> int:
        self._count += 1
        return self._count


def _box(number: int, title: str, tag: str, items: Iterable[str]) -> str:
    return (
        f'<li><details data-n="{number}"><summary>{escape(title)}</summary>'
        f"<{tag}>{''.join(items)}</{tag}></details></li>"
    )


def _plain(title: str) -> str:
    return " ".join(unescape(_TAG.sub("", title)).split())
