"""The page of protocol levels: what each introduced, and the release that first shipped it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wirebook.docgen.catalog.addresses import snapshot_slug
from wirebook.docgen.catalog.order import key_order
from wirebook.docgen.catalog.protocol import LevelRecord, ProtocolRecord
from wirebook.docgen.catalog.records import ApiDocument
from wirebook.docgen.render.kit.environment import render
from wirebook.docgen.render.kit.folders import LEVELS, RELEASES
from wirebook.docgen.render.kit.links import Ids, anchor
from wirebook.docgen.render.kit.mentions import Mentions
from wirebook.docgen.render.kit.page import Page, root_of
from wirebook.docgen.render.kit.sources import NO_SOURCES, Sources
from wirebook.specs.versions import VersionSet


@dataclass(frozen=True, slots=True)
class Introduced:
    """The versions of an API that a level added."""

    document: ApiDocument
    versions: VersionSet

    @property
    def count(self) -> int:
        """How many versions these are."""
        return len(self.versions)


def level_page(
    levels: Sequence[LevelRecord],
    documents: Sequence[ApiDocument],
    protocol: ProtocolRecord,
    mentions: Mentions,
    sources: Sources = NO_SOURCES,
) -> Iterator[Page]:
    """The page of all levels, newest first; nothing if the protocol has none.

    A server of a release has all levels of the release: which versions it serves is on the page of that.
    """
    if not levels:
        return
    ids = Ids()
    html = render(
        "levels.html.jinja",
        root=root_of(LEVELS),
        levels=levels[::-1],
        sources={level.version: sources.level(level.version) for level in levels},
        introduced={level.version: introduced(level, documents) for level in levels},
        linked=mentions.linked,
        protocol=protocol,
        releases=RELEASES,
        slug=snapshot_slug,
        anchor_of={level.version: ids.take(f"at-{anchor(snapshot_slug(level.version))}") for level in levels},
    )
    yield Page(LEVELS, f"{protocol.level_title}s", html, boost=1.5)


def introduced(level: LevelRecord, documents: Sequence[ApiDocument]) -> list[Introduced]:
    """The versions that specs date to a level, by the keys of their APIs; messages that are not APIs last."""
    added = []
    for document in documents:
        numbers = [
            version.version
            for version in document.versions
            for event in version.events
            if event.event == "added" and event.since.api_version == level.version
        ]
        if numbers:
            added.append(Introduced(document, VersionSet.of(numbers)))
    return sorted(
        added,
        key=lambda each: (not each.document.is_api, key_order(each.document.api_key), each.document.api),
    )
