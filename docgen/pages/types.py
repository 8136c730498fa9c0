"""The wire types, byte by byte."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.page import Page
from wirebook.docgen.pages.shipped import shipped


def shown_groups(with_records: bool) -> dict[str, list[dict[str, str]]]:
    """The types of a site by group: name, the meaning of its bytes, an example in hex, and the
    meaning of the example; record batches and their varints only `with_records`.

    Source: Kafka's Type.java and MessageDataGenerator.
    """

    def is_of_records(name: str) -> bool:
        return "RECORDS" in name or name in ("VARINT", "VARLONG", "UNSIGNED_VARLONG")

    return {
        title: [entry for entry in group if with_records or not is_of_records(entry["name"])]
        for title, group in shipped("types.json").items()
    }


def pages(book: Book) -> Iterator[Page]:
    """The page of the types."""
    yield book.page(
        "types.html.jinja",
        "types/",
        "Types and their bytes",
        section="Protocol",
        groups=shown_groups(book.is_of_family),
    )
