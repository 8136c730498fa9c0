"""Error codes by snapshot, taken only from the table of the profile, because no spec lists them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from wirebook.docgen.catalog.events import EventRow, events
from wirebook.docgen.catalog.order import CatalogSnapshot, places, release_line
from wirebook.docgen.catalog.records import ErrorCodeRecord, ErrorCodes, Event, Since
from wirebook.docgen.catalog.texts import Facts, Marks, Thing
from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.levels import Registry
from wirebook.specs.problems import InputError
from wirebook.specs.reading.tables.errors import DescribedError, read_errors
from wirebook.specs.releases import line_of

SUBJECT = "errors"
KIND = "error"
PATH = "specs/kafka/errors.json"


class ErrorCode(NamedTuple):
    """A code of the registry file; `first_release` is None if unknown."""

    code: int
    name: str
    first_release: str | None


Code = TypeVar("Code", ErrorCode, DescribedError)


def embedded_errors() -> str:
    """The text of the table that comes with wirebook; raises InputError if it cannot be read."""
    try:
        return (FOLDER / "errors.json").read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(error.strerror or str(error), PATH) from None


def described_errors() -> tuple[DescribedError, ...]:
    """The codes that come with wirebook, described; raises InputError if their file cannot be read."""
    return read_errors(embedded_errors(), PATH)


def listed(errors: Iterable[DescribedError]) -> list[ErrorCode]:
    """The codes without their meanings."""
    return [ErrorCode(error.code, error.name, error.first_release) for error in errors]


def error_events(codes: Sequence[ErrorCode], snapshots: Sequence[CatalogSnapshot]) -> list[EventRow]:
    """What happened to the codes, as the list of each snapshot shows it."""
    held = {each.ordinal: tuple(codes_of(codes, release_line(each))) for each in snapshots}

    def facts(of_snapshot: tuple[ErrorCode, ...]) -> Facts:
        return {Thing(KIND, code.name, code.code): Marks() for code in of_snapshot}

    return events(SUBJECT, held, facts, places(snapshots))


def codes_of(codes: Iterable[Code], line: tuple[int, ...] | None) -> list[Code]:
    """The codes that a release has, by its line; all of them without one (docgen.catalog.order)."""
    return [code for code in codes if _knows(line, code.first_release)]


def _knows(line: tuple[int, ...] | None, first_release: str | None) -> bool:
    first = line_of(first_release) if first_release else None
    return first is None or line is None or first <= line


def error_codes(codes: Iterable[ErrorCode], registry: Registry | None) -> ErrorCodes:
    """The codes in order, with their events."""
    return ErrorCodes(tuple(error_record(code, registry) for code in sorted(codes)))


def error_record(code: ErrorCode, registry: Registry | None) -> ErrorCodeRecord:
    """The code with its events: the first release is a fact of the registry file, not of the snapshots."""
    level = registry.of_release(code.first_release) if registry and code.first_release else None
    since = Since(
        level.version if level else None,
        level.id if level else None,
        code.first_release,
        at_or_before=code.first_release is None,
    )
    return ErrorCodeRecord(code.code, code.name, (Event("added", since),))
