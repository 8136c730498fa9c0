"""Reads prose out of JSON: plain sentences, and objects with known keys; problems have their positions."""

from __future__ import annotations

import re
from typing import NoReturn

from wirebook.specs.problems import InputError
from wirebook.specs.syntax.jsontext import JsonArray, JsonDocument, JsonObject

# What is markup in HTML or Markdown, and characters that no sentence has.
_MARKUP = re.compile(
    r"<[A-Za-z/!]|`|\*\*|\]\(|&#?\w+;"
    r"|[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]"
)


class ProseReader:
    """A document with its path; every method raises InputError with line and column."""

    def __init__(self, document: JsonDocument, path: str) -> None:
        self.document = document
        self.path = path

    def fail(self, message: str, offset: int) -> NoReturn:
        """Raise InputError with the position of an offset."""
        raise InputError(message, self.path, self.document.lines.position(offset))

    def keys(self, node: JsonObject, allowed: tuple[str, ...], required: tuple[str, ...]) -> None:
        """Check the keys of an object: all of them known, none repeated or missing."""
        self.once(node)
        for key in node:
            if key not in allowed:
                self.fail(f'there is no key "{key}" here; known are {", ".join(allowed)}', node.keys_at[key])
        for key in required:
            if key not in node:
                self.fail(f'"{key}" is missing', node.offset)

    def once(self, node: JsonObject) -> None:
        """Check that no key of an object is repeated."""
        for key, _, again in node.duplicates:
            self.fail(f'"{key}" is repeated: there are two texts for one place', again)

    def text(self, node: JsonObject, key: str) -> str:
        """The sentence of a key."""
        return self.sentence(node.get(key, ""), node.values_at.get(key, node.offset))

    def sentence(self, value: object, offset: int) -> str:
        """A text on one line; it must not be empty, and must not have markup."""
        if not isinstance(value, str) or not value.strip():
            self.fail("a text must be a nonempty string", offset)
        if found := _MARKUP.search(value):
            self.fail(f"a text must be plain: {found[0]!a} is markup or a control character", offset)
        return " ".join(value.split())

    def sentences(self, node: JsonObject, key: str) -> tuple[str, ...]:
        """The sentences of a list; none if the key is absent."""
        listed = self.list_at(node, key)
        return tuple(self.sentence(item, at) for item, at in zip(listed, listed.values_at, strict=True))

    def object_at(self, node: JsonObject, key: str) -> JsonObject:
        """The object of a key."""
        value = node[key]
        if not isinstance(value, JsonObject):
            self.fail(f'"{key}" must be an object', node.values_at[key])
        return value

    def list_at(self, node: JsonObject, key: str) -> JsonArray:
        """The list of a key; empty if the key is absent."""
        value = node.get(key)
        if value is None:
            return JsonArray(node.offset)
        if not isinstance(value, JsonArray):
            self.fail(f'"{key}" must be an array', node.values_at[key])
        return value
