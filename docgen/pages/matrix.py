"""The support matrix: the versions of each API, by release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from wirebook.docgen.catalog.records import ApiDocument
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.links import anchor
from wirebook.docgen.pages.page import Page
from wirebook.specs.versions import VersionSet


class Release(NamedTuple):
    """A release, the one that has its page, and the place there: 4.0.1 is on that of 4.0."""

    name: str
    page: str
    place: str = ""


class Cell(NamedTuple):
    """The versions of an API in a column, what changed, and the numbers of exceptions."""

    text: str
    kind: str
    notes: list[int]


def pages(book: Book) -> Iterator[Page]:
    """API by release, newest first; neighboring releases that serve the same share a column.
    Exceptions are listed below."""
    apis = [document for document in book.documents if document.is_api]
    served = {document.slug: dict(book.serving(document)) for document in apis}
    releases = []
    for snapshot in book.snapshots:
        line, other = snapshot.name, book.patched(snapshot.name)
        releases.append(Release(line, line))
        for name in (each.release for each in book.patches(line)):
            releases.append(Release(name, line, f"#at-{anchor(name)}" if name in other else ""))
    columns = [
        list(same)
        for _, same in groupby(
            releases, lambda release: [of_api.get(release.name) for of_api in served.values()]
        )
    ]
    listeners = list(dict.fromkeys(name for api in apis for name in api.listeners))
    yield book.page(
        "matrix.html.jinja",
        "matrix/",
        "Support matrix",
        section="Protocol",
        apis=apis,
        columns=columns[::-1],
        listeners=listeners if len(listeners) > 1 else (),
        cells={api.slug: list(_cells(book, api, columns, served[api.slug])) for api in apis},
    )


def _cells(
    book: Book,
    api: ApiDocument,
    columns: Sequence[Sequence[Release]],
    served: Mapping[str, VersionSet],
) -> Iterator[Cell]:
    """The cells of an API, oldest first."""
    before = VersionSet.NONE
    for column in columns:
        now = served[column[-1].name]
        marks = [] if now else ["none"]
        if now - before and column is not columns[0]:
            marks.append("new")
        if before - now:
            marks.append("cut")
        absent = "removed" if before else ""
        notes = [
            number
            for number, (advisory, document) in enumerate(book.advisories, 1)
            if document is api and any(advisory.concerns(release.name) for release in column)
        ]
        yield Cell(str(now) if now else absent, " ".join(marks), notes)
        before = now
