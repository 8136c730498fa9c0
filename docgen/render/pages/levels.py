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


def level_pages(
    levels: Sequence[LevelRecord],
    index: Sequence[IndexRow],
    snapshots: Sequence[SnapshotRecord],
    protocol: ProtocolRecord,
    mentions: Mentions,
) -> Iterator[Page]:
    """A page for each level, and the list of them; nothing if the snapshots are levels."""
    place_of_levels = protocol.levels_folder
    if not levels or snapshot_folder(snapshots, protocol) == place_of_levels:
        return
    linked = mentions.linked
    rows = {item.slug: item for item in index if item.is_api}
    by_name = {snapshot.name: snapshot for snapshot in snapshots}
    for place, level in enumerate(levels):
        path = f"{place_of_levels}{snapshot_slug(level.version)}/"
        shown = by_name.get(level.snapshot or "")
        served = shown.apis.items() if shown else ()
        apis = [(rows[slug], there) for slug, there in served if slug in rows]
        apis.sort(key=lambda row: key_order(row[0].api_key))
        html = render(
            "level.html.jinja",
            root=root_of(path),
            level=level,
            linked=linked,
            snapshot=shown,
            rows=apis,
            siblings=[item for item in levels if item.release == level.release and item is not level],
            previous=levels[place - 1] if place else None,
            next=levels[place + 1] if place + 1 < len(levels) else None,
            oldest=snapshots[0].name,
            place=place_of_levels,
            protocol=protocol,
            releases=snapshot_folder(snapshots, protocol),
            slug=snapshot_slug,
        )
        headings = (Heading("APIs and versions", "apis", 2),) if shown else ()
        boost = 1.0 if place + 1 == len(levels) else 0
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
