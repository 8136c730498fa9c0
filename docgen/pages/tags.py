"""Every tag of every struct, including reserved ones."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.page import Page


def pages(book: Book) -> Iterator[Page]:
    """The page of the tags."""
    rows = []
    for document in book.documents:
        for message in sorted(document.messages, key=attrgetter("name")):
            tags = sorted(message.tags, key=attrgetter("struct", "tag"))
            rows += [(document, message, tag) for tag in tags]
    yield book.page("tags.html.jinja", "tags/", "Tags", section="Protocol", rows=rows)
