"""Reads the entries of a table, each with its place: what all tables have in common."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import NoReturn

from wirebook.specs.jsontext import JsonObject, SourcePositions, parse_json
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError, Position
from wirebook.specs.versions import Versions, VersionsError


def table(text: str | bytes, path: str, schema: str, key: str) -> Sequence[TableEntry]:
    """The objects in the list `key`, the only one of a table; `schema` is the name of its form.

    Raises InputError, with line and column, if the text has another form.
    """
    document = parse_json(text, path)
    top = TableEntry(document.lines, path, document.value, document.offset)
    if document.rest is not None:
        raise top.error("text follows the table", document.rest)
    top.known(("$schema", "schema", key))
    if top.node.get("schema", schema) != schema:
        top.fail(f'"schema" must be "{schema}"', "schema")
    return top.entries(key)


class TableEntry:
    """An object of a table, or of the values in a spec.

    Its methods raise InputError, with line and column, for what is missing or has another form.
    """

    def __init__(self, lines: SourcePositions, path: str, value: object, offset: int) -> None:
        self.lines = lines
        self.path = path
        if not isinstance(value, JsonObject):
            raise self.error("this must be an object", offset)
        self.node = value
        self.places = lines.object(lines.base + value.number)
        for key, _, again in self.places.duplicates[:1]:
            raise self.error(f'the key "{visible(key)}" is repeated', again)

    def error(self, message: str, offset: int) -> InputError:
        """The error for something at an offset of the text."""
        return InputError(message, self.path, self.lines.position(offset))

    def fail(self, message: str, key: str) -> NoReturn:
        """Raise the error for the value of a key, or for the object if it lacks the key."""
        raise self.error(message, self.places.values_at.get(key, self.places.offset))

    def known(self, keys: Sequence[str]) -> None:
        """Raise InputError for a key that is neither among these nor begins with "x-"."""
        for key in self.node:
            if key not in keys and not key.startswith("x-"):
                near = get_close_matches(key, keys, n=1)
                hint = f'did you mean "{near[0]}"?' if near else f"there is {', '.join(keys)}"
                raise self.error(
                    f'the key "{visible(key)}" is unknown; {hint}', self.places.keys_at[key]
                )

    def place(self, key: str) -> tuple[Position, Position]:
        """Where the value of a key begins and ends."""
        at = self.lines.position(self.places.values_at[key])
        return at, self.lines.end_of(at)

    def value(self, key: str) -> object:
        """The value of a key that must be present."""
        if key not in self.node:
            raise self.error(f'"{key}" is missing', self.places.offset)
        return self.node[key]

    def text(self, key: str, pattern: str = "") -> str:
        """A string that matches a pattern."""
        value = self.value(key)
        if not isinstance(value, str) or (pattern and re.fullmatch(pattern, value) is None):
            self.fail(f'"{key}" must be a string{_form(pattern)}', key)
        return value

    def name(self) -> str:
        """Its name, which is not empty."""
        name = self.text("name")
        if not name.strip():
            self.fail('"name" must not be empty', "name")
        return name

    def number(self, key: str, lowest: int, highest: int) -> int:
        """An integer in a range."""
        value = self.value(key)
        if not isinstance(value, int) or isinstance(value, bool):
            self.fail(f'"{key}" must be an integer, not {visible(json.dumps(value))[:40]}', key)
        if not lowest <= value <= highest:
            self.fail(f'"{key}" is {str(value)[:40]}, which is not from {lowest} to {highest}', key)
        return value

    def flag(self, key: str) -> bool:
        """A boolean."""
        value = self.value(key)
        if not isinstance(value, bool):
            self.fail(f'"{key}" must be true or false', key)
        return value

    def array(self, key: str) -> list[tuple[object, int]]:
        """The elements of an array, each with its offset."""
        value = self.value(key)
        if not isinstance(value, list):
            self.fail(f'"{key}" must be an array', key)
        return list(zip(value, self.places.inner[key].values_at.values(), strict=True))

    def range(self, key: str, default: Versions) -> Versions:
        """A version range."""
        try:
            return Versions.parse(self.text(key)) if key in self.node else default
        except VersionsError as error:
            self.fail(visible(str(error)), key)

    def texts(self, key: str, pattern: str = "") -> dict[str, int]:
        """The strings of an array, none of them twice, each with its offset; none without the
        key."""
        texts: dict[str, int] = {}
        for text, offset in self.array(key) if key in self.node else ():
            if (
                not isinstance(text, str)
                or not text
                or (pattern and re.fullmatch(pattern, text) is None)
            ):
                raise self.error(f'"{key}" must be an array of strings{_form(pattern)}', offset)
            if text in texts:
                raise self.error(f'"{visible(text)}" is in "{key}" twice', offset)
            texts[text] = offset
        return texts

    def entries(self, key: str) -> Sequence[TableEntry]:
        """The objects of an array."""
        return [TableEntry(self.lines, self.path, *element) for element in self.array(key)]


def refuse_repeated(
    entries: Iterable[tuple[TableEntry, Versions]], what: str, keys: Sequence[str]
) -> None:
    """Raise InputError for a value of one of these keys that two entries have in one of their
    versions.

    `what` are the entries: "values".
    """
    known: dict[tuple[str, object], list[tuple[Versions, int]]] = {}
    for entry, versions in entries:
        for key in keys:
            value = entry.node[key]
            places = known.setdefault((key, value), [])
            for shared, line in ((versions & others, line) for others, line in places):
                if shared:
                    both = f'"{visible(value)}"' if isinstance(value, str) else value
                    where = "" if shared == Versions.ALL else f" in versions {shared}"
                    first = f"the first is in line {line}"
                    entry.fail(f"two {what} have the {key} {both}{where}; {first}", key)
            places.append((versions, entry.place("name")[0].line))


def _form(pattern: str) -> str:
    return f" of the form {pattern}" if pattern else ""
