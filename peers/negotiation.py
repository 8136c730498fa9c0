"""Client and broker compatibility (KIP-35): the versions and features that a client uses with
brokers.

docgen/site/theme/assets/negotiate.js chooses versions in a browser, from the same JSON; tests/e2e
compares the two.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import reduce
from operator import and_
from typing import Any, Literal, NamedTuple

from wirebook.specs.json_records import to_json
from wirebook.specs.versions import Versions, VersionSet

Ranges = Mapping[int, Versions]
Numbers = Versions | VersionSet | AbstractSet[int]
Marks = Mapping[int, Mapping[int, str]]
"""Marks of versions, by API key and version."""

SCHEMA = "wirebook/negotiation/1"
# Why a version that both sides have is skipped, worst first.
PASSED_OVER = ("refused", "avoid", "unstable")
# A deprecated version is used if there is no other.
MARKS = (*PASSED_OVER, "deprecated")
MARK_WORDS = {
    "refused": "listed but not served",
    "avoid": "not to be used",
    "unstable": "unstable",
    "deprecated": "deprecated",
}
REASONS = {
    "used": "version {version}",
    "deprecated": "version {version}, which is deprecated; there is no other",
    "not_served": "the broker does not list it",
    "not_spoken": "the client does not support it",
    "client_too_old": "no common version: client has up to {client_highest}, broker serves "
    "{broker_lowest}+",
    "client_too_new": "no common version: client needs {client_lowest}+, "
    "broker serves up to {broker_highest}",
    "client_lacks": "{needed} is needed, the client supports {there}",
    "broker_lacks": "{needed} is needed, the broker serves {there}",
    "only_marked": "of the common versions, {marks}",
}

Usable = Literal["every", "some", "none"]
"""With how many brokers something works."""
STATES: tuple[Usable, ...] = ("every", "some", "none")


class Way(NamedTuple):
    """One way to support a feature: ranges by API key, of each of which one version must be
    usable."""

    needs: Ranges
    by: str = ""


class Feature(NamedTuple):
    """A capability of a client with a broker, available in one of several ways."""

    name: str
    ways: tuple[Way, ...]
    title: str = ""
    about: str = ""


@dataclass(frozen=True)
class Peer:
    """A client or a broker: its ranges by API key, and the marks of single versions (see MARKS).

    `versions` is None for a client of which only the features are known. `kind` is "release",
    "level", "known", "file", "source" or "ranges", and `origin` says in words where the
    ranges are from. `asks` is False for a broker without ApiVersions.
    """

    name: str
    versions: Ranges | None
    kind: str = "ranges"
    origin: str = ""
    marks: Marks = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)
    features: tuple[Feature, ...] = ()
    asks: bool = True


def marks_of(ranges: Ranges, marked: Mapping[str, Mapping[int, Numbers]]) -> Marks:
    """The marks of the versions in some ranges, from versions by mark and API key; the worst one
    counts.

    Versions that are deprecated from the lowest one on, without a gap, are old ones. One above a
    version that is not deprecated was included by a backport, since a range has no holes: it is to
    be avoided (KIP-35).
    """
    marks: dict[int, dict[int, str]] = {}
    for mark in MARKS:
        for key, versions in marked.get(mark, {}).items():
            served = ranges.get(key, Versions.NONE)
            own = marks.setdefault(key, {})
            gap = next(
                (version for version in served if version not in versions), served.highest + 1
            )
            for version in versions:
                if version in served:
                    name = "avoid" if mark == "deprecated" and version > gap else mark
                    own[version] = min(name, own.get(version, name), key=MARKS.index)
    return marks


def marks_json(marks: Marks, mark: str) -> dict[str, str]:
    """The versions that have a mark, as text by API key."""
    found = {
        key: VersionSet.of(v for v, each in own.items() if each == mark)
        for key, own in marks.items()
    }
    return {str(key): str(versions) for key, versions in sorted(found.items()) if versions}


class Passed(NamedTuple):
    """A common version that cannot be used, because of its mark."""

    version: int
    mark: str


class Pair(NamedTuple):
    """One API between the client and a broker: the range of the broker, and the version to use, or
    the reason (see REASONS) why there is none.

    `passed_over` are higher common versions, highest first.
    """

    broker: str
    serves: Versions | None
    version: int | None
    reason: str
    words: str
    passed_over: tuple[Passed, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether there is a version to use."""
        return self.version is not None


