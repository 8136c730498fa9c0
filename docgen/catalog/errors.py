"""Error codes by snapshot, taken only from the table of the profile, because no spec lists them."""

from __future__ import annotations

from collections.abc import Sequence

from wirebook.docgen.catalog.events import EventRow
from wirebook.docgen.catalog.order import CatalogSnapshot, release_line
from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.numbers import DescribedError
from wirebook.specs.releases import line_of

SUBJECT = "errors"
KIND = "error"
PATH = "specs/kafka/errors.json"


def embedded_errors() -> bytes:
    """The text of the table that comes with wirebook."""
    return (FOLDER / "errors.json").read_bytes()


def error_events(
    codes: Sequence[DescribedError], snapshots: Sequence[CatalogSnapshot]
) -> list[EventRow]:
    """The codes that each snapshot is the first to have, as rows of the table of changes."""
    rows = []
    lines = {(each.name, each.code): line_of(each.first_release or "") for each in codes}
    for snapshot in snapshots:
        is_first = snapshot.predecessor is None
        before = snapshots[snapshot.predecessor or 0]
        for (name, code), line in lines.items():
            if _has(snapshot, line) and (is_first or not _has(before, line)):
                at = (SUBJECT, KIND, name, code, "", "added", snapshot.ordinal, None, None)
                rows.append(EventRow(*at, first=is_first, kept=True))
    return rows


def _has(snapshot: CatalogSnapshot, first: tuple[int, ...] | None) -> bool:
    """Whether a release has a code of a line; without the line of either, it has all."""
    line = release_line(snapshot)
    return first is None or line is None or first <= line
