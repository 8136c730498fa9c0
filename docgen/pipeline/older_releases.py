"""Release lines as snapshots, with what the lifecycles in specs say of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from wirebook.docgen.catalog.order import CatalogSnapshot, SnapshotFile
from wirebook.docgen.catalog.texts import Text, offer_of
from wirebook.specs.kafka.version_lifecycle import lifecycles
from wirebook.specs.levels import ApiVersion, Registry
from wirebook.specs.model import Identity
from wirebook.specs.releases import line_of

Texts = Mapping[str, Text]


def release_lines(levels: Iterable[ApiVersion]) -> list[ApiVersion]:
    """The last level of each release line: its servers have all of the line's levels, or none."""
    return list({line_of(level.release) or level.release: level for level in levels}.values())


def snapshots_of(lines: Sequence[ApiVersion]) -> tuple[CatalogSnapshot, ...]:
    """A snapshot for each release line, in one line from the first."""
    numbers = [None, *range(len(lines))]
    return tuple(
        CatalogSnapshot(
            at, each.release, "release", numbers[at], True, each.release, date=each.date
        )
        for at, each in enumerate(lines)
    )


def at_levels(
    files: Sequence[SnapshotFile], texts: Texts, registry: Registry
) -> list[SnapshotFile]:
    """Files of release lines, with the versions that existed in each. Raises InputError for a level
    that the registry does not have."""
    lines = release_lines(registry.described)
    living = {
        digest: lifecycles(text.message, registry)
        for digest, text in texts.items()
        if text.message.history
    }
    offered = []
    for file in files:
        message, level = texts[file.digest].message, lines[file.ordinal].id
        offered.append(file._replace(offer=offer_of(message, living.get(file.digest), level)))
    return offered


def with_older_releases(
    snapshots: Sequence[CatalogSnapshot],
    files: Sequence[SnapshotFile],
    texts: Texts,
    source_texts: Mapping[str, str],
    registry: Registry,
) -> tuple[tuple[CatalogSnapshot, ...], list[SnapshotFile]]:
    """Kafka's releases, preceded by the older release lines as further snapshots, and the files of
    all.

    A message is in every snapshot before the first one that has its spec, if any version existed
    then: with that first spec, so that names and defaults do not change where the history begins.
    One that had been removed by then has the spec of `source_texts`; one that still exists but is
    in no spec of the history does not belong to it.
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
    # A message may have had another name, and a record another type.
    firsts: dict[Identity | str, SnapshotFile] = {}
    for file in sorted(moved_files):
        of_file = texts[file.digest].message
        firsts.setdefault(of_file.identity, file)
        firsts.setdefault(of_file.name, file)
    older_files: list[SnapshotFile] = []
    for digest, path in source_texts.items():
        message = texts[digest].message
        found = [firsts[key] for key in (message.name, message.identity) if key in firsts]
        first = min(found, default=SnapshotFile(len(lines), path, digest))
        text = texts[first.digest].message
        versions = lifecycles(message, registry) if message.history else {}
        if message.type == "coordinator-key" and text.type == "data":
            # The number of such a record was the version of its key, and has been its type since
            # 4.1.
            versions = dict.fromkeys(text.valid_versions, versions[0])
        if not found and any(each.lives(levels.get(len(lines), -1)) for each in versions.values()):
            continue
        for ordinal, at in levels.items():
            if ordinal < first.ordinal and any(each.lives(at) for each in versions.values()):
                offer = offer_of(text, versions, at)
                older_files.append(first._replace(ordinal=ordinal, offer=offer))
    return (*older, *newer), [*older_files, *moved_files]


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
