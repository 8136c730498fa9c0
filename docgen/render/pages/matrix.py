"""The support matrix: the versions of each API, by release."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from wirebook.docgen.catalog.addresses import snapshot_slug
from wirebook.docgen.catalog.order import key_order
from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import IndexRow, SnapshotRecord
from wirebook.docgen.render.kit.environment import render
from wirebook.docgen.render.kit.folders import RELEASES
from wirebook.docgen.render.kit.mentions import Mentions
from wirebook.docgen.render.kit.page import Heading, Page, root_of
from wirebook.specs.kafka.advisories import Advisory, all_advisories
from wirebook.specs.versions import VersionSet


def matrix_page(
    index: Sequence[IndexRow],
    snapshots: Sequence[SnapshotRecord],
    protocol: ProtocolRecord,
    mentions: Mentions,
) -> Page:
    """API by release, newest first; neighboring releases that serve the same share a column.

    Exceptions are listed below.
    """
    path = "matrix/"
    apis = [row for row in index if row.is_api]
    apis.sort(key=lambda api: key_order(api.api_key))
    columns = [list(column) for _, column in groupby(snapshots, key=lambda snapshot: snapshot.apis)]
    linked = mentions.linked
    listeners = list(dict.fromkeys(name for api in apis for name in api.listeners))
    rows = {api.api: api for api in apis}
    all_known = all_advisories() if protocol.family else ()
    advisories = [(advisory, rows[advisory.api]) for advisory in all_known if advisory.api in rows]
    html = render(
        "matrix.html.jinja",
        root=root_of(path),
        apis=apis,
        columns=columns[::-1],
        listeners=listeners if len(listeners) > 1 else (),
        protocol=protocol,
        place=RELEASES,
        slug=snapshot_slug,
        ranges=_ranges(apis, columns),
        notes=_notes(advisories, columns),
        advisories=advisories,
        link=lambda text: linked(text, root_of(path)),
    )
    headings = (Heading("Exceptions", "exceptions", 2),) if advisories else ()
    return Page(path, "Support matrix", html, headings, boost=4.0)


def _notes(
    advisories: Sequence[tuple[Advisory, IndexRow]], columns: Sequence[Sequence[SnapshotRecord]]
) -> dict[str, list[list[int]]]:
    """For each API with exceptions, by column, newest first: the numbers of those that apply."""
    notes: dict[str, list[list[int]]] = {}
    for number, (advisory, row) in enumerate(advisories, 1):
        cells = notes.setdefault(row.slug, [[] for _ in columns])
        for cell, column in zip(reversed(cells), columns, strict=True):
            if any(advisory.concerns(release.name) for release in column):
                cell.append(number)
    return notes


def _ranges(
    apis: Sequence[IndexRow], columns: Sequence[Sequence[SnapshotRecord]]
) -> dict[str, list[tuple[str, str]]]:
    """For each API the (text, class) of its cells, newest first."""
    ranges: dict[str, list[tuple[str, str]]] = {}
    for api in apis:
        cells: list[tuple[str, str]] = []
        before = VersionSet.NONE
        for column in columns:
            in_snapshot = column[-1].apis.get(api.slug)
            text = in_snapshot.served if in_snapshot and in_snapshot.served != "none" else ""
            now = VersionSet.parse(in_snapshot.served) if in_snapshot else VersionSet.NONE
            marks = [] if text else ["none"]
            if cells and now - before:
                marks.append("new")
            if before - now:
                marks.append("cut")
            # An API that has only unstable versions now is not removed.
            cells.append((text or ("removed" if before and not in_snapshot else ""), " ".join(marks)))
            before = now
        ranges[api.slug] = cells[::-1]
    return ranges
