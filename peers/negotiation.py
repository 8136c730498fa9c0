"""Client and broker compatibility (KIP-35): the versions and features that a client uses with
brokers.

docgen/site/theme/assets/negotiate.js chooses versions in a browser, from the same JSON; tests/e2e
compares the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Literal, NamedTuple

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
    "not_served": "the broker does not serve it",
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


@dataclass(frozen=True)
class Way:
    """One way to support a feature: ranges by API key, of each of which one version must be
    usable."""

    needs: Ranges
    by: str = ""


@dataclass(frozen=True)
class Feature:
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


@dataclass(frozen=True)
class Pair:
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


def choose(client: Peer | None, broker: Peer, key: int, need: Versions = Versions.ALL) -> Pair:
    """Choose the version of an API for a client and a broker: the highest common one that no mark
    excludes.

    Without a client, or with one whose ranges are unknown, any version of the broker qualifies.
    `need` limits the choice.
    """
    listed = (broker.versions or {}).get(key)
    served = listed or Versions.NONE
    own = Versions.ALL
    if client is not None and client.versions is not None:
        own = client.versions.get(key, Versions.NONE)
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
        version, reason, passed = _highest(client, broker, key, spoken & served)
        words = {"marks": _marks_in_words(passed)}
    text = REASONS[reason].format(version=version, **words)
    return Pair(broker.name, listed, version, reason, text, passed)


def _highest(
    client: Peer | None, broker: Peer, key: int, common: Versions
) -> tuple[int | None, str, tuple[Passed, ...]]:
    """The version to use of some common ones, the reason, and those that are skipped."""
    marks = [peer.marks[key] for peer in (broker, client) if peer is not None and key in peer.marks]
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


@dataclass(frozen=True)
class ApiOutcome:
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


@dataclass(frozen=True)
class NeedOutcome:
    """What one way to a feature requires of an API, and the version that meets it."""

    key: int
    name: str
    needs: Versions
    version: int | None
    reason: str
    words: str


@dataclass(frozen=True)
class WayOutcome:
    """One way to a feature with one broker: usable if each of its needs has a version."""

    by: str
    usable: bool
    needs: tuple[NeedOutcome, ...]


@dataclass(frozen=True)
class FeaturePair:
    """A feature with one broker, in each of its ways; `words` say what it uses, or what is
    missing."""

    broker: str
    usable: bool
    words: str
    ways: tuple[WayOutcome, ...]


@dataclass(frozen=True)
class FeatureOutcome:
    """A feature of the client with each broker, in the order of the brokers."""

    feature: Feature
    usable: Usable
    brokers: tuple[FeaturePair, ...]


@dataclass(frozen=True)
class Negotiation:
    """The negotiation of a client with brokers: `apis` are all that the client or a broker has."""

    client: Peer | None
    brokers: tuple[Peer, ...]
    apis: tuple[ApiOutcome, ...]
    features: tuple[FeatureOutcome, ...]

    @property
    def client_known(self) -> bool:
        """Whether there is a client with known ranges; otherwise any version is usable."""
        return self.client is not None and self.client.versions is not None


def negotiation(
    client: Peer | None, brokers: Sequence[Peer], names: Mapping[int, str]
) -> Negotiation:
    """Negotiate every API and every feature of the client with each of the brokers.

    `names` has the APIs for which no peer has a name.
    """
    keys = {key for peer in (client, *brokers) if peer is not None for key in peer.versions or ()}
    apis = tuple(_api(client, brokers, key, names) for key in sorted(keys))
    features = tuple(
        _feature(client, brokers, each, names) for each in (client.features if client else ())
    )
    return Negotiation(client, tuple(brokers), apis, features)


def _api(
    client: Peer | None, brokers: Sequence[Peer], key: int, names: Mapping[int, str]
) -> ApiOutcome:
    pairs = tuple(choose(client, broker, key) for broker in brokers)
    across = Versions.ALL if brokers else Versions.NONE
    for pair in pairs:
        across &= pair.serves or Versions.NONE
    own = (client.versions or {}).get(key) if client is not None else None
    name = _name(key, (*brokers, client), names)
    usable = _state([pair.version is not None for pair in pairs])
    version = _version_for_all(client, brokers, key, across)
    return ApiOutcome(key, name, own, across or None, version, pairs, usable)


def _version_for_all(
    client: Peer | None, brokers: Sequence[Peer], key: int, across: Versions
) -> int | None:
    """The highest version that can be used with every broker; None if there is none."""
    if client is not None and client.versions is not None:
        across &= client.versions.get(key, Versions.NONE)
    deprecated: int | None = None
    for version in range(across.highest, across.lowest - 1, -1):
        choices = [choose(client, broker, key, Versions(version, version)) for broker in brokers]
        if all(choice.reason == "used" for choice in choices):
            return version
        if deprecated is None and all(choice.version is not None for choice in choices):
            deprecated = version
    return deprecated


def _feature(
    client: Peer | None, brokers: Sequence[Peer], feature: Feature, names: Mapping[int, str]
) -> FeatureOutcome:
    pairs = []
    for broker in brokers:
        ways = []
        for way in feature.ways:
            needs = []
            for key, need in sorted(way.needs.items()):
                choice = choose(client, broker, key, need)
                name = _name(key, (broker, client), names) or f"key {key}"
                needs.append(
                    NeedOutcome(key, name, need, choice.version, choice.reason, choice.words)
                )
            ways.append(
                WayOutcome(way.by, all(need.version is not None for need in needs), tuple(needs))
            )
        good = [way for way in ways if way.usable]
        words = ". ".join(map(_words, good[:1] or ways))
        pairs.append(FeaturePair(broker.name, bool(good), words, tuple(ways)))
    return FeatureOutcome(feature, _state([pair.usable for pair in pairs]), tuple(pairs))


def _words(way: WayOutcome) -> str:
    """The versions that make a way usable, or what is missing."""
    if way.usable:
        reasons = ", ".join(f"{need.name} {need.version}" for need in way.needs)
    else:
        lacking = [need for need in way.needs if need.version is None]
        reasons = "; ".join(f"{need.name}: {need.words}" for need in lacking)
    return f"{way.by}: {reasons}" if way.by else reasons


def _name(key: int, peers: Iterable[Peer | None], names: Mapping[int, str]) -> str | None:
    """The name that the first of some peers has for an API, or else that of the table."""
    own = (peer.names[key] for peer in peers if peer is not None and key in peer.names)
    return next(own, names.get(key))


def _state(usable: Sequence[bool]) -> Usable:
    if usable and all(usable):
        return "every"
    return "some" if any(usable) else "none"


def peer_json(peer: Peer) -> dict[str, Any]:
    """A peer as `wirebook/negotiation/1` has it, and as the script of the site reads it."""
    optional: dict[str, Any] = {mark: marks_json(peer.marks, mark) for mark in MARKS}
    optional["names"] = {str(key): name for key, name in sorted(peer.names.items())}
    optional["features"] = [
        {
            "name": feature.name,
            "title": feature.title,
            "about": feature.about,
            "any": [{"by": way.by, "needs": _ranges(way.needs)} for way in feature.ways],
        }
        for feature in peer.features
    ]
    return {
        "name": peer.name,
        "kind": peer.kind,
        "from": peer.origin,
        "asks": peer.asks,
        "versions": None if peer.versions is None else _ranges(peer.versions),
        **{key: value for key, value in optional.items() if value},
    }


def negotiation_json(result: Negotiation) -> dict[str, Any]:
    """The document `wirebook/negotiation/1`."""
    features = []
    for outcome in result.features:
        feature = outcome.feature
        named = {"name": feature.name, "title": feature.title, "about": feature.about}
        features.append({**named, "usable": outcome.usable, "brokers": as_json(outcome.brokers)})
    return {
        "schema": SCHEMA,
        "client": None if result.client is None else peer_json(result.client),
        "brokers": [peer_json(broker) for broker in result.brokers],
        "apis": as_json(result.apis),
        "features": features,
    }


def as_json(value: Any) -> Any:
    """A value of dataclasses, named tuples, ranges and lists as JSON."""
    if isinstance(value, Versions | VersionSet):
        return str(value)
    if isinstance(value, Passed):
        return value._asdict()
    if is_dataclass(value):
        return {each.name: as_json(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, tuple | list):
        return [as_json(each) for each in value]
    return value


def _ranges(ranges: Ranges) -> dict[str, str]:
    return {str(key): str(versions) for key, versions in sorted(ranges.items())}
