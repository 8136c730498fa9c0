"""Compares the answers of live brokers with the releases: the most similar one, and the differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from wirebook._version import __version__
from wirebook.live.negotiation.documentation import Documentation
from wirebook.live.negotiation.negotiate import Peer
from wirebook.live.negotiation.peers import PeerResolver
from wirebook.live.negotiation.similarity import Match, ReleaseSimilarity, release_similarity
from wirebook.live.probe.answer import Answer
from wirebook.specs.kafka.brokers import Broker, api_names, broker_named, load_brokers, released_brokers
from wirebook.specs.versions import Versions, VersionSet

SCHEMA = "wirebook/probe/1"


@dataclass(frozen=True, slots=True)
class ApiVersionsOf:
    """Some versions of an API."""

    key: int
    versions: VersionSet

    @property
    def name(self) -> str | None:
        """The name of the API; None if it is unknown."""
        return api_names().get(self.key)

    def to_json(self) -> dict[str, Any]:
        """Return the value in `wirebook/probe/1`."""
        return {"key": self.key, "name": self.name, "versions": self.versions.text}


@dataclass(frozen=True, slots=True)
class ApiRow:
    """An API: the range that the broker lists, that of the release, and the marks of listed versions.

    `removals` are versions that the newest release no longer has, by the release that removed them.
    """

    key: int
    versions: Versions
    release: Versions | None
    deprecated: VersionSet
    refused: VersionSet
    unstable: VersionSet
    removals: Mapping[str, VersionSet]
    unknown: VersionSet

    @property
    def name(self) -> str | None:
        """The name of the API; None if it is unknown."""
        return api_names().get(self.key)

    def to_json(self) -> dict[str, Any]:
        """Return the value in `wirebook/probe/1`."""
        return {
            "key": self.key,
            "name": self.name,
            "versions": str(self.versions),
            "release": None if self.release is None else str(self.release),
            "deprecated": self.deprecated.text or None,
            "refused": self.refused.text or None,
            "unstable": self.unstable.text or None,
            "removed": VersionSet.of(v for each in self.removals.values() for v in each).text or None,
            "removed_in": {release: versions.text for release, versions in self.removals.items()},
            "unknown": self.unknown.text or None,
        }


@dataclass(frozen=True, slots=True)
class BrokerComparison:
    """The ranges of a broker, compared with the most similar release and with all known versions.

    `lacking` are the versions of that release that the broker does not list.
    """

    apis: tuple[ApiRow, ...]
    similarity: ReleaseSimilarity
    lacking: tuple[ApiVersionsOf, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the value in `wirebook/probe/1`."""
        return {
            "apis": [row.to_json() for row in self.apis],
            "like": self.similarity.to_json(),
            "lacking": [item.to_json() for item in self.lacking],
        }


_NOT_COMPARED: Mapping[str, Any] = {"apis": [], "like": None, "lacking": []}


@dataclass(frozen=True, slots=True)
class BrokerReport:
    """A broker: its answer, and its comparison with releases; None if it lists no versions."""

    answer: Answer
    comparison: BrokerComparison | None

    def to_json(self) -> dict[str, Any]:
        """Return the value in `wirebook/probe/1`."""
        compared = _NOT_COMPARED if self.comparison is None else self.comparison.to_json()
        return {**self.answer.to_json(), **compared}


@dataclass(frozen=True, slots=True)
class CommonApi:
    """An API that any broker lists: the versions that all of them accept, and whether they differ."""

    key: int
    versions: Versions | None
    differ: bool

    @property
    def name(self) -> str | None:
        """The name of the API; None if it is unknown."""
        return api_names().get(self.key)

    def to_json(self) -> dict[str, Any]:
        """Return the value in `wirebook/probe/1`."""
        return {
            "key": self.key,
            "name": self.name,
            "versions": None if self.versions is None else str(self.versions),
            "differ": self.differ,
        }


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """All brokers of a probe; `common` is None unless several answered."""

    newest_release: str
    brokers: tuple[BrokerReport, ...]
    common: tuple[CommonApi, ...] | None

    @property
    def answered(self) -> tuple[BrokerReport, ...]:
        """The brokers that answered."""
        return tuple(broker for broker in self.brokers if broker.answer.answered)

    @property
    def failed(self) -> int:
        """How many brokers did not answer."""
        return len(self.brokers) - len(self.answered)

    @property
    def alike(self) -> bool:
        """Whether all brokers that answered list the same versions."""
        answers = [broker.answer.versions for broker in self.answered]
        return all(versions == answers[0] for versions in answers)

    def ranges(self) -> dict[str, Any]:
        """The document `wirebook/ranges/1` of the brokers that answered."""
        brokers = [
            {
                "name": str(broker.answer.address),
                "versions": {str(key): str(each) for key, each in sorted(broker.answer.versions.items())},
            }
            for broker in self.answered
        ]
        return {"schema": "wirebook/ranges/1", "brokers": brokers}

    def to_json(self) -> dict[str, Any]:
        """Return the document `wirebook/probe/1`."""
        return {
            "schema": SCHEMA,
            "tool": {"name": "wirebook", "version": __version__},
            "newest_release": self.newest_release,
            "brokers": [broker.to_json() for broker in self.brokers],
            "common": None if self.common is None else [row.to_json() for row in self.common],
            "summary": {"answered": len(self.answered), "failed": self.failed, "alike": self.alike},
        }


