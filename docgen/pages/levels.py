"""The levels of a protocol, such as Kafka's metadata.version."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.page import Page, page_of


def pages(book: Book) -> Iterator[Page]:
    """The page of the levels, of a protocol that has any."""
    path = "levels/"
    if book.levels:
        yield page_of(
            "levels.html.jinja",
            path,
            f"{book.protocol.level_title}s",
            section="Protocol",
            levels=book.levels[::-1],
            source=book.sources.level,
            link=book.link(path),
            protocol=book.protocol,
        )
