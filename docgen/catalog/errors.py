"""Error codes by snapshot, taken only from the table of the profile, because no spec lists them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
    having = [_known(codes, release_line(each)) for each in snapshots]
    rows = []
    for snapshot, known in zip(snapshots, having, strict=True):
        before = () if snapshot.predecessor is None else having[snapshot.predecessor]
        for name, code in [each for each in known if each not in before]:
            at = (SUBJECT, KIND, name, code, "", "added", snapshot.ordinal, None, None)
            rows.append(EventRow(*at, first=snapshot.predecessor is None, kept=True))
    return rows


def _known(codes: Iterable[DescribedError], line: tuple[int, ...] | None) -> set[tuple[str, int]]:
    """The codes that a release has, by its line; all of them without one."""
    lines = {(each.name, each.code): line_of(each.first_release or "") for each in codes}
    return {code for code, first in lines.items() if first is None or line is None or first <= line}
