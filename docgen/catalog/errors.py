"""Error codes by snapshot, taken only from the table of the profile, because no spec lists them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from wirebook.docgen.catalog.order import CatalogSnapshot
from wirebook.docgen.catalog.records import ErrorCodeRecord, ErrorCodes, Event, Since
from wirebook.docgen.catalog.rows import Fact
from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.levels import Registry
from wirebook.specs.problems import InputError
from wirebook.specs.reading.tables.errors import DescribedError, read_errors
from wirebook.specs.sources.releases import line_of

SUBJECT = "errors"
KIND = "error"
PATH = "specs/kafka/errors.json"


class ErrorCode(NamedTuple):
    """A code of the registry file; `first_release` is None if unknown."""

    code: int
    name: str
    first_release: str | None


class HeldText(NamedTuple):
    """What a snapshot holds of a subject: a text in one of its states, as a row of the pipeline."""

    ordinal: int
    subject: str
    part: str
    digest: str
    path: str
    state: int


class StateFacts(NamedTuple):
    """What a text states in one of its states, as a row of the pipeline."""

    subject: str
    digest: str
    state: int
    facts: list[Fact]


class ErrorRows(NamedTuple):
    """The codes as texts that snapshots hold, and what these state."""

    held: list[HeldText]
    facts: list[StateFacts]


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


def error_rows(
    codes: Sequence[ErrorCode], snapshots: Sequence[CatalogSnapshot], path: str = PATH
) -> ErrorRows:
    """The list of codes of each snapshot, as if it were a text that the snapshot holds.

    Snapshots with the same codes hold the same text.
    """
    texts: list[HeldText] = []
    facts: dict[str, list[Fact]] = {}
    for snapshot in snapshots:
        in_release = codes_of(codes, snapshot.release or snapshot.name)
        # A release has all codes of those before it, so their number says which they are.
        digest = f"{KIND}s-{len(in_release)}"
        texts.append(HeldText(snapshot.ordinal, SUBJECT, "", digest, path, 0))
        if digest not in facts:
            facts[digest] = [Fact(KIND, code.name, code.code, "") for code in in_release]
    return ErrorRows(texts, [StateFacts(SUBJECT, digest, 0, facts[digest]) for digest in sorted(facts)])


def codes_of(codes: Iterable[Code], release: str) -> list[Code]:
    """The codes that a release has; all of them if its name has no number."""
    line = line_of(release)
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
