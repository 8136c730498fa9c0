"""Finds the release that answers ApiVersions like a broker, exactly or nearly, and says how it
differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from wirebook.specs.kafka.brokers import Broker, kafka_releases
from wirebook.specs.kafka.registry import load_registry
from wirebook.specs.versions import Versions

_LISTED = 4


@dataclass(frozen=True, slots=True)
class Likeness:
    """The release whose answer, `ranges`, on a kind of listener is most like that of a broker.

    `releases` are all with the same answer if it is exactly that of the broker, the newest first.
    `different` are the keys of the APIs that differ.
    """

    releases: tuple[str, ...]
    listener: str
    ranges: Mapping[int, Versions]
    different: tuple[int, ...]

    def words(self, here: Mapping[int, Versions]) -> str:
        """ "exactly as 3.9.1 or 3.9 (…)", "nearest is 3.9 (…): no Vote"; the broker has the ranges
        `here`."""
        level = load_registry().of_release(self.releases[0])
        where = f"{'' if level is None else f'ApiVersion {level.id}, '}{self.listener} listener"
        if not self.different:
            return f"exactly as {' or '.join(self.releases)} ({where})"
        listed = "; ".join(self._difference(key, here) for key in self.different[:_LISTED])
        more = len(self.different) - _LISTED
        return f"nearest is {self.releases[0]} ({where}): {listed}" + (
            f"; {more} more" if more > 0 else ""
        )

    def _difference(self, key: int, here: Mapping[int, Versions]) -> str:
        """ "Fetch 0-12, not 0-13"; "no Vote"; "Vote 0-1 besides"."""
        name = kafka_releases().names.get(key, f"key {key}")
        if key not in here:
            return f"no {name}"
        return f"{name} {here[key]}" + (
            f", not {self.ranges[key]}" if key in self.ranges else " besides"
        )


def likeness(here: Mapping[int, Versions]) -> Likeness:
    """The release whose answer is most like some ranges, which are of at least one API.

    The fewest APIs listed here differ from it, and then the fewest of all: a broker that serves
    half of a release is similar to that release, and not to an old one with as many APIs.
    """
    best: Likeness | None = None
    least = (0, 0)
    for broker in reversed(kafka_releases().brokers):
        for listener, ranges in _answers(broker):
            keys = tuple(
                key for key in sorted({*here, *ranges}) if here.get(key) != ranges.get(key)
            )
            distance = (sum(key in here for key in keys), len(keys))
            if best is None or distance < least:
                best, least = Likeness((broker.release,), listener, ranges, keys), distance
            elif not keys and broker.release not in best.releases:
                best = Likeness((*best.releases, broker.release), best.listener, best.ranges, keys)
    assert best is not None
    return best


def _answers(broker: Broker) -> Iterator[tuple[str, Mapping[int, Versions]]]:
    """The answers that a broker of a release may give, the most common first."""
    if not broker.negotiates:
        return
    for listener in sorted(broker.listeners, key=lambda name: name != broker.listener):
        yield listener, broker.listed(listener)
        yield listener, broker.listed(listener, telemetry=True)
