"""Why versions were removed, as pages of releases, APIs, deprecations and comparisons show it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import ApiDocument, NewsItem, SnapshotRecord
from wirebook.specs.kafka.version_lifecycle import Removal, all_removals
from wirebook.specs.versions import VersionSet


@dataclass(frozen=True, slots=True)
class ExplainedRemoval:
    """A reason, and what a snapshot removed for it."""

    removal: Removal
    removed: tuple[NewsItem, ...]


def removed_by_reason(
    snapshot: SnapshotRecord, protocol: ProtocolRecord
) -> tuple[ExplainedRemoval, ...]:
    """What a snapshot removed, by reason; without what has no known one."""
    if not protocol.family:
        return ()
    reasons = ((removal, tuple(_removed(snapshot, removal))) for removal in all_removals())
    return tuple(ExplainedRemoval(removal, removed) for removal, removed in reasons if removed)


def _removed(snapshot: SnapshotRecord, removal: Removal) -> Iterator[NewsItem]:
    """What a snapshot removed for one reason, in the order in which the reason lists it."""
    for api, versions in removal.versions.items():
        for news in snapshot.removed:
            removed = news.versions & versions
            release = news.by_release or snapshot.release or snapshot.name
            if news.api == api and removed and removal.is_of(release):
                yield replace(news, versions=removed)


def reasons_of(
    document: ApiDocument, protocol: ProtocolRecord
) -> Iterator[tuple[Removal, VersionSet]]:
    """Why versions of an API or message were removed, and which of them."""
    if not protocol.family:
        return
    for removal in all_removals():
        of_api, numbers = removal.versions.get(document.api, VersionSet.NONE), []
        for version in document.versions:
            removed = (
                each.since.release or "" for each in version.events if each.event == "removed"
            )
            is_of = version.version in of_api
            if is_of and any(map(removal.is_of, removed)):
                numbers.append(version.version)
        if numbers:
            yield removal, VersionSet.of(numbers)
