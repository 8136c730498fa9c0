"""Typed values of the JSON objects of one spec; loose or invalid values are collected as
problems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import TypeVar

from wirebook.specs.jsontext import JsonObject, JsonPlaces, SourcePositions
from wirebook.specs.limits import MAX_INT16
from wirebook.specs.model import SourceNode
from wirebook.specs.problems import Problem, ProblemKind
from wirebook.specs.versions import Versions, VersionsError

_KINDS = {
    str: "a string",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    type(None): "null",
}
EXTENSION = "x-"
_LONG = 40  # no misspelled key is this long
_Made = TypeVar("_Made")


class Values:
    """Reads values of nodes by key, as Kafka's generator does, and collects the problems of one
    file.

    Each method returns the value of a key in the type that the model has for it. It reports a value
    of another type, and then returns the value that an absent key has.
    """

    def __init__(self, path: str, lines: SourcePositions, *, has_extensions: bool) -> None:
        self.has_extensions = has_extensions
        self.path = path
        self.lines = lines
        self.problems: list[tuple[int, Problem]] = []

    def report(self, problem: Problem, offset: int) -> None:
        """Add a problem at an offset of the text."""
        self.problems.append(
            (offset, problem._replace(path=self.path, position=self.lines.position(offset)))
        )

    def places(self, node: JsonObject) -> JsonPlaces:
        """Where a node has its values."""
        return self.lines.object(self.lines.base + node.number)

    def unusable(
        self, kind: ProblemKind, message: str, node: JsonObject, key: str, value: str | None = None
    ) -> None:
        """Report a value that the model cannot represent."""
        problem = Problem(kind, "unusable", message, key=key, value=value)
        places = self.places(node)
        self.report(problem, places.values_at.get(key, places.offset))

    def loose(self, message: str, node: JsonObject, key: str, value: str | int | bool) -> None:
        """Report a value of another type whose meaning is clear."""
        problem = Problem(ProblemKind.WRONG_TYPE, "warning", message, key=key, value=value)
        self.report(problem, self.places(node).values_at[key])

    def wrong(self, node: JsonObject, key: str, expected: str) -> None:
        """Report a value of the wrong type."""
        kind = _KINDS.get(
            type(node[key]), "an array" if isinstance(node[key], list) else "an object"
        )
        self.unusable(
            ProblemKind.WRONG_TYPE, f'"{key}" must be {expected}, not {kind}', node, key, kind
        )

    def missing(self, node: JsonObject, key: str, what: str) -> None:
        """Report that a node, described by `what`, lacks a key."""
        self.unusable(ProblemKind.MISSING_KEY, f'this {what} has no "{key}"', node, key)

    def written(self, node: JsonObject, keys: frozenset[str], what: str) -> SourceNode:
        """The positions and comments of a node; reports repeated and unknown keys.

        Keys that begin with "x-" are for other tools: they are kept like unknown ones, and with
        `has_extensions` not reported.
        """
        self.repeated(node)
        unknown = {key: value for key, value in node.items() if key not in keys}
        for key, value in unknown.items():
            if not self.has_extensions or not key.startswith(EXTENSION):
                near = _nearest(key, keys)
                hint = f'; did you mean "{near}"?' if near else ""
                message = f'a {what} has no key "{key}"{hint}'
                problem = Problem(ProblemKind.UNKNOWN_KEY, "warning", message, key=key, meant=near)
                self.report(problem, self.places(node).keys_at[key])
            for inner in _objects(value):
                self.repeated(inner)
        return SourceNode(self.lines, self.lines.base + node.number, tuple(node), unknown)

    def repeated(self, node: JsonObject) -> None:
        """Report the repeated keys of a node."""
        for key, first, again in self.places(node).duplicates if node.repeats else ():
            message, earlier = f'the key "{key}" is repeated', self.lines.position(first)
            self.report(
                Problem(ProblemKind.DUPLICATE_KEY, "error", message, key=key, earlier=earlier),
                again,
            )

    def text(self, node: JsonObject, key: str, default: str = "") -> str:
        """A string, by default `default`."""
        value = node.get(key, default)
        if isinstance(value, str):
            return value
        self.wrong(node, key, "a string")
        return default

    def optional_text(self, node: JsonObject, key: str) -> str | None:
        """A string that is not empty, or None."""
        return self.text(node, key) or None if key in node else None

    def required(self, node: JsonObject, key: str, what: str) -> str:
        """A string that must be present and not empty."""
        if key not in node:
            self.missing(node, key, what)
            return ""
        value = self.text(node, key)
        if not value and isinstance(node[key], str):
            self.unusable(ProblemKind.EMPTY_VALUE, f'"{key}" is empty', node, key)
        return value

    def flag(self, node: JsonObject, key: str) -> bool:
        """A boolean; "true" and "false" in quotes are read as such, since Kafka's specs used to
        have them."""
        value = node.get(key, False)
        if isinstance(value, bool):
            return value
        if value in ("true", "false"):
            self.loose(f'"{key}" is a string; write {value} without quotes', node, key, str(value))
            return value == "true"
        self.wrong(node, key, "true or false")
        return False

    def number(self, node: JsonObject, key: str, highest: int) -> int | None:
        """An integer from 0 to `highest`; digits in quotes are read as such."""
        if key not in node:
            return None
        value = node[key]
        if isinstance(value, str) and _is_whole(value):
            self.loose(f'"{key}" is a string; write {value} without quotes', node, key, value)
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            self.wrong(node, key, "a whole number")
            return None
        return self._within(value, highest, node, key)

    def digits(self, node: JsonObject, key: str, highest: int) -> int | None:
        """An integer from 0 to `highest` in quotes; one without quotes is read as such."""
        value = node[key]
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= highest:
            self.loose(f'"{key}" is a number; write "{value}"', node, key, value)
            return value
        if not isinstance(value, str) or not _is_whole(value.strip()):
            self.wrong(node, key, "a whole number in quotes")
            return None
        return self._within(int(value), highest, node, key)

    def _within(self, value: int, highest: int, node: JsonObject, key: str) -> int | None:
        if 0 <= value <= highest:
            return value
        message = f'"{key}" must be between 0 and {highest}'
        self.unusable(ProblemKind.NUMBER_OUT_OF_RANGE, message, node, key)
        return None

    def versions(self, node: JsonObject, key: str) -> Versions | None:
        """A version range; None if the key is absent or its value is not one."""
        value = node.get(key)
        if isinstance(value, str):
            try:
                return Versions.parse(value)
            except VersionsError as error:
                self.unusable(ProblemKind.BAD_VERSION_RANGE, str(error), node, key, value)
        elif isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_INT16:
            self.loose(f'"{key}" is a number; write "{value}"', node, key, value)
            return Versions(value, value)
        elif key in node:
            self.wrong(node, key, "a version range in quotes")
        return None

    def range(self, node: JsonObject, key: str) -> Versions:
        """A version range, by default empty."""
        return self.versions(node, key) or Versions.NONE

    def required_range(self, node: JsonObject, key: str, what: str) -> Versions:
        """A version range that must be present."""
        if key not in node:
            self.missing(node, key, what)
        return self.range(node, key)

    def range_of_key(self, node: JsonObject, key: str) -> Versions | None:
        """The version range in a key; None if it is invalid, or contains no version."""
        try:
            versions = Versions.parse(key)
            message = f'"{key}" contains no version'
        except VersionsError as error:
            versions, message = Versions.NONE, str(error)
        if not versions:
            problem = Problem(ProblemKind.BAD_VERSION_RANGE, "unusable", message, key=key)
            self.report(problem, self.places(node).keys_at[key])
        return versions or None

    def objects(
        self, node: JsonObject, key: str, what: str, make: Callable[[JsonObject], _Made]
    ) -> tuple[_Made, ...]:
        """The result of `make` for every object in the array under `key`; () if the key is
        absent."""
        value = node.get(key)
        if not isinstance(value, list):
            if key in node:
                self.wrong(node, key, "an array")
            return ()
        for index, item in enumerate(value):
            if not isinstance(item, JsonObject):
                problem = Problem(
                    ProblemKind.WRONG_TYPE, "unusable", f"a {what} is an object", key=key
                )
                self.report(problem, self.places(node).inner[key].values_at[index])
        return tuple(make(item) for item in value if isinstance(item, JsonObject))

    def words(self, node: JsonObject, key: str) -> tuple[str, ...]:
        """An array of strings, by default empty."""
        value = node.get(key, [])
        if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
            self.wrong(node, key, "an array of texts")
            return ()
        return tuple(value)

    def texts(self, node: JsonObject, key: str) -> Mapping[str, str]:
        """An object whose values are strings; {} if the key is absent."""
        value = node.get(key)
        if not isinstance(value, JsonObject):
            if key in node:
                self.wrong(node, key, "an object")
            return {}
        self.repeated(value)
        for name, text in value.items():
            if not isinstance(text, str):
                self.wrong(value, name, "a string")
        return {name: text for name, text in value.items() if isinstance(text, str)}


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 20


@lru_cache(maxsize=256)
def _nearest(key: str, keys: frozenset[str]) -> str:
    """The known key that a misspelled one resembles; "" if there is none."""
    if len(key) > _LONG:
        return ""
    plain = {name.casefold().replace("_", ""): name for name in sorted(keys)}
    near = get_close_matches(key.casefold().replace("_", "").replace("-", ""), plain, 1, 0.7)
    return plain[near[0]] if near else ""


def _objects(value: object) -> Iterator[JsonObject]:
    """The objects in a value, including the value itself."""
    if isinstance(value, JsonObject):
        yield value
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _objects(item)
