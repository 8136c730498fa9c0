"""Finds the releases that answer with given ranges, exactly or nearly, and says how they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from wirebook.specs.kafka.brokers import Broker, api_names, load_brokers
from wirebook.specs.kafka.registry import load_registry
from wirebook.specs.versions import Versions

NEAREST = 3
_NONE = Versions.NONE


@dataclass(frozen=True, slots=True)
class RangeDifference:
    """An API whose ranges differ from those of a release; None if one side lacks it."""

    key: int
    here: Versions | None
    there: Versions | None

    def to_json(self) -> dict[str, Any]:
        """Return the value in `wirebook/negotiation/1`."""
        return {
            "key": self.key,
            "name": api_names().get(self.key),
            "here": None if self.here is None else str(self.here),
            "release": None if self.there is None else str(self.there),
        }

    def summary(self) -> str:
        """ "Fetch 0-12, not 0-13"; "no Vote"; "Vote 0-1 besides"."""
        name = api_names().get(self.key, f"key {self.key}")
        if self.here is None:
            return f"no {name}"
        return (
            f"{name} {self.here} besides" if self.there is None else f"{name} {self.here}, not {self.there}"
        )


@dataclass(frozen=True, slots=True)
class Match:
    """A release on one kind of listener, and the differences from it."""

    release: str
    listener: str
    differences: tuple[RangeDifference, ...] = ()

    @property
    def api_version_id(self) -> int | None:
        """The id of the newest ApiVersion that the release has."""
        return _levels().get(self.release)

    @property
    def distance(self) -> tuple[int, int]:
        """Sort key: the number of APIs listed here that differ, then the number of all differences.

        A broker that serves half of a release is therefore similar to that release, not to an old one with as
        many APIs.
        """
        listed = sum(item.here is not None for item in self.differences)
        return listed, len(self.differences)

    def to_json(self) -> dict[str, Any]:
        """Return the value in `wirebook/negotiation/1`."""
        return {
            "release": self.release,
            "listener": self.listener,
            "api_version_id": self.api_version_id,
            "differences": [item.to_json() for item in self.differences],
        }


@dataclass(frozen=True, slots=True)
class ReleaseSimilarity:
    """The releases that answer exactly like a broker, compatible releases, and the nearest others.

    `compatible` releases are those whose every version the broker serves, so that clients may treat it as
    such a release. All lists are newest first, except `nearest`, which is by difference, and empty if one is
    exact.
    """

    exact: tuple[Match, ...]
    compatible: tuple[Match, ...]
    nearest: tuple[Match, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the value in `wirebook/negotiation/1`."""
        return {
            "exact": [item.to_json() for item in self.exact],
            "compatible": [item.release for item in self.compatible],
            "nearest": [item.to_json() for item in self.nearest],
        }

    def summary(self) -> str:
        """One line: "exactly as 3.9.1 or 3.9 (…)"; "nearest is 3.9 (…): no Vote"."""
        if self.exact:
            releases = [item.release for item in self.exact]
            return f"exactly as {' or '.join(releases)} ({_where(self.exact[0])})"
        clauses = []
        if self.compatible:
            clauses.append(f"serves all that {self.compatible[0].release} does, and more")
        if self.nearest:
            near = self.nearest[0]
            listed = "; ".join(item.summary() for item in near.differences[:4])
            more = len(near.differences) - 4
            clauses.append(
                f"nearest is {near.release} ({_where(near)}): {listed}"
                + (f"; {more} more" if more > 0 else "")
            )
        return "; ".join(clauses)


def release_similarity(ranges: Mapping[int, Versions]) -> ReleaseSimilarity:
    """Find the releases whose brokers answer ApiVersions with these ranges."""
    exact: list[Match] = []
    compatible: list[Match] = []
    others: list[Match] = []
    for broker in reversed(load_brokers()):
        best: Match | None = None
        contained = False
        for listener, listed in _answers(broker):
            match = Match(broker.release, listener, _differences(ranges, listed))
            if best is None or match.distance < best.distance:
                best = match
            contained |= all(ranges.get(key, _NONE).covers(each) for key, each in listed.items())
        if best is None:
            continue
        if not best.differences:
            exact.append(best)
        else:
            others.append(best)
            if contained:
                compatible.append(best)
    others.sort(key=lambda item: item.distance)
    return ReleaseSimilarity(tuple(exact), tuple(compatible), () if exact else tuple(others[:NEAREST]))


def _where(like: Match) -> str:
    level = "" if like.api_version_id is None else f"ApiVersion {like.api_version_id}, "
    return f"{level}{like.listener} listener"


@cache
def _levels() -> dict[str, int]:
    registry = load_registry()
    levels = {broker.release: registry.of_release(broker.release) for broker in load_brokers()}
    return {release: level.id for release, level in levels.items() if level is not None}


def _answers(broker: Broker) -> Iterator[tuple[str, dict[int, Versions]]]:
    """The answers that a broker of the release may give, the most common first."""
    if not broker.negotiates:
        return
    for listener in sorted(broker.listeners, key=lambda name: name != broker.listener):
        plain, with_telemetry = broker.listed(listener), broker.listed(listener, telemetry=True)
        yield listener, plain
        if with_telemetry != plain:
            yield listener, with_telemetry


def _differences(ours: Mapping[int, Versions], theirs: Mapping[int, Versions]) -> tuple[RangeDifference, ...]:
    keys = sorted({*ours, *theirs})
    return tuple(
        RangeDifference(key, ours.get(key), theirs.get(key))
        for key in keys
        if ours.get(key) != theirs.get(key)
    )
