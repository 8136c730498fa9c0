"""A release as one JSON document: what it serves, its error codes, what changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from wirebook.docgen.catalog.addresses import snapshot_slug
from wirebook.docgen.catalog.errors import codes_of
from wirebook.docgen.catalog.order import release_line
from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import IndexRow, NewErrorCode, SnapshotRecord
from wirebook.docgen.pages.folders import RELEASES
from wirebook.specs.reading.tables.errors import DescribedError
from wirebook.specs.versions import VersionSet


@dataclass(frozen=True, slots=True)
class ReleaseApi:
    """An API or other message in a release: `versions` with the `unstable` ones, `served` without
    them.

    `newest` is the highest served version; `data` is the place of its document in the site.
    """

    api: str
    slug: str
    api_key: int | None
    kind: str
    versions: str
    served: str
    newest: int | None
    deprecated: tuple[int, ...]
    unstable: tuple[int, ...]
    data: str


@dataclass(frozen=True, slots=True)
class ReleaseChange:
    """A change since the release before; `kind` is the list of the snapshot that contains it."""

    slug: str
    api: str
    kind: str
    versions: VersionSet
    words: str


@dataclass(frozen=True, slots=True)
class ReleaseDocument:
    """data/releases/<name>.json: a snapshot with the names and keys of its APIs."""

    SCHEMA: ClassVar[str] = "wirebook/release/1"
    protocol: str
    name: str
    kind: str
    release: str | None
    commit: str | None
    date: str | None
    predecessor: str | None
    apis: tuple[ReleaseApi, ...]
    errors: tuple[NewErrorCode, ...]
    changes: tuple[ReleaseChange, ...]


def release_place(name: str) -> str:
    """Where the document of a snapshot is, from the root of the reference."""
    return f"data/{RELEASES}{snapshot_slug(name)}.json"


def release_documents(
    index: Sequence[IndexRow],
    snapshots: Sequence[SnapshotRecord],
    errors: Sequence[DescribedError],
    protocol: ProtocolRecord,
) -> Iterator[ReleaseDocument]:
    """The document of every snapshot, in their order."""
    for snapshot in snapshots:
        codes = codes_of(errors, release_line(snapshot))
        yield ReleaseDocument(
            protocol=protocol.name,
            name=snapshot.name,
            kind=snapshot.kind,
            release=snapshot.release,
            commit=snapshot.commit,
            date=snapshot.date,
            predecessor=snapshot.predecessor,
            apis=tuple(_apis(index, snapshot)),
            errors=tuple(NewErrorCode(code.code, code.name) for code in codes),
            changes=tuple(_changes(snapshot)),
        )


def _apis(index: Sequence[IndexRow], snapshot: SnapshotRecord) -> Iterator[ReleaseApi]:
    for row in index:
        in_snapshot = snapshot.apis.get(row.slug)
        if in_snapshot is not None:
            yield ReleaseApi(
                api=row.api,
                slug=row.slug,
                api_key=row.api_key,
                kind=row.kind,
                versions=in_snapshot.versions,
                served=in_snapshot.served,
                newest=None
                if in_snapshot.served == "none"
                else max(VersionSet.parse(in_snapshot.served)),
                deprecated=in_snapshot.deprecated,
                unstable=in_snapshot.unstable,
                data=f"data/api/{row.slug}.json",
            )


def _changes(snapshot: SnapshotRecord) -> Iterator[ReleaseChange]:
    """What changed since the predecessor of a snapshot, in words."""
    if snapshot.predecessor is None:
        return
    for kind in ("new", "deprecated", "removed", "returned", "changed"):
        for item in getattr(snapshot, kind):
            for words in item.details or (item.words,):
                yield ReleaseChange(item.slug, item.api, kind, item.versions, words)
