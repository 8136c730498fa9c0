"""The page of fields by name: which requests and responses have each, and since when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from wirebook.docgen.catalog.history import fields_by_path
from wirebook.docgen.catalog.records import ApiDocument, FieldRecord, MessageRecord
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.links import Ids, anchor, field_place
from wirebook.docgen.pages.page import Page
from wirebook.docgen.pages.wording import field_release
from wirebook.rules.report.words import grouped
from wirebook.specs.versions import VersionSet


class FieldUse(NamedTuple):
    """A field of a message, the versions of the message that have it, and the release that first
    served one of them as stable.

    `href` is the row of the field in the newest version, from the root.
    """

    document: ApiDocument
    message: MessageRecord
    field: FieldRecord
    versions: str
    release: str
    href: str


def pages(book: Book) -> Iterator[Page]:
    """The page of the names of all fields."""
    ids = Ids()
    uses = chain.from_iterable(map(field_uses, book.apis))
    names = grouped(uses, lambda use: use.field.path.rpartition(".")[2])
    rows = []
    for name in sorted(names, key=str.lower):
        counts = Counter(use.message.name for use in names[name])
        rows.append((name, ids.take(anchor(name)), names[name], counts))
    yield book.page(
        "fields.html.jinja",
        "fields/",
        "Fields by name",
        "For each name, the APIs that have such a field, with the first version and its release.",
        ("cross-reference", "which APIs have the field"),
        section="Protocol",
        after="headers.md",
        names=rows,
    )


def field_uses(document: ApiDocument) -> Iterator[FieldUse]:
    """Every field of the messages of an API, dated by its first stable version."""
    records = {version.version: version for version in document.versions}
    for message in document.messages:
        by_path = fields_by_path(version.layout for version in message.versions.values())
        for field in message.fields:
            if numbers := sorted(by_path.get(field.path, ())):
                versions = VersionSet.of(numbers).text
                release = field_release(field, [records[number] for number in numbers])
                href = field_place(document, message, numbers[-1], field.path)
                yield FieldUse(document, message, field, versions, release, href)
