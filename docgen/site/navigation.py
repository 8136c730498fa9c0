"""The place of generated pages in the navigation of a site."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from mkdocs.structure import StructureItem
from mkdocs.structure.nav import Navigation, Section
from mkdocs.structure.pages import Page

# In a nav, the list of releases or of ApiVersions, whichever the catalog has.
SNAPSHOTS = "snapshots/index.md"
TITLE = "Protocol"


@dataclass(frozen=True)
class MenuItem:
    """An entry of the menu, apart from any generator of sites: a page with its URL, or a section."""

    title: str
    url: str | None = None
    children: tuple[MenuItem, ...] = ()


def menu_of(items: Iterable[StructureItem]) -> tuple[MenuItem, ...]:
    """The menu of MkDocs, without links to other sites."""
    return tuple(entry for nav_item in items if (entry := _menu_item(nav_item)) is not None)


def _menu_item(item: StructureItem) -> MenuItem | None:
    if isinstance(item, Section):
        return MenuItem(str(item.title), None, menu_of(item.children))
    if isinstance(item, Page):
        url = item.url.removeprefix("./")
        return MenuItem(str(item.title or item.url), url)
    return None


def resolved(nav: Any, alias: str, page: str) -> Any:
    """A `nav` of mkdocs.yml with `alias` replaced by `page`; nothing is changed in place."""
    if isinstance(nav, list):
        return [resolved(entry, alias, page) for entry in nav]
    if isinstance(nav, dict):
        return {title: resolved(target, alias, page) for title, target in nav.items()}
    return page if nav == alias else nav


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
