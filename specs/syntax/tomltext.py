"""Parses TOML with the position of every key, so that errors in hand-written files name file and line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from wirebook.specs.limits import MAX_KEY_PARTS
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError, Lines, Position

KeyPath = tuple[str | int, ...]  # keys and indexes from the top down to a value
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SPACE = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BLANK = re.compile(r"[ \t]*")
_SCALAR = re.compile(r"[^,\]}\n#]*")
_STRINGS = (
    re.compile(r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*"{3,5}', re.DOTALL),
    re.compile(r"'''(?:[^']|'{1,2}(?!'))*'{3,5}"),
    re.compile(r'"(?:[^"\\\n]|\\.)*"'),
    re.compile(r"'[^'\n]*'"),
)
_AT = re.compile(r" ?\(at (?:line (\d+), column (\d+)|end of document)\)$")


class TomlDocument(NamedTuple):
    """A TOML file: its values, and the positions of each key and of its value."""

    path: str
    data: dict[str, Any]
    places: Mapping[KeyPath, Position]
    values_at: Mapping[KeyPath, Position]

    def at(self, *keys: str | int) -> Position | None:
        """The position of a key, or of what contains it if it has no position itself."""
        while keys and keys not in self.places:
            keys = keys[:-1]
        return self.places.get(keys)

    def inside(self, keys: Sequence[str]) -> Any:
        """The value at some keys: {} if one of the tables above it is missing or no table."""
        value: Any = self.data
        for key in keys:
            value = value.get(key, {}) if isinstance(value, dict) else {}
        return value

    def error(self, message: str, *keys: str | int) -> InputError:
        """The error to raise for what a key has, at the key."""
        return InputError(message, self.path, self.at(*keys))

    def error_in(self, message: str, *keys: str | int) -> InputError:
        """The error to raise for what the value of a key names, at the value."""
        return InputError(message, self.path, self.values_at.get(keys) or self.at(*keys))

    def unknown(self, key: str, keys: Sequence[str], *above: str | int) -> InputError:
        """The error for an unknown key, with the nearest known one."""
        return self.error(f'there is no key "{visible(key)}" here; {hint(key, keys)}', *above, key)

    def refuse_null(self, value: object, *above: str | int) -> None:
        """Raise InputError for a text with a null character in a value: no path and no name has one."""
        if isinstance(value, str) and "\0" in value:
            raise self.error("no setting contains the null character U+0000", *above)
        items = value.items() if isinstance(value, dict) else ()
        for key, inner in enumerate(value) if isinstance(value, list) else items:
            self.refuse_null(inner, *above, key)


def hint(word: str, words: Sequence[str]) -> str:
    """What to write instead of an unknown word."""
    from difflib import get_close_matches

    near = get_close_matches(word, words, n=1)
    return f'did you mean "{near[0]}"?' if near else f"there are {', '.join(words)}"


def read_toml(text: str | bytes, path: str) -> TomlDocument:
    """Parse a TOML file. Raises InputError, with line and column, for invalid TOML or UTF-8."""
    text = (text if isinstance(text, str) else _decoded(text, path)).removeprefix("\ufeff")
    at = long_key(text)
    if at is not None:
        raise InputError(f"a key of more than {MAX_KEY_PARTS} parts", path, Lines(text).position(at))
    try:
        data = tomllib.loads(text)
        places = _Places(text.replace("\r\n", "\n"))
        return TomlDocument(path, data, places.found, places.values)
    except tomllib.TOMLDecodeError as error:
        raise _broken(str(error), text, path) from None
    except RecursionError:
        raise InputError("this is nested too deeply", path) from None
    except ValueError as error:  # numbers with thousands of digits
        raise InputError(f"this is not TOML: {visible(str(error))}", path) from None


def long_key(text: str) -> int | None:
    """Where an implausibly long dotted key begins; the parser takes quadratic time and memory for one.

    A quoted text of as many words with dots between them looks like one, but is equally implausible.
    """
    if text.count(".") < MAX_KEY_PARTS:
        return None
    part = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
    match = re.search(rf"(?<![\w-]){part}(?:[ \t]*+\.[ \t]*+{part}){{{MAX_KEY_PARTS},}}", text)
    return None if match is None else match.start()


def _decoded(text: bytes, path: str) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise InputError(f"line {line} is not UTF-8", path) from None


def _broken(message: str, text: str, path: str) -> InputError:
    match = _AT.search(message)
    position = None
    if match is not None:
        position = Position(int(match[1]), int(match[2])) if match[1] else Lines(text).position(len(text))
        message = message[: match.start()]
    return InputError(f"this is not TOML: {visible(message[:1].lower() + message[1:])}", path, position)


class _Places:
    """Walks over a text that is valid TOML, and records the positions of its keys and their values."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = Lines(text)
        self.found: dict[KeyPath, Position] = {}
        self.values: dict[KeyPath, Position] = {}
        self.tables: dict[KeyPath, int] = {}
        self.offset = 0
        self.skip(_SPACE)
        above: KeyPath = ()
        while self.offset < len(text):
            start = self.offset
            if text[start] == "[":
                double = text.startswith("[[", start)
                self.offset += 2 if double else 1
                above = self.within(self.key(), double)
                self.offset += 2 if double else 1
                for number in range(len(above)):
                    self.note(above[: number + 1], start)
            else:
                self.pair(above)
            self.skip(_SPACE)

    def skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.offset)
        self.offset = match.end() if match is not None else self.offset

    def within(self, keys: KeyPath, new: bool) -> KeyPath:
        """The keys of a table header, with the indexes of the tables that contain it."""
        result: KeyPath = ()
        for number, key in enumerate(keys, 1):
            result = (*result, key)
            if new and number == len(keys):
                self.tables[result] = self.tables.get(result, -1) + 1
            if result in self.tables:
                result = (*result, self.tables[result])
        return result

    def note(self, keys: KeyPath, offset: int) -> None:
        self.found.setdefault(keys, self.lines.position(offset))

    def key(self) -> KeyPath:
        """The parts of a dotted key; the position is then after it."""
        parts: list[str | int] = []
        while True:
            self.skip(_BLANK)
            start = self.offset
            if self.text[start] in "\"'":
                self.string()
                written = self.text[start : self.offset]
                parts.append(tomllib.loads(f"key = {written}")["key"])
            else:
                self.skip(_BARE)
                parts.append(self.text[start : self.offset])
            self.skip(_BLANK)
            if self.text[self.offset] != ".":
                return tuple(parts)
            self.offset += 1

    def pair(self, above: KeyPath) -> None:
        start = self.offset
        keys = self.key()
        for number in range(len(keys)):
            self.note((*above, *keys[: number + 1]), start)
        self.offset += 1  # the equals sign
        self.skip(_BLANK)
        self.values[(*above, *keys)] = self.lines.position(self.offset)
        self.value((*above, *keys))

    def value(self, keys: KeyPath) -> None:
        first = self.text[self.offset]
        if first in "\"'":
            self.string()
        elif first in "[{":
            self.inside(keys, first == "[")
        else:
            self.skip(_SCALAR)

    def inside(self, keys: KeyPath, array: bool) -> None:
        """Walk over an array or an inline table, from its opening to after its end."""
        self.offset += 1
        number = 0
        while True:
            self.skip(_SPACE)
            if self.text[self.offset] in "]}":
                self.offset += 1
                return
            if self.text[self.offset] == ",":
                self.offset += 1
            elif array:
                self.note((*keys, number), self.offset)
                self.value((*keys, number))
                number += 1
            else:
                self.pair(keys)

    def string(self) -> None:
        for pattern in _STRINGS:
            match = pattern.match(self.text, self.offset)
            if match is not None:
                self.offset = match.end()
                return
