"""The brokers of releases and the clients that are known by name, as peers (KIP-35)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from wirebook.peers.negotiation import Feature, Marks, Peer, Ranges, marks_of
from wirebook.specs.json_records import from_json
from wirebook.specs.kafka.brokers import Broker, kafka_releases
from wirebook.specs.kafka.releases import numbers_of
from wirebook.specs.versions import Versions, VersionSet

_CLIENTS = Path(__file__).with_name("clients.json")
# Java clients choose a version only since this release (KIP-97); older ones always send their
# newest.
CHOOSES_SINCE = (0, 10, 2)
# Source: Kafka's notes on upgrading to 4.0, and KIP-896.
_REQUIRED_BROKERS = "; Kafka supports it with brokers 2.1 and later only"
_KINDS = {"zkBroker": "a ZooKeeper-mode broker", "broker": "a broker", "controller": "a controller"}


def release_peer(broker: Broker, listener: str = "") -> Peer:
    """What a broker of a release answers on a listener; versions that it lists but does not serve
    are marked.

    Raises InputError if the release has no such listener.
    """
    listed = broker.listed(listener)
    origin = f"what {_KINDS[listener or broker.listener]} of that release answers"
    if not broker.negotiates:
        origin = "what the release serves; it does not have ApiVersions, so clients cannot query it"
    marks = marks_at(broker, listener, listed)
    return Peer(broker.release, listed, "release", origin, marks, asks=broker.negotiates)


def marks_at(broker: Broker, listener: str, ranges: Ranges) -> Marks:
    """What a release says of the versions in some ranges."""
    listed = broker.listed(listener)
    refused = {key: listed[key] - broker.versions[key] for key in listed}
    return marks_of(
        ranges,
        {"refused": refused, "unstable": broker.unstable, "deprecated": broker.deprecated},
    )


def java_client(broker: Broker) -> Peer:
    """The Java client of a release, with the ranges of its specs."""
    ranges, origin = dict(broker.versions), "the specs of the release"
    if numbers_of(broker.release) < CHOOSES_SINCE:
        ranges = {
            key: Versions(versions.highest, versions.highest) for key, versions in ranges.items()
        }
        origin += "; before 0.10.2 a Java client sent only its newest version"
    if numbers_of(broker.release) >= (4, 0):
        origin += _REQUIRED_BROKERS
    return Peer(f"Java client {broker.release}", ranges, "known", origin)


@cache
def known_versions(key: int) -> VersionSet:
    """The stable versions of an API in any release."""
    return VersionSet.union(
        *(broker.versions.get(key, Versions.NONE) for broker in kafka_releases().brokers)
    )


class _Known(NamedTuple):
    """The ranges of a client, what it lists in them without support, its features, and where they
    are read from."""

    versions: Ranges
    unsupported: Ranges = MappingProxyType({})
    features: tuple[Feature, ...] = ()
    sources: tuple[str, ...] = ()


@cache
def known_clients() -> dict[str, Peer]:
    """The clients that are known by name (clients.json); librdkafka has features, too."""
    clients = {}
    for row in json.loads(_CLIENTS.read_text(encoding="utf-8"))["clients"]:
        known = from_json(_Known, row)
        marks = marks_of(known.versions, {"refused": known.unsupported})
        clients[row["id"]] = Peer(
            row["name"],
            known.versions,
            "known",
            row["from"],
            marks,
            features=known.features,
            sources=known.sources,
        )
    return clients


@cache
def newest_marks() -> Mapping[str, Mapping[int, VersionSet]]:
    """The marked versions of a broker of unknown release, by mark and API key.

    A version is deprecated if the last release that has it deprecates it. It is unstable if the
    newest release has it but hides it: a broker that lists it is configured to do so.
    """
    deprecated: dict[int, VersionSet] = {}
    for broker in kafka_releases().released:
        for key, versions in broker.versions.items():
            older = deprecated.get(key, VersionSet.NONE) - VersionSet.union(versions)
            deprecated[key] = older | VersionSet.union(broker.deprecated.get(key, Versions.NONE))
    unstable = kafka_releases().released[-1].unstable
    return {
        "deprecated": dict(sorted(deprecated.items())),
        "unstable": {key: VersionSet.union(versions) for key, versions in unstable.items()},
    }
