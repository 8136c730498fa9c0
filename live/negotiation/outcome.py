"""The negotiation of a client with brokers: for each API and feature, what works with which broker."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from wirebook.live.negotiation.negotiate import Choice, Feature, Peer, Way, choose, falling
from wirebook.live.negotiation.similarity import ReleaseSimilarity
from wirebook.specs.kafka.brokers import ReleaseTable, kafka_releases
from wirebook.specs.versions import Versions

SCHEMA = "wirebook/negotiation/1"

UsableBy = Literal["every", "some", "none"]
"""With how many brokers something works."""
STATES: tuple[UsableBy, ...] = ("every", "some", "none")


@dataclass(frozen=True, slots=True)
class Pair:
    """One API between the client and a broker: the range of the broker, and the version to use."""

    broker: str
    serves: Versions | None
    choice: Choice

    def to_json(self) -> dict[str, Any]:
        """Return the value in `wirebook/negotiation/1`."""
        return {
            "broker": self.broker,
            "serves": _text(self.serves),
            "version": self.choice.version,
            "reason": self.choice.reason,
            "words": self.choice.words,
            "passed_over": [{"version": v, "mark": mark} for v, mark in self.choice.passed_over],
        }


@dataclass(frozen=True, slots=True)
class ApiOutcome:
    """An API between the client and each broker, in the order of the brokers, and with all brokers together.

    `client` is None if the client does not support the API or its ranges are unknown. `across` is the range
    that every broker serves, and `version` one that works with every broker; None if there is none.
    """

    key: int
    name: str | None
    client: Versions | None
    across: Versions | None
    version: int | None
    pairs: tuple[Pair, ...]

    @property
    def usable(self) -> UsableBy:
        """With how many brokers the client has a version."""
        return _state(pair.choice.version is not None for pair in self.pairs)

    def to_json(self) -> dict[str, Any]:
        """Return the value in `wirebook/negotiation/1`."""
        return {
            "key": self.key,
            "name": self.name,
            "client": _text(self.client),
            "usable": self.usable,
            "across": _text(self.across),
            "version": self.version,
            "pairs": [pair.to_json() for pair in self.pairs],
        }


@dataclass(frozen=True, slots=True)
class NeedOutcome:
    """What one way to a feature requires of an API, and the version that meets it."""

    key: int
    name: str
    needs: Versions
    choice: Choice

    def to_json(self) -> dict[str, Any]:
        """Return the value in `wirebook/negotiation/1`."""
        return {
            "key": self.key,
            "name": self.name,
            "needs": str(self.needs),
            "version": self.choice.version,
            "reason": self.choice.reason,
            "words": self.choice.words,
        }


@dataclass(frozen=True, slots=True)
class WayOutcome:
    """One way to a feature with one broker."""

    by: str
    needs: tuple[NeedOutcome, ...]

    @property
    def usable(self) -> bool:
        """Whether each of its needs has a version."""
        return all(need.choice.version is not None for need in self.needs)

    @property
    def words(self) -> str:
        """The versions that make it usable, or what is missing, as text."""
        if self.usable:
            reasons = ", ".join(f"{need.name} {need.choice.version}" for need in self.needs)
        else:
            lacking = [need for need in self.needs if need.choice.version is None]
            reasons = "; ".join(f"{need.name}: {need.choice.words}" for need in lacking)
        return f"{self.by}: {reasons}" if self.by else reasons

    def to_json(self) -> dict[str, Any]:
        """Return the value in `wirebook/negotiation/1`."""
        return {"by": self.by, "usable": self.usable, "needs": [need.to_json() for need in self.needs]}


@dataclass(frozen=True, slots=True)
class FeaturePair:
    """A feature with one broker, in each of its ways."""

    broker: str
    ways: tuple[WayOutcome, ...]

    @property
    def usable(self) -> bool:
        """Whether one of the ways is usable."""
        return any(way.usable for way in self.ways)

    @property
    def words(self) -> str:
        """The versions that make the feature usable, or what is missing, on one line."""
        good = next((way for way in self.ways if way.usable), None)
        return good.words if good is not None else ". ".join(way.words for way in self.ways)

    def to_json(self) -> dict[str, Any]:
        """Return the value in `wirebook/negotiation/1`."""
        return {
            "broker": self.broker,
            "usable": self.usable,
            "words": self.words,
            "ways": [way.to_json() for way in self.ways],
        }


@dataclass(frozen=True, slots=True)
class FeatureOutcome:
    """A feature of the client with each broker, in the order of the brokers."""

    feature: Feature
    brokers: tuple[FeaturePair, ...]

    @property
    def usable(self) -> UsableBy:
        """With how many brokers it works."""
        return _state(pair.usable for pair in self.brokers)

    def to_json(self) -> dict[str, Any]:
        """Return the value in `wirebook/negotiation/1`."""
        return {
            "name": self.feature.name,
            "title": self.feature.title,
            "about": self.feature.about,
            "usable": self.usable,
            "brokers": [pair.to_json() for pair in self.brokers],
        }


@dataclass(frozen=True, slots=True)
class Negotiation:
    """The negotiation of a client with brokers.

    `apis` are those that the client supports or a broker serves, by key; `summary` counts those that the
    client supports. `similarities` has, for each broker, the releases that answer like it: None if its
    release is known, and empty if similarities were not requested.
    """

    client: Peer | None
    brokers: tuple[Peer, ...]
    apis: tuple[ApiOutcome, ...]
    features: tuple[FeatureOutcome, ...]
    summary: Mapping[UsableBy, int]
    similarities: tuple[ReleaseSimilarity | None, ...] = ()

    @property
    def client_known(self) -> bool:
        """Whether there is a client with known ranges; otherwise any version is usable."""
        return self.client is not None and self.client.versions is not None

    def to_json(self) -> dict[str, Any]:
        """Return the document `wirebook/negotiation/1`."""
        brokers = [broker.to_json() for broker in self.brokers]
        for row, similarity in zip(brokers, self.similarities, strict=False):
            row["like"] = None if similarity is None else similarity.to_json()
            row["like_words"] = "" if similarity is None else similarity.summary()
        return {
            "schema": SCHEMA,
            "client": None if self.client is None else self.client.to_json(),
            "brokers": brokers,
            "apis": [api.to_json() for api in self.apis],
            "features": [feature.to_json() for feature in self.features],
            "summary": dict(self.summary),
        }


def negotiation(
    client: Peer | None, brokers: Sequence[Peer], table: ReleaseTable | None = None
) -> Negotiation:
    """Negotiate every API and every feature of the client with each of the brokers.

    `table` names the APIs for which no peer has a name (default: Kafka's).
    """
    return _Sides(client, tuple(brokers), table or kafka_releases()).negotiation()


@dataclass(frozen=True, slots=True)
class _Sides:
    """A client, the brokers, and a table with the names of APIs."""

    client: Peer | None
    brokers: tuple[Peer, ...]
    table: ReleaseTable

    def negotiation(self) -> Negotiation:
        """Negotiate everything."""
        client = self.client
        keys = {key for peer in (client, *self.brokers) if peer is not None for key in peer.versions or ()}
        apis = tuple(map(self.api, sorted(keys)))
        features = tuple(map(self.feature, client.features if client else ()))
        knows_client = client is not None and client.versions is not None
        usable = [api.usable for api in apis if api.client is not None or not knows_client]
        counts = {state: usable.count(state) for state in STATES}
        return Negotiation(client, self.brokers, apis, features, counts)

    def api(self, key: int) -> ApiOutcome:
        """Negotiate one API."""
        client = self.client
        pairs = tuple(
            Pair(broker.name, (broker.versions or {}).get(key), choose(client, broker, key))
            for broker in self.brokers
        )
        across = Versions.ALL if self.brokers else Versions.NONE
        for pair in pairs:
            across &= pair.serves or Versions.NONE
        return ApiOutcome(
            key,
            self.name(key, self.brokers),
            (client.versions or {}).get(key) if client is not None else None,
            across or None,
            self.version_for_all(key, across),
            pairs,
        )

    def version_for_all(self, key: int, across: Versions) -> int | None:
        """The highest version that can be used with every broker; None if there is none."""
        if not across:
            return None
        common = across
        if self.client is not None and self.client.versions is not None:
            common &= self.client.versions.get(key, Versions.NONE)
        deprecated: int | None = None
        for version in falling(common):
            alone = Versions(version, version)
            choices = [choose(self.client, broker, key, alone) for broker in self.brokers]
            if all(choice.reason == "used" for choice in choices):
                return version
            if deprecated is None and all(choice.version is not None for choice in choices):
                deprecated = version
        return deprecated

    def feature(self, feature: Feature) -> FeatureOutcome:
        """Negotiate one feature."""
        pairs = (
            FeaturePair(broker.name, tuple(self.way(way, broker) for way in feature.ways))
            for broker in self.brokers
        )
        return FeatureOutcome(feature, tuple(pairs))

    def way(self, way: Way, broker: Peer) -> WayOutcome:
        """Negotiate what one way to a feature needs of a broker."""
        needs = (
            NeedOutcome(
                key,
                self.name(key, (broker,)) or f"key {key}",
                need,
                choose(self.client, broker, key, need),
            )
            for key, need in sorted(way.needs.items())
        )
        return WayOutcome(way.by, tuple(needs))

    def name(self, key: int, brokers: Iterable[Peer]) -> str | None:
        """The name that the first of some brokers has for an API, or else the client or the table."""
        names = (
            peer.names[key] for peer in (*brokers, self.client) if peer is not None and key in peer.names
        )
        return next(names, self.table.names.get(key))


def _state(usable: Iterable[bool]) -> UsableBy:
    each = list(usable)
    if each and all(each):
        return "every"
    return "some" if any(each) else "none"


def _text(versions: Versions | None) -> str | None:
    return None if versions is None else str(versions)
