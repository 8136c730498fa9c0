"""The support matrix: the versions of each API, by release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from wirebook.docgen.catalog.records import IndexRow
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.page import Page, page_of
from wirebook.specs.versions import VersionSet


@dataclass(frozen=True, slots=True)
class Column:
    """A release: its name, the one that has its page, and the versions of each API by slug."""

    name: str
    page: str
    served: Mapping[str, str]


@dataclass(slots=True)
class Cell:
    """The versions of an API in a column, what changed, and the numbers of exceptions."""

    text: str
    kind: str
    notes: list[int]


def pages(book: Book) -> Iterator[Page]:
    """API by release, newest first; neighboring releases that serve the same share a column.
    Exceptions are listed below."""
    path = "matrix/"
    apis = [row for row in book.index if row.is_api]
    columns = [
        list(same) for _, same in groupby(_columns(book, apis), key=lambda column: column.served)
    ]
    listeners = list(dict.fromkeys(name for api in apis for name in api.listeners))
    cells = {api.slug: _cells(api, columns) for api in apis}
    for number, (advisory, document) in enumerate(book.advisories, 1):
        for cell, column in zip(cells[document.slug], columns, strict=True):
            if any(advisory.concerns(release.name) for release in column):
                cell.notes.append(number)
    yield page_of(
        "matrix.html.jinja",
        path,
        "Support matrix",
        section="Protocol",
        apis=apis,
        columns=columns[::-1],
        listeners=listeners if len(listeners) > 1 else (),
        protocol=book.protocol,
        cells=cells,
        advisories=book.advisories,
        link=book.link(path),
    )


def _columns(book: Book, apis: Sequence[IndexRow]) -> Iterator[Column]:
    """The releases in order, with those of Kafka that differ from their line, such as 4.0.1."""
    slugs = {api.api_key: api.slug for api in apis}
    for snapshot in book.snapshots:
        served = {}
        for api in apis:
            there = snapshot.apis.get(api.slug)
            if there is not None and there.served != "none":
                served[api.slug] = there.served
        yield Column(snapshot.name, snapshot.name, served)
        for broker in book.patches(snapshot.name):
            versions = {
                slugs[key]: str(each) for key, each in broker.versions.items() if key in slugs
            }
            yield Column(broker.release, snapshot.name, versions)


def _cells(api: IndexRow, columns: Sequence[Sequence[Column]]) -> list[Cell]:
    """The cells of an API, oldest first."""
    cells: list[Cell] = []
    before = VersionSet.NONE
    for column in columns:
        text = column[-1].served.get(api.slug, "")
        now = VersionSet.parse(text or "none")
        marks = [] if text else ["none"]
        marks += ["new"] if cells and now - before else []
        marks += ["cut"] if before - now else []
        cells.append(Cell(text or ("removed" if before else ""), " ".join(marks), []))
        before = now
    return cells
