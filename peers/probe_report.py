"""The answers of live brokers beside the releases that they are like, as JSON and as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from wirebook._version import __version__
from wirebook.peers.known import release_peer
from wirebook.peers.likeness import Likeness, likeness
from wirebook.peers.probe import Answer
from wirebook.specs.kafka.brokers import api_names, broker_named, load_brokers
from wirebook.specs.printable import columns, quiet, visible
from wirebook.specs.versions import Versions, VersionSet

SCHEMA = "wirebook/probe/1"


@dataclass(frozen=True)
class ApiRow:
    """An API that a broker lists: its range, that of the release, and versions by what is known of
    them.

    The words are "listed, but not served", "deprecated", "removed in 4.0", "unstable" or "unknown".
    """

    key: int
    versions: Versions
    release: Versions | None
    notes: Mapping[str, str]


def name_of(key: int) -> str:
    """The name of an API, or its key."""
    return api_names().get(key, f"key {key}")


def rows(answer: Answer, like: Likeness) -> list[ApiRow]:
    """The APIs that a broker lists, compared with the release that it is like."""
    broker = broker_named(like.releases[0])
    peer = release_peer(broker, like.listener)
    found = []
    for key, versions in sorted(answer.versions.items()):
        marks = peer.marks.get(key, {})
        words: dict[str, list[int]] = {}
        removers = _removers(key)
        for version in (version for version in removers if version in versions):
            if marks.get(version) == "refused":
                words.setdefault("listed, but not served", []).append(version)
            if marks.get(version) in ("deprecated", "avoid"):
                words.setdefault("deprecated", []).append(version)
            if removers[version]:
                words.setdefault(f"removed in {removers[version]}", []).append(version)
            if version in broker.unstable.get(key, Versions.NONE):
                words.setdefault("unstable", []).append(version)
        notes = {word: str(VersionSet.of(numbers)) for word, numbers in words.items()}
        unknown = VersionSet.union(versions) - VersionSet.of(removers)
        if unknown:
            notes["unknown"] = str(unknown)
        found.append(ApiRow(key, versions, like.ranges.get(key), notes))
    return found


@cache
def _removers(key: int) -> dict[int, str]:
    """The versions of an API that any release has, stable or not, with the release that removed
    each."""
    removers: dict[int, str] = {}
    following = ""
    for broker in reversed(load_brokers()):
        for version in (*broker.versions.get(key, ()), *broker.unstable.get(key, ())):
            removers.setdefault(version, following)
        following = broker.release if broker.is_released else ""
    return dict(sorted(removers.items()))


def lacking(answer: Answer, like: Likeness) -> dict[int, VersionSet]:
    """The versions of the release that a broker does not list."""
    lacks = {key: like.ranges[key] - answer.versions.get(key, Versions.NONE) for key in like.ranges}
    return {key: versions for key, versions in sorted(lacks.items()) if versions}


def probe_json(answers: Sequence[Answer]) -> dict[str, Any]:
    """The document `wirebook/probe/1`."""
    brokers = []
    for answer in answers:
        like = likeness(answer.versions) if answer.versions else None
        brokers.append(
            {
                "name": str(answer.address),
                "failure": answer.failure,
                "api_versions_version": answer.asked,
                "versions": {str(key): str(each) for key, each in sorted(answer.versions.items())},
                "notes": answer.notes,
                "tls": answer.tls,
                "mechanisms": answer.mechanisms,
                "supported_features": answer.supported,
                "finalized_features": answer.finalized,
                "like": None
                if like is None
                else {
                    "releases": like.releases,
                    "listener": like.listener,
                    "exact": not like.different,
                    "lacking": {
                        str(key): str(versions) for key, versions in lacking(answer, like).items()
                    },
                },
                "apis": [
                    {
                        "key": row.key,
                        "name": api_names().get(row.key),
                        "versions": str(row.versions),
                        "release": None if row.release is None else str(row.release),
                        "notes": row.notes,
                    }
                    for row in (rows(answer, like) if like is not None else ())
                ],
            }
        )
    return {
        "schema": SCHEMA,
        "tool": {"name": "wirebook", "version": __version__},
        "brokers": brokers,
    }


def probe_text(answers: Sequence[Answer]) -> Iterator[str]:
    """Format the answers for a terminal, line by line; strings of brokers are escaped."""
    for line in _lines(answers):
        yield quiet(visible(line.rstrip()))


def _lines(answers: Sequence[Answer]) -> Iterator[str]:
    for place, answer in enumerate(answers):
        if place:
            yield ""
        yield from _one(answer)
    yield from _together(answers)


def _one(answer: Answer) -> Iterator[str]:
    over = f" over {answer.tls}" if answer.tls else ""
    if answer.failure is None:
        yield f"{answer.address}: {len(answer.versions)} APIs, by ApiVersions {answer.asked}{over}"
    else:
        yield f"{answer.address}: {answer.failure}"
    if not answer.versions:
        return
    like = likeness(answer.versions)
    yield f"  {like.words(answer.versions)}"
    for name in sorted({*answer.supported, *answer.finalized}):
        final = f", finalized {answer.finalized[name]}" if name in answer.finalized else ""
        yield f"  feature {name} {answer.supported.get(name, 'not supported')}{final}"
    for note in answer.notes:
        yield f"  note: {note}"
    yield ""
    table = [["key", "API", "takes", "release", ""]]
    for row in rows(answer, like):
        notes = "; ".join(f"{versions} {word}" for word, versions in row.notes.items())
        table.append(
            [str(row.key), name_of(row.key), str(row.versions), str(row.release or "-"), notes]
        )
    for line in columns(table, right=1):
        yield f"  {line}"
    lacks = lacking(answer, like)
    if lacks:
        listed = ", ".join(f"{name_of(key)} {versions}" for key, versions in lacks.items())
        yield f"  in that release but not here: {listed}"


def _together(answers: Sequence[Answer]) -> Iterator[str]:
    """What differs between the brokers that answered, if there are several."""
    answered = [answer for answer in answers if answer.failure is None]
    if len(answered) < 2:
        return
    yield ""
    table = [["key", "API", *(str(answer.address) for answer in answered), "all"]]
    for key in sorted({key for answer in answered for key in answer.versions}):
        each = [answer.versions.get(key, Versions.NONE) for answer in answered]
        across = Versions.ALL
        for versions in each:
            across &= versions
        if len({*each}) > 1:
            table.append(
                [str(key), name_of(key), *(str(versions or "-") for versions in (*each, across))]
            )
    if len(table) == 1:
        yield f"The {len(answered)} brokers that answered list the same versions."
        return
    yield f"{len(table) - 1} APIs differ between the {len(answered)} brokers that answered:"
    for line in columns(table, right=1):
        yield f"  {line}"
