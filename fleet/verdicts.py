"""How a release answers a request, by the code and the tables of `wirebook negotiate`."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from wirebook.peers.known import release_peer
from wirebook.peers.negotiation import Choice, Peer, choose
from wirebook.specs.kafka.brokers import Broker, broker_named, kafka_releases, load_brokers
from wirebook.specs.versions import Versions


class Status(StrEnum):
    """The fate of a request at the target release; of several listeners, the first of these counts."""

    SERVED = "served"
    DEPRECATED = "deprecated"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass
class Target:
    """The broker release that requests are judged against."""

    broker: Broker
    peers: tuple[Peer, ...]
    known: dict[tuple[int, int], Status] = field(default_factory=dict)

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

    def status(self, key: int, version: int) -> Status:
        """How the target answers a version of an API, on any of its listeners."""
        status = self.known.get((key, version))
        if status is None:
            status = self.known[key, version] = self._status(key, version)
        return status

    def served(self, key: int) -> Versions:
        """The versions of an API that the target serves."""
        return _of(self.broker, key)

    def _status(self, key: int, version: int) -> Status:
        unlisted = kafka_releases().unlisted.get(key)
        if unlisted is not None and unlisted.any_version and key in self.broker.versions:
            return Status.SERVED
        # An unstable version is served if it is enabled.
        is_unstable = version in self.broker.unstable.get(key, Versions.NONE)
        if is_unstable or not any(version in _of(broker, key) for broker in load_brokers()):
            return Status.UNKNOWN
        client = Peer("client", {key: Versions(version, version)})
        statuses = {_status_of(choose(client, peer, key)) for peer in self.peers}
        return next(status for status in Status if status in statuses)

    def last_served(self, key: int, version: int) -> str:
        """The last release before the target that serves a version; "" if there is none."""
        release = ""
        for broker in load_brokers():
            if broker.release == self.release:
                break
            if version in _of(broker, key) and not broker.release.endswith("-dev"):
                release = broker.release
        return release


def _of(broker: Broker, key: int) -> Versions:
    return broker.versions.get(key, Versions.NONE)


def _status_of(choice: Choice) -> Status:
    if choice.version is None:
        # To be avoided, but served: a backport included it.
        is_avoided = {mark for _, mark in choice.passed_over} == {"avoid"}
        return Status.DEPRECATED if is_avoided else Status.REFUSED
    return Status.DEPRECATED if choice.reason == "deprecated" else Status.SERVED
