"""Reads values by key from TOML: settings, profiles and waivers."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from wirebook.specs.keys import FaultError, text, unknown
from wirebook.specs.limits import MAX_DOTS
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError, Lines, Position

T = TypeVar("T")


def parse_toml(content: str | bytes, path: str) -> dict[str, Any]:
    """The values of a TOML file. Raises InputError for invalid TOML or UTF-8."""
    if isinstance(content, bytes):
        try:
            content = content.decode("utf-8")
        except UnicodeDecodeError:
            raise InputError("it is not UTF-8", path) from None
    content = content.removeprefix("\ufeff")
    # The parser takes quadratic time and memory for a dotted key.
    if any(line.count(".") > MAX_DOTS for line in content.splitlines()):
        raise InputError(f"a line has more than {MAX_DOTS:,} dots", path)
    if "\\u0000" in content or "\\U00000000" in content:
        raise InputError("a string contains the null character U+0000", path)
    try:
        return tomllib.loads(content)
    except RecursionError:
        raise InputError("this is nested too deeply", path) from None
    except ValueError as error:
        # "… (at line 3, column 4)", "… (at end of document)", or nothing for too many digits.
        words, _, place = str(error).partition(" (at ")
        numbers = [int(digits) for digits in re.findall(r"\d+", place)]
        end = Lines(content).position(len(content)) if place else None
        at = Position(*numbers) if len(numbers) == 2 else end
        raise InputError(
            f"this is not TOML: {visible(words[:1].lower() + words[1:])}", path, at
        ) from None


@dataclass(frozen=True)
class Table:
    """A table of TOML. Its methods raise InputError for a missing key, or another type of value.

    `name` is the table with those above it ("headers"), "" for a file; `position` its beginning.
    """

    values: Mapping[str, Any]
    path: str
    name: str = ""
    position: Position | None = None

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def error(self, message: str) -> InputError:
        """The error for something in the table."""
        words = f"{self.name}: {message}" if self.name else message
        return InputError(words, self.path, self.position)

    def known(self, keys: Sequence[str]) -> None:
        """Raise InputError for a key that is not one of these."""
        for key in self.values:
            if key not in keys:
                raise self.error(unknown("there is no key", key, keys))

    def read(self, key: str, read: Callable[[str, object], T]) -> T:
        """The value of a key that must be present."""
        if key not in self.values:
            raise self.error(f'"{key}" is missing')
        try:
            return read(key, self.values[key])
        except FaultError as fault:
            raise self.error(visible(str(fault))) from None

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
        self, key: str, keys: Sequence[str] | None = None, read: Callable[[str, object], str] = text
    ) -> dict[str, str]:
        """The strings of the table at a key, by their keys: only `keys` if these are given."""
        if key not in self.values:
            return {}
        inner = self.inner(key)
        if keys is not None:
            inner.known(keys)
        return {name: inner.read(name, read) for name in inner.values}
