"""The support matrix: the versions of each API, by release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from wirebook.docgen.catalog.addresses import snapshot_slug
from wirebook.docgen.catalog.order import key_order
from wirebook.docgen.catalog.records import IndexRow
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.environment import render
from wirebook.docgen.pages.folders import RELEASES
from wirebook.docgen.pages.page import Heading, Page, root_of
from wirebook.specs.kafka.advisories import Advisory, all_advisories
from wirebook.specs.kafka.brokers import released_brokers
from wirebook.specs.versions import VersionSet


@dataclass(frozen=True, slots=True)
class Column:
    """A release: its name, the one that has its page, and the versions of each API by slug."""

    name: str
    page: str
    served: Mapping[str, str]


def matrix_page(book: Book) -> Page:
    """API by release, newest first; neighboring releases that serve the same share a column.

    Exceptions are listed below.
    """
    path = "matrix/"
    apis = sorted((row for row in book.index if row.is_api), key=lambda api: key_order(api.api_key))
    columns = [
        list(same) for _, same in groupby(_columns(book, apis), key=lambda column: column.served)
    ]
    listeners = list(dict.fromkeys(name for api in apis for name in api.listeners))
    rows = {api.api: api for api in apis}
    known = all_advisories() if book.has_embedded else ()
    advisories = [(advisory, rows[advisory.api]) for advisory in known if advisory.api in rows]
    html = render(
        "matrix.html.jinja",
        root=root_of(path),
        apis=apis,
        columns=columns[::-1],
        listeners=listeners if len(listeners) > 1 else (),
        protocol=book.protocol,
        place=RELEASES,
        slug=snapshot_slug,
        ranges={api.slug: _cells(api, columns) for api in apis},
        notes=_notes(advisories, columns),
        advisories=advisories,
        link=lambda text: book.mentions.linked(text, root_of(path)),
    )
    headings = (Heading("Exceptions", "exceptions", 2),) if advisories else ()
    return Page(path, "Support matrix", html, headings, boost=4.0)


def _columns(book: Book, apis: Sequence[IndexRow]) -> Iterator[Column]:
    """The releases in order, with those of Kafka that differ from their line, such as 4.0.1."""
    slugs = {api.api_key: api.slug for api in apis}
    patches = released_brokers() if book.has_embedded else ()
    names = {snapshot.name for snapshot in book.snapshots}
    for snapshot in book.snapshots:
        served = {
            slug: there.served for slug, there in snapshot.apis.items() if there.served != "none"
        }
        own = {slug: served[slug] for slug in slugs.values() if slug in served}
        yield Column(snapshot.name, snapshot.name, own)
        for broker in patches:
            if broker.release.startswith(f"{snapshot.name}.") and broker.release not in names:
                versions = {
                    slugs[key]: str(each) for key, each in broker.versions.items() if key in slugs
                }
                yield Column(broker.release, snapshot.name, versions)


def _notes(
    advisories: Sequence[tuple[Advisory, IndexRow]], columns: Sequence[Sequence[Column]]
) -> dict[str, list[list[int]]]:
    """For each API with exceptions, by column, newest first: the numbers of those that apply."""
    notes: dict[str, list[list[int]]] = {}
    for number, (advisory, row) in enumerate(advisories, 1):
        cells = notes.setdefault(row.slug, [[] for _ in columns])
        for cell, column in zip(reversed(cells), columns, strict=True):
            if any(advisory.concerns(release.name) for release in column):
                cell.append(number)
    return notes


def _cells(api: IndexRow, columns: Sequence[Sequence[Column]]) -> list[tuple[str, str]]:
    """The (text, class) of the cells of an API, newest first."""
    cells: list[tuple[str, str]] = []
    before = VersionSet.NONE
    for column in columns:
        text = column[-1].served.get(api.slug, "")
        now = VersionSet.parse(text or "none")
        marks = [] if text else ["none"]
        marks += ["new"] if cells and now - before else []
        marks += ["cut"] if before - now else []
        cells.append((text or ("removed" if before else ""), " ".join(marks)))
        before = now
    return cells[::-1]
