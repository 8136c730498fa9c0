"""Why versions were removed, as pages of releases, APIs, deprecations and comparisons show it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import ApiDocument, NewsItem, SnapshotRecord
from wirebook.docgen.pages.wording import event_words
from wirebook.specs.json_records import from_json
from wirebook.specs.kafka import facts
from wirebook.specs.kafka.releases import numbers_of
from wirebook.specs.versions import VersionSet, counted


@dataclass(frozen=True, slots=True)
class Removal:
    """What a release line removed for one reason: versions by the name of the API or message."""

    release: str
    title: str
    reason: str
    source: str
    versions: Mapping[str, VersionSet]

    def is_of(self, release: str) -> bool:
        """Whether a release is of the line that removed them: "4.0.1" is of "4.0"."""
        line = numbers_of(self.release)
        return numbers_of(release)[: len(line)] == line


@cache
def all_removals() -> tuple[Removal, ...]:
    """The removals with their reasons, by release (removals.json)."""
    return from_json(tuple[Removal, ...], facts("removals.json")["removals"])


def removed_by_reason(
    snapshot: SnapshotRecord, protocol: ProtocolRecord
) -> Iterator[tuple[Removal, list[NewsItem]]]:
    """What a snapshot removed, by reason; without what has no known one."""
    for removal in all_removals() if protocol.family else ():
        removed = []
        for api, versions in removal.versions.items():
            for news in snapshot.removed:
                release = news.by_release or snapshot.release or snapshot.name
                of_reason = news.versions & versions
                if news.api == api and of_reason and removal.is_of(release):
                    removed.append(replace(news, versions=of_reason))
        if removed:
            yield removal, removed


def reasons_of(
    document: ApiDocument, protocol: ProtocolRecord
) -> Iterator[tuple[Removal, VersionSet]]:
    """Why versions of an API or message were removed, and which of them."""
    for removal in all_removals() if protocol.family else ():
        removed = VersionSet.of(
            version.version
            for version in document.versions
            for event in version.events
            if event.event == "removed" and removal.is_of(event.since.release or "")
        )
        if of_reason := removed & removal.versions.get(document.api, VersionSet.NONE):
            yield removal, of_reason


def removed_words(document: ApiDocument, versions: VersionSet) -> str:
    """Versions that were removed, and when they returned: "versions 0-1, returned in 4.0.1"."""
    removed = [version for version in document.versions if version.version in versions]
    events = [event for version in removed for event in version.events]
    returned = [event_words(event) for event in events if event.event == "returned"]
    return ", ".join([counted(versions), *dict.fromkeys(returned)])
