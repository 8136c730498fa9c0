"""Client and broker compatibility (KIP-35): the versions and features that a client uses with
brokers.

docgen/site/theme/assets/negotiate.js chooses versions in a browser, from the same JSON; tests/e2e
compares the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import and_
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple

from wirebook.specs.json_records import to_json
from wirebook.specs.versions import Versions, VersionSet

Ranges = Mapping[int, Versions]
Marks = Mapping[str, Mapping[int, VersionSet]]
"""Versions by mark and API key, the worst marks first; a version has one at most."""

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


class Way(NamedTuple):
    """One way to support a feature: ranges by API key, of each of which a version is needed."""

    by: str = ""
    needs: Ranges = MappingProxyType({})


class Feature(NamedTuple):
    """A capability of a client with a broker, available in any of several ways."""

    name: str
    title: str = ""
    about: str = ""
    any: tuple[Way, ...] = ()


@dataclass(frozen=True)
class Peer:
    """A client or a broker: its ranges by API key, and the marks of single versions (see MARKS).

    `versions` is None for a client of which only the features are known. `kind` is "release",
    "level", "known", "file", "source" or "ranges", and `origin` says in words where the
    ranges are from; `sources` are addresses of what was read. `asks` is False for a broker
    without ApiVersions.
    """

    name: str
    versions: Ranges | None
    kind: str = "ranges"
    origin: str = ""
    marks: Marks = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)
    features: tuple[Feature, ...] = ()
    asks: bool = True
    sources: tuple[str, ...] = ()

    def range_of(self, key: int) -> Versions:
        """The versions of an API that it has."""
        return (self.versions or {}).get(key, Versions.NONE)

    def to_json(self) -> dict[str, Any]:
        """The peer as `wirebook/negotiation/1` has it, and as the script of the site reads it."""
        document = {
            "name": self.name,
            "kind": self.kind,
            "from": self.origin,
            "asks": self.asks,
            "versions": to_json(self.versions),
        }
        optional = {**self.marks, "names": self.names, "features": self.features}
        return document | {key: to_json(value) for key, value in optional.items() if value}


def marks_of(ranges: Ranges, marked: Mapping[str, Mapping[int, Iterable[int]]]) -> Marks:
    """The marks of the versions in some ranges, from versions by mark and API key; the worst one
    counts.

    Versions that are deprecated from the lowest one on, without a gap, are old ones. One above a
    version that is not deprecated was included by a backport, since a range has no holes: it is to
    be avoided (KIP-35).
    """
    marks: dict[str, dict[int, VersionSet]] = {mark: {} for mark in MARKS}
    for key, served in ranges.items():
        of_key = {mark: set(marked.get(mark, {}).get(key, ())) for mark in MARKS}
        old = of_key["deprecated"]
        first_new = next((version for version in served if version not in old), served.highest)
        of_key["avoid"] |= {version for version in old if version > first_new}
        left = set(served)
        for mark in MARKS:
            versions = of_key[mark] & left
            left -= versions
            if versions:
                marks[mark][key] = VersionSet.of(versions)
    return {mark: versions for mark, versions in marks.items() if versions}


def mark_at(marked: Sequence[Marks], key: int, version: int) -> str:
    """The worst mark that some peers give a version, or "used" for one without."""
    for mark in MARKS:
        for marks in marked:
            if version in marks.get(mark, {}).get(key, ()):
                return mark
    return "used"


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
    served = reduce(and_, (broker.range_of(key) for broker in brokers))
    own = Versions.ALL
    if client is not None and client.versions is not None:
        own = client.range_of(key)
    spoken = own & need
    version: int | None = None
    passed: tuple[Passed, ...] = ()
    if not own:
        reason = "not_spoken"
    elif not served:
        reason = "not_served"
    elif not spoken:
        reason = "client_lacks"
    elif not need & served:
        reason = "broker_lacks"
    elif not spoken & served:
        reason = "client_too_old" if spoken.highest < served.lowest else "client_too_new"
    else:
        peers = brokers if client is None else [*brokers, client]
        version, reason, passed = _highest([peer.marks for peer in peers], key, spoken & served)
    words = REASONS[reason].format(
        version=version,
        needed=_needed(need),
        there=own if reason == "client_lacks" else served,
        client_lowest=spoken.lowest,
        client_highest=spoken.highest,
        broker_lowest=served.lowest,
        broker_highest=served.highest,
        marks=_marks_in_words(passed),
    )
    return Pair(brokers[0].name, served or None, version, reason, words, passed)


def _highest(
    marks: Sequence[Marks], key: int, common: Versions
) -> tuple[int | None, str, tuple[Passed, ...]]:
    """The version to use of some common ones, the reason, and those that are skipped."""
    old: int | None = None
    passed: list[Passed] = []
    for version in sorted(common, reverse=True):
        mark = mark_at(marks, key, version)
        if mark == "used":
            return version, mark, tuple(passed)
        if mark != "deprecated":
            passed.append(Passed(version, mark))
        elif old is None:
            old = version
    if old is None:
        return None, "only_marked", tuple(passed)
    return old, "deprecated", tuple(each for each in passed if each.version > old)


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

    name: str
    title: str
    about: str
    usable: Usable
    brokers: tuple[FeaturePair, ...]


@dataclass(frozen=True)
class Negotiation:
    """The negotiation of a client with brokers: `apis` are all that the client or a broker has."""

    SCHEMA: ClassVar[str] = "wirebook/negotiation/1"
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
    peers = list(brokers) if client is None else [*brokers, client]
    named = dict(names)
    for peer in reversed(peers):
        named |= peer.names
    keys = sorted({key for peer in peers for key in peer.versions or ()})
    apis = [_api(client, brokers, key, named.get(key)) for key in keys]
    features = []
    if client is not None:
        features = [_feature(client, brokers, feature, named) for feature in client.features]
    return Negotiation(client, brokers, apis, features)


def _api(client: Peer | None, brokers: Sequence[Peer], key: int, name: str | None) -> ApiOutcome:
    pairs = tuple(choose(client, [broker], key) for broker in brokers)
    together = choose(client, brokers, key)
    own = None
    if client is not None and client.versions is not None:
        own = client.versions.get(key)
    return ApiOutcome(key, name, own, together.serves, together.version, pairs, _usable(pairs))


def _feature(
    client: Peer, brokers: Sequence[Peer], feature: Feature, names: Mapping[int, str]
) -> FeatureOutcome:
    pairs = tuple(_feature_pair(client, broker, feature, names) for broker in brokers)
    return FeatureOutcome(feature.name, feature.title, feature.about, _usable(pairs), pairs)


def _feature_pair(
    client: Peer, broker: Peer, feature: Feature, names: Mapping[int, str]
) -> FeaturePair:
    """The first way that is usable, or what is missing for each."""
    without = []
    for way in feature.any:
        used, missing = [], []
        for key, need in way.needs.items():
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


def _usable(pairs: Sequence[Pair | FeaturePair]) -> Usable:
    if all(pair.usable for pair in pairs):
        return "every"
    return "some" if any(pair.usable for pair in pairs) else "none"
