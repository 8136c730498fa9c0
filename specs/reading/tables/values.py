"""Reads tables of the values of fields, in the form of specs/schema/values.json."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError, Position
from wirebook.specs.reading.tables.entries import DEPRECATED, FORMER, TableEntry, UniqueEntries, table
from wirebook.specs.texts.model import FieldValue, FieldValues
from wirebook.specs.texts.releases import ReleaseList, ReleaseRange, ReleasesError
from wirebook.specs.versions import Versions

SCHEMA = "wirebook/values/1"
LOWEST, HIGHEST = -(1 << 63), (1 << 64) - 1  # of all integer types
_SET_KEYS = ("fields", "others", "values")
_KEYS = ("value", "name", FORMER, "meaning", "versions", "releases", DEPRECATED)
_FIELD = r"[A-Za-z0-9]+(\.[A-Za-z0-9]+)+"


class ListedValue(NamedTuple):
    """A number of a field, its name and meaning, and the versions that define it.

    `releases` are those that know it, None for all. `former_names` are earlier names of the same meaning;
    `deprecated` is whether it may be removed.
    `position` is the place of its name, and `end` where that ends.
    """

    value: int
    name: str
    meaning: str
    versions: Versions
    former_names: tuple[str, ...]
    deprecated: bool
    position: Position
    end: Position
    releases: ReleaseRange | None = None


class ListedField(NamedTuple):
    """A field of a set: its message and its path, and where the table names it."""

    message: str
    path: str
    position: Position
    end: Position


class ValueSet(NamedTuple):
    """The values of some fields; `others` is the meaning of all other numbers, "" if undescribed."""

    fields: tuple[ListedField, ...]
    values: tuple[ListedValue, ...]
    others: str


def read_values(
    text: str | bytes, path: str, *, strict: bool = True, releases: ReleaseList | None = None
) -> tuple[ValueSet, ...]:
    """Read a table of values; with `releases`, a value may name only these.

    Raises InputError, with line and column, for a text of another form, for a field in two sets, and for a
    number or a name that appears twice in one version of a set; without `strict`, such a set is left out.
    """
    sets: list[ValueSet] = []
    lines: dict[str, int] = {}
    for entry in table(text, path, SCHEMA, "sets"):
        try:
            entry.known(_SET_KEYS)
            fields = _fields(entry, lines)
            others = entry.text("others") if "others" in entry.node else ""
            sets.append(ValueSet(fields, tuple(_values(entry, releases)), others))
        except InputError:
            if strict:
                raise
    return tuple(sets)


def values_by_field(
    sets: Iterable[ValueSet], words: Callable[[ReleaseRange], str] = lambda releases: releases.text
) -> dict[str, dict[str, FieldValues]]:
    """The values of a table by the name of the message and the path of the field.

    `words` puts the releases that know a value into words.
    """
    values_by_message: dict[str, dict[str, FieldValues]] = {}
    for each in sets:
        values = tuple(
            FieldValue(
                value.value,
                value.name,
                value.meaning,
                value.versions,
                deprecated=value.versions if value.deprecated else Versions.NONE,
                former_names=value.former_names,
                releases="" if value.releases is None else words(value.releases),
            )
            for value in each.values
        )
        for field in each.fields:
            values_by_message.setdefault(field.message, {})[field.path] = FieldValues(values, each.others)
    return values_by_message


def _fields(entry: TableEntry, lines: dict[str, int]) -> tuple[ListedField, ...]:
    fields: list[ListedField] = []
    entry.value("fields")  # must be present
    texts = entry.placed_texts("fields", _FIELD)
    if not texts:
        entry.fail('"fields" must name at least one field', "fields")
    for text, offset in texts:
        position, end = entry.place_at(offset)
        if text in lines:
            raise entry.error(f"{text} is already in the set of line {lines[text]}", offset)
        lines[text] = position.line
        message, _, path = text.partition(".")
        fields.append(ListedField(message, path, position, end))
    return tuple(fields)


def _values(entry: TableEntry, releases: ReleaseList | None) -> Iterator[ListedValue]:
    rows = entry.entries("values")
    if not rows:
        entry.fail('"values" must have at least one value', "values")
    unique = UniqueEntries("values")
    for row in rows:
        value = _value(row, releases)
        unique.add(row, value.versions, ("value", "name"))
        yield value


def _value(row: TableEntry, releases: ReleaseList | None) -> ListedValue:
    row.known(_KEYS)
    versions = row.range("versions", Versions.ALL)
    return ListedValue(
        row.number("value", LOWEST, HIGHEST),
        row.name(),
        row.text("meaning"),
        versions,
        row.texts(FORMER),
        row.flag(DEPRECATED),
        *row.place("name"),
        _releases(row, releases),
    )


def _releases(row: TableEntry, listed: ReleaseList | None) -> ReleaseRange | None:
    if "releases" not in row.node:
        return None
    text = row.text("releases")
    try:
        return listed.range(text) if listed is not None else ReleaseRange.parse(text)
    except ReleasesError as error:
        row.fail(visible(str(error)), "releases")
