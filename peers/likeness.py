"""Finds the release that answers ApiVersions like a broker, exactly or nearly, and says how it
differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from wirebook.specs.kafka.brokers import Broker, kafka_releases
from wirebook.specs.kafka.registry import load_registry
from wirebook.specs.versions import Versions

_LISTED = 4


class Likeness(NamedTuple):
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
        where = f"{self.listener} listener"
        if level is not None:
            where = f"ApiVersion {level.id}, {where}"
        if not self.different:
            return f"exactly as {' or '.join(self.releases)} ({where})"
        listed = "; ".join(self._difference(key, here) for key in self.different[:_LISTED])
        more = len(self.different) - _LISTED
        if more > 0:
            listed += f"; {more} more"
        return f"nearest is {self.releases[0]} ({where}): {listed}"

    def _difference(self, key: int, here: Mapping[int, Versions]) -> str:
        """ "Fetch 0-12, not 0-13"; "no Vote"; "Vote 0-1 besides"."""
        name = kafka_releases().names.get(key, f"key {key}")
        if key not in here:
            return f"no {name}"
        if key not in self.ranges:
            return f"{name} {here[key]} besides"
        return f"{name} {here[key]}, not {self.ranges[key]}"


def likeness(here: Mapping[int, Versions]) -> Likeness:
    """The release whose answer is most like some ranges, which are of at least one API.

    The fewest APIs listed here differ from it, and then the fewest of all: a broker that serves
    half of a release is similar to that release, and not to an old one with as many APIs.
    """

    def distance(answer: _Answer) -> tuple[int, int]:
        different = _different(here, answer.ranges)
        return sum(key in here for key in different), len(different)

    answers = [each for broker in reversed(kafka_releases().brokers) for each in _answers(broker)]
    nearest = min(answers, key=distance)
    alike = [each.release for each in answers if each.ranges == here]
    releases = tuple(dict.fromkeys(alike or [nearest.release]))
    different = _different(here, nearest.ranges)
    return Likeness(releases, nearest.listener, nearest.ranges, different)


def _different(here: Mapping[int, Versions], ranges: Mapping[int, Versions]) -> tuple[int, ...]:
    """The keys of the APIs that differ."""
    return tuple(key for key in sorted({*here, *ranges}) if here.get(key) != ranges.get(key))


class _Answer(NamedTuple):
    """What a release answers on a kind of listener."""

    release: str
    listener: str
    ranges: Mapping[int, Versions]


def _answers(broker: Broker) -> Iterator[_Answer]:
    """The answers that a broker of a release may give, the most common first."""
    if not broker.negotiates:
        return
    for listener in sorted(broker.listeners, key=lambda name: name != broker.listener):
        for telemetry in (False, True):
            ranges = broker.listed(listener, telemetry=telemetry)
            yield _Answer(broker.release, listener, ranges)
