"""Client and broker compatibility (KIP-35): ranges of peers in, versions, reasons and features out.

Nothing here reads files or the network; peers.py does. docgen/site/theme/assets/negotiate.js is the same in
a browser, from the same JSON, and tests/e2e compares the two.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from wirebook.specs.kafka.brokers import api_names
from wirebook.specs.versions import Versions, VersionSet

Doc = dict[str, Any]
Marks = Mapping[int, frozenset[int]]

SCHEMA = "wirebook/negotiation/1"
FEATURES = Path(__file__).resolve().parent / "features.json"
CLIENTS = Path(__file__).resolve().parent / "clients.json"

# Why a version that both sides have is passed over, worst first; a deprecated one is taken where no other is.
PASSED_OVER = ("refused", "avoid", "unstable")
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
    "client_too_old": "the client supports versions up to {client_highest}, the broker from {broker_lowest}: "
    "the client is too old",
    "client_too_new": "the client supports versions from {client_lowest}, the broker up to {broker_highest}: "
    "the broker is too old",
    "client_lacks": "{needed} is needed, the client supports {there}",
    "broker_lacks": "{needed} is needed, the broker serves {there}",
    "only_marked": "of the common versions, {marks}",
}

_NO_MARKS: Marks = {}


@dataclass(frozen=True)
class Way:
    """One way to a feature: a range of each API, by key, of which one version must be usable."""

    needs: Mapping[int, Versions]
    by: str = ""


@dataclass(frozen=True)
class Feature:
    """Something a client can do with a broker, in any of several ways."""

    name: str
    ways: tuple[Way, ...]
    title: str = ""
    about: str = ""
    words: str = ""


@dataclass(frozen=True)
class Peer:
    """A client or a broker: its ranges by API key, and what is known of single versions.

    `versions` is None for a client of which only its features are known. `refused` versions are listed but
    not served, `avoid` are not to be used, `unstable` not finished; none of these is ever chosen.
    `deprecated` ones are, where there is nothing else. `asks` is False for a broker without ApiVersions.
    Make one with `of`, which reads the marks as KIP-35 means them.
    """

    name: str
    versions: Mapping[int, Versions] | None
    kind: str = "ranges"
    origin: str = ""
    refused: Marks = field(default_factory=lambda: _NO_MARKS)
    avoid: Marks = field(default_factory=lambda: _NO_MARKS)
    unstable: Marks = field(default_factory=lambda: _NO_MARKS)
    deprecated: Marks = field(default_factory=lambda: _NO_MARKS)
    names: Mapping[int, str] = field(default_factory=dict)
    features: tuple[Feature, ...] = ()
    asks: bool = True

    @classmethod
    def of(cls, name: str, versions: Mapping[int, Versions] | None, **more: Any) -> Peer:
        """A peer, with its deprecated versions separated from those to avoid.

        What is deprecated from the lowest version on is old. A deprecated version above one that is not
        came along with a backport, since a range has no holes: it is not to be used.
        """
        deprecated: dict[int, frozenset[int]] = {}
        avoid = {key: frozenset(marked) for key, marked in more.pop("avoid", {}).items()}
        for key, marked in more.pop("deprecated", {}).items():
            there = (versions or {}).get(key, Versions.NONE)
            old = frozenset(_run(there, marked))
            deprecated[key] = old
            later = {version for version in marked if version in there} - old
            if later:
                avoid[key] = avoid.get(key, frozenset()) | later
        return cls(name, versions, avoid=avoid, deprecated=deprecated, **more)

    def marked(self, mark: str, key: int) -> frozenset[int]:
        """The versions of an API that have a mark, one of MARKS."""
        marks: Marks = getattr(self, mark)
        return marks.get(key, frozenset())

    def to_json(self) -> Doc:
        """The peer as `wirebook/negotiation/1` has it, and as the script of the site reads it."""
        made: Doc = {"name": self.name, "kind": self.kind, "from": self.origin, "asks": self.asks}
        made["versions"] = None if self.versions is None else _texts(self.versions)
        for mark in MARKS:
            marks: Marks = getattr(self, mark)
            found = {str(key): numbers_text(marks[key]) for key in sorted(marks) if marks[key]}
            if found:
                made[mark] = found
        if self.names:
            made["names"] = {str(key): name for key, name in sorted(self.names.items())}
        if self.features:
            made["features"] = [feature_json(item) for item in self.features]
        return made


@dataclass(frozen=True)
class Choice:
    """The version that a client uses with a broker, or why there is none.

    `passed_over` are higher common versions that are not to be had, each with its mark, highest first.
    """

    version: int | None
    reason: str
    words: str
    passed_over: tuple[tuple[int, str], ...] = ()


def choose(client: Peer | None, broker: Peer, key: int, need: Versions = Versions.ALL) -> Choice:
    """The version of an API for one pair: the highest common one without a mark against it.

    Without a client, or with one whose ranges are not known, any version will do. `need` narrows what will.
    """
    known = client.versions if client is not None else None
    spoken = need if known is None else known.get(key, Versions.NONE) & need
    served = (broker.versions or {}).get(key, Versions.NONE)
    if known is not None and key not in known:
        return Choice(None, "not_spoken", REASONS["not_spoken"])
    if not served:
        return Choice(None, "not_served", REASONS["not_served"])
    if not spoken:
        assert known is not None
        return _lacking("client_lacks", need, known[key])
    if not need & served:
        return _lacking("broker_lacks", need, served)
    if not spoken & served:
        reason = "client_too_old" if spoken.highest < served.lowest else "client_too_new"
        words = REASONS[reason].format(
            client_lowest=spoken.lowest,
            client_highest=spoken.highest,
            broker_lowest=served.lowest,
            broker_highest=served.highest,
        )
        return Choice(None, reason, words)
    return _highest(client, broker, key, spoken & served)


def _lacking(reason: str, need: Versions, there: Versions) -> Choice:
    return Choice(None, reason, REASONS[reason].format(needed=_needed(need), there=there))


def _highest(client: Peer | None, broker: Peer, key: int, common: Versions) -> Choice:
    peers = [broker] if client is None else [broker, client]
    passed: list[tuple[int, str]] = []
    old: int | None = None
    for version in _falling(common):
        mark = next(
            (mark for mark in PASSED_OVER for peer in peers if version in peer.marked(mark, key)), None
        )
        if mark is not None:
            passed.append((version, mark))
        elif any(version in peer.marked("deprecated", key) for peer in peers):
            old = version if old is None else old
        else:
            return Choice(version, "used", REASONS["used"].format(version=version), tuple(passed))
    if old is not None:
        above = tuple(item for item in passed if item[0] > old)
        return Choice(old, "deprecated", REASONS["deprecated"].format(version=old), above)
    return Choice(None, "only_marked", REASONS["only_marked"].format(marks=_marks(passed)), tuple(passed))


def negotiation(client: Peer | None, brokers: Sequence[Peer]) -> Doc:
    """The negotiation of a client and brokers as JSON of the form `wirebook/negotiation/1`.

    The APIs are those that the client supports or any broker serves, by key.
    """
    keys = {key for peer in (client, *brokers) if peer is not None for key in peer.versions or ()}
    apis = [_api(client, brokers, key) for key in sorted(keys)]
    features = [_feature(client, brokers, item) for item in (client.features if client else ())]
    spoken = [item for item in apis if item["client"] is not None or not _ranges_known(client)]
    return {
        "schema": SCHEMA,
        "client": None if client is None else client.to_json(),
        "brokers": [broker.to_json() for broker in brokers],
        "apis": apis,
        "features": features,
        "summary": {
            state: sum(item["usable"] == state for item in spoken) for state in ("every", "some", "none")
        },
    }


def _ranges_known(client: Peer | None) -> bool:
    return client is not None and client.versions is not None


def _api(client: Peer | None, brokers: Sequence[Peer], key: int) -> Doc:
    choices = [choose(client, broker, key) for broker in brokers]
    served = [(broker.versions or {}).get(key) for broker in brokers]
    across = Versions.ALL
    for each in served:
        across &= each or Versions.NONE
    spoken = (client.versions or {}).get(key) if client is not None else None
    name = next((s.names[key] for s in (*brokers, client) if s and key in s.names), api_names().get(key))
    return {
        "key": key,
        "name": name,
        "client": None if spoken is None else str(spoken),
        "usable": state(choice.version is not None for choice in choices),
        "across": str(across) if across and brokers else None,
        "version": _for_all(client, brokers, key, across),
        "pairs": [
            {
                "broker": broker.name,
                "serves": None if range_ is None else str(range_),
                "version": choice.version,
                "reason": choice.reason,
                "words": choice.words,
                "passed_over": [{"version": v, "mark": mark} for v, mark in choice.passed_over],
            }
            for broker, range_, choice in zip(brokers, served, choices, strict=True)
        ],
    }


def _for_all(client: Peer | None, brokers: Sequence[Peer], key: int, across: Versions) -> int | None:
    """The highest version that can be used with every broker; None if there is none."""
    if not brokers or not across:
        return None
    spoken = across
    if client is not None and client.versions is not None:
        spoken &= client.versions.get(key, Versions.NONE)
    old: int | None = None
    for version in _falling(spoken):
        choices = [choose(client, broker, key, Versions(version, version)) for broker in brokers]
        if all(choice.reason == "used" for choice in choices):
            return version
        if old is None and all(choice.version is not None for choice in choices):
            old = version
    return old


def _feature(client: Peer | None, brokers: Sequence[Peer], feature: Feature) -> Doc:
    rows = []
    for broker in brokers:
        ways = []
        for way in feature.ways:
            needs = [_need(client, broker, key, need) for key, need in sorted(way.needs.items())]
            ways.append(
                {"by": way.by, "usable": all(n["version"] is not None for n in needs), "needs": needs}
            )
        good = next((way for way in ways if way["usable"]), None)
        rows.append(
            {"broker": broker.name, "usable": good is not None, "words": _why(good, ways), "ways": ways}
        )
    return {
        "name": feature.name,
        "title": feature.title,
        "about": feature.about,
        "usable": state(bool(row["usable"]) for row in rows),
        "brokers": rows,
    }


def _need(client: Peer | None, broker: Peer, key: int, need: Versions) -> Doc:
    choice = choose(client, broker, key, need)
    return {
        "key": key,
        "name": _name(client, broker, key),
        "needs": str(need),
        "version": choice.version,
        "reason": choice.reason,
        "words": choice.words,
    }


def _why(good: Doc | None, ways: Sequence[Doc]) -> str:
    """What makes a feature usable, or what is missing, in a line."""
    if good is not None:
        used = ", ".join(f"{need['name']} {need['version']}" for need in good["needs"])
        return f"{good['by']}: {used}" if good["by"] else used
    missing = []
    for way in ways:
        lacks = "; ".join(f"{n['name']}: {n['words']}" for n in way["needs"] if n["version"] is None)
        missing.append(f"{way['by']}: {lacks}" if way["by"] else lacks)
    return ". ".join(missing)


def state(usable: Iterable[bool]) -> str:
    """ "every", "some" or "none", of the brokers."""
    found = list(usable)
    if found and all(found):
        return "every"
    return "some" if any(found) else "none"


def feature_json(feature: Feature) -> Doc:
    """A feature as files and the script of the site have it."""
    return {
        "name": feature.name,
        "title": feature.title,
        "about": feature.about,
        "any": [{"by": way.by, "needs": _texts(way.needs)} for way in feature.ways],
    }


@cache
def librdkafka() -> tuple[Feature, ...]:
    """The features of librdkafka, and the APIs by which it detects each (live/negotiation/features.json)."""
    document = json.loads(FEATURES.read_text(encoding="utf-8"))
    return tuple(
        Feature(
            item["name"],
            tuple(
                Way({int(k): Versions.parse(v) for k, v in way["needs"].items()}, way.get("by", ""))
                for way in item["any"]
            ),
            item["title"],
            item["about"],
            item["words"],
        )
        for item in document["features"]
    )


def _name(client: Peer | None, broker: Peer, key: int) -> str:
    for peer in (broker, client):
        if peer is not None and key in peer.names:
            return peer.names[key]
    return api_names().get(key, f"key {key}")


def _falling(versions: Versions) -> range:
    return range(versions.highest, versions.lowest - 1, -1)


def _run(there: Versions, marked: frozenset[int]) -> Iterable[int]:
    """The marked versions from the lowest of a range on, without a gap."""
    for version in there:
        if version not in marked:
            return
        yield version


def _needed(need: Versions) -> str:
    if need.open:
        return f"version {need.lowest} or later"
    return f"version {need}" if need.lowest == need.highest else f"one of the versions {need}"


def _marks(passed: Sequence[tuple[int, str]]) -> str:
    """ "2 is not to be used, 3 is unstable"."""
    clauses = []
    for mark in PASSED_OVER:
        versions = [version for version, why in passed if why == mark]
        if versions:
            verb = "is" if len(versions) == 1 else "are"
            clauses.append(f"{numbers_text(versions)} {verb} {MARK_WORDS[mark]}")
    return ", ".join(clauses)


def numbers_text(versions: Iterable[int]) -> str:
    """Versions as ranges: "0-2, 5"."""
    return str(VersionSet.of(versions))


def _texts(ranges: Mapping[int, Versions]) -> dict[str, str]:
    return {str(key): str(versions) for key, versions in sorted(ranges.items())}
