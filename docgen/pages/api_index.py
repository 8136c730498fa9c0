"""The table of all APIs and other messages."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.groups import apis_by_group, others_by_kind
from wirebook.docgen.pages.page import Page
from wirebook.docgen.pages.wording import since_word


def pages(book: Book) -> Iterator[Page]:
    """The page of the table."""
    yield book.page(
        "api_index.html.jinja",
        "api/",
        "All APIs",
        section="APIs",
        by_group=apis_by_group(book.index),
        groups=others_by_kind(book.index),
        since_word=since_word,
    )
