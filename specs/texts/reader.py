"""Reads the texts about an API or another message: a JSON file with comments, separate from the specs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import NoReturn, TypeVar

from wirebook.specs.problems import InputError
from wirebook.specs.syntax.jsontext import JsonArray, JsonDocument, JsonObject, parse_json
from wirebook.specs.texts.model import ApiTexts, ErrorText, FieldText, MessageTexts, UseText
from wirebook.specs.versions import Versions, VersionsError

_KEYS = (
    "$schema", "group", "name", "purpose", "replaced_by", "use", "pitfalls", "versions", "requires",
    "messages", "errors",
)  # fmt: skip
# What is markup in HTML or Markdown, and characters that no sentence has.
_MARKUP = re.compile(
    r"<[A-Za-z/!]|`|\*\*|\]\(|&#?\w+;"
    r"|[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]"
)
_NUMBER = re.compile(r"0|[1-9]\d{0,4}", re.ASCII)
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


def read_texts(text: str | bytes, path: str) -> ApiTexts:
    """Read one file. Raises InputError with line and column if it is invalid.

    It must not have unknown, repeated or missing keys, values of another type, two texts for one version of a
    field, or markup in a text.
    """
    return _Reader(parse_json(text, path), path).read()


class _Reader:
    def __init__(self, document: JsonDocument, path: str) -> None:
        self.document = document
        self.path = path

    def read(self) -> ApiTexts:
        value = self.document.value
        if not isinstance(value, JsonObject):
            self.fail("the texts of a message must be a JSON object", self.document.offset)
        self.keys(value, _KEYS, ("name", "purpose", "messages"))
        return ApiTexts(
            name=self.text(value, "name"),
            purpose=self.text(value, "purpose"),
            path=self.path,
            use=self.use(value),
            pitfalls=self.sentences(value, "pitfalls"),
            versions=self.members(value, "versions", self.version),
            requires=self.members(value, "requires", self.version),
            messages=self.members(value, "messages", self.message),
            errors=self.errors(value),
            group=self.text(value, "group") if "group" in value else "",
            replaced_by=self.sentences(value, "replaced_by"),
        )

    def fail(self, message: str, offset: int) -> NoReturn:
        raise InputError(message, self.path, self.document.lines.position(offset))

    def keys(self, node: JsonObject, known: tuple[str, ...], required: tuple[str, ...]) -> None:
        self.once(node)
        for key in node:
            if key not in known:
                self.fail(f'there is no key "{key}" here; known are {", ".join(known)}', node.keys_at[key])
        for key in required:
            if key not in node:
                self.fail(f'"{key}" is missing', node.offset)

    def once(self, node: JsonObject) -> None:
        for key, _, again in node.duplicates:
            self.fail(f'"{key}" is repeated: there are two texts for one place', again)

    def text(self, node: JsonObject, key: str) -> str:
        return self.sentence(node.get(key, ""), node.values_at.get(key, node.offset))

    def sentence(self, value: object, offset: int) -> str:
        if not isinstance(value, str) or not value.strip():
            self.fail("a text must be a nonempty string", offset)
        if found := _MARKUP.search(value):
            self.fail(f"a text must be plain: {found[0]!a} is markup or a control character", offset)
        return " ".join(value.split())

    def object_at(self, node: JsonObject, key: str) -> JsonObject:
        value = node[key]
        if not isinstance(value, JsonObject):
            self.fail(f'"{key}" must be an object', node.values_at[key])
        return value

    def members(
        self, node: JsonObject, key: str, read: Callable[[JsonObject, str], tuple[_Key, _Value]]
    ) -> Mapping[_Key, _Value]:
        if key not in node:
            return {}
        inner = self.object_at(node, key)
        self.once(inner)
        return dict(read(inner, name) for name in inner)

    def version(self, node: JsonObject, key: str) -> tuple[int, str]:
        if not _NUMBER.fullmatch(key):
            self.fail(f'"{key}" is not a version number', node.keys_at[key])
        return int(key), self.text(node, key)

    def message(self, node: JsonObject, key: str) -> tuple[str, MessageTexts]:
        inner = self.object_at(node, key)
        self.keys(inner, ("fields", "replaced_by"), ("fields",))
        return key, MessageTexts(
            self.members(inner, "fields", self.field), self.members(inner, "replaced_by", self.pair)
        )

    def pair(self, node: JsonObject, key: str) -> tuple[str, str]:
        return key, self.text(node, key)

    def field(self, node: JsonObject, path: str) -> tuple[str, tuple[FieldText, ...]]:
        value = node[path]
        if not isinstance(value, JsonObject):
            return path, (FieldText(Versions.ALL, self.text(node, path)),)
        self.once(value)
        found: list[FieldText] = []
        for key in value:
            item = FieldText(self.range(key, value.keys_at[key]), self.text(value, key))
            if any(item.versions & other.versions for other in found):
                self.fail(f'"{key}" has versions that have a text already', value.keys_at[key])
            found.append(item)
        return path, tuple(found)

    def range(self, text: str, offset: int) -> Versions:
        try:
            return Versions.parse(text)
        except VersionsError as error:
            self.fail(str(error), offset)

    def use(self, node: JsonObject) -> UseText:
        if "use" not in node:
            return UseText()
        inner = self.object_at(node, "use")
        self.keys(inner, tuple(item.name for item in fields(UseText)), ())
        return UseText(**{key: self.text(inner, key) for key in inner})

    def list_at(self, node: JsonObject, key: str) -> JsonArray:
        value = node.get(key)
        if value is None:
            return JsonArray(node.offset)
        if not isinstance(value, JsonArray):
            self.fail(f'"{key}" must be an array', node.values_at[key])
        return value

    def sentences(self, node: JsonObject, key: str) -> tuple[str, ...]:
        found = self.list_at(node, key)
        return tuple(self.sentence(item, at) for item, at in zip(found, found.values_at, strict=True))

    def errors(self, node: JsonObject) -> tuple[ErrorText, ...]:
        found = self.list_at(node, "errors")
        return tuple(self.error(item, at) for item, at in zip(found, found.values_at, strict=True))

    def error(self, value: object, offset: int) -> ErrorText:
        if not isinstance(value, JsonObject):
            self.fail("an error must be an object", offset)
        required = ("name", "field", "cause", "action", "source")
        self.keys(value, ErrorText._fields, required)
        texts = {key: self.text(value, key) for key in required}
        inferred = value.get("inferred", False)
        if not isinstance(inferred, bool):
            self.fail('"inferred" must be true or false', value.values_at["inferred"])
        versions = self.text(value, "versions") if "versions" in value else "0+"
        return ErrorText(
            name=texts["name"],
            versions=self.range(versions, value.values_at.get("versions", offset)),
            field=texts["field"],
            cause=texts["cause"],
            action=texts["action"],
            source=texts["source"],
            inferred=inferred,
        )
