"""All output of a catalog: generated pages, the data that hand-written pages show, and downloads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from wirebook.docgen.catalog.catalog import Catalog
from wirebook.docgen.catalog.errors import embedded_errors
from wirebook.docgen.catalog.files import encoded
from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import ApiDocument, IndexRow, SnapshotRecord
from wirebook.docgen.render.bytes.headers import ProtocolHeaders
from wirebook.docgen.render.bytes.pages import version_pages
from wirebook.docgen.render.bytes.types import types_page
from wirebook.docgen.render.bytes.vectors import place, vectors_text
from wirebook.docgen.render.data import schemas
from wirebook.docgen.render.data.page import data_page
from wirebook.docgen.render.data.releases import release_documents, release_place
from wirebook.docgen.render.data.tables import errors_csv, matrix_csv, tags_csv
from wirebook.docgen.render.guides.kip_changes import KipChanges, kip_changes
from wirebook.docgen.render.guides.kips import guide_inserts, kip_pages, kip_places
from wirebook.docgen.render.guides.releases import release_guides
from wirebook.docgen.render.interactive.compare import compare_page
from wirebook.docgen.render.interactive.decode import decode_page, headers_text, layouts_text
from wirebook.docgen.render.kit.mentions import Mentions
from wirebook.docgen.render.kit.page import Page
from wirebook.docgen.render.kit.sources import Sources
from wirebook.docgen.render.pages.api import api_page
from wirebook.docgen.render.pages.fields import fields_page
from wirebook.docgen.render.pages.flows import ApiPages, flow_pages
from wirebook.docgen.render.pages.home import front, history_extract, home_extract
from wirebook.docgen.render.pages.levels import level_page
from wirebook.docgen.render.pages.lists import (
    api_index,
    deprecations_page,
    errors_page,
    tags_page,
)
from wirebook.docgen.render.pages.matrix import matrix_page
from wirebook.docgen.render.pages.negotiation import (
    data_text,
    features_page,
    negotiate_page,
)
from wirebook.docgen.render.pages.rulebook import rules_page
from wirebook.docgen.render.pages.snapshots import snapshot_pages
from wirebook.docgen.render.pages.structs import struct_pages
from wirebook.docgen.render.search.entries import Entry, SearchIndex, search_index
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.kips import all_kips
from wirebook.specs.kafka.profile import embedded_profile
from wirebook.specs.reading.tables.errors import DescribedError, read_errors
from wirebook.specs.wire.codec import has_records

# The types of messages that only protocols of the embedded family have.
KEY, VALUE = "coordinator-key", "coordinator-value"
_OF_FAMILY = frozenset(("metadata", KEY, VALUE))


@dataclass(frozen=True)
class Book:
    """A catalog, ready to be rendered; `repository` is the address of the one with its releases, or ""."""

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
        """The error codes as the registry describes them; none if the source has no list of them."""
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
        """Whether what comes with wirebook is about the protocol: clients, servers, proposals, incidents."""
        return bool(self.protocol.family)

    @cached_property
    def is_of_family(self) -> bool:
        """Whether the protocol is of the embedded family, or its specs have types that are that family's."""
        if self.has_embedded:
            return True
        kinds = {document.kind for document in self.documents}
        layouts = (
            version.layout
            for document in self.documents
            for message in document.messages
            for version in message.versions.values()
        )
        return not kinds.isdisjoint(_OF_FAMILY) or any(has_records(layout.fields) for layout in layouts)

    @cached_property
    def kips(self) -> Mapping[int, KipChanges]:
        """What each proposal changed, by its number; none of another protocol."""
        if not self.has_embedded:
            return {}
        return kip_changes(self.documents, self.catalog.levels, self.errors)

    @cached_property
    def mentions(self) -> Mentions:
        """What sentences can lead to."""
        apis = [row for row in self.index if row.is_api]
        kips = {all_kips()[number].name: place for number, place in kip_places(self.kips).items()}
        return Mentions.of(apis, self.errors, self.protocol.links, kips)

    @cached_property
    def slugs(self) -> Mapping[str, str]:
        """The slug of each API and message, by its name; that of the API if a message is called like it."""
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
    def _with_page(self) -> list[ApiDocument]:
        """The documents that have a page of their own."""
        folded = {key.slug for key in self.keys.values()}
        return [document for document in self.documents if document.slug not in folded]

    def pages_of(self, document: ApiDocument) -> Iterator[Page]:
        """The pages of one API or message: its own, and those of versions in bytes."""
        protocol, mentions = self.protocol, self.mentions
        yield api_page(
            document,
            mentions,
            self.errors,
            protocol,
            self.sources.spec,
            self.slugs,
            self.catalog.structs,
            self.keys.get(document.slug),
        )
        yield from version_pages(document, protocol, self.headers, mentions)

    def pages(self) -> Iterator[Page]:
        """Every generated page."""
        protocol, mentions = self.protocol, self.mentions
        yield api_index(self.index)
        for document in self._with_page:
            yield from self.pages_of(document)
        levels = self.catalog.levels
        guides = release_guides(self.snapshots, self.documents, self.errors, protocol)
        yield from snapshot_pages(
            self.index,
            self.snapshots,
            levels,
            protocol,
            guides,
            mentions,
            sources=self.sources,
        )
        yield from level_page(levels, self.documents, protocol, mentions, self.sources)
        yield matrix_page(self.index, self.snapshots, protocol, mentions)
        yield deprecations_page(self.documents, protocol, mentions)
        yield tags_page(self.documents)
        yield fields_page(self.documents)
        of_messages = {
            message.name: document.slug for document in self.documents for message in document.messages
        }
        yield from struct_pages(self.catalog.structs, of_messages, mentions)
        yield data_page(
            self.snapshots,
            protocol,
            names=self.schemas,
            has_errors=bool(self.errors),
        )
        if self.errors or self.has_embedded:
            is_listed = self.catalog.errors not in (None, embedded_errors())
            yield errors_page(self.errors, self.index, protocol, mentions, listed=is_listed)
        yield types_page(with_records=self.is_of_family)
        yield decode_page(self.index, protocol, self.headers, has_errors=bool(self.errors))
        yield compare_page(self.index, self.snapshots, protocol, has_errors=bool(self.errors))
        yield rules_page(
            {row.slug for row in self.index},
            with_incidents=self.has_embedded,
            of_family=self.is_of_family,
        )
        if self.has_embedded:
            yield negotiate_page(self.documents)
            yield features_page(self.documents)
            yield from flow_pages(mentions, ApiPages(self.documents))
            yield from kip_pages(self.kips, mentions, protocol)

    @cached_property
    def sources(self) -> Sources:
        """The addresses of what the pages describe."""
        tags = (each.name for each in self.snapshots if each.kind == "release" and each.commit)
        return Sources(self.repository, frozenset(tags), is_kafka=self.has_embedded)

    def search_index(self) -> SearchIndex:
        """The index of the search, except for pages that are not about a single thing."""
        index = search_index(
            self._with_page,
            self.snapshots,
            self.errors,
            self.catalog.levels,
            self.protocol,
            kip_places(self.kips),
            of_family=self.is_of_family,
        )
        for slug, key in self.keys.items():
            index.entries.append(Entry("message", key.api, f"api/{slug}/", "key", key.purpose, (), 5))
        return index

    def inserts(self) -> dict[str, str]:
        """HTML for the placeholders in hand-written pages, by name."""
        inserts = {
            "history": str(history_extract(self.index, self.snapshots, self.protocol)),
            "home": str(home_extract(self.index, self.snapshots, self.protocol)),
        }
        if not self.has_embedded:
            return {**inserts, "front": str(front(self.index, self.snapshots, self.protocol))}
        return {
            **inserts,
            **guide_inserts(self.kips, self.mentions, self.protocol),
        }

    @property
    def schemas(self) -> Iterable[str]:
        """The names of the JSON Schemas that the site publishes."""
        return schemas.SCHEMAS if self.has_embedded else schemas.OF_SITES

    def downloads(self, base: str = "") -> Iterator[tuple[str, str]]:
        """(place, text) of every file beside the pages.

        `base` is the address of the reference with a slash at its end, or "": links are relative then.
        """
        for path, text in self._documents():
            yield path, schemas.with_address(text, path, base)
        yield from schemas.published(self.schemas, base)
        yield "data/matrix.csv", matrix_csv(self.index, self.snapshots)
        yield "data/tags.csv", tags_csv(self.documents)
        if self.errors:
            yield "data/errors.csv", errors_csv(self.errors)

    def _documents(self) -> Iterator[tuple[str, str]]:
        """(place, text) of every JSON document."""
        for row in self.index:
            name = f"api/{row.slug}.json"
            yield f"data/{name}", (self.catalog.folder / name).read_text(encoding="utf-8")
        for document in self.documents:
            yield place(document), vectors_text(document, self.protocol.server, self.headers)
        for name in ("index.json", "snapshots.json"):
            yield f"data/{name}", (self.catalog.folder / name).read_text(encoding="utf-8")
        releases = release_documents(self.index, self.snapshots, self.errors, self.protocol)
        for release in releases:
            text = encoded(release).decode("utf-8")
            yield release_place(release.name), f"{text}\n"
        yield "data/headers.json", headers_text(self.protocol, self.headers)
        embedded = embedded_profile(KAFKA).embedded if self.protocol.family == KAFKA else ()
        yield "data/layouts.json", layouts_text(self.documents, embedded)
        if self.has_embedded:
            yield "data/negotiation.json", data_text()
        if self.catalog.errors is not None:
            yield "data/errors.json", self.catalog.errors.decode()
