"""What a release requires of client authors: what breaks, what is new, known problems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import (
    ApiDocument,
    NewsItem,
    SnapshotRecord,
    VersionRecord,
)
from wirebook.specs.kafka.advisories import Advisory, all_advisories
from wirebook.specs.reading.tables.errors import DescribedError
from wirebook.specs.versions import VersionSet, counted

_CLIENT_LISTENER = "broker"
# The operation that only nodes of a cluster are authorized for, in both of its spellings.
_BETWEEN_NODES = ("CLUSTER_ACTION", "ClusterAction")
# What readers must do about one version, and about several.
_READING = {
    "added": ("is new: support it before it is sent", "are new: support them before they are sent"),
    "deprecated": ("is deprecated", "are deprecated"),
    "removed": ("is removed", "are removed"),
    "returned": ("is back again", "are back again"),
}
# What happened to a version that existed before, of one and of several; one that is stable now is new to
# clients.
_CHANGED = {
    "schema": ("has other bytes than before", "have other bytes than before"),
    "flexible": ("is flexible now: its bytes differ", "are flexible now: their bytes differ"),
    "inflexible": ("is no longer flexible: its bytes differ", "are no longer flexible: their bytes differ"),
    "unstable": ("is unstable now: do not rely on it", "are unstable now: do not rely on them"),
    "undeprecated": ("is no longer deprecated", "are no longer deprecated"),
}
_OF_BYTES = ("schema", "flexible", "inflexible")


@dataclass(frozen=True, slots=True)
class Moved:
    """Versions of an API that a snapshot removes, deprecates or returns.

    `served` is what it serves now as stable, `unstable` what it serves besides; `is_removed` is whether it
    has no version at all.
    """

    document: ApiDocument
    versions: VersionSet
    served: VersionSet
    unstable: VersionSet
    is_removed: bool = False

    @property
    def words(self) -> str:
        """The versions in words: "version 3", "versions 0-2"."""
        return counted(self.versions)

    @property
    def lowest(self) -> int | None:
        """The lowest version that is served now; None if there is none."""
        return self.served.ranges[0].lowest if self.served.ranges else None

    @property
    def instead(self) -> str:
        """What to send instead if all that is served now is newer: "version 4 or later"."""
        if not self.unstable:
            return f"version {self.lowest} or later"
        return counted(self.served) if len(self.served) == 1 else f"one of {counted(self.served)}"


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A version that a client may adopt; `first` is whether it is the first of its API."""

    document: ApiDocument
    info: VersionRecord
    first: bool

    @property
    def href(self) -> str:
        """Its part of the API's page."""
        return f"api/{self.document.slug}/#v{self.info.version}"

    @property
    def brings(self) -> str:
        """What it brings, in words; "" if nothing describes it."""
        return self.info.about or " ".join(self.info.notes) or (self.document.purpose if self.first else "")


@dataclass(frozen=True, slots=True)
class ChangedVersions:
    """Versions that existed before, and what happened to them; `details` are the changes of their bytes."""

    document: ApiDocument
    versions: VersionSet
    event: str
    details: tuple[str, ...]

    @property
    def words(self) -> str:
        """The versions and what happened to them."""
        return f"{counted(self.versions)} {_CHANGED[self.event][len(self.versions) > 1]}"


@dataclass(frozen=True, slots=True)
class ReadVersions:
    """What a snapshot changes of the versions of a message that is no request: its readers must follow."""

    document: ApiDocument
    versions: VersionSet
    event: str

    @property
    def words(self) -> str:
        """The versions and what readers must do."""
        return f"{counted(self.versions)} {(_READING | _CHANGED)[self.event][len(self.versions) > 1]}"


