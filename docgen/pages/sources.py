"""Where the source of a statement is in a repository: specs, code, releases and protocol levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from urllib.parse import quote

from wirebook.docgen.catalog.records import LayoutOrigin, SnapshotRecord
from wirebook.specs.kafka.origins import (
    REPOSITORY,
    citations,
    code_place,
    level_place,
    release_address,
)


@dataclass(frozen=True, slots=True)
class Sources:
    """The addresses of what a site describes, in its repository or in Apache Kafka's.

    `repository` is the address of the repository of the releases, as GitHub and GitLab write it, or
    ""; `tags` are those of its tags that the site shows. A site about Apache Kafka's protocol
    `is_kafka`.
    """

    repository: str = ""
    tags: frozenset[str] = frozenset()
    is_kafka: bool = False

    @property
    def _root(self) -> str:
        if self.is_kafka:
            return REPOSITORY
        return self.repository.removesuffix("/").removesuffix(".git")

    def spec(self, origin: LayoutOrigin) -> str:
        """The address of the file that a layout was read from, without its line; "" if unknown. The
        snapshots of a history have the names of their tags."""
        tag = origin.release or origin.snapshot
        if not self._root or (tag not in self.tags and not origin.release):
            return ""
        return f"{self._root}/blob/{quote(tag)}/{quote(origin.path)}"

    def snapshot(self, snapshot: SnapshotRecord) -> str:
        """The address of a release's commit; "" if unknown."""
        if self.is_kafka:
            return release_address(snapshot.name)
        is_tag = snapshot.name in self.tags and snapshot.commit
        return f"{self._root}/commit/{snapshot.commit}" if is_tag and self._root else ""

    def level(self, name: str) -> str:
        """The address of the code that defines a level of Apache Kafka's; "" if unknown."""
        place = level_place(name) if self.is_kafka else None
        return place.address if place else ""


@cache
def cited_parts(source: str) -> Sequence[tuple[str, str]]:
    """The parts of a source, each with the address of the code that it names, or ""."""
    parts = []
    end = 0
    for citation in citations(source):
        place = code_place(citation)
        if place is not None:
            parts.append((source[end : citation.start], ""))
            parts.append((source[citation.start : citation.end], place.address))
            end = citation.end
    return [*parts, (source[end:], "")]
