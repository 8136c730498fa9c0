"""All output of a book: generated pages, what hand-written pages show of it, and downloads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from wirebook.docgen.catalog.errors import embedded_errors
from wirebook.docgen.catalog.files import encoded
from wirebook.docgen.pages import schemas
from wirebook.docgen.pages.api import api_page
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.compare import compare_page
from wirebook.docgen.pages.data import data_page
from wirebook.docgen.pages.decode import decode_page, headers_text, layouts_text
from wirebook.docgen.pages.fields import fields_page
from wirebook.docgen.pages.flows import ApiPages, flow_pages
from wirebook.docgen.pages.home import home
from wirebook.docgen.pages.kips import kip_pages
from wirebook.docgen.pages.lists import api_index, deprecations_page, errors_page, tags_page
from wirebook.docgen.pages.matrix import matrix_page
from wirebook.docgen.pages.negotiate import data_text, features_page, negotiate_page
from wirebook.docgen.pages.page import Page
from wirebook.docgen.pages.release import release_pages
from wirebook.docgen.pages.release_data import release_documents, release_place
from wirebook.docgen.pages.rules import rules_page
from wirebook.docgen.pages.structs import struct_pages
from wirebook.docgen.pages.tables import errors_csv, matrix_csv, tags_csv
from wirebook.docgen.pages.types import types_page
from wirebook.docgen.pages.vectors import place, vectors_text
from wirebook.docgen.pages.version import version_pages
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.profile import embedded_profile


def pages(book: Book) -> Iterator[Page]:
    """Every generated page."""
    protocol, mentions = book.protocol, book.mentions
    yield api_index(book.index)
    for document in book.with_page:
        yield api_page(document, book)
        yield from version_pages(document, book)
    yield from release_pages(book)
    yield matrix_page(book)
    yield deprecations_page(book.documents, protocol, mentions)
    yield tags_page(book.documents)
    yield fields_page(book.documents)
    yield from struct_pages(book)
    yield data_page(
        book.snapshots, protocol, names=schema_names(book), has_errors=bool(book.errors)
    )
    if book.errors or book.has_embedded:
        is_listed = book.catalog.errors not in (None, embedded_errors())
        yield errors_page(book.errors, book.index, protocol, mentions, listed=is_listed)
    yield types_page(with_records=book.is_of_family)
    yield decode_page(book.index, protocol, book.headers, has_errors=bool(book.errors))
    yield compare_page(book.index, book.snapshots, protocol, has_errors=bool(book.errors))
    yield rules_page(
        {row.slug for row in book.index},
        with_incidents=book.has_embedded,
        of_family=book.is_of_family,
    )
    if book.has_embedded:
        yield negotiate_page(book.documents)
        yield features_page(book.documents)
        yield from flow_pages(mentions, ApiPages(book.documents))
        yield from kip_pages(book)


def inserts(book: Book) -> dict[str, str]:
    """HTML for the placeholders in hand-written pages, by name."""
    if not book.has_embedded:
        return {"home": str(home(book)), "front": str(home(book, with_title=True))}
    return {"home": str(home(book))}


def schema_names(book: Book) -> Iterable[str]:
    """The names of the JSON Schemas that the site publishes."""
    return schemas.SCHEMAS if book.has_embedded else schemas.OF_SITES


def downloads(book: Book, base: str = "") -> Iterator[tuple[str, str]]:
    """(place, text) of every file beside the pages, except the archive of some of them.

    `base` is the address of the reference with a slash at its end, or "": links are relative then.
    """
    for path, text in _documents(book):
        yield path, schemas.with_address(text, path, base)
    yield from schemas.published(schema_names(book), base)
    yield "data/matrix.csv", matrix_csv(book.index, book.snapshots)
    yield "data/tags.csv", tags_csv(book.documents)
    if book.errors:
        yield "data/errors.csv", errors_csv(book.errors)


def api_archive(texts: Mapping[str, str]) -> bytes:
    """data/api.zip: the documents of all APIs, of the downloads by place."""
    archive = BytesIO()
    with ZipFile(archive, "w", ZIP_DEFLATED) as files:
        for path, text in texts.items():
            if path.startswith("data/api/"):
                # Without the time, so that the same catalog has the same archive.
                files.writestr(ZipInfo(path.removeprefix("data/")), text, ZIP_DEFLATED)
    return archive.getvalue()


def _documents(book: Book) -> Iterator[tuple[str, str]]:
    """(place, text) of every JSON document."""
    names = (f"api/{row.slug}.json" for row in book.index)
    for name in (*names, "index.json", "snapshots.json"):
        yield f"data/{name}", (book.catalog.folder / name).read_text(encoding="utf-8")
    for document in book.documents:
        yield place(document), vectors_text(document, book.protocol.server, book.headers)
    for release in release_documents(book.index, book.snapshots, book.errors, book.protocol):
        yield release_place(release.name), f"{encoded(release).decode('utf-8')}\n"
    yield "data/headers.json", headers_text(book.protocol, book.headers)
    embedded = embedded_profile(KAFKA).embedded if book.protocol.family == KAFKA else ()
    yield "data/layouts.json", layouts_text(book.documents, embedded)
    if book.has_embedded:
        yield "data/negotiation.json", data_text()
    if book.catalog.errors is not None:
        yield "data/errors.json", book.catalog.errors.decode()
