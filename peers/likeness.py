"""Finds the release that answers ApiVersions like a broker, and says how it differs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from wirebook.peers.negotiation import Ranges
from wirebook.specs.kafka.brokers import Broker, kafka_releases
from wirebook.specs.kafka.registry import load_registry

_LISTED = 4


class Likeness(NamedTuple):
    """What a broker answers, `here`, beside what a release answers on a kind of listener, `ranges`.

    `releases` are all that answer so, the newest first.
    """

    here: Ranges
    releases: tuple[str, ...]
    listener: str
    ranges: Ranges

    @property
    def different(self) -> list[int]:
        """The keys of the APIs that differ."""
        keys = sorted({*self.here, *self.ranges})
        return [key for key in keys if self.here.get(key) != self.ranges.get(key)]

    @property
    def distance(self) -> tuple[int, int]:
        """How many of the APIs listed here differ, and how many of all.

        A broker that serves half of a release is like that release, and not like an old one with as
        many APIs.
        """
        different = self.different
        return sum(key in self.here for key in different), len(different)

    @property
    def words(self) -> str:
        """ "exactly as 3.9.1 or 3.9 (…)", "nearest is 3.9 (…): no Vote"."""
        level = load_registry().of_release(self.releases[0])
        where = f"{self.listener} listener"
        if level is not None:
            where = f"ApiVersion {level.id}, {where}"
        different = self.different
        if not different:
            return f"exactly as {' or '.join(self.releases)} ({where})"
        listed = [self._difference(key) for key in different[:_LISTED]]
        if len(different) > _LISTED:
            listed.append(f"{len(different) - _LISTED} more")
        return f"nearest is {self.releases[0]} ({where}): {'; '.join(listed)}"

    def _difference(self, key: int) -> str:
        """ "Fetch 0-12, not 0-13"; "no Vote"; "Vote 0-1 besides"."""
        name = kafka_releases().names.get(key, f"key {key}")
        if key not in self.here:
            return f"no {name}"
        if key not in self.ranges:
            return f"{name} {self.here[key]} besides"
        return f"{name} {self.here[key]}, not {self.ranges[key]}"


def likeness(here: Ranges) -> Likeness:
    """The answer of a release that is most like some ranges, which are of at least one API."""
    brokers = [broker for broker in reversed(kafka_releases().brokers) if broker.negotiates]
    answers = [answer for broker in brokers for answer in _answers(broker, here)]
    nearest = min(answers, key=lambda answer: answer.distance)
    alike = [answer.releases[0] for answer in answers if answer.ranges == here]
    return nearest._replace(releases=tuple(dict.fromkeys(alike)) or nearest.releases)


def _answers(broker: Broker, here: Ranges) -> Iterator[Likeness]:
    """The answers that a broker of a release may give, the most common first."""
    for listener in sorted(broker.listeners, key=lambda name: name != broker.listener):
        for telemetry in (False, True):
            ranges = broker.listed(listener, telemetry=telemetry)
            yield Likeness(here, (broker.release,), listener, ranges)
