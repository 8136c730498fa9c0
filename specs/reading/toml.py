"""Reads TOML files: settings, profiles and waivers. Errors name the file and the key."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from wirebook.specs.limits import MAX_DOTS
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError, Lines, Position


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
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise InputError("this is nested too deeply", path) from None
    except ValueError as error:
        # "… (at line 3, column 4)", or "… (at end of document)"; nothing for a number of too many
        # digits.
        words, _, place = str(error).partition(" (at ")
        numbers = [
            int(word) for word in place.replace(",", " ").rstrip(")").split() if word.isdigit()
        ]
        end = Lines(text).position(len(text)) if place else None
        at = Position(*numbers) if len(numbers) == 2 else end
        raise InputError(
            f"this is not TOML: {visible(words[:1].lower() + words[1:])}", path, at
        ) from None


def hint(word: str, words: Sequence[str]) -> str:
    """What to write instead of an unknown word."""
    near = get_close_matches(word, words, n=1)
    return f'did you mean "{near[0]}"?' if near else f"there are {', '.join(words)}"


class Table:
    """A table of a TOML file. Its methods raise InputError, which names the table and the key.

    `name` is the table with those above it ("headers"), "" for the file itself; `position` is where
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

    def error(self, message: str) -> InputError:
        """The error for something in the table."""
        return InputError(
            f"{self.name}: {message}" if self.name else message, self.path, self.position
        )

    def known(self, keys: Sequence[str]) -> None:
        """Raise InputError for a key that is not one of these."""
        for key in self.values:
            if key not in keys:
                raise self.error(f'there is no key "{visible(key)}" here; {hint(key, keys)}')

    def text(self, key: str) -> str:
        """A string that is not blank."""
        value = self.values.get(key)
        if not isinstance(value, str) or not value.strip():
            raise self.error(f'"{key}" must be a string')
        if "\0" in value:
            raise self.error(f'"{key}" contains the null character U+0000')
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings that are not blank."""
        value = self.values[key]
        if not isinstance(value, list) or not all(
            isinstance(each, str) and each.strip() for each in value
        ):
            raise self.error(f'"{key}" must be a list of strings')
        if any("\0" in each for each in value):
            raise self.error(f'"{key}" contains the null character U+0000')
        return tuple(value)

    def number(self, key: str, highest: int) -> int:
        """An integer from 0 to `highest`."""
        return self.whole(key, self.values.get(key), highest)

    def whole(self, key: str, value: object, highest: int) -> int:
        """A value that belongs to a key, as an integer from 0 to `highest`."""
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= highest:
            raise self.error(f'"{key}" must be an integer from 0 to {highest}')
        return value

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

    def texts_by_key(self) -> dict[str, str]:
        """All keys, each with a string."""
        for key, value in self.values.items():
            if not isinstance(value, str):
                raise self.error(f'"{key}" must be a string')
            if "\0" in value:
                raise self.error(f'"{key}" contains the null character U+0000')
        return dict(self.values)
