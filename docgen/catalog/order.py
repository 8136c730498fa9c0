"""The order of APIs, and of snapshots: which release follows which, and the lines of their history."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import inf

from wirebook.specs.sources.releases import ReleaseName


def key_order(api_key: int | None) -> float:
    """What APIs are sorted by: their keys; those without one come last."""
    return inf if api_key is None else api_key


@dataclass(frozen=True, slots=True)
class CatalogSnapshot:
    """The protocol at one release, ApiVersion or source.

    `ordinal` is its place in the order of all snapshots, from 0. `predecessor` is the ordinal of the
    snapshot that it is compared with; `trunk` is whether it is on the line from minor to minor.
    """

    ordinal: int
    name: str
    kind: str
    predecessor: int | None
    trunk: bool
    id: int | None = None
    release: str | None = None
    commit: str | None = None
    date: str | None = None


@dataclass(frozen=True, slots=True)
class ChainPlace:
    """The place of a snapshot in one chain of snapshots, each compared with the one before it.

    Chain 0 is the trunk; the others begin with the snapshot that they branch from. Every snapshot
    except the first is in exactly one chain with its predecessor just before it. `next_trunk` is the trunk
    snapshot after the one that the chain branches from, if there is one.
    """

    chain: int
    position: int
    last: int
    ordinal: int
    next_trunk: int | None


@dataclass(frozen=True, slots=True)
class Ordered:
    """The names of releases, oldest first, each with the name of its predecessor."""

    name: str
    predecessor: str | None
    trunk: bool


def order_releases(names: Sequence[str]) -> list[Ordered]:
    """Releases by number, pre-releases of unreleased versions last, each with its predecessor.

    X.Y.Z follows X.Y.(Z-1), X.Y.0 the first of the previous line, after which it was branched. A
    pre-release has the predecessor of its release. Names without a number keep the given order, in one line.
    """
    parsed = {name: ReleaseName.parse(name) for name in names}
    known = {name: release for name, release in parsed.items() if release is not None}
    if len(known) < len(parsed):
        return _one_line(names)
    released = {release.core for release in known.values() if not release.is_prerelease}

    def place(name: str) -> tuple[bool, ReleaseName]:
        release = known[name]
        return (release.core not in released, release)

    ordered = sorted(known, key=place)
    releases = [name for name in ordered if not known[name].is_prerelease]
    if not releases:
        return _one_line(ordered)
    lines = [list(group) for _, group in groupby(releases, key=lambda name: known[name].line)]
    predecessors: dict[str, str | None] = {}
    trunk = [line[0] for line in lines]
    predecessors |= {after: before for before, after in pairwise(trunk)}
    for line in lines:
        predecessors |= {after: before for before, after in pairwise(line)}
    result = []
    for name in ordered:
        if known[name].is_prerelease:
            before = [release for release in releases if known[release] < known[name]]
            same_line = [release for release in before if known[release].line == known[name].line]
            firsts = [release for release in before if release in trunk]
            predecessors[name] = same_line[-1] if same_line else firsts[-1] if firsts else None
        result.append(Ordered(name, predecessors.get(name), name in trunk))
    return result


def _one_line(names: Sequence[str]) -> list[Ordered]:
    return [Ordered(name, before, True) for before, name in zip([None, *names], names, strict=False)]


def places(snapshots: Sequence[CatalogSnapshot]) -> list[ChainPlace]:
    """The chains of the snapshots: the trunk, then its branches, in the order of the snapshots."""
    trunk = [snapshot.ordinal for snapshot in snapshots if snapshot.trunk]
    chains: list[list[int]] = [trunk]
    ends: dict[int | None, list[int]] = {}
    for snapshot in snapshots:
        if snapshot.trunk:
            continue
        before = snapshot.predecessor
        chain = ends.pop(before, None)
        if chain is None:
            chain = [] if before is None else [before]
            chains.append(chain)
        chain.append(snapshot.ordinal)
        ends[snapshot.ordinal] = chain
    found = []
    for number, chain in enumerate(chains):
        place = bisect_right(trunk, _root(snapshots, chain[0])) if number else len(trunk)
        following = trunk[place] if place < len(trunk) else None
        for position, ordinal in enumerate(chain):
            found.append(ChainPlace(number, position, len(chain) - 1, ordinal, following))
    return found


def _root(snapshots: Sequence[CatalogSnapshot], ordinal: int) -> int:
    """The trunk snapshot that a line branches from."""
    snapshot = snapshots[ordinal]
    while not snapshot.trunk and snapshot.predecessor is not None:
        snapshot = snapshots[snapshot.predecessor]
    return snapshot.ordinal
