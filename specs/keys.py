"""How the value of a key is read: in specs, in tables of JSON, and in settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import TypeVar

from wirebook.specs.jsontext import JsonObject
from wirebook.specs.printable import visible
from wirebook.specs.problems import ProblemKind
from wirebook.specs.versions import Versions, VersionsError

T = TypeVar("T")
# Reads the value of a key, which errors name. Raises FaultError.
Read = Callable[[str, object], object]

_LONG = 40  # no misspelled key is this long
_KINDS = {
    str: "a string",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    type(None): "null",
    list: "an array",
}


class FaultError(Exception):
    """Why a value is not one of its key; `meant` is what a loose one means all the same."""

    def __init__(self, kind: ProblemKind, words: str, meant: object = None) -> None:
        super().__init__(words)
        self.kind = kind
        self.meant = meant


def wrong(key: str, value: object, expected: str) -> FaultError:
    """The fault of a value of another type."""
    kind = _KINDS.get(type(value), "an object")
    return FaultError(ProblemKind.WRONG_TYPE, f'"{key}" must be {expected}, not {kind}')


def _of_type(kind: type[T], expected: str) -> Callable[[str, object], T]:
    def read(key: str, value: object) -> T:
        if isinstance(value, kind):
            return value
        raise wrong(key, value, expected)

    return read


text = _of_type(str, "a string")
array = _of_type(list, "an array")
json_object = _of_type(JsonObject, "an object")


def filled(key: str, value: object) -> str:
    """A string that is not blank."""
    if not text(key, value).strip():
        raise FaultError(ProblemKind.EMPTY_VALUE, f'"{key}" is empty')
    return text(key, value)


def matching(pattern: str) -> Callable[[str, object], str]:
    """What reads a string that matches a pattern."""

    def read(key: str, value: object) -> str:
        if re.fullmatch(pattern, filled(key, value)) is None:
            raise FaultError(ProblemKind.WRONG_TYPE, f'"{key}" must be of the form {pattern}')
        return text(key, value)

    return read


def optional(key: str, value: object) -> str | None:
    """A string, None for an empty one."""
    return text(key, value) or None


def nullable(read: Callable[[str, object], T]) -> Callable[[str, object], T | None]:
    """What reads null, too."""
    return lambda key, value: None if value is None else read(key, value)


def many(read: Callable[[str, object], T]) -> Callable[[str, object], tuple[T, ...]]:
    """What reads an array whose elements are read alike."""
    return lambda key, value: tuple(read(key, each) for each in array(key, value))


def flag(key: str, value: object) -> bool:
    """True or false; in quotes, as Kafka's specs used to have them, they are loose."""
    if isinstance(value, bool):
        return value
    if value in ("true", "false"):
        raise _in_quotes(key, value, value == "true")
    raise wrong(key, value, "true or false")


def whole(lowest: int, highest: int) -> Callable[[str, object], int]:
    """What reads an integer in a range; digits in quotes are loose."""

    def read(key: str, value: object) -> int:
        if isinstance(value, str) and is_whole(value):
            raise _in_quotes(key, value, within(key, int(value), lowest, highest))
        if isinstance(value, int) and not isinstance(value, bool):
            return within(key, value, lowest, highest)
        raise wrong(key, value, "a whole number")

    return read


def within(key: str, number: int, lowest: int, highest: int) -> int:
    """A number that is in a range."""
    if lowest <= number <= highest:
        return number
    words = f'"{key}" must be between {lowest} and {highest}'
    raise FaultError(ProblemKind.NUMBER_OUT_OF_RANGE, words)


def is_whole(text: str) -> bool:
    """Whether a text consists of digits."""
    return text.isascii() and text.isdigit() and len(text) < 20


def _in_quotes(key: str, value: object, meant: object) -> FaultError:
    words = f'"{key}" is a string; write {value} without quotes'
    return FaultError(ProblemKind.WRONG_TYPE, words, meant)


def versions(key: str, value: object) -> Versions:
    """A version range."""
    if not isinstance(value, str):
        raise wrong(key, value, "a version range in quotes")
    try:
        return Versions.parse(value)
    except VersionsError as error:
        raise FaultError(ProblemKind.BAD_VERSION_RANGE, str(error)) from None


def nearest(word: str, words: Iterable[str]) -> str:
    """The word that a misspelled one resembles; "" if there is none."""
    plain = {each.casefold().replace("_", ""): each for each in sorted(words)}
    near = get_close_matches(word.casefold().replace("_", "").replace("-", ""), plain, 1, 0.6)
    return plain[near[0]] if near and len(word) <= _LONG else ""


def unknown(what: str, word: str, words: Sequence[str]) -> str:
    """The error for an unknown word; `what` says where it is unknown: "there is no key"."""
    near = nearest(word, words)
    there = f'did you mean "{near}"?' if near else f"there are {', '.join(words)}"
    return f'{what} "{visible(word)}"; {there}'
