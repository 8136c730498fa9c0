"""The page that compares two versions of a message, or two releases, in the browser."""

from __future__ import annotations

from collections.abc import Sequence

from wirebook.docgen.catalog.addresses import snapshot_slug
from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import IndexRow, SnapshotRecord
from wirebook.docgen.pages.decode import listed
from wirebook.docgen.pages.environment import render
from wirebook.docgen.pages.folders import RELEASES
from wirebook.docgen.pages.page import Heading, Page, root_of
from wirebook.docgen.pages.removals import removed_by_reason

PATH = "compare/"


def compare_page(
    index: Sequence[IndexRow],
    snapshots: Sequence[SnapshotRecord],
    protocol: ProtocolRecord,
    *,
    has_errors: bool,
) -> Page:
    """The page; without scripts, its lists lead to the history of each message and to each
    release."""
    html = render(
        "compare.html.jinja",
        root=root_of(PATH),
        protocol=protocol,
        groups=listed(index),
        snapshots=snapshots,
        place=RELEASES,
        slug=snapshot_slug,
        has_errors=has_errors,
        removals=[
            (snapshot, reasons)
            for snapshot in reversed(snapshots)
            if (reasons := removed_by_reason(snapshot, protocol))
        ],
    )
    headings = [Heading("Two versions of a message", "versions", 2)]
    if len(snapshots) > 1:
        headings.append(Heading("Two releases", "releases", 2))
    headings.append(Heading("How fields are matched", "matching", 2))
    return Page(
        PATH,
        "Compare versions",
        html,
        tuple(headings),
        boost=4.0,
        words=("diff", "compare releases", "what changed between"),
        description="Two versions of a message side by side, and what differs between two "
        "releases.",
    )
