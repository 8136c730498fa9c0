"""A version as pages show it: fields, grammar and bytes of messages, and who serves it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from operator import attrgetter

from markupsafe import Markup

from wirebook.docgen.catalog.records import (
    UNRELEASED,
    ApiDocument,
    MessageRecord,
    MessageVersion,
    VersionRecord,
)
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.examples import CASES, fullest, header
from wirebook.docgen.pages.field_table import TableRow, field_rows
from wirebook.docgen.pages.fields import FieldUse, field_uses
from wirebook.docgen.pages.hexview import (
    HexPart,
    Keys,
    Range,
    frame_part,
    grammar_block,
    ranges,
)
from wirebook.docgen.pages.links import version_anchor
from wirebook.docgen.pages.page import Page
from wirebook.docgen.pages.wording import (
    change_text,
    lifecycle_words,
    runs,
)
from wirebook.peers.known import known_clients
from wirebook.rules.report.words import grouped
from wirebook.specs.codec import read
from wirebook.specs.embedded import with_records
from wirebook.specs.kafka.texts import ErrorText
from wirebook.specs.layout import Layout
from wirebook.specs.model import MessageValue
from wirebook.specs.numbers import DescribedError
from wirebook.specs.spans import WireError
from wirebook.specs.versions import Versions, VersionSet

_TITLES = {"request": "Request", "response": "Response"}


@dataclass(frozen=True, slots=True)
class Example:
    """A message with plausible values: its size with the frame, range by range, and as a value;
    `prefix` begins the ids of its ranges."""

    about: str
    size: int
    prefix: str
    parts: Sequence[tuple[HexPart, Sequence[Range]]]
    value: MessageValue


@dataclass(frozen=True, slots=True)
class Part:
    """One message of a version; `refused` is why there is no example."""

    title: str
    id: str
    message: MessageRecord
    form: MessageVersion
    rows: Sequence[TableRow]
    grammar: Markup
    example: Example | None
    refused: str


@dataclass(frozen=True, slots=True)
class Section:
    """A version: what happened to it, what it changed, and its messages."""

    state: str
    record: VersionRecord
    parts: Sequence[Part]
    events: Sequence[str]
    changes: Sequence[tuple[str, str]]
    served: str
    clients: Sequence[str]

    @property
    def number(self) -> int:
        """Its number."""
        return self.record.version

    @property
    def id(self) -> str:
        """Its anchor."""
        return f"v{self.number}"


@dataclass(frozen=True, slots=True)
class PageError:
    """An error code of the page: what it means anywhere, and here."""

    code: DescribedError
    text: ErrorText

    def is_of(self, version: int) -> bool:
        """Whether responses of a version may have it."""
        return not self.text.versions or version in self.text.versions


def sections(document: ApiDocument, book: Book) -> Iterator[Section]:
    """Every version, newest first."""
    serving = book.serving(document, unstable=True)
    for snapshot in book.snapshots:
        if snapshot not in book.released:
            serving.pop(snapshot.name, None)
    uses: dict[str, dict[str, FieldUse]] = {each.name: {} for each in document.messages}
    for use in field_uses(document):
        uses[use.message.name][use.field.path] = use
    spoken = _spoken(document, book)
    for record in document.versions:
        number = record.version
        parts = [
            _part(message, number, uses[message.name], book)
            for message in document.messages
            if number in message.versions
        ]
        having = runs((name, number in versions) for name, versions in serving.items())
        by = ", ".join(names for names, is_served in having if is_served)
        yield Section(
            UNRELEASED if record.state == "current" and not by else record.state,
            record,
            parts,
            lifecycle_words(record.events),
            [("", record.about)] if record.about else _changes(parts),
            by,
            [client for client, versions in spoken.items() if number in versions],
        )


def version_pages(document: ApiDocument, book: Book, made: Sequence[Section]) -> Iterator[Page]:
    """The page of each version."""
    if not book.has_version_pages(document):
        return
    chosen = choices(document, book)
    returned = page_errors(document, book)
    for section, older in zip_longest(made, made[1:]):
        path = f"api/{document.slug}/{section.id}/"
        yield book.page(
            "version.html.jinja",
            path,
            f"{document.api} {section.number}",
            f"{document.api} version {section.number}: its fields, grammar, bytes and errors.",
            document=document,
            version=section,
            sections=made,
            choices=chosen,
            older=older,
            errors=[error for error in returned if error.is_of(section.number)],
            link=book.linker(document, path),
        )


def page_errors(document: ApiDocument, book: Book) -> list[PageError]:
    """The error codes of an API by number: those of its texts and of the table."""
    described = grouped(document.errors, attrgetter("name"))
    errors = []
    for code in sorted(book.errors, key=attrgetter("code")):
        if document.api in code.apis:
            of_table = ErrorText(code.name, Versions.NONE, "", code.about, "", "")
            texts = described.get(code.name, [of_table])
            errors += [PageError(code, text) for text in texts]
    return errors


def choices(document: ApiDocument, book: Book) -> list[tuple[str, VersionSet]]:
    """What a reader may choose once, with its versions of an API: releases, then clients."""
    known = VersionSet.of(record.version for record in document.versions)
    chosen = list(book.serving(document).items())[::-1]
    for client, versions in _spoken(document, book).items():
        chosen.append((client, known & VersionSet((versions,))))
    return [(name, versions) for name, versions in chosen if versions]


def _spoken(document: ApiDocument, book: Book) -> dict[str, Versions]:
    """The versions of an API that each known client has."""
    key = document.api_key
    if not book.has_embedded or not document.is_api or key is None:
        return {}
    return {
        client.name: client.versions[key]
        for client in known_clients().values()
        if client.versions and key in client.versions
    }


def _part(message: MessageRecord, number: int, uses: Mapping[str, FieldUse], book: Book) -> Part:
    form = message.versions[number]
    layout = form.layout
    name = message.type if message.type in _TITLES else "message"
    keys = Keys(name[2])  # "q", "s"
    prefix = version_anchor(number, message.type if message.type == "response" else "")
    rows = list(field_rows(layout, uses, prefix, keys))
    headed = book.headers.before(layout)
    grammars = [] if headed is None else [grammar_block(headed, "header", keys)]
    grammars.append(grammar_block(layout, "body", keys))
    try:
        example, refused = _example(layout, headed, keys, book, name), ""
    except WireError as error:
        example, refused = None, str(error)
    return Part(
        _TITLES.get(message.type, message.name),
        version_anchor(number, message.type),
        message,
        form,
        rows,
        Markup("\n\n").join(grammars),
        example,
        refused,
    )


def _changes(parts: Sequence[Part]) -> list[tuple[str, str]]:
    """(whose, what changed) for the messages of a version; "" if it applies to all of them."""
    changes = [(part.title, change_text(part.form)) for part in parts]
    changes = [(whose, text) for whose, text in changes if text]
    is_same = len({text for _, text in changes}) == 1
    return [("", changes[0][1])] if is_same else changes


def _example(layout: Layout, headed: Layout | None, keys: Keys, book: Book, prefix: str) -> Example:
    """The fullest example of a message. Raises WireError if it has none."""
    case = fullest(layout)
    spans = read(layout, case.body).spans
    if book.is_of_family:
        spans = [inner for span in spans for inner in with_records(span)]
    head = header(layout, case.name, book.headers)
    parts = [HexPart("body", "Body" if head else "Message", case.body, spans)]
    if headed and head:
        title = f"{layout.type.capitalize()} header v{headed.version}"
        parts.insert(0, HexPart("header", title, head.body, read(headed, head.body).spans))
        parts.insert(0, frame_part(len(head.body) + len(case.body)))
    return Example(
        CASES[case.name],
        sum(len(part.data) for part in parts),
        prefix,
        list(ranges(parts, keys)),
        case.value,
    )
