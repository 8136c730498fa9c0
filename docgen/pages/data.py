"""The page that lists the files of a site that programs read."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.docgen.pages import schemas
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.page import Page


def schema_names(book: Book) -> list[str]:
    """The names of the JSON Schemas that the site publishes."""
    return list(schemas.SCHEMAS if book.has_embedded else schemas.OF_SITES)


def pages(book: Book) -> Iterator[Page]:
    """Every document of the site with its address and its schema."""
    yield book.page(
        "data.html.jinja",
        "data/",
        "Data",
        "Everything on this site as JSON, at addresses that do not change.",
        section="Protocol",
        place_of=schemas.place,
        schemas=[(name, *schemas.title(name), schemas.place(name)) for name in schema_names(book)],
    )
