"""Release lines as snapshots, with what the lifecycles in specs say of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from wirebook.docgen.catalog.history import Context
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


def snapshots_of(lines: Sequence[ApiVersion]) -> list[CatalogSnapshot]:
    """A snapshot for each release line, in one line from the first."""
    return [
        CatalogSnapshot(
            at, each.release, "release", at - 1 if at else None, True, each.release, date=each.date
        )
        for at, each in enumerate(lines)
    ]


def at_levels(
    files: Sequence[SnapshotFile], texts: Texts, registry: Registry
) -> list[SnapshotFile]:
    """Files of release lines, with the versions that existed in each. Raises InputError for a level
    that the registry does not have."""
    lines = release_lines(registry.described)
    living = {
        digest: lifecycles(text.message, registry) if text.message.history else None
        for digest, text in texts.items()
    }
    return [
        file._replace(
            offer=offer_of(texts[file.digest].message, living[file.digest], lines[file.ordinal].id)
        )
        for file in files
    ]


def with_older_releases(
    context: Context, files: Sequence[SnapshotFile], texts: Texts, registry: Registry
) -> tuple[tuple[CatalogSnapshot, ...], list[SnapshotFile]]:
    """Kafka's releases, preceded by the older release lines as further snapshots, and the files of
    all.

    A message is in every snapshot before the first one that has its spec, if any version existed
    then: with that first spec, so that names and defaults do not change where the history begins.
    One that had been removed by then has the spec of SOURCE; one that still exists but is in no
    spec of the history does not belong to it.
    """
    begin = line_of(context.snapshots[0].name)
    lines = [
        level
        for level in release_lines(registry.api_versions)
        if begin and (line_of(level.release) or begin) < begin
    ]
    count = len(lines)
    snapshots = snapshots_of(lines)
    for each in context.snapshots:
        before = count + (-1 if each.predecessor is None else each.predecessor)
        predecessor = before if before >= 0 else None
        snapshots.append(replace(each, ordinal=count + each.ordinal, predecessor=predecessor))
    levels = {
        snapshot.ordinal: level.id
        for snapshot in snapshots
        if (level := registry.of_release(snapshot.name)) is not None
    }
    newer = [file._replace(ordinal=file.ordinal + count) for file in files]
    # A message may have had another name, and a record another type.
    firsts: dict[Identity | str, SnapshotFile] = {}
    for file in sorted(newer):
        of_file = texts[file.digest].message
        firsts.setdefault(of_file.identity, file)
        firsts.setdefault(of_file.name, file)
    older: list[SnapshotFile] = []
    for digest, path in context.source_texts.items():
        message = texts[digest].message
        found = [firsts[key] for key in (message.name, message.identity) if key in firsts]
        first = min(found, default=SnapshotFile(count, path, digest))
        text = texts[first.digest].message
        versions = lifecycles(message, registry) if message.history else {}
        if message.type == "coordinator-key" and text.type == "data":
            # The number of such a record was the version of its key, and has been its type since
            # 4.1.
            versions = dict.fromkeys(text.valid_versions, versions[0])
        living = {
            ordinal: at
            for ordinal, at in levels.items()
            if any(each.lives(at) for each in versions.values())
        }
        if found or count not in living:
            for ordinal, at in living.items():
                if ordinal < first.ordinal:
                    offer = offer_of(text, versions, at)
                    older.append(first._replace(ordinal=ordinal, offer=offer))
    return tuple(snapshots), [*older, *newer]
