"""Numbers with a meaning: error codes, and the values that specs and tables list for fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, final

from wirebook.specs.json_records import omitted
from wirebook.specs.jsontext import JsonObject, SourcePositions
from wirebook.specs.limits import MAX_INT16
from wirebook.specs.printable import visible
from wirebook.specs.problems import Place
from wirebook.specs.table import JsonTable, json_table
from wirebook.specs.versions import Versions

LOWEST, HIGHEST = -(1 << 63), (1 << 64) - 1  # of all integer types
_ERROR_KEYS = ("code", "name", "former_names", "retriable", "deprecated", "first_release", "about",
               "apis")  # fmt: skip
_VALUE_KEYS = ("value", "name", "former_names", "meaning", "versions", "releases", "deprecated")
_SPEC_KEYS = ("name", "about", "versions", "deprecatedVersions", "formerNames")
_ERROR_NAME = "[A-Z][A-Z0-9_]*"
_FIELD = r"[A-Za-z0-9]+(\.[A-Za-z0-9]+)+"
_INTEGER = r"(?:\[\])?(u?)int(8|16|32|64)"


@final
@dataclass(frozen=True)
class FieldValue:
    """A number that a field may have, or a bit of it; comparisons ignore its meaning and its place.

    For a flag, `bit` is its bit, counted from 0, and `value` has only that bit set. `deprecated`
    are versions in which it should not be used any more. `since`, `deprecated_since` and
    `removed_in` are the snapshots that show this first, "" if unknown; `since` is also "" for a
    value that is as old as its field. `releases` are those whose servers know it, in words; "" for
    all. `place` is where its name begins and ends in the spec or table that lists it.
    """

    value: int
    name: str
    meaning: str = field(compare=False)
    versions: Versions
    bit: int | None = omitted(None)
    deprecated: Versions = omitted(Versions.NONE)  # noqa: RUF009 - it is frozen
    former_names: tuple[str, ...] = omitted(())
    since: str = omitted("")
    deprecated_since: str = omitted("")
    removed_in: str = omitted("")
    releases: str = omitted("")
    place: Place | None = field(default=None, compare=False, metadata={"unwritten": True})

    @property
    def words(self) -> str:
        """What sentences call it: "3", or "bit 3"."""
        return str(self.value) if self.bit is None else f"bit {self.bit}"


class FieldValues(NamedTuple):
    """The numbers of a field that have a meaning, and the meaning of all others; "" if
    undescribed."""

    listed: tuple[FieldValue, ...] = ()
    others: str = ""

    def at(self, version: int) -> FieldValues:
        """The values that a version defines."""
        return self._replace(listed=tuple(item for item in self.listed if version in item.versions))

    def name_of(self, number: int, bits: int = 64) -> str:
        """The name of a number, or the names of the flags that are set in one of this many bits; ""
        for none.

        Set bits without a name come last, by their numbers.
        """
        names = {each.value: each.name for each in self.listed}
        if not any(each.bit is not None for each in self.listed):
            return names.get(number, "")
        set_bits = [bit for bit in range(bits) if number >> bit & 1]
        unknown = [str(bit) for bit in set_bits if 1 << bit not in names]
        words = [names[1 << bit] for bit in set_bits if 1 << bit in names]
        if unknown:
            words.append(f"unknown bit{'s' if unknown[1:] else ''} {', '.join(unknown)}")
        return ", ".join(words)


NO_VALUES = FieldValues()
# The values of fields by the path of the field, and these by the name of the message.
ValuesByField = Mapping[str, FieldValues]
TableValues = Mapping[str, ValuesByField]


@dataclass(frozen=True, slots=True)
class DescribedError:
    """A code of a table with its meaning; `apis` are those whose responses may have it.

    `first_release` is None if unknown, `former_names` are those that older clients use.
    `deprecated` is whether it may be removed. `place` is where its name begins and ends.
    """

    code: int
    name: str
    retriable: bool
    first_release: str | None
    about: str
    apis: tuple[str, ...] = ()
    former_names: tuple[str, ...] = ()
    deprecated: bool = False
    place: Place | None = field(default=None, compare=False)


def read_errors(text: str | bytes, path: str) -> tuple[DescribedError, ...]:
    """Read a table of error codes, in the form of specs/schema/errors.json.

    Raises InputError, with line and column, for a text of another form, and for a code or a name
    that appears twice.
    """
    entries = json_table(text, path, "wirebook/errors/1", "errors")
    errors = tuple(map(_error, entries))
    _refuse_repeated(((entry, Versions.ALL) for entry in entries), "error codes", "code")
    return errors


def _error(entry: JsonTable) -> DescribedError:
    entry.known(_ERROR_KEYS)
    entry.value("retriable")
    first = entry.value("first_release")
    return DescribedError(
        entry.number("code", -1, MAX_INT16),
        entry.text("name", _ERROR_NAME),
        entry.flag("retriable"),
        None if first is None else entry.text("first_release", "[0-9].*"),
        entry.text("about"),
        entry.texts("apis"),
        entry.texts("former_names", _ERROR_NAME),
        entry.flag("deprecated"),
        entry.place("name"),
    )


def read_values(
    text: str | bytes, path: str, releases: Callable[[str], str] = str
) -> dict[str, dict[str, FieldValues]]:
    """Read a table of values, in the form of specs/schema/values.json: by message and path.

    `releases` turns a range of releases into words. Raises InputError, with line and column, for a
    text of another form, for a field in two sets, and for a number or a name that appears twice in
    one version of a set.
    """
    found: dict[str, dict[str, FieldValues]] = {}
    for entry in json_table(text, path, "wirebook/values/1", "sets"):
        entry.known(("fields", "others", "values"))
        fields = entry.texts("fields", _FIELD)
        if not fields:
            raise entry.error('"fields" must name at least one field', "fields")
        rows = entry.entries("values")
        listed = _checked("values", [(row, _value(row, releases)) for row in rows], entry)
        values = FieldValues(listed, entry.text("others") if "others" in entry else "")
        for name in fields:
            message, _, inner = name.partition(".")
            if inner in found.setdefault(message, {}):
                raise entry.error(f"{name} is already in a set", "fields")
            found[message][inner] = values
    return found


def _value(row: JsonTable, releases: Callable[[str], str]) -> FieldValue:
    row.known(_VALUE_KEYS)
    versions = row.range("versions", Versions.ALL)
    return FieldValue(
        row.number("value", LOWEST, HIGHEST),
        row.text("name"),
        row.text("meaning"),
        versions,
        deprecated=versions if row.flag("deprecated") else Versions.NONE,
        former_names=row.texts("former_names"),
        releases=releases(row.text("releases")) if "releases" in row else "",
        place=row.place("name"),
    )


def read_field_values(
    node: JsonObject, lines: SourcePositions, kind: str, present: Versions
) -> tuple[FieldValue, ...]:
    """The values of a field, or its flags, from its object in a spec.

    `kind` is its type, `present` its versions. Raises InputError, with line and column, for a field
    that is no integer, for a number that does not fit its type, for versions that the field does
    not have, and for a number or a name that appears twice in one version.
    """
    field = JsonTable(lines, node, lines.object(lines.base + node.number).offset)
    key = "values" if "values" in node else "flags"
    if "values" in node and "flags" in node:
        raise field.error('a field has either "values" or "flags"', "flags")
    integer = re.fullmatch(_INTEGER, kind)
    if integer is None:
        words = "lists what an integer means, or the integers of an array: the type is"
        raise field.error(f'"{key}" {words} {kind[:40]}', key)
    unsigned, bits = bool(integer[1]), int(integer[2])
    rows = field.entries(key)
    values = [(row, _spec_value(row, key, unsigned, bits, present)) for row in rows]
    return _checked(key, values, field)


def _spec_value(
    row: JsonTable, key: str, unsigned: bool, bits: int, present: Versions
) -> FieldValue:
    bit = None
    if key == "flags":
        row.known(("bit", *_SPEC_KEYS))
        bit = row.number("bit", 0, bits - 1)
        number = 1 << bit
    else:
        row.known(("value", *_SPEC_KEYS))
        lowest = 0 if unsigned else -1 << bits - 1
        number = row.number("value", lowest, lowest + (1 << bits) - 1)
    versions = row.range("versions", present)
    # An open range may go on after those of the field.
    reach = Versions(versions.lowest, versions.lowest) if versions.open else versions
    if "versions" in row and (not versions or not present.covers(reach)):
        words = f'"versions" are {versions}, and the field has versions {present}'
        raise row.error(words, "versions")
    deprecated = row.range("deprecatedVersions", Versions.NONE)
    return FieldValue(
        number,
        row.text("name"),
        row.text("about") if row.values.get("about", "") != "" else "",
        versions,
        bit,
        deprecated,
        row.texts("formerNames"),
        place=row.place("name"),
    )


def _checked(
    key: str, values: Sequence[tuple[JsonTable, FieldValue]], table: JsonTable
) -> tuple[FieldValue, ...]:
    """The values that a key lists. Raises InputError if there are none, or if they repeat one."""
    if not values:
        raise table.error(f'"{key}" must have at least one entry', key)
    number = "bit" if key == "flags" else "value"
    _refuse_repeated(((row, value.versions) for row, value in values), key, number)
    return tuple(value for _, value in values)


def _refuse_repeated(entries: Iterable[tuple[JsonTable, Versions]], what: str, number: str) -> None:
    """Raise InputError for a number or a name that two entries have in one of their versions.

    `what` are the entries ("values"), `number` is the key of their number.
    """
    known: dict[tuple[str, object], list[tuple[Versions, int]]] = {}
    for entry, versions in entries:
        for key in (number, "name"):
            value = entry.values[key]
            places = known.setdefault((key, value), [])
            for others, line in places:
                if versions & others:
                    both = f'"{visible(value)}"' if isinstance(value, str) else value
                    words = f"two {what} have the {key} {both}; the first is in line {line}"
                    raise entry.error(words, key)
            places.append((versions, entry.place("name").line))
