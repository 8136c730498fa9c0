"""The order of snapshots: which release follows which, and the lines of their history."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

_NUMBER = re.compile(r"(\d+(?:\.\d+)*)(?:[-._]?([A-Za-z]+)[-._]?(\d*))?")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The protocol at one release, ApiVersion or source.

    `ordinal` is its place in the order of all snapshots, from 0. `predecessor` is the ordinal of the
    snapshot that it is compared with; `trunk` says whether it lies on the line from minor to minor.
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
class Place:
    """Where a snapshot stands in one chain of snapshots, each compared with the one before it.

    Chain 0 is the trunk; the others begin with the snapshot they were cut from. Every snapshot but
    the first is in exactly one chain with its predecessor just before it. `next_trunk` is the trunk
    snapshot that follows where the chain was cut, if there is one.
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


@dataclass(frozen=True, slots=True)
class _Number:
    """A release's number: "v4.4.0-rc1" is ((4, 4, 0), "rc", 1)."""

    numbers: tuple[int, ...]
    pre: str | None
    count: int

    @property
    def line(self) -> tuple[int, ...]:
        """Two numbers since 1.0, three before: 0.10.2.1 is of 0.10.2."""
        return self.numbers[: 3 if self.numbers[0] == 0 else 2]

    @property
    def key(self) -> tuple[tuple[int, ...], bool, str, int]:
        """Sorts releases by number, pre-releases before theirs."""
        padded = (*self.numbers, *([0] * (6 - len(self.numbers))))
        return (padded, self.pre is None, self.pre or "", self.count)


def _number(name: str) -> _Number | None:
    match = _NUMBER.search(name)
    if match is None:
        return None
    pre = match[2].lower() if match[2] else None
    return _Number(tuple(int(part) for part in match[1].split(".")), pre, int(match[3] or 0))


def line_of(name: str) -> tuple[int, ...] | None:
    """The line of a release, as numbers that compare: 3.7.1 is of (3, 7); None where there is no number."""
    number = _number(name)
    return None if number is None else number.line


def order_releases(names: Sequence[str]) -> list[Ordered]:
    """Releases by number, pre-releases of what is unreleased last, each with its predecessor.

    X.Y.Z follows X.Y.(Z-1), X.Y.0 the first of the line before, since that is what it was cut after. A
    pre-release follows what its release does. Names without a number keep the given order, in one line.
    """
    numbers = {name: _number(name) for name in names}
    known = {name: number for name, number in numbers.items() if number is not None}
    if len(known) < len(numbers):
        return _one_line(names)
    released = {number.numbers for number in known.values() if number.pre is None}

    def place(name: str) -> tuple[object, ...]:
        number = known[name]
        waiting = number.pre is not None and number.numbers not in released
        return (waiting, *number.key, name)

    ordered = sorted(known, key=place)
    releases = [name for name in ordered if known[name].pre is None]
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
        number = known[name]
        if number.pre is not None:
            before = [other for other in releases if known[other].numbers < number.numbers]
            same_line = [other for other in before if known[other].line == number.line]
            firsts = [other for other in before if other in trunk]
            predecessors[name] = same_line[-1] if same_line else firsts[-1] if firsts else None
        result.append(Ordered(name, predecessors.get(name), name in trunk))
    return result


def _one_line(names: Sequence[str]) -> list[Ordered]:
    return [Ordered(name, before, True) for before, name in zip([None, *names], names, strict=False)]


def places(snapshots: Sequence[Snapshot]) -> list[Place]:
    """The chains of the snapshots: the trunk, then what branches off it, in the order of the snapshots."""
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
            found.append(Place(number, position, len(chain) - 1, ordinal, following))
    return found


def _root(snapshots: Sequence[Snapshot], ordinal: int) -> int:
    """The trunk snapshot that a line was cut from."""
    snapshot = snapshots[ordinal]
    while not snapshot.trunk and snapshot.predecessor is not None:
        snapshot = snapshots[snapshot.predecessor]
    return snapshot.ordinal
