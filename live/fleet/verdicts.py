"""How a release answers a request, by the code and the tables of `wirebook negotiate`."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from wirebook.live.negotiation.negotiate import Choice, Peer, choose
from wirebook.live.negotiation.peers import release_peer
from wirebook.specs.kafka.brokers import Broker, api_names, broker_named, kafka_releases, load_brokers
from wirebook.specs.versions import Versions


class Status(StrEnum):
    """The fate of a request at the target release."""

    SERVED = "served"
    DEPRECATED = "deprecated"
    REFUSED = "refused"
    UNKNOWN = "unknown"


class Verdict(NamedTuple):
    """The status of a version of an API, with the reason in the words of `negotiate`."""

    status: Status
    words: str


@dataclass
class Target:
    """The broker release that requests are judged against."""

    broker: Broker
    peers: tuple[Peer, ...]
    known: dict[tuple[int, int], Verdict] = field(default_factory=dict)

    @classmethod
    def named(cls, release: str) -> Target:
        """The target for a release. Raises InputError if no release has that name."""
        broker = broker_named(release)
        # Brokers serve telemetry whether they list it or not.
        peers = (release_peer(broker, listener, telemetry=True) for listener in broker.listeners)
        return cls(broker, tuple(peers))

    @property
    def release(self) -> str:
        """The release as the tables name it."""
        return self.broker.release

    def verdict(self, key: int, version: int) -> Verdict:
        """How the target answers a version of an API, on any of its listeners."""
        found = self.known.get((key, version))
        if found is None:
            found = self.known[key, version] = self._verdict(key, version)
        return found

    def served(self, key: int) -> Versions:
        """The versions of an API that the target serves."""
        return self.broker.versions.get(key, Versions.NONE)

    def _verdict(self, key: int, version: int) -> Verdict:
        unlisted = kafka_releases().unlisted.get(key)
        if unlisted is not None and unlisted.any_version and key in self.broker.versions:
            return Verdict(Status.SERVED, unlisted.reason)
        if version in self.broker.unstable.get(key, Versions.NONE):
            return Verdict(Status.UNKNOWN, f"{self.release} has it as an unstable version, served if enabled")
        if not any(version in broker.versions.get(key, Versions.NONE) for broker in load_brokers()):
            if any(version in broker.unstable.get(key, Versions.NONE) for broker in load_brokers()):
                return Verdict(Status.UNKNOWN, "no release has it as a stable version")
            what = "version of this API" if key in api_names() else "API"
            return Verdict(Status.UNKNOWN, f"no release that wirebook knows has this {what}")
        client = Peer.of("client", {key: Versions(version, version)})
        choices = [choose(client, peer, key) for peer in self.peers]
        return min((_verdict_of(choice) for choice in choices), key=lambda verdict: _ORDER[verdict.status])

    def last_served(self, key: int, version: int) -> str:
        """The last release before the target that serves a version; "" if there is none."""
        found = ""
        for broker in load_brokers():
            if broker.release == self.release:
                break
            if version in broker.versions.get(key, Versions.NONE) and not broker.release.endswith("-dev"):
                found = broker.release
        return found


_ORDER = {status: place for place, status in enumerate(Status)}


def _verdict_of(choice: Choice) -> Verdict:
    if choice.version is None:
        marks = {mark for _, mark in choice.passed_over}
        # To be avoided, but served: a backport included it.
        if marks == {"avoid"}:
            return Verdict(Status.DEPRECATED, choice.words)
        return Verdict(Status.REFUSED, choice.words)
    return Verdict(Status.DEPRECATED if choice.reason == "deprecated" else Status.SERVED, choice.words)
