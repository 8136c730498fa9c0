"""What a theme gets of a generated page besides its HTML: title, description, contents."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from mkdocs.structure.toc import AnchorLink, TableOfContents

from wirebook.docgen.pages.page import Page
from wirebook.specs.printable import visible

PAGE = "wb-content"  # the id of the whole of a generated page, to which a link skips the menu
# `striptags`, which themes apply to titles, undoes the escapes of these: no page gets the
# originals.
_LOOKALIKES = str.maketrans({"<": "\u2039", ">": "\u203a", '"': "\u201d", "'": "\u2019"})


def theme_text(text: str) -> str:
    """Text of a spec or a tag for a theme, which may use it anywhere: unchanged, escaped, or
    stripped.

    MkDocs' templates do not escape, so that a title is HTML and can end an attribute.
    """
    return escape(visible(text).translate(_LOOKALIKES))


def front_matter(page: Page) -> str:
    """Title and description; JSON is YAML, so no text of a spec can break out of it."""
    meta: dict[str, Any] = {"title": theme_text(page.title)}
    if page.description:
        meta["description"] = theme_text(page.description)
    if not page.headings:
        meta["hide"] = ["toc"]
    return f"---\n{json.dumps(meta)}\n---\n"


def contents(page: Page) -> TableOfContents:
    """The contents list: the page, its headings, and those of level 3 below the one before."""
    top = AnchorLink(theme_text(page.title), PAGE, 1)
    above = top
    for heading in page.headings:
        link = AnchorLink(theme_text(heading.title), heading.id, heading.level)
        if heading.level == 2:
            top.children.append(link)
            above = link
        else:
            above.children.append(link)
    return TableOfContents([top])
