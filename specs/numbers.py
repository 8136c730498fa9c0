"""Tables of numbers with a meaning: error codes, and the values that are listed for fields."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from wirebook.specs.json_records import omitted, unwritten
from wirebook.specs.model import FieldValue, FieldValues, SourceNode
from wirebook.specs.problems import InputError, Place
from wirebook.specs.reader import repeated
from wirebook.specs.tables import read_table, rows_of
from wirebook.specs.versions import Versions


@dataclass(frozen=True)
class DescribedError:
    """A code of a table with its meaning; `apis` are those whose responses may have it.

    `first_release` is None if unknown, `former_names` are those that older clients use.
    `deprecated` is whether it may be removed. `written` is its entry in the table.
    """

    code: int
    name: str
    retriable: bool
    first_release: str | None
    about: str
    apis: tuple[str, ...] = omitted(())
    former_names: tuple[str, ...] = omitted(())
    deprecated: bool = omitted(False)
    written: SourceNode | None = unwritten(None)

    @property
    def place(self) -> Place | None:
        """Where its name begins and ends in the text."""
        return None if self.written is None else self.written.at("name")


@dataclass(frozen=True)
class _Row:
    """A row of a table of values."""

    value: int
    name: str
    meaning: str
    versions: Versions = omitted(Versions.ALL)  # noqa: RUF009 - it is frozen
    former_names: tuple[str, ...] = omitted(())
    releases: str = omitted("")
    deprecated: bool = omitted(False)
    written: SourceNode | None = unwritten(None)


@dataclass(frozen=True)
class _Set:
    """The values of some fields."""

    fields: tuple[str, ...]
    values: tuple[object, ...]
    others: str = omitted("")
    written: SourceNode | None = unwritten(None)


def read_errors(text: str | bytes, path: str) -> tuple[DescribedError, ...]:
    """Read a table of error codes, in the form of specs/schema/errors.json.

    Raises InputError, with line and column, for another form and a code or name that is repeated.
    """
    errors = rows_of(*read_table(text, path, "wirebook/errors/1", "errors"), DescribedError)
    for problem in repeated(errors, "error codes"):
        raise InputError.at(problem.place, problem.message)
    return errors


def read_values(
    text: str | bytes, path: str, releases: Callable[[str], str] = str
) -> dict[str, dict[str, FieldValues]]:
    """Read a table of values, in the form of specs/schema/values.json: by message and path.

    `releases` turns a range of releases into words. Raises InputError, with line and column, for
    another form, a field in two sets, and a number or name that a version of a set repeats.
    """
    found: dict[str, dict[str, FieldValues]] = {}
    document, sets = read_table(text, path, "wirebook/values/1", "sets")
    for each in rows_of(document, sets, _Set):
        listed = tuple(
            FieldValue(
                row.value,
                row.name,
                row.meaning,
                row.versions,
                deprecated=row.versions if row.deprecated else Versions.NONE,
                former_names=row.former_names,
                releases=releases(row.releases) if row.releases else "",
                written=row.written,
            )
            for row in rows_of(document, list(each.values), _Row)
        )
        for problem in repeated(listed):
            raise InputError.at(problem.place, problem.message)
        for name in each.fields:
            message, _, inner = name.partition(".")
            if not inner or inner in found.setdefault(message, {}):
                words = "is already in a set" if inner else "is not the path of a field"
                raise each.written.error(f"{name} {words}", "fields")
            found[message][inner] = FieldValues(listed, each.others)
    return found
