"""Error codes by snapshot, taken only from the table of the profile, because no spec lists them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wirebook.docgen.catalog.events import EventRow, events
from wirebook.docgen.catalog.order import CatalogSnapshot, release_line
from wirebook.docgen.catalog.texts import Facts, Marks, Thing
from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.numbers import DescribedError
from wirebook.specs.problems import InputError
from wirebook.specs.releases import line_of

SUBJECT = "errors"
KIND = "error"
PATH = "specs/kafka/errors.json"


def embedded_errors() -> bytes:
    """The text of the table that comes with wirebook; raises InputError if it cannot be read."""
    try:
        return (FOLDER / "errors.json").read_bytes()
    except OSError as error:
        raise InputError(error.strerror or str(error), PATH) from None


def error_events(
    codes: Sequence[DescribedError], snapshots: Sequence[CatalogSnapshot]
) -> list[EventRow]:
    """What happened to the codes, as the list of each snapshot shows it."""
    held = {each.ordinal: tuple(codes_of(codes, release_line(each))) for each in snapshots}

    def facts(of_snapshot: tuple[DescribedError, ...]) -> Facts:
        return {Thing(KIND, code.name, code.code): Marks() for code in of_snapshot}

    return events(SUBJECT, held, facts, snapshots)


def codes_of(codes: Iterable[DescribedError], line: tuple[int, ...] | None) -> list[DescribedError]:
    """The codes that a release has, by its line; all of them without one (docgen.catalog.order)."""
    return [code for code in codes if _knows(line, code.first_release)]


def _knows(line: tuple[int, ...] | None, first_release: str | None) -> bool:
    first = line_of(first_release) if first_release else None
    return first is None or line is None or first <= line
