"""What a theme gets of a generated page besides its HTML: title, description, search words,
contents."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape
from typing import Any

from mkdocs.structure.toc import AnchorLink, TableOfContents

from wirebook.docgen.pages.page import Heading, Page
from wirebook.specs.printable import visible

# `striptags`, which themes apply to titles, undoes the escapes of these: no page gets the
# originals.
_LOOKALIKES = str.maketrans({"<": "\u2039", ">": "\u203a", '"': "\u201d", "'": "\u2019"})


def theme_text(text: str) -> str:
    """Text of a spec or a tag for a theme, which may use it anywhere: unchanged, escaped, or
    stripped.

    MkDocs' templates do not escape, so that a title is HTML and can end an attribute.
    """
    return escape(visible(text).translate(_LOOKALIKES))


def front_matter(page: Page, *, tagged: bool) -> str:
    """Title, description and search settings; JSON is YAML, so no text of a spec can break out of
    it."""
    meta: dict[str, Any] = {"title": theme_text(page.title)}
    if page.description:
        meta["description"] = theme_text(page.description)
    if page.words and tagged:
        meta["tags"] = [theme_text(word) for word in page.words]
    if not page.headings:
        meta["hide"] = ["toc"]
    return f"---\n{json.dumps(meta)}\n---\n"


def contents(headings: Iterable[Heading]) -> TableOfContents:
    """The contents list; a heading of level 3 is below the one of level 2 before it."""
    links: list[AnchorLink] = []
    for heading in headings:
        link = AnchorLink(theme_text(heading.title), heading.id, heading.level)
        (links[-1].children if links and heading.level > links[-1].level else links).append(link)
    return TableOfContents(links)
