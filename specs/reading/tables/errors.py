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
    appears twice; without `strict`, an entry needs only a number and a name, and others are left out.
    """
    errors: list[DescribedError] = []
    lines: dict[tuple[str, object], int] = {}
    for entry in table(text, path, SCHEMA, "errors", strict=strict):
        try:
            error = _error(entry)
            for key in ("code", "name"):
                value = getattr(error, key)
                if (key, value) in lines:
                    first = f"the first is in line {lines[key, value]}"
                    entry.fail(f"two error codes have the {key} {quoted(value)}; {first}", key)
        except InputError:
            if strict:
                raise
            continue
        for key in ("code", "name"):
            lines[key, getattr(error, key)] = entry.place(key)[0].line
        errors.append(error)
    return tuple(errors)


def _error(entry: TableEntry) -> DescribedError:
    entry.known(_KEYS)
    form = NAME if entry.strict else ".+"
    code, name = entry.number("code", -1, MAX_INT16), entry.text("name", form)
    former, deprecated, (position, end) = (
        entry.texts(FORMER, form),
        entry.flag(DEPRECATED),
        entry.place("name"),
    )
    if not entry.strict:
        return DescribedError(code, name, False, None, "", (), former, deprecated, position, end)
    first_release = None if entry.value("first_release") is None else entry.text("first_release", "[0-9].*")
    if not isinstance(entry.value("retriable"), bool):
        entry.fail('"retriable" must be true or false', "retriable")
    retriable, about, apis = entry.flag("retriable"), entry.text("about"), entry.texts("apis")
    return DescribedError(
        code, name, retriable, first_release, about, apis, former, deprecated, position, end
    )
