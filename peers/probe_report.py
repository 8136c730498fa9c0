"""The answers of live brokers beside the releases that they are like, as JSON and as text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import and_
from typing import Any

from wirebook._version import __version__
from wirebook.peers.known import known_versions, marks_at
from wirebook.peers.likeness import Likeness, likeness
from wirebook.peers.negotiation import MARK_WORDS, Marks, mark_at
from wirebook.peers.probe import Answer
from wirebook.specs.json_records import to_json
from wirebook.specs.kafka.brokers import kafka_releases
from wirebook.specs.printable import columns, quiet, visible
from wirebook.specs.versions import Versions, VersionSet

SCHEMA = "wirebook/probe/1"


def _name_of(key: int) -> str:
    return kafka_releases().names.get(key, f"key {key}")


def probe_json(answers: Sequence[Answer]) -> dict[str, Any]:
    """The document `wirebook/probe/1`."""
    tool = {"name": "wirebook", "version": __version__}
    return {"schema": SCHEMA, "tool": tool, "brokers": [_document(answer) for answer in answers]}


def _document(answer: Answer) -> dict[str, Any]:
    """An answer beside the release that it is like."""
    document: dict[str, Any] = to_json(answer) | {"like": None, "apis": []}
    document["versions"] = to_json(dict(sorted(answer.versions.items())))
    if answer.versions:
        like = likeness(answer.versions)
        document["like"] = {
            "releases": like.releases,
            "listener": like.listener,
            "exact": not like.different,
            "lacking": _lacking(like),
        }
        document["apis"] = _apis(like)
    return document


def _lacking(like: Likeness) -> dict[str, str]:
    """The versions of the release that the broker does not list, by API key."""
    lacking = {}
    for key, versions in sorted(like.ranges.items()):
        missing = versions - like.here.get(key, Versions.NONE)
        if missing:
            lacking[str(key)] = str(missing)
    return lacking


def _apis(like: Likeness) -> list[dict[str, Any]]:
    """Each API that the broker lists, with the range of the release."""
    marks = marks_at(kafka_releases().broker(like.releases[0]), like.listener, like.here)
    apis = []
    for key, here in sorted(like.here.items()):
        row = {
            "key": key,
            "name": kafka_releases().names.get(key),
            "versions": str(here),
            "release": str(like.ranges[key]) if key in like.ranges else None,
            "notes": _notes(key, here, marks),
        }
        apis.append(row)
    return apis


def _notes(key: int, here: Versions, marks: Marks) -> dict[str, str]:
    """Versions of an API that a broker lists, by what is known of them."""
    notes: dict[str, list[int]] = defaultdict(list)
    for version in here:
        mark = mark_at([marks], key, version)
        if mark in MARK_WORDS:
            notes[MARK_WORDS[mark]].append(version)
        elif version not in known_versions(key):
            notes["unknown"].append(version)
    return {word: str(VersionSet.of(versions)) for word, versions in notes.items()}


def probe_text(answers: Sequence[Answer]) -> Iterator[str]:
    """Format the answers for a terminal, line by line; strings of brokers are escaped."""
    for line in _lines(answers):
        yield quiet(visible(line.rstrip()))


def _lines(answers: Sequence[Answer]) -> Iterator[str]:
    for place, answer in enumerate(answers):
        if place:
            yield ""
        yield from _one(answer)
    answered = [answer for answer in answers if answer.failure is None]
    if len(answered) > 1:
        yield ""
        yield from _together(answered)


def _one(answer: Answer) -> Iterator[str]:
    over = f" over {answer.tls}" if answer.tls else ""
    result = f"{len(answer.versions)} APIs, by ApiVersions {answer.api_versions_version}{over}"
    yield f"{answer.name}: {answer.failure or result}"
    if not answer.versions:
        return
    like = likeness(answer.versions)
    yield f"  {like.words}"
    supported, finalized = answer.supported_features, answer.finalized_features
    for name in sorted({*supported, *finalized}):
        final = f", finalized {finalized[name]}" if name in finalized else ""
        yield f"  feature {name} {supported.get(name, 'not supported')}{final}"
    for note in answer.notes:
        yield f"  note: {note}"
    yield ""
    table = [["key", "API", "takes", "release", ""]]
    for row in _apis(like):
        notes = "; ".join(f"{versions} {word}" for word, versions in row["notes"].items())
        name = _name_of(row["key"])
        table.append([str(row["key"]), name, row["versions"], row["release"] or "-", notes])
    for line in columns(table, right=1):
        yield f"  {line}"
    lacking = [f"{_name_of(int(key))} {versions}" for key, versions in _lacking(like).items()]
    if lacking:
        yield f"  in that release but not here: {', '.join(lacking)}"


def _together(answered: Sequence[Answer]) -> Iterator[str]:
    """What differs between the brokers that answered."""
    table = [["key", "API", *(answer.name for answer in answered), "all"]]
    for key in sorted({key for answer in answered for key in answer.versions}):
        each = [answer.versions.get(key, Versions.NONE) for answer in answered]
        if len(set(each)) > 1:
            each.append(reduce(and_, each))
            cells = [str(versions or "-") for versions in each]
            table.append([str(key), _name_of(key), *cells])
    differing = len(table) - 1
    if not differing:
        yield f"The {len(answered)} brokers that answered list the same versions."
        return
    yield f"{differing} APIs differ between the {len(answered)} brokers that answered:"
    for line in columns(table, right=1):
        yield f"  {line}"
