"""Client and broker compatibility (KIP-35): ranges of peers in, versions, reasons and features out.

This module reads neither files nor the network; peers.py does. docgen/site/theme/assets/negotiate.js does the
same in a browser, from the same JSON, and tests/e2e compares the two.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from wirebook.specs.versions import Versions, VersionSet

Marks = Mapping[int, frozenset[int]]

FEATURES = Path(__file__).resolve().parent / "features.json"
CLIENTS = Path(__file__).resolve().parent / "clients.json"

# Why a version that both sides have is skipped, worst first; a deprecated one is used if there is no other.
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
    "client_too_old": "no common version: client has up to {client_highest}, broker serves {broker_lowest}+",
    "client_too_new": "no common version: client needs {client_lowest}+, "
    "broker serves up to {broker_highest}",
    "client_lacks": "{needed} is needed, the client supports {there}",
    "broker_lacks": "{needed} is needed, the broker serves {there}",
    "only_marked": "of the common versions, {marks}",
}

_NO_MARKS: Marks = {}


@dataclass(frozen=True)
class Way:
    """One way to support a feature: ranges by API key, of each of which one version must be usable."""

    needs: Mapping[int, Versions]
    by: str = ""


@dataclass(frozen=True)
class Feature:
    """A capability of a client with a broker, available in one of several ways."""

    name: str
    ways: tuple[Way, ...]
    title: str = ""
    about: str = ""
    words: str = ""

    def to_json(self) -> dict[str, Any]:
        """The feature in the form that files and the script of the site use."""
        return {
            "name": self.name,
            "title": self.title,
            "about": self.about,
            "any": [{"by": way.by, "needs": _ranges_json(way.needs)} for way in self.ways],
        }


@dataclass(frozen=True)
class Peer:
    """A client or a broker: its ranges by API key, and the marks of individual versions.

    `versions` is None for a client of which only the features are known. `refused` versions are listed but
    not served, `avoid` are not to be used, `unstable` are not finished; none of these is ever chosen.
    `deprecated` versions are chosen if there is no other. `asks` is False for a broker without ApiVersions.
    Create peers with `of`, which interprets marks as KIP-35 defines them.
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
        """Create a peer, separating its deprecated versions from those to avoid.

        Versions deprecated from the lowest one on, without a gap, are old ones. A deprecated version above
        one that is not deprecated was included by a backport, since a range has no holes: it is not to be
        used.
        """
        deprecated: dict[int, frozenset[int]] = {}
        avoid = {key: frozenset(marked) for key, marked in more.pop("avoid", {}).items()}
        for key, marked in more.pop("deprecated", {}).items():
            served = (versions or {}).get(key, Versions.NONE)
            old = frozenset(_run(served, marked))
            deprecated[key] = old
            later = {version for version in marked if version in served} - old
            if later:
                avoid[key] = avoid.get(key, frozenset()) | later
        return cls(name, versions, avoid=avoid, deprecated=deprecated, **more)

    def marked(self, mark: str, key: int) -> frozenset[int]:
        """The versions of an API that have a mark of MARKS."""
        marks: Marks = getattr(self, mark)
        return marks.get(key, frozenset())

    def to_json(self) -> dict[str, Any]:
        """The peer as `wirebook/negotiation/1` has it, and as the script of the site reads it."""
        marks = {mark: marks_json(getattr(self, mark)) for mark in MARKS}
        optional = {
            **marks,
            "names": {str(key): name for key, name in sorted(self.names.items())},
            "features": [item.to_json() for item in self.features],
        }
        return {
            "name": self.name,
            "kind": self.kind,
            "from": self.origin,
            "asks": self.asks,
            "versions": None if self.versions is None else _ranges_json(self.versions),
            **{key: value for key, value in optional.items() if value},
        }


@dataclass(frozen=True)
class Choice:
    """The version that a client uses with a broker, or the reason why there is none.

    `passed_over` are higher common versions that cannot be used, each with its mark, highest first.
    """

    version: int | None
    reason: str
    words: str
    passed_over: tuple[tuple[int, str], ...] = ()


def choose(client: Peer | None, broker: Peer, key: int, need: Versions = Versions.ALL) -> Choice:
    """Choose the version of an API for a client and a broker: the highest common one that no mark excludes.

    Without a client, or with one whose ranges are unknown, any version of the broker qualifies. `need` limits
    the choice.
    """
    own = client.versions if client is not None else None
    spoken = need if own is None else own.get(key, Versions.NONE) & need
    served = (broker.versions or {}).get(key, Versions.NONE)
    if own is not None and key not in own:
        return Choice(None, "not_spoken", REASONS["not_spoken"])
    if not served:
        return Choice(None, "not_served", REASONS["not_served"])
    if not spoken:
        assert own is not None
        return _lacking("client_lacks", need, own[key])
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


def _lacking(reason: str, need: Versions, versions: Versions) -> Choice:
    return Choice(None, reason, REASONS[reason].format(needed=_needed(need), there=versions))


def _highest(client: Peer | None, broker: Peer, key: int, common: Versions) -> Choice:
    peers = [broker] if client is None else [broker, client]
    passed: list[tuple[int, str]] = []
    old: int | None = None
    for version in falling(common):
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


@cache
def librdkafka() -> tuple[Feature, ...]:
    """The features of librdkafka, and the APIs by which it detects each (live/negotiation/features.json)."""
    document = json.loads(FEATURES.read_text(encoding="utf-8"))
    return tuple(
        Feature(
            row["name"],
            tuple(
                Way({int(k): Versions.parse(v) for k, v in way["needs"].items()}, way.get("by", ""))
                for way in row["any"]
            ),
            row["title"],
            row["about"],
            row["words"],
        )
        for row in document["features"]
    )


def falling(versions: Versions) -> range:
    """The versions of a range, highest first."""
    return range(versions.highest, versions.lowest - 1, -1)


def _run(versions: Versions, marked: frozenset[int]) -> Iterable[int]:
    """The marked versions from the lowest of a range on, up to the first gap."""
    for version in versions:
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


def marks_json(marks: Mapping[int, Iterable[int]]) -> dict[str, str]:
    """Marked versions by API key as JSON; keys without marked versions are left out."""
    return {str(key): str(found) for key in sorted(marks) if (found := VersionSet.of(marks[key]))}


def _ranges_json(ranges: Mapping[int, Versions]) -> dict[str, str]:
    return {str(key): str(versions) for key, versions in sorted(ranges.items())}
