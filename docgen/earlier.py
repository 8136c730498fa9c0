"""What happened before the first release of a history, from the lifecycles of the embedded specs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import NamedTuple

from wirebook.docgen.catalog.order import CatalogSnapshot
from wirebook.docgen.catalog.rows import CatalogLevels, Earlier
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.version_lifecycle import lifecycles
from wirebook.specs.levels import ApiVersion, Registry
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError
from wirebook.specs.profile_choice import embedded_profile
from wirebook.specs.reading.reader import read_message
from wirebook.specs.sources.releases import line_of

Files = list[tuple[int, str, str]]
Texts = Mapping[str, tuple[str, bytes]]


class _First(NamedTuple):
    """The first text of a message in a history."""

    ordinal: int
    path: str
    digest: str


def with_earlier(
    snapshots: Sequence[CatalogSnapshot],
    files: Files,
    registry: Registry,
    embedded: Iterable[tuple[Message, str]],
    texts: Texts,
) -> tuple[tuple[CatalogSnapshot, ...], Files, CatalogLevels]:
    """Kafka's releases, preceded by the earlier release lines as further snapshots.

    A message is in every snapshot before the first one that has its spec, if any version existed then: with
    that first spec, so that names and defaults do not change where the history begins, or with the embedded
    one if versions had been removed by then. A message that still exists but is in no spec of the history
    does not belong to it. `embedded` are the specs, each with the digest of its text.
    """
    before = _lines_before(snapshots[0], registry)
    count = len(before)
    last_before = count - 1 if count else None
    moved = [
        replace(
            item,
            ordinal=item.ordinal + count,
            predecessor=last_before if item.predecessor is None else item.predecessor + count,
        )
        for item in snapshots
    ]
    earlier = [
        CatalogSnapshot(
            ordinal,
            level.release,
            "release",
            ordinal - 1 if ordinal else None,
            True,
            release=level.release,
            date=level.date,
        )
        for ordinal, level in enumerate(before)
    ]
    levels = {
        item.ordinal: level.id
        for item in (*earlier, *moved)
        if (level := registry.of_release(item.name)) is not None
    }
    held = [(ordinal + count, path, digest) for ordinal, path, digest in files]
    known = list(embedded)
    firsts = _firsts(held, known, texts)
    added: Files = []
    standing: dict[str, Earlier] = {}
    for message, digest in known:
        first = firsts.get(message.identity)
        last = count if first is None else first.ordinal
        lived = lifecycles(message, registry) if message.history else {}
        former = None if first is None else _read(texts[first.digest][1], first.path)
        if former is not None and message.type == "coordinator-key" and former.type == "data":
            # The number of such a record was the version of its key, and has been its type since 4.1.
            lived = dict.fromkeys(former.valid_versions, lived[0])
        ids = {
            ordinal: level
            for ordinal, level in levels.items()
            if ordinal < last and any(lifecycle.lives(level) for lifecycle in lived.values())
        }
        there = () if former is None else former.valid_versions
        lost = [lifecycle for version, lifecycle in lived.items() if version not in there]
        ended = any(lifecycle.lives(level) for lifecycle in lost for level in ids.values())
        lives_on = any(lifecycle.lives(levels.get(last, -1)) for lifecycle in lost)
        if first is not None and (lives_on or not ended):
            path, used = first.path, first.digest
        elif lives_on:
            continue
        else:
            path, used = message.path, digest
        if ids:
            standing[used] = Earlier(lived, ids, tuple(ordinal for ordinal, _, each in held if each == used))
            added += [(ordinal, path, used) for ordinal in ids]
    return (*earlier, *moved), [*added, *held], CatalogLevels(registry, {}, standing)


def _lines_before(first: CatalogSnapshot, registry: Registry) -> list[ApiVersion]:
    """The last level of each release line before that of a release."""
    line = line_of(first.name)
    if line is None:
        return []
    lines = {line_of(level.release): level for level in registry.api_versions}
    return [level for each, level in lines.items() if each is not None and each < line]


def _firsts(
    files: Files, embedded: Collection[tuple[Message, str]], texts: Texts
) -> dict[tuple[str, int | str], _First]:
    """The first text of each message, by identity: a message may have had another name."""
    by_name: dict[str, _First] = {}
    for ordinal, path, digest in sorted(files):
        by_name.setdefault(PurePosixPath(path).stem, _First(ordinal, path, digest))
    found: dict[tuple[str, int | str], _First] = {}
    for message, _ in embedded:
        if message.name in by_name:
            found[message.identity] = by_name.pop(message.name)
    for first in by_name.values():
        former = _read(texts[first.digest][1], first.path)
        if former is not None:
            found[former.identity] = min(first, found.get(former.identity, first))
    return found


def _read(text: bytes, path: str) -> Message | None:
    """A message of Kafka's; None for a text that cannot be read, which the run reports."""
    try:
        return read_message(text, path, profile=embedded_profile(KAFKA))
    except InputError:
        return None
