"""The ApiVersions beside a history of releases: which release first shipped each."""

from __future__ import annotations

from collections.abc import Sequence

from wirebook.docgen.catalog.order import Snapshot
from wirebook.docgen.catalog.records import LevelRecord, LevelRecords
from wirebook.specs.levels import Registry
from wirebook.specs.sources.releases import line_of


def level_records(registry: Registry | None, snapshots: Sequence[Snapshot]) -> LevelRecords:
    """Every ApiVersion with the snapshot that first had it.

    `snapshot` is null for a level that no release of the history began with: it is older than the first,
    or newer than the last. The list is empty where the protocol has no ApiVersions.
    """
    first: dict[tuple[int, ...] | None, str] = {}
    for snapshot in snapshots:
        first.setdefault(line_of(snapshot.release or snapshot.name), snapshot.name)
    oldest = line_of(snapshots[0].release or snapshots[0].name) if snapshots else None
    levels = []
    for item in registry.described if registry else ():
        line = line_of(item.release)
        levels.append(
            LevelRecord(
                id=item.id,
                version=item.version,
                release=item.release,
                date=item.date,
                about=item.about,
                snapshot=first.get(line),
                before_history=line is not None and oldest is not None and line < oldest,
            )
        )
    return LevelRecords(tuple(levels))
