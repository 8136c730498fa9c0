"""Reads the texts about messages, and their other names: JSON with comments, separate from the specs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import TypeVar

from wirebook.specs.problems import Position
from wirebook.specs.syntax.jsontext import JsonDocument, JsonObject, parse_json
from wirebook.specs.texts.model import (
    Alias,
    ApiTexts,
    CitedText,
    ErrorText,
    FieldCode,
    FieldText,
    MessageTexts,
    UseText,
    code_source,
    folded,
)
from wirebook.specs.texts.prose import ProseReader
from wirebook.specs.texts.releases import (
    NO_RELEASES,
    ReleaseList,
    ReleaseRange,
    ReleasesError,
    ReleaseText,
    overlapping,
)
from wirebook.specs.versions import Versions, VersionsError

_KEYS = (
    "$schema", "group", "name", "source", "purpose", "replaced_by", "use", "pitfalls", "versions", "requires",
    "messages", "errors",
)  # fmt: skip
_VARIES = ("text", "releases", "source", "inferred", "reason")
# The addresses of code are computed from the source.
_ERROR_KEYS = tuple(key for key in ErrorText._fields if key != "code")
_ALIASES = "wirebook/aliases/1"
_NUMBER = re.compile(r"0|[1-9]\d{0,4}", re.ASCII)
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


def read_texts(
    text: str | bytes,
    path: str,
    releases: ReleaseList = NO_RELEASES,
    release: str = "",
    code: Mapping[str, Mapping[str, FieldCode]] = MappingProxyType({}),
) -> ApiTexts:
    """Read one file, as readers of a release see it. Raises InputError with line and column if it is invalid.

    `code` has the code of fields, by message and path, which is the source of their texts without another.

    It must not have unknown, repeated or missing keys, values of another type, two texts for one version of a
    field or for one release, a release that is not in the list, or markup in a text.
    """
    return _Reader(parse_json(text, path), path, releases, release, code).read()


def read_aliases(text: str | bytes, path: str) -> tuple[Alias, ...]:
    """Read a file of other names, in its order. Raises InputError with line and column if it is invalid.

    A name must be that of one thing only, however it is spelled.
    """
    return _Reader(parse_json(text, path), path, NO_RELEASES, "", {}).aliases()


class _Reader(ProseReader):
    def __init__(
        self,
        document: JsonDocument,
        path: str,
        releases: ReleaseList,
        release: str,
        code: Mapping[str, Mapping[str, FieldCode]],
    ) -> None:
        super().__init__(document, path)
        self.releases = releases
        self.release = release
        self.code = code
        self.cited: list[CitedText] = []
        self.of_fields: dict[str, list[tuple[Position, FieldCode]]] = {}

    def read(self) -> ApiTexts:
        value = self.document.value
        if not isinstance(value, JsonObject):
            self.fail("the texts of a message must be a JSON object", self.document.offset)
        self.keys(value, _KEYS, ("name", "purpose", "messages"))
        return ApiTexts(
            name=self.text(value, "name"),
            purpose=self.prose(value, "purpose"),
            path=self.path,
            use=self.use(value),
            pitfalls=self.pitfalls(value),
            versions=self.members(value, "versions", self.version),
            requires=self.members(value, "requires", self.version),
            messages=self.members(value, "messages", self.message),
            errors=self.errors(value),
            group=self.text(value, "group") if "group" in value else "",
            replaced_by=self.sentences(value, "replaced_by"),
            source=self.text(value, "source") if "source" in value else "",
            cited=(*self.cited, *self.cited_for_fields()),
        )

    def cited_for_fields(self) -> Iterator[CitedText]:
        """The texts of fields without another source. Several fields may share a text."""
        cited = {each.text for each in self.cited}
        for text, places in self.of_fields.items():
            source = code_source([code for _, code in places])
            if text not in cited and source:
                yield CitedText(text, source, places[0][0], is_of_field=True)

    def aliases(self) -> tuple[Alias, ...]:
        value = self.document.value
        if not isinstance(value, JsonObject):
            self.fail("aliases must be a JSON object", self.document.offset)
        self.keys(value, ("schema", "aliases"), ("schema", "aliases"))
        if value["schema"] != _ALIASES:
            self.fail(f'"schema" must be "{_ALIASES}"', value.values_at["schema"])
        things = self.object_at(value, "aliases")
        self.once(things)
        owners: dict[str, str] = {}
        aliases: list[Alias] = []
        for thing in things:
            names = self.list_at(things, thing)
            if not names:
                self.fail(f'"{thing}" has no other name here', things.values_at[thing])
            for item, at in zip(names, names.values_at, strict=True):
                name = self.sentence(item, at)
                owner = owners.setdefault(folded(name), thing)
                if owner != thing:
                    self.fail(f'"{name}" is an alias for two things, {owner} and {thing}', at)
                if any(alias.thing == thing and folded(alias.name) == folded(name) for alias in aliases):
                    self.fail(f'"{name}" is an alias for {thing} already', at)
                aliases.append(Alias(name, thing, self.document.lines.position(at)))
        return tuple(aliases)

    def prose(self, node: JsonObject, key: str) -> str:
        """A text that may differ from release to release."""
        return self.varying(node.get(key, ""), node.values_at.get(key, node.offset))

    def varying(self, value: object, offset: int) -> str:
        if not isinstance(value, JsonObject):
            return self.sentence(value, offset)
        is_plain = "releases" not in value and "source" in value
        self.keys(value, _VARIES, ("text",) if is_plain else ("releases",))
        text = self.text(value, "text") if is_plain else self.by_releases(value)
        reason = self.reason(value)
        if reason and "source" not in value:
            self.fail('an inferred text names its "source"', value.offset)
        if "source" in value:
            at = self.document.lines.position(value.values_at["source"])
            self.cited.append(CitedText(text, self.text(value, "source"), at, reason))
        return text

    def reason(self, node: JsonObject) -> str:
        """Why a fact is listed that was concluded rather than read; "" for one that was read."""
        inferred = node.get("inferred", False)
        if not isinstance(inferred, bool):
            self.fail('"inferred" must be true or false', node.values_at["inferred"])
        if inferred != ("reason" in node):
            self.fail('"inferred" and "reason" belong together', node.offset)
        return self.text(node, "reason") if inferred else ""

    def by_releases(self, value: JsonObject) -> str:
        """A text of which a part depends on the release."""
        common = self.text(value, "text") if "text" in value else ""
        inner = self.object_at(value, "releases")
        self.once(inner)
        if not inner:
            self.fail("there is no release here", value.values_at["releases"])
        parts: list[ReleaseText] = []
        for key in inner:
            parts.append(ReleaseText(self.release_range(key, inner.keys_at[key]), self.text(inner, key)))
            if overlapping([part.releases for part in parts]):
                self.fail(f'"{key}" has releases that have a text already', inner.keys_at[key])
        return self.releases.sentence(common, parts, self.release)

    def release_range(self, text: str, offset: int) -> ReleaseRange:
        try:
            return self.releases.range(text)
        except ReleasesError as error:
            self.fail(str(error), offset)

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
        return int(key), self.prose(node, key)

    def message(self, node: JsonObject, key: str) -> tuple[str, MessageTexts]:
        inner = self.object_at(node, key)
        self.keys(inner, ("fields", "replaced_by"), ("fields",))
        return key, MessageTexts(
            self.members(inner, "fields", partial(self.field, self.code.get(key, {}))),
            self.members(inner, "replaced_by", self.pair),
        )

    def pair(self, node: JsonObject, key: str) -> tuple[str, str]:
        return key, self.text(node, key)

    def field(
        self, code: Mapping[str, FieldCode], node: JsonObject, path: str
    ) -> tuple[str, tuple[FieldText, ...]]:
        texts = self.texts_of_field(node, path)
        at = self.document.lines.position(node.keys_at[path])
        for each in texts:
            self.of_fields.setdefault(each.text, []).append((at, code.get(path, FieldCode())))
        return path, tuple(texts)

    def texts_of_field(self, node: JsonObject, path: str) -> list[FieldText]:
        value = node[path]
        if not isinstance(value, JsonObject) or not value.keys().isdisjoint(_VARIES):
            return [FieldText(Versions.ALL, self.prose(node, path))]
        self.once(value)
        texts: list[FieldText] = []
        for key in value:
            text = FieldText(self.range(key, value.keys_at[key]), self.prose(value, key))
            if any(text.versions & other.versions for other in texts):
                self.fail(f'"{key}" has versions that have a text already', value.keys_at[key])
            texts.append(text)
        return texts

    def range(self, text: str, offset: int) -> Versions:
        try:
            return Versions.parse(text)
        except VersionsError as error:
            self.fail(str(error), offset)

    def use(self, node: JsonObject) -> UseText:
        if "use" not in node:
            return UseText()
        inner = self.object_at(node, "use")
        self.keys(inner, UseText._fields, ())
        return UseText(**{key: self.prose(inner, key) for key in inner})

    def pitfalls(self, node: JsonObject) -> tuple[str, ...]:
        listed = self.list_at(node, "pitfalls")
        return tuple(self.varying(item, at) for item, at in zip(listed, listed.values_at, strict=True))

    def errors(self, node: JsonObject) -> tuple[ErrorText, ...]:
        values = self.list_at(node, "errors")
        return tuple(self.error(item, at) for item, at in zip(values, values.values_at, strict=True))

    def error(self, value: object, offset: int) -> ErrorText:
        if not isinstance(value, JsonObject):
            self.fail("an error must be an object", offset)
        required = ("name", "field", "cause", "action", "source")
        self.keys(value, _ERROR_KEYS, required)
        reason = self.reason(value)
        versions = self.text(value, "versions") if "versions" in value else "0+"
        releases = ""
        if "releases" in value:
            written = self.text(value, "releases")
            releases = self.releases.words(self.release_range(written, value.values_at["releases"]))
        return ErrorText(
            name=self.text(value, "name"),
            versions=self.range(versions, value.values_at.get("versions", offset)),
            field=self.text(value, "field"),
            cause=self.prose(value, "cause"),
            action=self.prose(value, "action"),
            source=self.text(value, "source"),
            inferred=bool(reason),
            reason=reason,
            releases=releases,
            observed=self.observed(value),
        )

    def observed(self, node: JsonObject) -> str:
        """The release whose server was seen to return an error; "" for none."""
        if "observed" not in node:
            return ""
        return self.release_range(self.text(node, "observed"), node.values_at["observed"]).text
