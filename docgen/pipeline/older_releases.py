"""Releases before the first one of a history, from the lifecycles of the embedded specs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import NamedTuple

from wirebook.docgen.catalog.order import CatalogSnapshot, SnapshotFile
from wirebook.docgen.catalog.texts import offer_of
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.profile import embedded_profile
from wirebook.specs.kafka.version_lifecycle import lifecycles
from wirebook.specs.levels import ApiVersion, Registry
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError
from wirebook.specs.reading.reader import read_message
from wirebook.specs.releases import line_of


class DistinctText(NamedTuple):
    """A text, with the path under which the newest snapshot has it."""

    path: str
    text: bytes


TextsByDigest = Mapping[str, DistinctText]


class EmbeddedSpec(NamedTuple):
    """A spec that comes with wirebook, with the digest of its text."""

    message: Message
    digest: str


def with_older_releases(
    snapshots: Sequence[CatalogSnapshot],
    files: Sequence[SnapshotFile],
    registry: Registry,
    embedded: Sequence[EmbeddedSpec],
    texts: TextsByDigest,
) -> tuple[tuple[CatalogSnapshot, ...], list[SnapshotFile]]:
    """Kafka's releases, preceded by the older release lines as further snapshots, and the files of all.

    A message is in every snapshot before the first one that has its spec, if any version existed then: with
    that first spec, so that names and defaults do not change where the history begins, or with the embedded
    one if versions had been removed by then. A message that still exists but is in no spec of the history
    does not belong to it.
    """
    lines = _lines_before(snapshots[0], registry)
    older = snapshots_of(lines)
    newer = [_after(snapshot, len(lines)) for snapshot in snapshots]
    levels = {
        snapshot.ordinal: level.id
        for snapshot in (*older, *newer)
        if (level := registry.of_release(snapshot.name)) is not None
    }
    moved_files = [file._replace(ordinal=file.ordinal + len(lines)) for file in files]
    firsts = _firsts(moved_files, embedded, texts)
    older_files: list[SnapshotFile] = []
    for message, digest in embedded:
        path, offering = message.path, message
        first = firsts.get(message.identity)
        last = len(lines) if first is None else first.ordinal
        versions = lifecycles(message, registry) if message.history else {}
        former = None if first is None else _read(texts[first.digest].text, first.path)
        if former is not None and message.type == "coordinator-key" and former.type == "data":
            # The number of such a record was the version of its key, and has been its type since 4.1.
            versions = dict.fromkeys(former.valid_versions, versions[0])
        before = [
            (ordinal, level)
            for ordinal, level in levels.items()
            if ordinal < last and any(lifecycle.lives(level) for lifecycle in versions.values())
        ]
        valid = () if former is None else former.valid_versions
        lost = [lifecycle for version, lifecycle in versions.items() if version not in valid]
        ended = any(lifecycle.lives(level) for lifecycle in lost for _, level in before)
        lives_on = any(lifecycle.lives(levels.get(last, -1)) for lifecycle in lost)
        if first is not None and former is not None and (lives_on or not ended):
            path, digest, offering = first.path, first.digest, former
        elif lives_on:
            continue
        older_files += [
            SnapshotFile(ordinal, path, digest, offer_of(offering, versions, level))
            for ordinal, level in before
        ]
    return (*older, *newer), [*older_files, *moved_files]


def files_of_levels(specs: Sequence[EmbeddedSpec], registry: Registry) -> list[SnapshotFile]:
    """The same specs at each release line, with the versions that existed then.

    Raises InputError for a level that the registry does not have.
    """
    lines = release_lines(registry.described)
    files: list[SnapshotFile] = []
    for message, digest in specs:
        versions = lifecycles(message, registry) if message.history else None
        files += [
            SnapshotFile(ordinal, message.path, digest, offer_of(message, versions, level.id))
            for ordinal, level in enumerate(lines)
        ]
    return files


def snapshots_of(lines: Sequence[ApiVersion]) -> tuple[CatalogSnapshot, ...]:
    """A snapshot for each release line, in one line from the first."""
    return tuple(
        CatalogSnapshot(
            ordinal,
            level.release,
            "release",
            ordinal - 1 if ordinal else None,
            True,
            release=level.release,
            date=level.date,
        )
        for ordinal, level in enumerate(lines)
    )


def _after(snapshot: CatalogSnapshot, count: int) -> CatalogSnapshot:
    """A snapshot of a history that `count` others precede."""
    last = count - 1 if count else None
    predecessor = last if snapshot.predecessor is None else snapshot.predecessor + count
    return replace(snapshot, ordinal=snapshot.ordinal + count, predecessor=predecessor)


def _lines_before(first: CatalogSnapshot, registry: Registry) -> list[ApiVersion]:
    """The last level of each release line before that of a release."""
    line = line_of(first.name)
    if line is None:
        return []
    lines = ((line_of(level.release), level) for level in release_lines(registry.api_versions))
    return [level for each, level in lines if each is not None and each < line]


def release_lines(levels: Iterable[ApiVersion]) -> list[ApiVersion]:
    """The last level of each release line: its servers have all of the line's levels, or none."""
    return list({line_of(level.release) or level.release: level for level in levels}.values())


def _firsts(
    files: Sequence[SnapshotFile], embedded: Sequence[EmbeddedSpec], texts: TextsByDigest
) -> dict[tuple[str, int | str], SnapshotFile]:
    """The first file of each message, by identity: a message may have had another name."""
    by_name: dict[str, SnapshotFile] = {}
    for file in sorted(files):
        by_name.setdefault(PurePosixPath(file.path).stem, file)
    firsts: dict[tuple[str, int | str], SnapshotFile] = {}
    for message, _ in embedded:
        if message.name in by_name:
            firsts[message.identity] = by_name.pop(message.name)
    for file in by_name.values():
        former = _read(texts[file.digest].text, file.path)
        if former is not None:
            firsts[former.identity] = min(file, firsts.get(former.identity, file))
    return firsts


def _read(text: bytes, path: str) -> Message | None:
    """A message of Kafka's; None for a text that cannot be read, which the run reports."""
    try:
        return read_message(text, path, profile=embedded_profile(KAFKA))
    except InputError:
        return None
