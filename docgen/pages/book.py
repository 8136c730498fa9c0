"""A catalog, ready to be rendered: its documents, and what pages need of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from wirebook.docgen.catalog.catalog import Catalog
from wirebook.docgen.catalog.errors import embedded_errors
from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import ApiDocument, IndexRow, SnapshotRecord
from wirebook.docgen.pages.headers import ProtocolHeaders
from wirebook.docgen.pages.kip_mentions import Mentioned, kip_mentions, kip_place
from wirebook.docgen.pages.mentions import Linker, Mentions
from wirebook.docgen.pages.search import Entry, SearchIndex, search_index
from wirebook.docgen.pages.sources import Sources
from wirebook.specs.kafka.kips import all_kips
from wirebook.specs.reading.tables.errors import DescribedError, read_errors

# The types of messages that only protocols of the embedded family have.
KEY, VALUE = "coordinator-key", "coordinator-value"
_OF_FAMILY = frozenset(("metadata", KEY, VALUE))


@dataclass(frozen=True)
class Book:
    """A catalog, ready to be rendered; `repository` is the address of the one with its releases, or
    ""."""

    catalog: Catalog
    repository: str = ""

    @classmethod
    def of(cls, folder: Path, repository: str = "") -> Book:
        """The book of a catalog folder; raises InputError if there is none."""
        return cls(Catalog.open(folder), repository)

    @property
    def index(self) -> tuple[IndexRow, ...]:
        """A row for every API and other message."""
        return self.catalog.index

    @property
    def snapshots(self) -> tuple[SnapshotRecord, ...]:
        """Every snapshot, in order."""
        return self.catalog.snapshots

    @cached_property
    def errors(self) -> tuple[DescribedError, ...]:
        """The error codes as the registry describes them; none if the source has no list of
        them."""
        text = self.catalog.errors
        errors = () if text is None else read_errors(text, "the table of errors")
        if self.protocol.extends and text == embedded_errors():
            # The table names the releases of Kafka that introduced the codes.
            errors = tuple(replace(error, first_release=None) for error in errors)
        apis: dict[str, list[str]] = {}
        for document in self.documents:
            for name in dict.fromkeys(error.name for error in document.errors):
                apis.setdefault(name, []).append(document.api)
        return tuple(
            replace(error, apis=tuple(dict.fromkeys((*error.apis, *apis.get(error.name, ())))))
            for error in errors
        )

    @cached_property
    def documents(self) -> tuple[ApiDocument, ...]:
        """The document of every API, in the order of the index."""
        return tuple(self.catalog.apis())

    @cached_property
    def headers(self) -> ProtocolHeaders:
        """The headers before requests and responses."""
        return ProtocolHeaders.of(self.documents, self.protocol)

    @property
    def protocol(self) -> ProtocolRecord:
        """How the protocol presents itself."""
        return self.catalog.protocol

    @property
    def has_embedded(self) -> bool:
        """Whether what comes with wirebook is about the protocol: clients, servers, proposals,
        incidents."""
        return bool(self.protocol.family)

    @cached_property
    def is_of_family(self) -> bool:
        """Whether the protocol is of the embedded family, or its specs have types that are that
        family's."""
        if self.has_embedded:
            return True
        kinds = {document.kind for document in self.documents}
        layouts = (
            version.layout
            for document in self.documents
            for message in document.messages
            for version in message.versions.values()
        )
        return not kinds.isdisjoint(_OF_FAMILY) or any(
            field.type.endswith("RECORDS") for layout in layouts for field in layout.walk()
        )

    @cached_property
    def kips(self) -> Mentioned:
        """What names each proposal, by its number; nothing of another protocol."""
        if not self.has_embedded:
            return {}
        return kip_mentions(self.documents, self.catalog.levels, self.errors)

    @cached_property
    def kip_places(self) -> dict[int, str]:
        """Where each proposal is, from the root of the reference."""
        return {number: kip_place(all_kips()[number], found) for number, found in self.kips.items()}

    @cached_property
    def mentions(self) -> Mentions:
        """What sentences can lead to."""
        apis = [row for row in self.index if row.is_api]
        kips = {all_kips()[number].name: place for number, place in self.kip_places.items()}
        return Mentions.of(apis, self.errors, self.protocol.links, kips)

    @cached_property
    def slugs(self) -> Mapping[str, str]:
        """The slug of each API and message, by its name; that of the API if a message is called
        like it."""
        return {row.api: row.slug for row in reversed(self.index)}

    @cached_property
    def keys(self) -> Mapping[str, ApiDocument]:
        """The key of each record by the slug of its value, whose page has it."""
        keys = {document.api: document for document in self.documents if document.kind == KEY}
        names = (
            (document.slug, f"{document.api.removesuffix('Value')}Key")
            for document in self.documents
            if document.kind == VALUE
        )
        return {slug: keys[name] for slug, name in names if name in keys}

    @cached_property
    def with_page(self) -> list[ApiDocument]:
        """The documents that have a page of their own."""
        folded = {key.slug for key in self.keys.values()}
        return [document for document in self.documents if document.slug not in folded]

    def has_version_pages(self, document: ApiDocument) -> bool:
        """Whether versions have pages of their own: in the embedded family, those of APIs only."""
        return document.is_api or not self.protocol.family

    def linker(self, document: ApiDocument, root: str) -> Linker:
        """What makes links of names and numbers in the texts of a document, and adds their
        sources."""
        return Linker(
            self.mentions, root, document.api, {each.text: each for each in document.cited}
        )

    @cached_property
    def sources(self) -> Sources:
        """The addresses of what the pages describe."""
        tags = (each.name for each in self.snapshots if each.kind == "release" and each.commit)
        return Sources(self.repository, frozenset(tags), is_kafka=self.has_embedded)

    def search_index(self) -> SearchIndex:
        """The index of the search, except for pages that are not about a single thing."""
        index = search_index(
            self.with_page,
            self.snapshots,
            self.errors,
            self.catalog.levels,
            self.protocol,
            self.kip_places,
            of_family=self.is_of_family,
        )
        for slug, key in self.keys.items():
            index.entries.append(
                Entry("message", key.api, f"api/{slug}/", "key", key.purpose, (), 5)
            )
        return index
