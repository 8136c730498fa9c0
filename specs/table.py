"""Reads values by key: from tables of TOML, such as settings, and from objects of JSON tables."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from wirebook.specs.jsontext import JsonObject, SourcePositions, parse_json
from wirebook.specs.limits import MAX_DOTS
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError, Lines, Place, Position
from wirebook.specs.versions import Versions, VersionsError

_LONG = 40  # no misspelled key is this long


def parse_toml(text: str | bytes, path: str) -> dict[str, Any]:
    """The values of a TOML file. Raises InputError for invalid TOML or UTF-8."""
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError:
            raise InputError("it is not UTF-8", path) from None
    text = text.removeprefix("\ufeff")
    # The parser takes quadratic time and memory for a dotted key.
    if any(line.count(".") > MAX_DOTS for line in text.splitlines()):
        raise InputError(f"a line has more than {MAX_DOTS:,} dots", path)
    if "\\u0000" in text or "\\U00000000" in text:
        raise InputError("a string contains the null character U+0000", path)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise InputError("this is nested too deeply", path) from None
    except ValueError as error:
        # "… (at line 3, column 4)", or "… (at end of document)"; nothing for a number of too many
        # digits.
        words, _, place = str(error).partition(" (at ")
        numbers = [int(digits) for digits in re.findall(r"\d+", place)]
        end = Lines(text).position(len(text)) if place else None
        at = Position(*numbers) if len(numbers) == 2 else end
        raise InputError(
            f"this is not TOML: {visible(words[:1].lower() + words[1:])}", path, at
        ) from None


def nearest(word: str, words: Iterable[str]) -> str:
    """The word that a misspelled one resembles; "" if there is none."""
    plain = {each.casefold().replace("_", ""): each for each in sorted(words)}
    near = get_close_matches(word.casefold().replace("_", "").replace("-", ""), plain, 1, 0.6)
    return plain[near[0]] if near and len(word) <= _LONG else ""


def hint(word: str, words: Sequence[str]) -> str:
    """What to write instead of an unknown word."""
    near = nearest(word, words)
    return f'did you mean "{near}"?' if near else f"there are {', '.join(words)}"


class Table:
    """A table. Its methods raise InputError for a key that is missing or has another type of value.

    `name` is the table with those above it ("headers"), "" for a file itself; `position` is where
    it begins, if that is known.
    """

    def __init__(
        self, values: Mapping[str, Any], path: str, name: str = "", position: Position | None = None
    ) -> None:
        self.values = values
        self.path = path
        self.name = name
        self.position = position

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def at(self, key: str) -> Position | None:
        """Where the value of a key is, or else the table."""
        del key  # The parser of TOML does not say where values are.
        return self.position

    def error(self, message: str, key: str = "") -> InputError:
        """The error for something in the table, or for the value of a key."""
        words = f"{self.name}: {message}" if self.name else message
        return InputError(words, self.path, self.at(key))

    def known(self, keys: Sequence[str]) -> None:
        """Raise InputError for a key that is not one of these."""
        for key in self.values:
            if key not in keys:
                words = f'there is no key "{visible(key)}" here; {hint(key, keys)}'
                raise self.error(words, key)

    def value(self, key: str) -> Any:
        """The value of a key that must be present."""
        if key not in self.values:
            raise self.error(f'"{key}" is missing')
        return self.values[key]

    def text(self, key: str, pattern: str = "") -> str:
        """A string that is not blank; with a pattern, one that matches it."""
        value = self.value(key)
        if not isinstance(value, str):
            raise self.error(f'"{key}" must be a string', key)
        if not value.strip():
            raise self.error(f'"{key}" must not be empty', key)
        if pattern and re.fullmatch(pattern, value) is None:
            raise self.error(f'"{key}" must be of the form {pattern}', key)
        return value

    def texts(self, key: str, pattern: str = "") -> tuple[str, ...]:
        """The strings of a list, none of them blank; none without the key."""
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise self.error(f'"{key}" must be a list of strings', key)
        for each in value:
            if not each.strip() or (pattern and re.fullmatch(pattern, each) is None):
                form = f"of the form {pattern}" if pattern else "that are not empty"
                raise self.error(f'"{key}" must be a list of strings {form}', key)
        return tuple(value)

    def number(self, key: str, lowest: int, highest: int) -> int:
        """An integer in a range."""
        value = self.value(key)
        if isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= highest:
            return value
        raise self.error(f'"{key}" must be an integer from {lowest} to {highest}', key)

    def flag(self, key: str) -> bool:
        """A boolean; false without the key."""
        value = self.values.get(key, False)
        if not isinstance(value, bool):
            raise self.error(f'"{key}" must be true or false', key)
        return value

    def range(self, key: str, default: Versions | None = None) -> Versions:
        """A version range."""
        if default is not None and key not in self.values:
            return default
        try:
            return Versions.parse(self.text(key))
        except VersionsError as error:
            raise self.error(visible(str(error)), key) from None

    def inner(self, key: str) -> Table:
        """The table at a key."""
        value = self.values[key]
        if not isinstance(value, dict):
            raise self.error(f'"{key}" must be a table')
        return Table(value, self.path, f"{self.name}.{key}" if self.name else key)

    def inners(self, key: str) -> list[Table]:
        """The tables in the list at a key; none without the key."""
        name = f"{self.name}.{key}" if self.name else key
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            raise self.error(f"write each of them as [[{name}]], in two brackets")
        return [Table(each, self.path, f"{name}[{number}]") for number, each in enumerate(value)]

    def strings(
        self, key: str, keys: Sequence[str] | None = None, pattern: str = ""
    ) -> dict[str, str]:
        """The strings of the table at a key, by their keys; none without the key. With `keys`, it
        has only these; with a pattern, all match it."""
        if key not in self.values:
            return {}
        inner = self.inner(key)
        if keys is not None:
            inner.known(keys)
        for name, value in inner.values.items():
            if not isinstance(value, str):
                raise inner.error(f'"{name}" must be a string')
            if pattern and re.fullmatch(pattern, value) is None:
                raise inner.error(f'"{name}" must be of the form {pattern}')
        return dict(inner.values)


class JsonTable(Table):
    """An object of JSON, whose values have places. Keys with "x-" are for other tools."""

    def __init__(self, lines: SourcePositions, value: object, offset: int) -> None:
        if not isinstance(value, JsonObject):
            raise InputError.at(lines.place(offset), "this must be an object")
        own = {key: each for key, each in value.items() if not key.startswith("x-")}
        super().__init__(own, lines.path, position=lines.position(offset))
        self.lines = lines
        self.places = lines.object(lines.base + value.number)
        for key, again in self.places.duplicates[:1]:
            raise InputError.at(lines.place(again), f'the key "{visible(key)}" is repeated')

    def at(self, key: str) -> Position | None:
        """Where the value of a key is, or else the object."""
        return self.lines.position(self.places.values_at.get(key, self.places.offset))

    def place(self, key: str) -> Place:
        """Where the value of a key begins and ends."""
        return self.lines.place(self.places.values_at[key])

    def entries(self, key: str) -> list[JsonTable]:
        """The objects of an array that must be present."""
        value = self.value(key)
        if not isinstance(value, list):
            raise self.error(f'"{key}" must be an array', key)
        offsets = self.places.inner[key].values_at.values()
        return [
            JsonTable(self.lines, each, offset) for each, offset in zip(value, offsets, strict=True)
        ]


def json_table(text: str | bytes, path: str, schema: str, key: str) -> list[JsonTable]:
    """The objects in the list `key`, the only one of a table; `schema` is the name of its form.

    Raises InputError, with line and column, if the text has another form.
    """
    document = parse_json(text, path)
    top = JsonTable(document.lines, document.value, document.offset)
    if document.rest is not None:
        raise InputError.at(document.lines.place(document.rest), "text follows the table")
    top.known(("$schema", "schema", key))
    if top.values.get("schema", schema) != schema:
        raise top.error(f'"schema" must be "{schema}"', "schema")
    return top.entries(key)
