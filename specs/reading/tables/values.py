"""Reads tables of the values of fields, in the form of specs/schema/values.json."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from wirebook.specs.printable import visible
from wirebook.specs.problems import Position
from wirebook.specs.reading.tables.entries import TableEntry, refuse_repeated, table
from wirebook.specs.texts.model import FieldValue, FieldValues
from wirebook.specs.texts.releases import ReleaseList, ReleaseRange, ReleasesError
from wirebook.specs.versions import Versions

SCHEMA = "wirebook/values/1"
LOWEST, HIGHEST = -(1 << 63), (1 << 64) - 1  # of all integer types
_KEYS = ("value", "name", "former_names", "meaning", "versions", "releases", "deprecated")
_FIELD = r"[A-Za-z0-9]+(\.[A-Za-z0-9]+)+"


class ValueSet(NamedTuple):
    """The values of some fields, each with its message and its path; `places` are those of their
    names."""

    fields: tuple[tuple[str, str], ...]
    values: FieldValues
    places: tuple[tuple[Position, Position], ...]


def read_values(
    text: str | bytes, path: str, *, releases: ReleaseList | None = None
) -> tuple[ValueSet, ...]:
    """Read a table of values; with `releases`, a value may name only these.

    Raises InputError, with line and column, for a text of another form, for a field in two sets,
    and for a number or a name that appears twice in one version of a set.
    """
    sets: list[ValueSet] = []
    lines: dict[str, int] = {}
    for entry in table(text, path, SCHEMA, "sets"):
        entry.known(("fields", "others", "values"))
        fields = tuple(_fields(entry, lines))
        others = entry.text("others") if "others" in entry.node else ""
        rows = entry.entries("values")
        if not rows:
            entry.fail('"values" must have at least one value', "values")
        values = tuple(_value(row, releases) for row in rows)
        placed = ((row, value.versions) for row, value in zip(rows, values, strict=True))
        refuse_repeated(placed, "values", ("value", "name"))
        sets.append(
            ValueSet(fields, FieldValues(values, others), tuple(row.place("name") for row in rows))
        )
    return tuple(sets)


def values_by_field(sets: Iterable[ValueSet]) -> dict[str, dict[str, FieldValues]]:
    """The values of a table by the name of the message and the path of the field."""
    values: dict[str, dict[str, FieldValues]] = {}
    for each in sets:
        for message, path in each.fields:
            values.setdefault(message, {})[path] = each.values
    return values


def _fields(entry: TableEntry, lines: dict[str, int]) -> Iterator[tuple[str, str]]:
    entry.value("fields")  # must be present
    texts = entry.texts("fields", _FIELD)
    if not texts:
        entry.fail('"fields" must name at least one field', "fields")
    for text, offset in texts.items():
        if text in lines:
            raise entry.error(f"{text} is already in the set of line {lines[text]}", offset)
        lines[text] = entry.lines.position(offset).line
        message, _, path = text.partition(".")
        yield message, path


def _value(row: TableEntry, releases: ReleaseList | None) -> FieldValue:
    row.known(_KEYS)
    versions = row.range("versions", Versions.ALL)
    return FieldValue(
        row.number("value", LOWEST, HIGHEST),
        row.name(),
        row.text("meaning"),
        versions,
        deprecated=versions
        if "deprecated" in row.node and row.flag("deprecated")
        else Versions.NONE,
        former_names=tuple(row.texts("former_names")),
        releases=_releases(row, releases) if "releases" in row.node else "",
    )


def _releases(row: TableEntry, listed: ReleaseList | None) -> str:
    """The releases that know a value, in words."""
    text = row.text("releases")
    try:
        return ReleaseRange.parse(text).text if listed is None else listed.words(listed.range(text))
    except ReleasesError as error:
        row.fail(visible(str(error)), "releases")
