"""The page that lists what programs read of a site."""

from __future__ import annotations

from collections.abc import Sequence

from wirebook.docgen import schemas
from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import SnapshotRecord
from wirebook.docgen.render.data.feeds import ATOM, JSON
from wirebook.docgen.render.data.releases import release_place
from wirebook.docgen.render.environment import render
from wirebook.docgen.render.pages.page import Heading, Page, root_of
from wirebook.docgen.render.pages.snapshots import snapshot_folder, snapshot_slug

PLACE = "data/"


def data_page(
    snapshots: Sequence[SnapshotRecord], protocol: ProtocolRecord, *, has_errors: bool, has_feed: bool
) -> Page:
    """Every document, table and feed of the site with its address and its schema."""
    folder = snapshot_folder(snapshots, protocol)
    word = protocol.level if folder == protocol.levels_folder else "release"
    html = render(
        "data.html.jinja",
        root=root_of(PLACE),
        protocol=protocol,
        word=word,
        folder=folder,
        newest=snapshot_slug(snapshots[-1].name) if snapshots else "",
        releases=[(item.name, release_place(snapshots, item.name, protocol)) for item in reversed(snapshots)],
        schemas=[(name, *schemas.title(name), schemas.place(name)) for name in schemas.SCHEMAS],
        place_of=schemas.place,
        has_errors=has_errors,
        feeds=(ATOM, JSON) if has_feed else (),
    )
    headings = (
        Heading("Documents and tables", "documents", 2),
        Heading(f"One {word}", "releases", 2),
        *([Heading("Feeds", "feeds", 2)] if has_feed else []),
        Heading("Links from other documentation", "inventory", 2),
        Heading("JSON Schemas", "schemas", 2),
    )
    about = "Everything on this site as JSON, CSV and feeds, at addresses that do not change."
    return Page(PLACE, "Data and feeds", html, headings, boost=2.0, description=about)
