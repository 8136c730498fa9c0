"""A catalog, ready to be rendered: its documents, and what pages need of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from wirebook.docgen.catalog.catalog import Catalog
from wirebook.docgen.catalog.records import ApiDocument, MessageRecord, SnapshotRecord
from wirebook.docgen.pages.advisories import Advisory, all_advisories
from wirebook.docgen.pages.environment import render
from wirebook.docgen.pages.headers import ProtocolHeaders
from wirebook.docgen.pages.kip_mentions import Mentioned, kip_mentions, kip_place
from wirebook.docgen.pages.links import anchor
from wirebook.docgen.pages.mentions import Linker, Mentions
from wirebook.docgen.pages.page import Page, root_of
from wirebook.docgen.pages.proposals import all_kips
from wirebook.docgen.pages.sources import Sources
from wirebook.rules.diff.layouts import SENTENCES
from wirebook.specs.kafka.brokers import Broker, kafka_releases
from wirebook.specs.kafka.registry import embedded_errors
from wirebook.specs.numbers import DescribedError, read_errors
from wirebook.specs.versions import Versions, VersionSet

# The types of messages that only protocols of the embedded family have.
KEY = "coordinator-key"
VALUE = "coordinator-value"
_OF_FAMILY = frozenset(("metadata", KEY, VALUE))


# How the sentence on another header begins.
_HEADER = SENTENCES["header-version"].partition("{")[0]


def _without_headers(message: MessageRecord) -> MessageRecord:
    versions = {}
    for number, version in message.versions.items():
        layout = version.layout._replace(header_version=None)
        changes = tuple(text for text in version.changes if not text.startswith(_HEADER))
        versions[number] = replace(version, layout=layout, header_version=None, changes=changes)
    return replace(message, versions=versions)


@dataclass(frozen=True)
class Book(Catalog):
    """A catalog, ready to be rendered; `repository` is the address of the one with its releases, or
    ""."""

    repository: str = ""

    @property
    def has_embedded(self) -> bool:
        """Whether clients, servers and proposals that come with wirebook are about it."""
        return bool(self.protocol.family)

    @cached_property
    def released(self) -> tuple[SnapshotRecord, ...]:
        """The releases; of a protocol without any, its specs as they are."""
        return tuple(each for each in self.snapshots if each.kind != "source") or self.snapshots

    def patches(self, line: str) -> list[Broker]:
        """The releases of Kafka that serve other versions than the first one of their line, which
        the book has, such as 4.0.1; none if the book has them, too."""
        if not self.has_embedded:
            return []
        names = {each.name for each in self.snapshots}
        of_line = [
            each for each in kafka_releases().released if each.release.startswith(f"{line}.")
        ]
        return [each for each in of_line if each.release not in names]

    def serving(self, document: ApiDocument, *, unstable: bool = False) -> dict[str, VersionSet]:
        """The versions of an API that each release serves, oldest first: stable ones, or all."""
        served = {}
        for each in document.presence:
            served[each.snapshot] = VersionSet.parse(each.versions) if unstable else each.stable
            if document.is_api and document.api_key is not None:
                for broker in self.patches(each.snapshot):
                    versions = broker.versions.get(document.api_key, Versions.NONE)
                    served[broker.release] = VersionSet.union(versions)
        return served

    def patched(self, line: str) -> dict[str, dict[str, str]]:
        """The versions that other releases of a line serve otherwise than its first one, by release
        and API."""
        patched: dict[str, dict[str, str]] = {}
        for broker in self.patches(line):
            for document in self.apis:
                served = self.serving(document)
                if served[broker.release] != served[line]:
                    of_release = patched.setdefault(broker.release, {})
                    of_release[document.slug] = str(served[broker.release])
        return patched

    @cached_property
    def documents(self) -> tuple[ApiDocument, ...]:
        """The documents. They name the headers of messages only if a spec describes these."""
        documents = super().documents
        known = {kind for kind, _ in ProtocolHeaders.of(documents, self.protocol).by_version}

        def described(document: ApiDocument) -> ApiDocument:
            messages = (
                each if each.type in known else _without_headers(each) for each in document.messages
            )
            return replace(document, messages=tuple(messages))

        return tuple(map(described, documents))

    @cached_property
    def apis(self) -> list[ApiDocument]:
        """The documents of requests with their responses."""
        return [document for document in self.documents if document.is_api]

    @cached_property
    def messages(self) -> list[tuple[ApiDocument, MessageRecord]]:
        """All messages, each with its document."""
        return [(document, each) for document in self.documents for each in document.messages]

    @cached_property
    def errors(self) -> tuple[DescribedError, ...]:
        """The error codes as the table describes them, each with the APIs that name it."""
        text = self.error_table
        if text is None:
            return ()
        apis: dict[str, list[str]] = {}
        for document in self.documents:
            for returned in document.errors:
                apis.setdefault(returned.name, []).append(document.api)
        errors = []
        for error in read_errors(text, "the table of errors"):
            named = dict.fromkeys((*error.apis, *apis.get(error.name, ())))
            errors.append(replace(error, apis=tuple(named)))
        if self.protocol.extends and text == embedded_errors():
            # It names the releases of Kafka that introduced the codes.
            errors = [replace(error, first_release=None) for error in errors]
        return tuple(errors)

    @cached_property
    def advisories(self) -> list[tuple[Advisory, ApiDocument]]:
        """What is known of releases that deviate, each with its API; of Kafka only."""
        documents = {document.api: document for document in self.documents}
        known = all_advisories() if self.has_embedded else ()
        return [(each, documents[each.api]) for each in known if each.api in documents]

    @cached_property
    def headers(self) -> ProtocolHeaders:
        """The headers before requests and responses."""
        return ProtocolHeaders.of(self.documents, self.protocol)

    @cached_property
    def is_of_family(self) -> bool:
        """Whether the protocol is of the embedded family, or its specs have types that are that
        family's."""
        kinds = {document.kind for document in self.documents}
        types = {field.spec_type for _, message in self.messages for field in message.fields}
        return self.has_embedded or not kinds.isdisjoint(_OF_FAMILY) or "records" in types

    @cached_property
    def kips(self) -> Mentioned:
        """What names each proposal, by its number; nothing of another protocol."""
        if not self.has_embedded:
            return {}
        return kip_mentions(self.documents, self.levels, self.errors)

    @cached_property
    def kip_places(self) -> dict[int, str]:
        """Where each proposal is, from the root of the reference."""
        return {number: kip_place(all_kips()[number], found) for number, found in self.kips.items()}

    @cached_property
    def mentions(self) -> Mentions:
        """What sentences can lead to."""
        places = {row.api: f"api/{row.slug}/" for row in self.index if row.is_api}
        places |= {error.name: f"errors/#{anchor(error.name)}" for error in self.errors}
        places |= {all_kips()[number].name: place for number, place in self.kip_places.items()}
        return Mentions(places, self.protocol.links)

    @cached_property
    def keys(self) -> Mapping[str, ApiDocument]:
        """The key of each record by the slug of its value, whose page has it."""
        values = {each.api: each.slug for each in self.documents if each.kind == VALUE}
        keys = {}
        for document in self.documents:
            value = f"{document.api.removesuffix('Key')}Value"
            if document.kind == KEY and value in values:
                keys[values[value]] = document
        return keys

    @cached_property
    def with_page(self) -> list[ApiDocument]:
        """The documents that have a page of their own."""
        folded = {key.slug for key in self.keys.values()}
        return [document for document in self.documents if document.slug not in folded]

    def has_version_pages(self, document: ApiDocument) -> bool:
        """Whether versions have pages of their own: in the embedded family, those of APIs only."""
        return document.is_api or not self.has_embedded

    def page(
        self,
        template: str,
        path: str,
        title: str,
        description: str = "",
        words: tuple[str, ...] = (),
        section: str = "",
        after: str = "",
        **values: Any,
    ) -> Page:
        """The page that a template renders from the values, the `title`, the `root` of the path,
        the function `link`, the `protocol` and this `book`."""
        root = root_of(path)
        given = {"title": title, "root": root, "link": partial(self.mentions.linked, root=root)}
        given |= {"protocol": self.protocol, "book": self, **values}
        return Page(path, title, render(template, **given), description, words, section, after)

    def linker(self, document: ApiDocument, path: str) -> Linker:
        """What makes links of names and numbers in the texts of a document on a page, and adds
        their sources."""
        cited = {each.text: each for each in document.cited}
        return Linker(self.mentions, root_of(path), document.api, cited)

    @cached_property
    def sources(self) -> Sources:
        """The addresses of what the pages describe."""
        tags = (each.name for each in self.snapshots if each.kind == "release" and each.commit)
        return Sources(self.repository, frozenset(tags), is_kafka=self.has_embedded)