def choose(
    client: Peer | None, brokers: Sequence[Peer], key: int, need: Versions = Versions.ALL
) -> Pair:
    """Choose the version of an API for a client and all of some brokers: the highest common one
    that no mark excludes.

    Without a client, or with one whose ranges are unknown, any version of the brokers qualifies.
    `need` limits the choice.
    """
    served = reduce(and_, (_range(broker, key) for broker in brokers))
    own = Versions.ALL
    if client is not None and client.versions is not None:
        own = _range(client, key)
    spoken = own & need
    passed: tuple[Passed, ...] = ()
    version: int | None = None
    words: dict[str, object] = {}
    if not own:
        reason = "not_spoken"
    elif not served:
        reason = "not_served"
    elif not spoken:
        reason, words = "client_lacks", {"needed": _needed(need), "there": own}
    elif not need & served:
        reason, words = "broker_lacks", {"needed": _needed(need), "there": served}
    elif not spoken & served:
        reason = "client_too_old" if spoken.highest < served.lowest else "client_too_new"
        words = {"client_lowest": spoken.lowest, "client_highest": spoken.highest}
        words |= {"broker_lowest": served.lowest, "broker_highest": served.highest}
    else:
        peers = brokers if client is None else [*brokers, client]
        marks = [peer.marks.get(key, {}) for peer in peers]
        version, reason, passed = _highest(marks, spoken & served)
        words = {"marks": _marks_in_words(passed)}
    text = REASONS[reason].format(version=version, **words)
    return Pair(brokers[0].name, served or None, version, reason, text, passed)


def _range(peer: Peer, key: int) -> Versions:
    return (peer.versions or {}).get(key, Versions.NONE)


def _highest(
    marks: Sequence[Mapping[int, str]], common: Versions
) -> tuple[int | None, str, tuple[Passed, ...]]:
    """The version to use of some common ones, the reason, and those that are skipped."""
    passed: list[Passed] = []
    old: tuple[int | None, str, tuple[Passed, ...]] | None = None
    for version in range(common.highest, common.lowest - 1, -1):
        here = {own[version] for own in marks if version in own}
        mark = next((mark for mark in MARKS if mark in here), "used")
        if mark == "used":
            return version, mark, tuple(passed)
        if mark != "deprecated":
            passed.append(Passed(version, mark))
        elif old is None:
            old = version, mark, tuple(passed)
    return old or (None, "only_marked", tuple(passed))


def _marks_in_words(passed: Iterable[Passed]) -> str:
    """ "2-3 are unstable, 1 is not to be used"."""
    clauses = []
    for mark in PASSED_OVER:
        versions = VersionSet.of(version for version, why in passed if why == mark)
        if versions:
            clauses.append(f"{versions} {'is' if len(versions) == 1 else 'are'} {MARK_WORDS[mark]}")
    return ", ".join(clauses)


def _needed(need: Versions) -> str:
    if need.open:
        return f"version {need.lowest} or later"
    return f"version {need}" if need.lowest == need.highest else f"one of the versions {need}"


class ApiOutcome(NamedTuple):
    """An API between the client and each broker, in the order of the brokers, and with all brokers
    together.

    `client` is None if the client does not support the API or its ranges are unknown. `across` is
    the range that every broker serves, and `version` one that works with every broker; None if
    there is none.
    """

    key: int
    name: str | None
    client: Versions | None
    across: Versions | None
    version: int | None
    pairs: tuple[Pair, ...]
    usable: Usable


class FeaturePair(NamedTuple):
    """A feature with one broker; `words` say what it uses, or what each way to it lacks."""

    broker: str
    usable: bool
    words: str


