"""The page that lists the files of a site that programs read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import SnapshotRecord
from wirebook.docgen.pages import schemas
from wirebook.docgen.pages.environment import render
from wirebook.docgen.pages.folders import RELEASES
from wirebook.docgen.pages.page import Heading, Page, root_of
from wirebook.docgen.pages.release_data import release_place

PLACE = "data/"


def data_page(
    snapshots: Sequence[SnapshotRecord],
    protocol: ProtocolRecord,
    *,
    names: Iterable[str],
    has_errors: bool,
) -> Page:
    """Every document and table of the site with its address and its schema, one of `names`."""
    html = render(
        "data.html.jinja",
        root=root_of(PLACE),
        protocol=protocol,
        folder=RELEASES,
        releases=[
            (snapshot.name, release_place(snapshot.name)) for snapshot in reversed(snapshots)
        ],
        schemas=[(name, *schemas.title(name), schemas.place(name)) for name in names],
        place_of=schemas.place,
        has_errors=has_errors,
    )
    headings = (
        Heading("Documents and tables", "documents", 2),
        Heading("One release", "releases", 2),
        Heading("JSON Schemas", "schemas", 2),
    )
    about = "Everything on this site as JSON and CSV, at addresses that do not change."
    return Page(PLACE, "Data", html, headings, boost=2.0, description=about)
