"""The support matrix: the versions of each API, by release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from wirebook.docgen.catalog.records import ApiDocument
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.links import anchor, release_page
from wirebook.docgen.pages.page import Page
from wirebook.specs.versions import VersionSet


class Cell(NamedTuple):
    """The versions of an API in a column, what changed, and the numbers of exceptions."""

    text: str
    kind: str
    notes: list[int]


def pages(book: Book) -> Iterator[Page]:
    """API by release, newest first; neighboring releases that serve the same share a column.
    Exceptions are listed below."""
    places = _places(book)
    served = {document.slug: book.serving(document) for document in book.apis}

    def of_release(name: str) -> list[VersionSet | None]:
        return [of_api.get(name) for of_api in served.values()]

    columns = [list(alike) for _, alike in groupby(places, of_release)]
    listeners = list(dict.fromkeys(name for api in book.apis for name in api.listeners))
    yield book.page(
        "matrix.html.jinja",
        "matrix/",
        "Support matrix",
        section="Protocol",
        places=places,
        columns=columns[::-1],
        listeners=listeners if len(listeners) > 1 else (),
        cells={api.slug: list(_cells(book, api, columns, served[api.slug])) for api in book.apis},
    )


def _places(book: Book) -> dict[str, str]:
    """The place of each release from the root: 4.0.1 is on the page of 4.0."""
    places = {}
    for snapshot in book.snapshots:
        page = release_page(snapshot.name)
        patched = book.patched(snapshot.name)
        places[snapshot.name] = page
        for broker in book.patches(snapshot.name):
            name = broker.release
            places[name] = f"{page}#at-{anchor(name)}" if name in patched else page
    return places


def _cells(
    book: Book,
    api: ApiDocument,
    columns: Sequence[Sequence[str]],
    served: Mapping[str, VersionSet],
) -> Iterator[Cell]:
    """The cells of an API, oldest first."""
    before = VersionSet.NONE
    for column in columns:
        now = served[column[-1]]
        marks = [] if now else ["none"]
        if now - before and column is not columns[0]:
            marks.append("new")
        if before - now:
            marks.append("cut")
        notes = [
            number
            for number, (advisory, document) in enumerate(book.advisories, 1)
            if document is api and any(map(advisory.concerns, column))
        ]
        yield Cell(now.text or ("removed" if before else ""), " ".join(marks), notes)
        before = now
