"""The error codes: what happened, whether a retry helps, since when, and where."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.page import Page
from wirebook.specs.kafka.registry import embedded_errors


def pages(book: Book) -> Iterator[Page]:
    """The page of the codes, of a protocol that has any."""
    if book.errors or book.has_embedded:
        yield book.page(
            "errors.html.jinja",
            "errors/",
            "Error codes",
            section="Protocol",
            errors=sorted(book.errors, key=lambda error: error.code),
            dated=book.has_embedded or any(error.first_release for error in book.errors),
            listed=book.error_table not in (None, embedded_errors()),
        )
