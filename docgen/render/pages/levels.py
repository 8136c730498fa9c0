"""The pages of protocol levels in a book whose snapshots are releases: what each was when it shipped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wirebook.docgen.catalog.order import key_order
from wirebook.docgen.catalog.protocol import LevelRecord, ProtocolRecord
from wirebook.docgen.catalog.records import IndexRow, SnapshotRecord
from wirebook.docgen.catalog.rows import snapshot_slug
from wirebook.docgen.render.kit.environment import render
from wirebook.docgen.render.kit.mentions import Mentions
from wirebook.docgen.render.kit.page import Heading, Page, root_of
from wirebook.docgen.render.kit.snapshot_names import snapshot_folder
from wirebook.docgen.render.kit.sources import NO_SOURCES, Sources


def level_pages(
    levels: Sequence[LevelRecord],
    index: Sequence[IndexRow],
    snapshots: Sequence[SnapshotRecord],
    protocol: ProtocolRecord,
    mentions: Mentions,
    sources: Sources = NO_SOURCES,
) -> Iterator[Page]:
    """A page for each level, and the list of them; nothing if the snapshots are levels."""
    place_of_levels = protocol.levels_folder
    if not levels or snapshot_folder(snapshots, protocol) == place_of_levels:
        return
    linked = mentions.linked
    rows = {row.slug: row for row in index if row.is_api}
    by_name = {snapshot.name: snapshot for snapshot in snapshots}
    for position, level in enumerate(levels):
        path = f"{place_of_levels}{snapshot_slug(level.version)}/"
        level_snapshot = by_name.get(level.snapshot or "")
        served = level_snapshot.apis.items() if level_snapshot else ()
        apis = [(rows[slug], in_level) for slug, in_level in served if slug in rows]
        apis.sort(key=lambda row: key_order(row[0].api_key))
        html = render(
            "level.html.jinja",
            root=root_of(path),
            level=level,
            source=sources.level(level.version),
            linked=linked,
            snapshot=level_snapshot,
            rows=apis,
            siblings=[
                sibling for sibling in levels if sibling.release == level.release and sibling is not level
            ],
            previous=levels[position - 1] if position else None,
            next=levels[position + 1] if position + 1 < len(levels) else None,
            oldest=snapshots[0].name,
            place=place_of_levels,
            protocol=protocol,
            releases=snapshot_folder(snapshots, protocol),
            slug=snapshot_slug,
        )
        headings = (Heading("APIs and versions", "apis", 2),) if level_snapshot else ()
        boost = 1.0 if position + 1 == len(levels) else 0
        yield Page(path, f"{protocol.level_title} {level.version}", html, headings, boost=boost)
    html = render(
        "levels.html.jinja",
        root=root_of(place_of_levels),
        levels=levels[::-1],
        linked=linked,
        place=place_of_levels,
        protocol=protocol,
        releases=snapshot_folder(snapshots, protocol),
        slug=snapshot_slug,
    )
    yield Page(place_of_levels, f"{protocol.level_title}s", html, boost=1.5)