@dataclass(frozen=True, slots=True)
class ReleaseGuide:
    """What a snapshot requires of authors of clients; `read` are messages of types that the profile adds."""

    removed: tuple[Moved, ...]
    deprecated: tuple[Moved, ...]
    returned: tuple[Moved, ...]
    added: tuple[NewVersion, ...]
    errors: tuple[DescribedError, ...]
    advisories: tuple[tuple[Advisory, ApiDocument], ...]
    read: tuple[ReadVersions, ...] = ()
    changed: tuple[ChangedVersions, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do."""
        return not (
            self.removed
            or self.deprecated
            or self.returned
            or self.changed
            or self.added
            or self.read
            or self.errors
            or self.advisories
        )


def release_guides(
    snapshots: Sequence[SnapshotRecord],
    documents: Iterable[ApiDocument],
    errors: Sequence[DescribedError],
    protocol: ProtocolRecord,
) -> dict[str, ReleaseGuide]:
    """The guide of each snapshot, by its name. In the first one everything is new, so it is not listed."""
    by_slug = {document.slug: document for document in documents}
    apis = {slug: document for slug, document in by_slug.items() if document.is_api}
    own = {slug: document for slug, document in by_slug.items() if document.is_of_own_type}
    clients = {
        slug: document for slug, document in apis.items() if not protocol.family or is_for_clients(document)
    }
    by_name = {document.api: document for document in clients.values()}
    codes = {error.name: error for error in errors}
    guides = {}
    by_snapshot = {snapshot.name: snapshot for snapshot in snapshots}
    served_by: dict[str | None, frozenset[str]] = {None: frozenset()}
    for position, snapshot in enumerate(snapshots):
        before = served_by[snapshot.predecessor]
        served_by[snapshot.name] = before.union(
            slug for slug, versions in snapshot.apis.items() if versions.served != "none"
        )
        predecessor = by_snapshot.get(snapshot.predecessor or "")
        guides[snapshot.name] = ReleaseGuide(
            removed=tuple(_moved(_removed(snapshot, predecessor), snapshot, clients)),
            deprecated=tuple(_moved(snapshot.deprecated, snapshot, clients)),
            returned=tuple(_moved(snapshot.returned, snapshot, clients)),
            added=tuple(_added(snapshot, clients, before)) if position else (),
            changed=tuple(_changed(snapshot, predecessor, clients)),
            read=tuple(_read(snapshot, predecessor, own)) if position else (),
            errors=tuple(codes[error.name] for error in snapshot.errors if error.name in codes)
            if position
            else (),
            advisories=tuple(
                (advisory, by_name[advisory.api])
                for advisory in (all_advisories() if protocol.family else ())
                if advisory.api in by_name and advisory.concerns(snapshot.release or snapshot.name)
            ),
        )
    return guides


def is_for_clients(document: ApiDocument) -> bool:
    """Whether clients send it: not if only controllers serve it, or only brokers are authorized."""
    listeners = document.listeners
    served = not listeners or _CLIENT_LISTENER in listeners
    return served and not document.use.authorization.startswith(_BETWEEN_NODES)


def _removed(snapshot: SnapshotRecord, predecessor: SnapshotRecord | None) -> list[NewsItem]:
    """The versions that a snapshot removed, without those on which no client could rely."""
    return [
        replace(entry, versions=entry.versions - _unstable(predecessor, entry.slug))
        for entry in snapshot.removed
    ]


def _moved(
    news: Sequence[NewsItem], snapshot: SnapshotRecord, clients: dict[str, ApiDocument]
) -> Iterator[Moved]:
    for entry in sorted(news, key=lambda entry: entry.api):
        document = clients.get(entry.slug)
        if document is not None and entry.versions:
            in_snapshot = snapshot.apis.get(entry.slug)
            served = VersionSet.parse(in_snapshot.served) if in_snapshot is not None else VersionSet.NONE
            unstable = _unstable(snapshot, entry.slug)
            yield Moved(document, entry.versions, served, unstable, in_snapshot is None)


def _changed(
    snapshot: SnapshotRecord, predecessor: SnapshotRecord | None, documents: dict[str, ApiDocument]
) -> Iterator[ChangedVersions]:
    """What happened to versions that the predecessor had; the bytes of unstable ones may change."""
    for entry in sorted(snapshot.changed, key=lambda entry: entry.api):
        before = None if predecessor is None else predecessor.apis.get(entry.slug)
        versions = entry.versions & VersionSet.parse(before.versions if before is not None else "none")
        if entry.event in _OF_BYTES:
            versions -= _unstable(snapshot, entry.slug) | _unstable(predecessor, entry.slug)
        if entry.slug in documents and entry.event in _CHANGED and versions:
            yield ChangedVersions(documents[entry.slug], versions, entry.event, entry.details)


def _unstable(snapshot: SnapshotRecord | None, slug: str) -> VersionSet:
    in_snapshot = None if snapshot is None else snapshot.apis.get(slug)
    return VersionSet.of(() if in_snapshot is None else in_snapshot.unstable)


def _read(
    snapshot: SnapshotRecord, predecessor: SnapshotRecord | None, own: dict[str, ApiDocument]
) -> Iterator[ReadVersions]:
    lists = {
        "removed": _removed(snapshot, predecessor),
        "deprecated": snapshot.deprecated,
        "returned": snapshot.returned,
        "added": _new(snapshot),
    }
    for event, news in lists.items():
        for entry in sorted(news, key=lambda entry: entry.api):
            versions = entry.versions - _unstable(snapshot, entry.slug)
            if entry.slug in own and versions:
                yield ReadVersions(own[entry.slug], versions, event)
    for changed in _changed(snapshot, predecessor, own):
        yield ReadVersions(changed.document, changed.versions, changed.event)


def _new(snapshot: SnapshotRecord) -> list[NewsItem]:
    """The versions that a snapshot added, or has as stable for the first time."""
    return [*snapshot.new, *(entry for entry in snapshot.changed if entry.event == "stable")]


def _added(
    snapshot: SnapshotRecord, clients: dict[str, ApiDocument], served_before: frozenset[str]
) -> Iterator[NewVersion]:
    """The new versions that are stable; `served_before` are the APIs that an earlier release served."""
    for slug, entries in groupby(sorted(_new(snapshot), key=_name), key=lambda entry: entry.slug):
        document = clients.get(slug)
        if document is None:
            continue
        versions = VersionSet.union(*(part for entry in entries for part in entry.versions.ranges))
        is_first = slug not in served_before
        for info in sorted(document.versions, key=lambda info: info.version):
            if info.version in versions - _unstable(snapshot, slug):
                yield NewVersion(document, info, is_first)
                is_first = False


def _name(entry: NewsItem) -> tuple[str, str]:
    return entry.api, entry.slug
