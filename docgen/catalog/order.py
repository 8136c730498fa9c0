"""The order of APIs, and of snapshots: which release follows which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import inf
from typing import NamedTuple

from wirebook.docgen.catalog.records import SnapshotRecord
from wirebook.specs.releases import ReleaseName, line_of


def key_order(api_key: int | None) -> float:
    """What APIs are sorted by: their keys; those without one come last."""
    return inf if api_key is None else api_key


@dataclass(frozen=True, slots=True)
class CatalogSnapshot:
    """The protocol at one release, ApiVersion or source. `ordinal` is its place in the order of all
    snapshots, from 0. `predecessor` is the ordinal of the snapshot that it is compared with;
    `trunk` is whether it is on the line from minor to minor."""

    ordinal: int
    name: str
    kind: str
    predecessor: int | None
    trunk: bool
    release: str | None = None
    commit: str | None = None
    date: str | None = None


def is_unreleased(snapshot: CatalogSnapshot | SnapshotRecord) -> bool:
    """Whether a snapshot is a source that follows releases."""
    return snapshot.kind == "source" and snapshot.predecessor is not None


def release_line(snapshot: CatalogSnapshot | SnapshotRecord) -> tuple[int, ...] | None:
    """The line of the release that a snapshot is; None for a source, or without a number."""
    return None if is_unreleased(snapshot) else line_of(snapshot.release or snapshot.name)


class Offer(NamedTuple):
    """The versions of a message, or of an API, in a snapshot."""

    valid: tuple[int, ...] = ()
    deprecated: tuple[int, ...] = ()
    unstable: tuple[int, ...] = ()

    @classmethod
    def union(cls, offers: Iterable[Offer]) -> Offer:
        """The versions that are valid, deprecated and unstable in any of some offers."""
        numbers = (set().union(*each) for each in zip(*offers, strict=True))
        return cls(*(tuple(sorted(each)) for each in numbers))


class SnapshotFile(NamedTuple):
    """A file of a snapshot: the snapshot's ordinal, the path, and the digest of the text. `offer`
    is what the snapshot offers of it, once the text is read."""

    ordinal: int
    path: str
    digest: str
    offer: Offer = Offer()


def order_releases(names: Sequence[str], first: int = 0) -> list[CatalogSnapshot]:
    """A snapshot for each release, in the given order of their versions; `first` is the ordinal of
    the first one, which follows the snapshot before it, if there is one.

    X.Y.Z follows X.Y.(Z-1), X.Y.0 the first of the previous line, after which it was branched.
    Pre-releases, which count only if there is nothing else, are one line, and so are names without
    a number.
    """
    ordinals = range(first, first + len(names))
    by_line: dict[int, tuple[int, ...] | None] = {}
    for ordinal, name in zip(ordinals, names, strict=True):
        release = ReleaseName.parse(name)
        by_line[ordinal] = None if release is None or release.is_prerelease else release.line
    lines = [list(line) for _, line in groupby(ordinals, key=by_line.get)]
    trunk = [line[0] for line in lines]
    if None in by_line.values():
        lines, trunk = [], list(ordinals)
    before = {after: before for line in (trunk, *lines) for before, after in pairwise(line)}
    if first:
        before[first] = first - 1
    return [
        CatalogSnapshot(ordinal, name, "release", before.get(ordinal), ordinal in trunk)
        for ordinal, name in zip(ordinals, names, strict=True)
    ]
