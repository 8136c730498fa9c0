"""Release lines as snapshots, with what the lifecycles in specs say of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

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


def older_lines(registry: Registry, release: str) -> list[CatalogSnapshot]:
    """The release lines before that of a release, as snapshots."""
    begin = line_of(release) or ()
    lines = release_lines(registry.api_versions)
    return snapshots_of([level for level in lines if (line_of(level.release) or begin) < begin])


def older_files(
    context: Context, files: Sequence[SnapshotFile], texts: Texts
) -> Iterator[SnapshotFile]:
    """The files of Kafka's messages in the snapshots before the first one that has their specs.

    A message is in each of them in which any version existed: with that first spec, so that names
    and defaults do not change where the history begins. One that had been removed by then has the
    spec of SOURCE; one that still exists but is in no spec of the history does not belong to it.
    """
    registry = context.registry
    levels = {each.ordinal: registry.of_release(each.name) for each in context.snapshots}
    # A message may have had another name, and a record another type.
    firsts: dict[Identity | str, SnapshotFile] = {}
    for file in files:
        of_file = texts[file.digest].message
        firsts.setdefault(of_file.identity, file)
        firsts.setdefault(of_file.name, file)
    begin = context.first_read
    for digest, path in context.source_texts.items():
        message = texts[digest].message
        found = [firsts[key] for key in (message.name, message.identity) if key in firsts]
        first = min(found, default=SnapshotFile(begin, path, digest))
        text = texts[first.digest].message
        versions = lifecycles(message, registry) if message.history else {}
        if message.type == "coordinator-key" and text.type == "data":
            # The number of such a record was the version of its key, and has been its type since
            # 4.1.
            versions = dict.fromkeys(text.valid_versions, versions[0])
        living = {
            ordinal: level.id
            for ordinal, level in levels.items()
            if level is not None and any(each.lives(level.id) for each in versions.values())
        }
        if found or begin not in living:
            for ordinal, level in living.items():
                if ordinal < first.ordinal:
                    yield first._replace(ordinal=ordinal, offer=offer_of(text, versions, level))
