"""Reads tables of error codes, in the form of specs/schema/errors.json."""

from __future__ import annotations

from dataclasses import dataclass, field

from wirebook.specs.limits import MAX_INT16
from wirebook.specs.problems import InputError, Position
from wirebook.specs.reading.tables.entries import DEPRECATED, FORMER, TableEntry, quoted, table

SCHEMA = "wirebook/errors/1"
NAME = "[A-Z][A-Z0-9_]*"
_KEYS = ("code", "name", FORMER, "retriable", DEPRECATED, "first_release", "about", "apis")


@dataclass(frozen=True, slots=True)
class DescribedError:
    """A code of a table with its meaning; `apis` are those whose responses may have it.

    `first_release` is None if unknown, `former_names` are those that older clients use. `deprecated` is
    whether it may be removed. `position` is the place of its name, and `end` where that ends.
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


def read_errors(text: str | bytes, path: str, *, strict: bool = True) -> tuple[DescribedError, ...]:
    """Read a table of error codes.

    Raises InputError, with line and column, for a text of another form, and for a code or a name that
    appears twice; without `strict`, an unusable entry is left out.
    """
    errors: list[DescribedError] = []
    lines: dict[tuple[str, object], int] = {}
    for entry in table(text, path, SCHEMA, "errors"):
        try:
            error = _error(entry)
            for key in ("code", "name"):
                first = lines.get((key, entry.node[key]))
                if first is not None:
                    what = f"{key} {quoted(entry.node[key])}"
                    entry.fail(f"two error codes have the {what}; the first is in line {first}", key)
        except InputError:
            if strict:
                raise
            continue
        for key in ("code", "name"):
            lines[key, entry.node[key]] = entry.place("name")[0].line
        errors.append(error)
    return tuple(errors)


def _error(entry: TableEntry) -> DescribedError:
    entry.known(_KEYS)
    code, name = entry.number("code", -1, MAX_INT16), entry.text("name", NAME)
    release = None if entry.value("first_release") is None else entry.text("first_release", "[0-9].*")
    entry.value("retriable")  # must be present
    position, end = entry.place("name")
    return DescribedError(
        code,
        name,
        entry.flag("retriable"),
        release,
        entry.text("about"),
        entry.texts("apis"),
        entry.texts(FORMER, NAME),
        entry.flag(DEPRECATED),
        position,
        end,
    )
