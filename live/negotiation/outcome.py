"""The negotiation of a client with brokers: for each API and feature, what works with which broker."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from wirebook.live.negotiation.negotiate import Choice, Feature, Peer, choose, falling
from wirebook.live.negotiation.similarity import ReleaseSimilarity
from wirebook.specs.kafka.brokers import api_names
from wirebook.specs.versions import Versions

SCHEMA = "wirebook/negotiation/1"

State = Literal["every", "some", "none"]
"""With how many brokers something works."""
STATES: tuple[State, ...] = ("every", "some", "none")


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
    def usable(self) -> State:
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
    def usable(self) -> State:
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
    summary: Mapping[State, int]
    similarities: tuple[ReleaseSimilarity | None, ...] = ()

    @property
    def client_known(self) -> bool:
        """Whether there is a client with known ranges; otherwise any version is usable."""
        return self.client is not None and self.client.versions is not None

    def to_json(self) -> dict[str, Any]:
        """Return the document `wirebook/negotiation/1`."""
        brokers = [broker.to_json() for broker in self.brokers]
        for row, found in zip(brokers, self.similarities, strict=False):
            row["like"] = None if found is None else found.to_json()
            row["like_words"] = "" if found is None else found.summary()
        return {
            "schema": SCHEMA,
            "client": None if self.client is None else self.client.to_json(),
            "brokers": brokers,
            "apis": [api.to_json() for api in self.apis],
            "features": [feature.to_json() for feature in self.features],
            "summary": dict(self.summary),
        }


def negotiation(client: Peer | None, brokers: Sequence[Peer]) -> Negotiation:
    """Negotiate every API and every feature of the client with each of the brokers."""
    keys = {key for peer in (client, *brokers) if peer is not None for key in peer.versions or ()}
    apis = tuple(_api(client, brokers, key) for key in sorted(keys))
    features = tuple(_feature(client, brokers, item) for item in (client.features if client else ()))
    known = client is not None and client.versions is not None
    usable = [item.usable for item in apis if item.client is not None or not known]
    return Negotiation(
        client, tuple(brokers), apis, features, {state: usable.count(state) for state in STATES}
    )


def _api(client: Peer | None, brokers: Sequence[Peer], key: int) -> ApiOutcome:
    pairs = tuple(
        Pair(broker.name, (broker.versions or {}).get(key), choose(client, broker, key)) for broker in brokers
    )
    across = Versions.ALL if brokers else Versions.NONE
    for pair in pairs:
        across &= pair.serves or Versions.NONE
    names = (peer.names[key] for peer in (*brokers, client) if peer is not None and key in peer.names)
    return ApiOutcome(
        key,
        next(names, api_names().get(key)),
        (client.versions or {}).get(key) if client is not None else None,
        across or None,
        _for_all(client, brokers, key, across),
        pairs,
    )


def _for_all(client: Peer | None, brokers: Sequence[Peer], key: int, across: Versions) -> int | None:
    """The highest version that can be used with every broker; None if there is none."""
    if not across:
        return None
    spoken = across
    if client is not None and client.versions is not None:
        spoken &= client.versions.get(key, Versions.NONE)
    old: int | None = None
    for version in falling(spoken):
        choices = [choose(client, broker, key, Versions(version, version)) for broker in brokers]
        if all(choice.reason == "used" for choice in choices):
            return version
        if old is None and all(choice.version is not None for choice in choices):
            old = version
    return old


def _feature(client: Peer | None, brokers: Sequence[Peer], feature: Feature) -> FeatureOutcome:
    def pair(broker: Peer) -> FeaturePair:
        return FeaturePair(
            broker.name,
            tuple(
                WayOutcome(
                    way.by,
                    tuple(
                        NeedOutcome(key, _name(client, broker, key), need, choose(client, broker, key, need))
                        for key, need in sorted(way.needs.items())
                    ),
                )
                for way in feature.ways
            ),
        )

    return FeatureOutcome(feature, tuple(pair(broker) for broker in brokers))


def _name(client: Peer | None, broker: Peer, key: int) -> str:
    for peer in (broker, client):
        if peer is not None and key in peer.names:
            return peer.names[key]
    return api_names().get(key, f"key {key}")


def _state(usable: Iterable[bool]) -> State:
    each = list(usable)
    if each and all(each):
        return "every"
    return "some" if any(each) else "none"


def _text(versions: Versions | None) -> str | None:
    return None if versions is None else str(versions)
