"""The navigation of a site: its hand-written pages, and the generated ones in their sections."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from wirebook.docgen.pages.page import Page

OTHER = "Protocol"  # the section of pages whose own section a site does not have


def with_pages(written: Sequence[Any], pages: Mapping[str, Page]) -> list[Any]:
    """A navigation as MkDocs reads it, with the generated pages, by their path, that it does not
    name. In a section they precede the hand-written pages, except for those that follow one.

    A section of one generated page becomes that page, and an empty section is left out.
    """
    named = {*_named(written)}
    if OTHER not in named:
        written = [*written, {OTHER: []}]
    behind: dict[str, list[str]] = {}
    last: dict[str, str] = {}
    for path, page in pages.items():
        if page.section and path not in named:
            section = page.section if page.section in named else OTHER
            at = page.after if page.after in named else last.get(page.section, section)
            last[page.section] = at
            behind.setdefault(at, []).append(path)
    return list(_filled(written, behind))


def _named(written: Iterable[Any]) -> Iterator[str]:
    """The paths of a navigation, and the titles of its sections."""
    for item in written:
        title, inside = _parts(item)
        if isinstance(inside, str):
            yield inside
        else:
            yield title
            yield from _named(inside)


def _filled(written: Iterable[Any], behind: Mapping[str, Sequence[str]]) -> Iterator[Any]:
    """A navigation with the pages that are behind the titles of its sections, and its paths."""
    for item in written:
        title, inside = _parts(item)
        if isinstance(inside, str):
            yield item
            yield from behind.get(inside, ())
        else:
            filled = [*behind.get(title, ()), *_filled(inside, behind)]
            if filled:
                yield {title: filled[0] if len(filled) == 1 and not inside else filled}


def _parts(item: Any) -> tuple[str, Any]:
    """The title of an item, and its path or what is inside."""
    return ("", item) if isinstance(item, str) else next(iter(item.items()))
