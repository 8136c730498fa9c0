"""Resolves words of the command line to peers: releases, protocol levels, clients, files, live brokers."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from wirebook.live.negotiation.documentation import Documentation, NumbersByKey
from wirebook.live.negotiation.negotiate import CLIENTS, Peer, librdkafka
from wirebook.live.negotiation.ranges import read_ranges
from wirebook.rules.opened import open_specs
from wirebook.specs.kafka.brokers import Broker, ReleaseTable, kafka_releases, order_of, released_brokers
from wirebook.specs.levels import ApiVersion, Registry
from wirebook.specs.limits import MAX_RANGES
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import BUNDLE, TARS, ZIPS
from wirebook.specs.versions import Versions

# Java clients choose a version only since this release (KIP-97); older ones always send their newest.
CHOOSES_SINCE = (0, 10, 2)
# Source: Kafka's notes on upgrading to 4.0, and KIP-896.
REQUIRED_BROKERS = "; Kafka supports it with brokers 2.1 and later only"

_HOST_PORT = re.compile(r"(?:\[[0-9A-Fa-f:.%]+\]|[A-Za-z0-9._-]+):\d{1,5}")
_RELEASE = re.compile(r"v?\d+(\.\d+)+(\.[xX]|-dev)?")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9 -]*")
_JAVA = re.compile(r"java[- ](?P<release>\S+)")

Probe = Callable[[str], Mapping[int, Versions]]
"""Queries the broker at HOST:PORT for its ranges; raises InputError if it does not answer."""


@dataclass(frozen=True)
class PeerResolver:
    """Resolves words to peers, using the documentation, the kind of listener, and a probe of live brokers.

    `table` has the releases (default:
    Kafka's).
    """

    documentation: Documentation
    listener: str = ""
    probe: Probe | None = None
    table: ReleaseTable = field(default_factory=kafka_releases)

    def brokers(self, words: Iterable[str]) -> list[Peer]:
        """Resolve words to brokers, in order; equal names get numbers."""
        return numbered(peer for word in words for peer in self.broker(word))

    def broker(self, word: str) -> list[Peer]:
        """Resolve one word to brokers: a file or a list of addresses may name several."""
        level = self.documentation.level(word)
        if level is not None:
            return [self.of_level(level)]
        if self._is_release(word):
            return [self.of_release(self.table.broker(word))]
        if all(map(_HOST_PORT.fullmatch, word.split(","))) and not os.path.exists(word):
            return [self._live(address) for address in word.split(",")]
        return [self._documented(peer) for peer in self._read(word)]

    def client(self, word: str) -> Peer:
        """Resolve a word to a client: a known client, that of a release, or one in a file."""
        clients = known_clients() if self.table.is_kafka else {}
        if word in clients:
            return clients[word]
        java = _JAVA.fullmatch(word)
        if java is not None:
            return java_client(self.table.broker(java["release"]))
        level = self.documentation.level(word)
        if level is not None:
            peer = self.of_level(level)
            return replace(
                peer, name=f"client of {self.documentation.word} {level.id}", deprecated={}, refused={}
            )
        if self._is_release(word):
            return java_client(self.table.broker(word))
        try:
            peers = self._read(word)
        except InputError:
            if _WORD.fullmatch(word) and not os.path.exists(word):
                raise InputError(
                    f'the versions of a client "{word}" are not known, and no file or git ref has this name; '
                    f"known are {', '.join((*clients, 'any release'))}"
                    f"{' for its Java client' if clients else ''}. Write those of another client to a file"
                ) from None
            raise
        if len(peers) > 1:
            raise InputError(f"a client is one peer, but this lists {len(peers)}", word)
        return peers[0]

    def _is_release(self, word: str) -> bool:
        """Whether a word can only be a release; where none is known, it may be a ref."""
        return bool(self.table.brokers and _RELEASE.fullmatch(word)) and not os.path.exists(word)

    def of_release(self, broker: Broker) -> Peer:
        """A broker of a release, on the requested listener."""
        peer = release_peer(broker, self.listener)
        level = self.documentation.registry.of_release(broker.release)
        if level is None:
            return peer
        marks = self.documentation.marks(level.id)
        if not self.documentation.explicit:
            # Patch releases of one level deprecate different versions: only the table has those of each.
            del marks["deprecated"]
        return _with(peer, marks)

    def of_level(self, level: ApiVersion) -> Peer:
        """A broker at a protocol level.

        Its ranges are those of the histories of an explicit source, or else those of the release whose newest
        level it is. A level in the middle of a release has the ranges of the release before.
        """
        name = f"{self.documentation.word} {level.id} ({level.version})"
        if self.documentation.explicit:
            ranges, refused = self.documentation.ranges(level.id)
            marks = self.documentation.marks(level.id)
            return Peer.of(
                name,
                ranges,
                kind="level",
                origin=f"the history of the specs, up to {level.version}",
                refused=refused,
                names=self.documentation.names,
                **marks,
            )
        broker = broker_of(level, self.documentation.registry, self.table)
        peer = self.of_release(broker)
        return replace(peer, name=name, kind="level", origin=f"release {broker.release}: {peer.origin}")

    def _live(self, address: str) -> Peer:
        if int(address.rpartition(":")[2]) > 65535:
            raise InputError(f"{address} has no valid port: ports end at 65535")
        if self.probe is None:
            raise InputError(f"{address} is the address of a live broker; brokers are not queried here")
        if not self.table.is_kafka:
            raise InputError(
                f"{address} cannot be queried, because servers of this protocol have no API for that which "
                "wirebook knows: name a release, a file of ranges, or a SOURCE of specs"
            )
        peer = Peer.of(address, dict(self.probe(address)), kind="live", origin="queried just now")
        return self._documented(peer)

    def _read(self, word: str) -> list[Peer]:
        """Read the peers from a file of ranges, or from a SOURCE of specs; "-" is standard input."""
        if word == "-":
            text = sys.stdin.buffer.read(MAX_RANGES + 1)[: MAX_RANGES + 1]
            peers = read_ranges(text, "standard input", "stdin", self.table)
            return [replace(peer, kind="file", origin="standard input") for peer in peers]
        if os.path.isfile(word) and not word.lower().endswith((*ZIPS, *TARS, BUNDLE)):
            if os.path.getsize(word) > MAX_RANGES:
                raise InputError(f"this is larger than {MAX_RANGES >> 20} MiB", word)
            with open(word, "rb") as file:
                text = file.read()
            if b'"validVersions"' not in text:
                name = os.path.splitext(os.path.basename(word))[0]
                peers = read_ranges(text, word, name, self.table)
                return [replace(peer, kind="file", origin=f"the file {word}") for peer in peers]
        return [self._source(word)]

    def _source(self, word: str) -> Peer:
        opened = open_specs(word)
        described = opened.where
        specs = replace(self.documentation, protocol=opened.protocol)
        newest = specs.newest
        ranges, refused = specs.ranges(newest)
        if not ranges:
            raise InputError(f"no request here is one that a {self.table.server} could serve", word)
        return Peer.of(
            word,
            ranges,
            kind="source",
            origin=f"the specs in {described}",
            refused=refused,
            names=specs.names,
            **specs.marks(newest),
        )

    def _documented(self, peer: Peer) -> Peer:
        """A peer of unknown release, with the marks of the newest documentation."""
        if peer.kind not in ("file", "live"):
            return peer
        marks = self.documentation.newest_marks()
        if not self.documentation.explicit:
            marks["unstable"] = unfinished()
        return _with(peer, marks)


def release_peer(broker: Broker, listener: str = "", *, telemetry: bool = False) -> Peer:
    """What a broker of a release answers on a listener; versions that it lists but does not serve are marked.

    `telemetry` is set for a broker with a receiver of client telemetry. Raises InputError if the release has
    no such listener.
    """
    listener = listener or broker.listener
    listed = broker.listed(listener, telemetry=telemetry) if broker.negotiates else dict(broker.versions)
    if not listed:
        raise InputError(
            f"release {broker.release} has no listener {listener}, only {' and '.join(broker.listeners)}"
        )
    refused = {
        key: frozenset(versions) - frozenset(broker.versions[key])
        for key, versions in listed.items()
        if versions != broker.versions[key]
    }
    kinds = {"zkBroker": "a ZooKeeper-mode broker", "broker": "a broker", "controller": "a controller"}
    origin = f"what {kinds[listener]} of that release answers"
    if not broker.negotiates:
        origin = "what the release serves; it does not have ApiVersions, so clients cannot query it"
    return Peer.of(
        broker.release,
        listed,
        kind="release",
        origin=origin,
        refused=refused,
        deprecated={key: frozenset(versions) for key, versions in broker.deprecated.items()},
        asks=broker.negotiates,
    )


def java_client(broker: Broker) -> Peer:
    """The Java client of a release, with the ranges of its specs."""
    chooses = order_of(broker.release) >= CHOOSES_SINCE
    return Peer.of(
        f"Java client {broker.release}",
        dict(broker.versions)
        if chooses
        else {k: Versions(v.highest, v.highest) for k, v in broker.versions.items()},
        kind="known",
        origin="the specs of the release"
        + ("" if chooses else "; before 0.10.2 a Java client sent only its newest version")
        + (REQUIRED_BROKERS if order_of(broker.release) >= (4, 0) else ""),
    )


@cache
def known_clients() -> dict[str, Peer]:
    """The clients that are known by name (live/negotiation/clients.json); librdkafka has features, too."""
    document = json.loads(CLIENTS.read_text(encoding="utf-8"))
    return {
        row["id"]: Peer.of(
            row["name"],
            {int(key): Versions.parse(text) for key, text in row["versions"].items()},
            kind="known",
            origin=row["from"],
            refused={
                int(key): frozenset(Versions.parse(text)) for key, text in row.get("unsupported", {}).items()
            },
            features=librdkafka() if row["id"] == "librdkafka" else (),
        )
        for row in document["clients"]
    }


def broker_of(level: ApiVersion, registry: Registry, table: ReleaseTable) -> Broker:
    """The broker that has a level: of the release whose newest level it is, or else of the release before."""
    last = registry.of_release(level.release)
    brokers = [broker for broker in table.brokers if registry.of_release(broker.release) is not None]

    def newest(broker: Broker) -> int:
        level_of_release = registry.of_release(broker.release)
        return -1 if level_of_release is None else level_of_release.id

    reached = [broker for broker in brokers if newest(broker) <= level.id]
    if last is None or not reached:
        raise InputError(f"no broker release is known for ApiVersion {level.id} ({level.version})")
    return reached[-1]


@cache
def unfinished() -> NumbersByKey:
    """The versions that the newest release has but hides: a broker that lists one is configured to do so."""
    newest = released_brokers()[-1]
    return {key: frozenset(versions) for key, versions in newest.unstable.items()}


def numbered(peers: Iterable[Peer]) -> list[Peer]:
    """Number peers whose name an earlier peer has already."""
    renamed: list[Peer] = []
    for peer in peers:
        name, number = peer.name, 2
        while any(other.name == name for other in renamed):
            name, number = f"{peer.name} ({number})", number + 1
        renamed.append(replace(peer, name=name))
    return renamed


def _with(peer: Peer, marks: Mapping[str, Mapping[int, frozenset[int]]]) -> Peer:
    """The peer with additional marks."""
    merged: dict[str, Any] = {}
    for mark in ("avoid", "unstable", "deprecated"):
        before: Mapping[int, frozenset[int]] = getattr(peer, mark)
        more = marks.get(mark, {})
        merged[mark] = {
            key: before.get(key, frozenset()) | {v for v in more.get(key, ()) if v in peer.versions[key]}
            for key in (peer.versions or {})
            if peer.versions is not None
        }
    return Peer.of(
        peer.name,
        peer.versions,
        kind=peer.kind,
        origin=peer.origin,
        refused=peer.refused,
        names=peer.names,
        features=peer.features,
        asks=peer.asks,
        **merged,
    )