def report(answers: Sequence[Answer], documentation: Documentation) -> ProbeReport:
    """Compare the answers with the releases and with each other."""
    answered = [answer for answer in answers if answer.answered]
    return ProbeReport(
        _newest().release,
        tuple(
            BrokerReport(answer, compared(answer.versions, documentation) if answer.versions else None)
            for answer in answers
        ),
        common(answered) if len(answered) > 1 else None,
    )


def common(answers: Sequence[Answer]) -> tuple[CommonApi, ...]:
    """For each API that any broker lists: the versions that all of them accept, and whether they differ."""
    rows = []
    for key in sorted({key for answer in answers for key in answer.versions}):
        each = [answer.versions.get(key) for answer in answers]
        across = Versions.ALL
        for versions in each:
            across &= versions or Versions.NONE
        rows.append(CommonApi(key, across or None, any(versions != each[0] for versions in each)))
    return tuple(rows)


def compared(versions: Mapping[int, Versions], documentation: Documentation) -> BrokerComparison:
    """Compare ranges with the most similar release, and with all known versions."""
    similarity = release_similarity(versions)
    nearest = (similarity.exact or similarity.nearest)[0]
    release = _Release(nearest, documentation)
    lacking = (
        ApiVersionsOf(difference.key, _set(difference.there) - _set(difference.here))
        for difference in nearest.differences
        if difference.there is not None
    )
    return BrokerComparison(
        tuple(release.row(key, versions[key]) for key in sorted(versions)),
        similarity,
        tuple(api for api in lacking if api.versions),
    )


class _Release:
    """The release that a broker resembles, with the known facts about its versions."""

    def __init__(self, like: Match, documentation: Documentation) -> None:
        self.broker: Broker = broker_named(like.release)
        self.peer: Peer = PeerResolver(documentation, like.listener).of_release(self.broker)
        self.differences = {item.key: item for item in like.differences}

    def row(self, key: int, here: Versions) -> ApiRow:
        """Compare one API: the broker's range, the range of the release, and the marks of versions."""
        documented = known_versions(key)
        listed = _set(here)
        deprecated = self.peer.marked("deprecated", key) | self.peer.marked("avoid", key)
        removals: dict[str, set[int]] = {}
        for version in documented & listed:
            remover = removed_in(key, version)
            if remover is not None:
                removals.setdefault(remover, set()).add(version)
        return ApiRow(
            key,
            here,
            self.differences[key].there if key in self.differences else here,
            deprecated=VersionSet.of(deprecated) & listed,
            refused=VersionSet.of(self.peer.marked("refused", key)) & listed,
            unstable=VersionSet.of(self.broker.unstable.get(key, ())) & listed,
            removals={release: VersionSet.of(versions) for release, versions in removals.items()},
            unknown=listed - documented,
        )


@cache
def known_versions(key: int) -> VersionSet:
    """Every version of an API that any release or branch has, stable or not."""
    return VersionSet.of(
        version
        for broker in load_brokers()
        for versions in (broker.versions.get(key), broker.unstable.get(key))
        for version in versions or ()
    )


@cache
def removed_in(key: int, version: int) -> str | None:
    """The release that removed a version, stable or not; None if the newest release or a branch has it."""
    following: str | None = None
    for broker in reversed(load_brokers()):
        served = broker.versions.get(key, Versions.NONE)
        if version in served or version in broker.unstable.get(key, Versions.NONE):
            return following
        following = broker.release if broker.is_released else None
    return None


@cache
def _newest() -> Broker:
    return released_brokers()[-1]


def _set(versions: Versions | None) -> VersionSet:
    return VersionSet.union(versions or Versions.NONE)
