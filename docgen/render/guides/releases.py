"""What a release requires of client authors: what breaks, what is new, known problems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import (
    ApiDocument,
    NewsItem,
    SnapshotRecord,
    VersionRecord,
)
from wirebook.docgen.render.guides.upgrades import has_upgrades
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


@dataclass(frozen=True, slots=True)
class Moved:
    """Versions of an API that a snapshot removes, deprecates or returns; `served` is what it serves now."""

    document: ApiDocument
    versions: VersionSet
    served: VersionSet

    @property
    def words(self) -> str:
        """The versions in words: "version 3", "versions 0-2"."""
        return counted(self.versions)

    @property
    def lowest(self) -> int | None:
        """The lowest version that is served now; None if the API is removed."""
        return self.served.ranges[0].lowest if self.served.ranges else None

    @property
    def steps(self) -> str:
        """The address of the steps from these versions to the newest one, from the root; "" for none."""
        if not has_upgrades(self.document) or not self.served.ranges:
            return ""
        highest = self.served.ranges[-1].highest
        low = max(self.versions)
        return f"api/{self.document.slug}/upgrade/?steps={low}-{highest}" if low < highest else ""


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A version that a client may adopt."""

    document: ApiDocument
    info: VersionRecord
    first: bool

    @property
    def href(self) -> str:
        """Its step in the upgrade guide, or its part of the API's page."""
        folder = "" if self.first else "upgrade/"
        return f"api/{self.document.slug}/{folder}#v{self.info.version}"

    @property
    def brings(self) -> str:
        """What it brings, in words; "" if nothing describes it."""
        return self.info.about or " ".join(self.info.notes) or (self.document.purpose if self.first else "")


@dataclass(frozen=True, slots=True)
class ReadVersions:
    """What a snapshot changes of the versions of a message that is no request: its readers must follow."""

    document: ApiDocument
    versions: VersionSet
    event: str

    @property
    def words(self) -> str:
        """The versions and what readers must do."""
        return f"{counted(self.versions)} {_READING[self.event][len(self.versions) > 1]}"


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

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do."""
        return not (
            self.removed
            or self.deprecated
            or self.returned
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
    for position, snapshot in enumerate(snapshots):
        guides[snapshot.name] = ReleaseGuide(
            removed=tuple(_moved(snapshot.removed, snapshot, clients)),
            deprecated=tuple(_moved(snapshot.deprecated, snapshot, clients)),
            returned=tuple(_moved(snapshot.returned, snapshot, clients)),
            added=tuple(_added(snapshot, clients)) if position else (),
            read=tuple(_read(snapshot, own)) if position else (),
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


def _moved(
    news: Sequence[NewsItem], snapshot: SnapshotRecord, clients: dict[str, ApiDocument]
) -> Iterator[Moved]:
    for entry in sorted(news, key=lambda entry: entry.api):
        document = clients.get(entry.slug)
        if document is not None and entry.versions:
            in_snapshot = snapshot.apis.get(entry.slug)
            served = VersionSet.parse(in_snapshot.versions) if in_snapshot is not None else VersionSet.NONE
            yield Moved(document, entry.versions, served)


def _read(snapshot: SnapshotRecord, own: dict[str, ApiDocument]) -> Iterator[ReadVersions]:
    lists = {
        "removed": snapshot.removed,
        "deprecated": snapshot.deprecated,
        "returned": snapshot.returned,
        "added": snapshot.new,
    }
    for event, news in lists.items():
        for entry in sorted(news, key=lambda entry: entry.api):
            in_snapshot = snapshot.apis.get(entry.slug)
            unstable = VersionSet.of(in_snapshot.unstable if in_snapshot is not None else ())
            versions = entry.versions - unstable
            if entry.slug in own and versions:
                yield ReadVersions(own[entry.slug], versions, event)


def _added(snapshot: SnapshotRecord, clients: dict[str, ApiDocument]) -> Iterator[NewVersion]:
    for entry in sorted(snapshot.new, key=lambda entry: entry.api):
        document = clients.get(entry.slug)
        if document is None:
            continue
        lowest = min(version.version for version in document.versions)
        in_snapshot = snapshot.apis.get(entry.slug)
        for info in sorted(document.versions, key=lambda info: info.version):
            unstable = in_snapshot is not None and info.version in in_snapshot.unstable
            if info.version in entry.versions and not unstable:
                yield NewVersion(document, info, info.version == lowest)
