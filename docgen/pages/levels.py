"""The levels of a protocol, such as Kafka's metadata.version."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.page import Page


def pages(book: Book) -> Iterator[Page]:
    """The page of the levels, of a protocol that has any."""
    title = f"{book.protocol.level_title}s"
    if book.levels:
        yield book.page("levels.html.jinja", "levels/", title, section="Protocol")
