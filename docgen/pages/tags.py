"""Every tag of every struct, including reserved ones."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.page import Page


def pages(book: Book) -> Iterator[Page]:
    """The page of the tags."""
    rows = []
    for document in book.documents:
        for message in sorted(document.messages, key=lambda each: each.name):
            for tag in sorted(message.tags, key=lambda each: (each.struct, each.tag)):
                rows.append((document, message, tag))
    yield book.page("tags.html.jinja", "tags/", "Tags", section="Protocol", rows=rows)
