"""Typed values of the JSON objects of one spec; loose or invalid values are collected as problems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import TypeVar

from wirebook.specs.limits import MAX_INT16
from wirebook.specs.model import SourceNode
from wirebook.specs.problems import Position, Problem, ProblemKind
from wirebook.specs.syntax.jsontext import JsonArray, JsonMembers, JsonObject, SourcePositions
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
    """Reads values of nodes by key, as Kafka's generator does, and collects the problems of one file.

    Each method returns the value of a key in the type that the model has for it. It reports a value of
    another type, and then returns the value that an absent key has.
    """

    def __init__(self, path: str, lines: SourcePositions) -> None:
        self.path = path
        self.lines = lines
        self.problems: list[tuple[int, Problem]] = []

    def report(
        self,
        kind: ProblemKind,
        severity: str,
        message: str,
        offset: int,
        key: str,
        earlier: Position | None = None,
        value: str | int | bool | None = None,
        near: str = "",
    ) -> None:
        """Add a problem; `offset` is its position in the text, the others are those of `Problem`."""
        at = self.lines.position(offset)
        problem = Problem(kind, severity, message, self.path, at, key, earlier, value, near)
        self.problems.append((offset, problem))

    def at(self, node: JsonMembers, key: str) -> int:
        """The offset of the value of a key."""
        return self.lines.object(node.number).values_at[key]

    def written(self, node: JsonMembers, keys: frozenset[str], what: str) -> SourceNode:
        """The positions and comments of a node; reports repeated and unknown keys.

        Keys that begin with "x-" are for other tools: they are kept like unknown ones, but not reported.
        """
        self.repeated(node)
        if node.keys() <= keys:
            return SourceNode(self.lines, node.number, tuple(node))
        unknown = {key: value for key, value in node.items() if key not in keys}
        for key, value in unknown.items():
            if not key.startswith(EXTENSION):
                at = self.lines.object(node.number).keys_at[key]
                message = f'a {what} has no key "{key}"'
                near = _nearest(key, keys)
                if near:
                    message += f'; did you mean "{near}"?'
                self.report(ProblemKind.UNKNOWN_KEY, "warning", message, at, key, near=near)
            for inner in _objects(value):
                self.repeated(inner)
        return SourceNode(self.lines, node.number, tuple(node), unknown)

    def repeated(self, node: JsonMembers) -> None:
        """Report the repeated keys of a node."""
        for key, first, again in node.duplicates if isinstance(node, JsonObject) else ():
            message = f'the key "{key}" is repeated'
            earlier = self.lines.position(first)
            self.report(ProblemKind.DUPLICATE_KEY, "error", message, again, key, earlier)

    def wrong(self, node: JsonMembers, key: str, expected: str) -> None:
        """Report a value of the wrong type."""
        kind = _KINDS.get(type(node[key]), "an array" if isinstance(node[key], list) else "an object")
        self.report(
            ProblemKind.WRONG_TYPE,
            "unusable",
            f'"{key}" must be {expected}, not {kind}',
            self.at(node, key),
            key,
            value=kind,
        )

    def missing(self, node: JsonMembers, key: str, what: str) -> None:
        """Report that a node, described by `what`, lacks a key."""
        at = self.lines.object(node.number).offset
        self.report(ProblemKind.MISSING_KEY, "unusable", f'this {what} has no "{key}"', at, key)

    def text(self, node: JsonMembers, key: str, default: str = "") -> str:
        """A string, by default `default`."""
        value = node.get(key, default)
        if isinstance(value, str):
            return value
        self.wrong(node, key, "a string")
        return default

    def optional_text(self, node: JsonMembers, key: str) -> str | None:
        """A string that is not empty, or None."""
        return self.text(node, key) or None if key in node else None

    def required(self, node: JsonMembers, key: str, what: str) -> str:
        """A string that must be present and not empty."""
        if key not in node:
            self.missing(node, key, what)
            return ""
        value = self.text(node, key)
        if not value and isinstance(node[key], str):
            self.report(ProblemKind.EMPTY_VALUE, "unusable", f'"{key}" is empty', self.at(node, key), key)
        return value

    def _quoted(self, node: JsonMembers, key: str, value: str) -> None:
        """Report a quoted boolean or number, which Kafka's specs used to have and the reader accepts."""
        self.report(
            ProblemKind.WRONG_TYPE,
            "warning",
            f'"{key}" is a string; write {value} without quotes',
            self.at(node, key),
            key,
            value=value,
        )

    def flag(self, node: JsonMembers, key: str) -> bool:
        """A boolean; "true" and "false" in quotes are read as such."""
        value = node.get(key, False)
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value in ("true", "false"):
            self._quoted(node, key, value)
            return value == "true"
        self.wrong(node, key, "true or false")
        return False

    def number(self, node: JsonMembers, key: str, highest: int) -> int | None:
        """An integer from 0 to `highest`; digits in quotes are read as such."""
        value = node.get(key)
        if value is None and key not in node:
            return None
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20:
            self._quoted(node, key, value)
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            self.wrong(node, key, "a whole number")
            return None
        if not 0 <= value <= highest:
            self.report(
                ProblemKind.NUMBER_OUT_OF_RANGE,
                "unusable",
                f'"{key}" must be between 0 and {highest}',
                self.at(node, key),
                key,
            )
            return None
        return value

    def versions(self, node: JsonMembers, key: str) -> Versions | None:
        """A version range; None if the key is absent or its value is not one."""
        if key not in node:
            return None
        value = node[key]
        if not isinstance(value, str):
            if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_INT16:
                self.report(
                    ProblemKind.WRONG_TYPE,
                    "warning",
                    f'"{key}" is a number; write "{value}"',
                    self.at(node, key),
                    key,
                    value=value,
                )
                return Versions(value, value)
            self.wrong(node, key, "a version range in quotes")
            return None
        try:
            return Versions.parse(value)
        except VersionsError as error:
            at = self.at(node, key)
            self.report(ProblemKind.BAD_VERSION_RANGE, "unusable", str(error), at, key, value=value)
            return None

    def range_of_key(self, node: JsonMembers, key: str) -> Versions | None:
        """The version range in a key; None if it is invalid, or contains no version."""
        at = self.lines.object(node.number).keys_at[key]
        try:
            versions = Versions.parse(key)
        except VersionsError as error:
            self.report(ProblemKind.BAD_VERSION_RANGE, "unusable", str(error), at, key)
            return None
        if not versions:
            self.report(ProblemKind.BAD_VERSION_RANGE, "unusable", f'"{key}" contains no version', at, key)
            return None
        return versions

    def digits(self, node: JsonMembers, key: str, highest: int) -> int | None:
        """An integer from 0 to `highest` in quotes; one without quotes is read as such."""
        value = node[key]
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= highest:
            message = f'"{key}" is a number; write "{value}"'
            self.report(ProblemKind.WRONG_TYPE, "warning", message, self.at(node, key), key, value=value)
            return value
        text = value.strip() if isinstance(value, str) else ""
        if not (text.isascii() and text.isdigit() and len(text) < 20):
            self.wrong(node, key, "a whole number in quotes")
            return None
        if int(text) > highest:
            message = f'"{key}" must be between 0 and {highest}'
            self.report(ProblemKind.NUMBER_OUT_OF_RANGE, "unusable", message, self.at(node, key), key)
            return None
        return int(text)

    def range(self, node: JsonMembers, key: str) -> Versions:
        """A version range, by default empty."""
        versions = self.versions(node, key)
        return Versions.NONE if versions is None else versions

    def required_range(self, node: JsonMembers, key: str, what: str) -> Versions:
        """A version range that must be present."""
        if key not in node:
            self.missing(node, key, what)
        return self.range(node, key)

    def objects(
        self, node: JsonMembers, key: str, what: str, make: Callable[[JsonMembers], _Made]
    ) -> tuple[_Made, ...]:
        """The result of `make` for every object in the array under `key`; () if the key is absent."""
        value = node.get(key)
        if not isinstance(value, list):
            if key in node:
                self.wrong(node, key, "an array")
            return ()
        results: list[_Made] = []
        for index, item in enumerate(value):
            if isinstance(item, JsonMembers):
                results.append(make(item))
            else:
                placed = self.lines.object(node.number)[key]
                at = placed.values_at[index] if isinstance(placed, JsonArray) else self.at(node, key)
                self.report(ProblemKind.WRONG_TYPE, "unusable", f"a {what} is an object", at, key)
        return tuple(results)

    def words(self, node: JsonMembers, key: str) -> tuple[str, ...]:
        """An array of strings, by default empty."""
        value = node.get(key, [])
        if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
            self.wrong(node, key, "an array of texts")
            return ()
        return tuple(word for word in value if isinstance(word, str))

    def texts(self, node: JsonMembers, key: str) -> Mapping[str, str]:
        """An object whose values are strings; {} if the key is absent."""
        value = node.get(key, {})
        if not isinstance(value, dict):
            self.wrong(node, key, "an object")
            return {}
        for inner in _objects(value):
            self.repeated(inner)
        for name, text in value.items():
            if not isinstance(text, str) and isinstance(value, JsonMembers):
                self.wrong(value, name, "a string")
        return {name: text for name, text in value.items() if isinstance(text, str)}


@lru_cache(maxsize=256)
def _nearest(key: str, keys: frozenset[str]) -> str:
    """The known key that a misspelled one resembles; "" if there is none."""
    from difflib import get_close_matches

    if len(key) > _LONG:
        return ""
    plain = {name.casefold().replace("_", ""): name for name in sorted(keys)}
    near = get_close_matches(key.casefold().replace("_", "").replace("-", ""), plain, 1, 0.7)
    return plain[near[0]] if near else ""


def number_from(value: object, base: int) -> None:
    """Add a base to the numbers of all objects in a value."""
    for each in _objects(value):
        each.number += base


def _objects(value: object) -> Iterator[JsonMembers]:
    """The objects in a value, including the value itself."""
    if isinstance(value, JsonMembers):
        yield value
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _objects(item)