class FeatureOutcome(NamedTuple):
    """A feature of the client with each broker, in the order of the brokers."""

    feature: Feature
    usable: Usable
    brokers: tuple[FeaturePair, ...]


class Negotiation(NamedTuple):
    """The negotiation of a client with brokers: `apis` are all that the client or a broker has."""

    client: Peer | None
    brokers: Sequence[Peer]
    apis: Sequence[ApiOutcome]
    features: Sequence[FeatureOutcome]

    @property
    def client_known(self) -> bool:
        """Whether there is a client with known ranges; otherwise any version is usable."""
        return self.client is not None and self.client.versions is not None


def negotiation(
    client: Peer | None, brokers: Sequence[Peer], names: Mapping[int, str]
) -> Negotiation:
    """Negotiate every API and every feature of the client with each of the brokers, of which there
    is at least one.

    `names` has the APIs for which no peer has a name.
    """
    peers = [*brokers, *([client] if client else [])]
    named = ChainMap(*(dict(peer.names) for peer in peers), dict(names))
    apis = []
    for key in sorted({key for peer in peers for key in peer.versions or ()}):
        pairs = tuple(choose(client, [broker], key) for broker in brokers)
        together = choose(client, brokers, key)
        own = (client.versions or {}).get(key) if client is not None else None
        usable = _state([pair.usable for pair in pairs])
        apis.append(
            ApiOutcome(key, named.get(key), own, together.serves, together.version, pairs, usable)
        )
    features = []
    for feature in client.features if client else ():
        with_each = tuple(_feature(client, broker, feature, named) for broker in brokers)
        usable = _state([pair.usable for pair in with_each])
        features.append(FeatureOutcome(feature, usable, with_each))
    return Negotiation(client, brokers, apis, features)


def _feature(
    client: Peer | None, broker: Peer, feature: Feature, names: Mapping[int, str]
) -> FeaturePair:
    """The first way that is usable, or what is missing for each."""
    without = []
    for way in feature.ways:
        used, missing = [], []
        for key, need in sorted(way.needs.items()):
            pair = choose(client, [broker], key, need)
            name = names.get(key, f"key {key}")
            if pair.usable:
                used.append(f"{name} {pair.version}")
            else:
                missing.append(f"{name}: {pair.words}")
        by = f"{way.by}: " if way.by else ""
        if not missing:
            return FeaturePair(broker.name, True, by + ", ".join(used))
        without.append(by + "; ".join(missing))
    return FeaturePair(broker.name, False, ". ".join(without))


def _state(usable: Sequence[bool]) -> Usable:
    if usable and all(usable):
        return "every"
    return "some" if any(usable) else "none"


def peer_json(peer: Peer) -> dict[str, Any]:
    """A peer as `wirebook/negotiation/1` has it, and as the script of the site reads it."""
    versions = None if peer.versions is None else dict(sorted(peer.versions.items()))
    optional: dict[str, Any] = {mark: marks_json(peer.marks, mark) for mark in MARKS}
    optional["names"] = to_json(dict(sorted(peer.names.items())))
    optional["features"] = [
        {
            "name": feature.name,
            "title": feature.title,
            "about": feature.about,
            "any": [
                {"by": way.by, "needs": to_json(dict(sorted(way.needs.items())))}
                for way in feature.ways
            ],
        }
        for feature in peer.features
    ]
    return {
        "name": peer.name,
        "kind": peer.kind,
        "from": peer.origin,
        "asks": peer.asks,
        "versions": to_json(versions),
        **{key: value for key, value in optional.items() if value},
    }


def negotiation_json(result: Negotiation) -> dict[str, Any]:
    """The document `wirebook/negotiation/1`."""
    features = []
    for outcome in result.features:
        name, _, title, about = outcome.feature
        named = {"name": name, "title": title, "about": about, "usable": outcome.usable}
        features.append({**named, "brokers": to_json(outcome.brokers)})
    return {
        "schema": SCHEMA,
        "client": None if result.client is None else peer_json(result.client),
        "brokers": [peer_json(broker) for broker in result.brokers],
        "apis": to_json(result.apis),
        "features": features,
    }
