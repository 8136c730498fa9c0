"""Reads tables of error codes, in the form of specs/schema/errors.json."""

from __future__ import annotations

from dataclasses import dataclass, field

from wirebook.specs.limits import MAX_INT16
from wirebook.specs.problems import Position
from wirebook.specs.reading.tables.entries import TableEntry, refuse_repeated, table
from wirebook.specs.versions import Versions

SCHEMA = "wirebook/errors/1"
NAME = "[A-Z][A-Z0-9_]*"
_KEYS = (
    "code",
    "name",
    "former_names",
    "retriable",
    "deprecated",
    "first_release",
    "about",
    "apis",
)


@dataclass(frozen=True, slots=True)
class DescribedError:
    """A code of a table with its meaning; `apis` are those whose responses may have it.

    `first_release` is None if unknown, `former_names` are those that older clients use.
    `deprecated` is whether it may be removed. `position` is the place of its name, and `end` where
    that ends.
    """

    code: int
    name: str
    retriable: bool
    first_release: str | None
    about: str
    apis: tuple[str, ...] = ()
    former_names: tuple[str, ...] = ()
    deprecated: bool = False
    position: Position | None = field(default=None, compare=False)
    end: Position | None = field(default=None, compare=False)


def read_errors(text: str | bytes, path: str) -> tuple[DescribedError, ...]:
    """Read a table of error codes.

    Raises InputError, with line and column, for a text of another form, and for a code or a name
    that appears twice.
    """
    entries = table(text, path, SCHEMA, "errors")
    errors = tuple(map(_error, entries))
    refuse_repeated(((entry, Versions.ALL) for entry in entries), "error codes", ("code", "name"))
    return errors


def _error(entry: TableEntry) -> DescribedError:
    entry.known(_KEYS)
    return DescribedError(
        entry.number("code", -1, MAX_INT16),
        entry.text("name", NAME),
        entry.flag("retriable"),
        None if entry.value("first_release") is None else entry.text("first_release", "[0-9].*"),
        entry.text("about"),
        tuple(entry.texts("apis")),
        tuple(entry.texts("former_names", NAME)),
        "deprecated" in entry.node and entry.flag("deprecated"),
        *entry.place("name"),
    )
