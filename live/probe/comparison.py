"""The answer of a live broker compared with the releases: which one it resembles, and what differs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from wirebook import __version__
from wirebook.live.negotiation.negotiate import Peer, numbers_text
from wirebook.live.negotiation.peers import Documentation, PeerResolver
from wirebook.live.negotiation.similarity import Match, release_similarity
from wirebook.live.probe.session import Answer
from wirebook.specs.kafka.brokers import Broker, api_names, broker_named, load_brokers
from wirebook.specs.versions import Versions, VersionSet

Doc = dict[str, Any]

SCHEMA = "wirebook/probe/1"


def document(answers: Sequence[Answer], documentation: Documentation) -> Doc:
    """The answers and their comparison as JSON of the form `wirebook/probe/1`."""
    there = [answer for answer in answers if answer.answered]
    return {
        "schema": SCHEMA,
        "tool": {"name": "wirebook", "version": __version__},
        "newest_release": _newest().release,
        "brokers": [_broker(answer, documentation) for answer in answers],
        "common": common(there) if len(there) > 1 else None,
        "summary": {
            "answered": len(there),
            "failed": len(answers) - len(there),
            "alike": all(answer.versions == there[0].versions for answer in there),
        },
    }


def common(answers: Sequence[Answer]) -> list[Doc]:
    """For each API that any broker lists: the versions that all of them take, and whether they differ."""
    rows = []
    for key in sorted({key for answer in answers for key in answer.versions}):
        each = [answer.versions.get(key) for answer in answers]
        across = Versions.ALL
        for versions in each:
            across &= versions or Versions.NONE
        rows.append(
            {
                "key": key,
                "name": api_names().get(key),
                "versions": str(across) if across else None,
                "differ": any(versions != each[0] for versions in each),
            }
        )
    return rows


def _broker(answer: Answer, documentation: Documentation) -> Doc:
    made: Doc = {
        "address": str(answer.address),
        "answered": answer.answered,
        "failure": None,
        "conversation": answer.conversation,
        "notes": answer.notes,
        "tls": answer.tls,
        "sasl": answer.sasl,
        "api_versions_version": answer.asked,
        "throttle_time_ms": answer.throttle_time_ms,
        "supported_features": answer.supported_features,
        "finalized_features": answer.finalized_features,
        "finalized_features_epoch": answer.finalized_epoch,
        "cluster": answer.cluster,
        "apis": [],
        "like": None,
        "like_words": "",
        "not_in_book": [],
        "lacking": [],
        "deprecated": [],
    }
    if answer.failure is not None:
        made["failure"] = {"code": answer.failure.code, "message": answer.failure.message}
    if answer.versions:
        made.update(compared(answer.versions, documentation))
    return made


def compared(versions: Mapping[int, Versions], documentation: Documentation) -> Doc:
    """Ranges compared with the most similar release, and with all known versions."""
    like = release_similarity(versions)
    nearest = (like.exact or like.nearest)[0]
    release = _Release(nearest, documentation)
    rows = [release.row(key, versions[key]) for key in sorted(versions)]
    return {
        "apis": rows,
        "like": like.to_json(),
        "like_words": like.summary(),
        "not_in_book": [_short(row, row["unknown"]) for row in rows if row["unknown"]],
        "deprecated": [_short(row, row["deprecated"]) for row in rows if row["deprecated"]],
        "lacking": [
            {
                "key": item.key,
                "name": api_names().get(item.key),
                "versions": _text(_without(item.there, item.here)),
            }
            for item in nearest.differences
            if item.there is not None and _without(item.there, item.here)
        ],
    }


class _Release:
    """The release that a broker looks like, with what is known of its versions."""

    def __init__(self, like: Match, documentation: Documentation) -> None:
        self.broker: Broker = broker_named(like.release)
        self.peer: Peer = PeerResolver(documentation, like.listener).of_release(self.broker)
        self.differences = {item.key: item for item in like.differences}

    def row(self, key: int, here: Versions) -> Doc:
        """One API: what the broker lists, what the release does, and the marks of versions."""
        there = self.differences[key].there if key in self.differences else here
        known = known_versions(key)
        newest = _newest().versions.get(key, Versions.NONE)
        marked = {
            "deprecated": self.peer.marked("deprecated", key) | self.peer.marked("avoid", key),
            "refused": self.peer.marked("refused", key),
            "unstable": frozenset(self.broker.unstable.get(key, ())),
            "removed": frozenset(v for v in known if v in here and v not in newest),
        }
        return {
            "key": key,
            "name": api_names().get(key),
            "versions": str(here),
            "release": None if there is None else str(there),
            **{mark: _text(v for v in found if v in here) for mark, found in marked.items()},
            "unknown": _unknown(here, known),
        }


@cache
def known_versions(key: int) -> frozenset[int]:
    """Every version of an API that any release or branch has, stable or not."""
    return frozenset(
        version
        for broker in load_brokers()
        for found in (broker.versions.get(key), broker.unstable.get(key))
        for version in found or ()
    )


@cache
def _newest() -> Broker:
    return [broker for broker in load_brokers() if not broker.release.endswith("-dev")][-1]


def _unknown(here: Versions, known: frozenset[int]) -> str | None:
    """What is not known of a range, which may be as long as the wire lets it."""
    return (VersionSet.union(here) - VersionSet.of(known)).text or None


def _without(there: Versions, here: Versions | None) -> frozenset[int]:
    return frozenset(version for version in there if here is None or version not in here)


def _text(found: Iterable[int]) -> str | None:
    versions = frozenset(found)
    return numbers_text(versions) if versions else None


def _short(row: Doc, found: str) -> Doc:
    return {"key": row["key"], "name": row["name"], "versions": found}
