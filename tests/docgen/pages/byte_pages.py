"""Documents of a few specs, as far as the pages of bytes need them, without the pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.kafka import read_kafka
from wirebook.docgen.catalog.catalog import Manifest
from wirebook.docgen.catalog.protocol import (
    NEUTRAL_PROTOCOL,
    ProtocolRecord,
    protocol_record,
)
from wirebook.docgen.catalog.records import (
    ApiDocument,
    FieldRecord,
    LayoutOrigin,
    MessageRecord,
    MessageVersion,
    Tool,
    VersionRecord,
)
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.page import Page
from wirebook.docgen.pages.version import sections, version_pages
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.profile import embedded_profile
from wirebook.specs.kafka.registry import FOLDER, embedded_path, embedded_paths
from wirebook.specs.kafka.texts import with_texts
from wirebook.specs.layout import layouts
from wirebook.specs.model import Message
from wirebook.specs.profile import SiteProfile
from wirebook.specs.reader import read_message

KAFKA_PROTOCOL = protocol_record(embedded_profile(KAFKA), SiteProfile(), is_embedded=True)


def embedded(*names: str) -> list[Message]:
    """Embedded specs by name; without a name all of them."""
    paths = [embedded_path(name) for name in names] or embedded_paths()
    return [with_texts(read_kafka(path.read_bytes(), path.name)) for path in paths]


def foo() -> list[Message]:
    """KIP-482's example."""
    paths = sorted((FOLDER / "examples").glob("*.json"))
    return [read_message(path.read_bytes(), path.name) for path in paths]


def document(messages: Sequence[Message]) -> ApiDocument:
    """The document of an API as the catalog has it; its lifecycle is left out."""
    flexible: dict[int, bool] = {}
    records: list[MessageRecord] = []
    for message in messages:
        versions = {}
        for of in layouts(message):
            flexible[of.version] = of.flexible
            origin = LayoutOrigin("here", message.path, 1)
            versions[of.version] = MessageVersion(of, of.header_version, (), (), "", origin, ())
        walked = {each.path: each for of in layouts(message) for each in of.walk()}
        fields = tuple(
            FieldRecord(path, (), each.spec_type, "", each.tag, "", False, None, ())
            for path, each in walked.items()
        )
        records.append(MessageRecord(message.name, message.type, versions, fields, ()))
    name = messages[0].name.removesuffix("Request")
    return ApiDocument(
        api=name,
        slug="foo" if name == "Foo" else name.lower(),
        former_names=(),
        api_key=messages[0].api_key,
        kind="api",
        purpose="",
        listeners=(),
        removed=False,
        lifecycle=(),
        newest_stable=max(flexible),
        presence=(),
        versions=tuple(
            VersionRecord(number, flexible[number], "current", (), "", ())
            for number in sorted(flexible, reverse=True)
        ),
        messages=tuple(records),
    )


def version_pages_of(
    document: ApiDocument, protocol: ProtocolRecord = NEUTRAL_PROTOCOL
) -> list[Page]:
    """The pages of the versions of a document, in a catalog of its own."""
    book = Book(Path(), Manifest(Tool("", ""), ()))
    vars(book).update(protocol=protocol, error_table=None, index=(), levels=(), snapshots=())
    vars(book).update(documents=(document,))
    return list(version_pages(document, book, list(sections(document, book))))
