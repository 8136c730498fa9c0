"""The page that compares two versions of a message, or two releases, in the browser."""

from __future__ import annotations

import json
from collections.abc import Iterator

from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.groups import listed
from wirebook.docgen.pages.page import Page
from wirebook.rules.diff.layouts import SENTENCES


def pages(book: Book) -> Iterator[Page]:
    """The page; without scripts, its lists lead to messages and releases."""
    yield book.page(
        "compare.html.jinja",
        "compare/",
        "Compare versions",
        "Two versions of a message side by side, and what differs between two releases.",
        ("diff", "compare releases", "what changed between"),
        section="Protocol",
        groups=listed(book.index),
        sentences=json.dumps(SENTENCES),
    )
