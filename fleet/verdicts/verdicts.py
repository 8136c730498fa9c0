"""How a release answers a request, by the code and the tables of `wirebook negotiate`, and by a probe."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from wirebook.fleet.reading.own_logs import PROBE
from wirebook.live.negotiation.negotiate import Choice, Peer, choose
from wirebook.live.negotiation.peers import release_peer
from wirebook.specs.files import read_input
from wirebook.specs.kafka.brokers import Broker, broker_named, kafka_releases, load_brokers
from wirebook.specs.limits import MAX_PROBE
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions, VersionSet


class Status(StrEnum):
    """The fate of a request at the target release; of several listeners, the first of these counts."""

    SERVED = "served"
    DEPRECATED = "deprecated"
    REFUSED = "refused"
    UNKNOWN = "unknown"


class Evidence(NamedTuple):
    """What a log shows about its cluster.

    `releases` serve all versions that the log shows as served, or all but the fewest. If the target is one of
    them, `beyond` are versions that the cluster serves and the specs of the target lack.
    """

    releases: tuple[str, ...]
    beyond: frozenset[tuple[int, int]]


@dataclass
class Target:
    """The broker release that requests are judged against.

    `probed` is what a probe of brokers of the target lists and serves, None without one: it counts more than
    the specs. `disagreements` are versions about which the two disagree: what the specs say, and the probe.
    """

    broker: Broker
    peers: tuple[Peer, ...]
    probed: Mapping[int, VersionSet] | None = None
    known: dict[tuple[int, int], Status] = field(default_factory=dict)
    disagreements: dict[tuple[int, int], tuple[Status, Status]] = field(default_factory=dict)

    @classmethod
    def named(cls, release: str, probe: Path | None = None) -> Target:
        """The target for a release, and the JSON output of a probe of it. Raises InputError if no release has
        that name, and for another file.
        """
        broker = broker_named(release)
        # Brokers serve telemetry whether they list it or not.
        peers = (release_peer(broker, listener, telemetry=True) for listener in broker.listeners)
        return cls(broker, tuple(peers), None if probe is None else read_probe(probe))

    @property
    def release(self) -> str:
        """The release as the tables name it."""
        return self.broker.release

    def status(self, key: int, version: int) -> Status:
        """How the target answers a version of an API, on any of its listeners."""
        status = self.known.get((key, version))
        if status is None:
            status = self.known[key, version] = self._reconciled(key, version)
        return status

    def served(self, key: int) -> Versions:
        """The versions of an API that the target serves."""
        return _of(self.broker, key)

    def evidence(self, pairs: Iterable[tuple[int, int]]) -> Evidence:
        """Compare versions that a log shows as served with the specs of all releases."""
        checked = {
            pair for pair in pairs if any(pair[1] in _of(broker, pair[0]) for broker in load_brokers())
        }
        lacking = {
            broker.release: frozenset(pair for pair in checked if not _has(broker, *pair))
            for broker in load_brokers()
            if broker.is_released
        }
        fewest = min(map(len, lacking.values()))
        best = tuple(release for release, lacks in lacking.items() if len(lacks) == fewest)
        is_target = self.release in best
        return Evidence(best if checked else (), lacking[self.release] if is_target else frozenset())

    def _reconciled(self, key: int, version: int) -> Status:
        specs = status = self._by_specs(key, version)
        if self.probed is not None and not self._is_unlisted(key):
            is_listed = version in self.probed.get(key, VersionSet.NONE)
            if is_listed and specs in (Status.REFUSED, Status.UNKNOWN):
                status = Status.SERVED
            elif not is_listed and self._is_for_clients(key):
                status = Status.REFUSED
        if status is not specs:
            self.disagreements[key, version] = specs, status
        return status

    def _is_unlisted(self, key: int) -> bool:
        return key in kafka_releases().unlisted and key in self.broker.versions

    def _is_for_clients(self, key: int) -> bool:
        """Whether brokers list an API, as opposed to controllers, which clients seldom connect to."""
        brokers = [keys for name, keys in self.broker.listeners.items() if name != "controller"]
        return key not in self.broker.versions or any(key in keys for keys in brokers)

    def _by_specs(self, key: int, version: int) -> Status:
        """How the target answers by the specs."""
        unlisted = kafka_releases().unlisted.get(key)
        if unlisted is not None and unlisted.any_version and key in self.broker.versions:
            return Status.SERVED
        # An unstable version is served if it is enabled.
        is_unstable = version in self.broker.unstable.get(key, Versions.NONE)
        if is_unstable or not any(version in _of(broker, key) for broker in load_brokers()):
            return Status.UNKNOWN
        client = Peer.of("client", {key: Versions(version, version)})
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


def read_probe(path: Path) -> dict[int, VersionSet]:
    """What all brokers of a probe list and serve, from its JSON output. Raises InputError, OSError."""
    try:
        document = json.loads(read_input(path, MAX_PROBE))
        if document["schema"] != PROBE:
            raise ValueError(document["schema"])
        brokers = [broker["apis"] for broker in document["brokers"] if broker["answered"]]
        listed = [{int(api["key"]): _probed(api) for api in apis} for apis in brokers]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError("this is not the output of wirebook probe --format json", str(path)) from None
    if not listed:
        raise InputError("no broker answered this probe", str(path))
    return {
        key: VersionSet.of(v for v in versions if all(v in other.get(key, ()) for other in listed))
        for key, versions in listed[0].items()
    }


def _probed(api: Mapping[str, str | None]) -> VersionSet:
    versions = VersionSet.parse(api["versions"] or "")
    refused = VersionSet.parse(api["refused"]) if api["refused"] else VersionSet.NONE
    return VersionSet.of(version for version in versions if version not in refused)


def _of(broker: Broker, key: int) -> Versions:
    return broker.versions.get(key, Versions.NONE)


def _has(broker: Broker, key: int, version: int) -> bool:
    """Whether a release serves a version, be it as an unstable one."""
    unlisted = kafka_releases().unlisted.get(key)
    if unlisted is not None and unlisted.any_version:
        return True
    return version in _of(broker, key) or version in broker.unstable.get(key, Versions.NONE)


def _status_of(choice: Choice) -> Status:
    if choice.version is None:
        # To be avoided, but served: a backport included it.
        is_avoided = {mark for _, mark in choice.passed_over} == {"avoid"}
        return Status.DEPRECATED if is_avoided else Status.REFUSED
    return Status.DEPRECATED if choice.reason == "deprecated" else Status.SERVED
