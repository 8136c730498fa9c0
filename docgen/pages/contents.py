"""All output of a book: generated pages, what hand-written pages show of it, and downloads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from wirebook.docgen.pages import schemas
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.data import schema_names
from wirebook.docgen.pages.decode import headers_text, layouts_text
from wirebook.docgen.pages.home import home
from wirebook.docgen.pages.negotiate import data_text
from wirebook.docgen.pages.page import Page
from wirebook.docgen.pages.vectors import vectors_text
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.profile import embedded_profile

# The modules that make the generated pages, in the order of the navigation: the function `pages` of
# each yields those that a book has.
KINDS = (
    "api_index",
    "api",
    "release",
    "matrix",
    "compare",
    "negotiate",
    "features",
    "levels",
    "types",
    "decode",
    "fields",
    "errors",
    "tags",
    "deprecations",
    "data",
    "kips",
    "flows",
    "rules",
)


def pages(book: Book) -> Iterator[Page]:
    """Every generated page."""
    for kind in KINDS:
        yield from import_module(f"wirebook.docgen.pages.{kind}").pages(book)


def front_page(book: Book) -> Page:
    """The home page of a protocol without a hand-written one."""
    return Page("", book.protocol.heading, home(book, with_title=True))


def downloads(book: Book) -> Iterator[tuple[str, str]]:
    """(place, text) of every file beside the pages, except the archive of some of them."""
    names = [f"api/{row.slug}.json" for row in book.index]
    for name in (*names, "index.json", "snapshots.json"):
        yield f"data/{name}", (book.folder / name).read_text(encoding="utf-8")
    for document in book.documents:
        yield f"api/{document.slug}/vectors.json", vectors_text(document, book.headers)
    yield "data/headers.json", headers_text(book.headers)
    embedded = embedded_profile(KAFKA).embedded if book.protocol.family == KAFKA else ()
    yield "data/layouts.json", layouts_text(book.documents, embedded)
    if book.has_embedded:
        yield "data/negotiation.json", data_text()
    if book.error_table is not None:
        yield "data/errors.json", book.error_table.decode()
    for name in schema_names(book):
        yield schemas.place(name), schemas.bundled(name)


def api_archive(texts: Mapping[str, str]) -> bytes:
    """data/api.zip: the documents of all APIs, of the downloads by place."""
    archive = BytesIO()
    with ZipFile(archive, "w", ZIP_DEFLATED) as files:
        for path, text in texts.items():
            if path.startswith("data/api/"):
                # Without the time, so that the same catalog has the same archive.
                files.writestr(ZipInfo(path.removeprefix("data/")), text, ZIP_DEFLATED)
    return archive.getvalue()
