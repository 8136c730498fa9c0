"""The levels of a protocol, such as Kafka's metadata.version."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.page import Page


def pages(book: Book) -> Iterator[Page]:
    """The page of the levels, of a protocol that has any."""
    is_feature = any(level.feature_level is not None for level in book.levels)
    title = "Levels of metadata.version" if is_feature else f"{book.protocol.level_title}s"
    if book.levels:
        template = "levels.html.jinja"
        yield book.page(template, "levels/", title, section="Protocol", is_feature=is_feature)
