"""Reads a Profile from the keys of wirebook.toml that state it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wirebook.specs.limits import MAX_INT16
from wirebook.specs.link_pattern import compiled
from wirebook.specs.model import MESSAGE_TYPES, PRIMITIVES
from wirebook.specs.problems import InputError, Position
from wirebook.specs.profile import (
    HALVES,
    NEUTRAL,
    EmbeddedMessage,
    HeaderException,
    HeaderFields,
    Headers,
    KeyPositions,
    Link,
    NegotiationApi,
    OwnHeader,
    Profile,
    SiteProfile,
)
from wirebook.specs.reading.discovery import candidate
from wirebook.specs.syntax.tomltext import TomlDocument
from wirebook.specs.versions import Versions, VersionsError

TABLES = ("levels", "errors", "values")  # the files of facts that a profile may name
GATED = frozenset(("errors", "values", "levels"))  # those that a check compares

# The profile that `extends` names.
Extended = Callable[[str], Profile]

_NAME = re.compile(r"[a-z][a-z0-9-]*", re.ASCII)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*", re.ASCII)
_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9]*", re.ASCII)
_SUFFIX = re.compile(r"[A-Z][A-Za-z0-9]*", re.ASCII)
_OF_HEADERS = ("exceptions", "fields")  # the keys of [headers] that are no types of messages
_TEXTS = ("product", "title", "client", "server", "level")
_SITE_TEXTS = ("title", "description", "logo", "favicon", "primary", "accent", "home")
KEYS = (
    "name", "extends", *_TEXTS, "listeners", "former_listeners", "entity_types", "message_types",
    "keyed_types", "suffixes", "headers", "frame_length", "negotiation", "tables", "embedded",
    "links", "site",
)  # fmt: skip


def profile_of(
    document: TomlDocument, table: Mapping[str, Any], above: tuple[str | int, ...], extended: Extended
) -> Profile:
    """Read the profile that a table of a TOML file describes; `above` are the keys that lead to it.

    Missing settings are those of the extended profile; entity types, former listeners, tables, embedded
    messages, links and exceptions of headers are added to its own. Raises InputError, with the line, for
    unknown keys, values of the wrong type and contradictory headers.
    """
    document.refuse_null(table, *above)
    return _Reader(document, table, above).profile(extended)


class _Reader:
    """Reads a table of a profile."""

    def __init__(
        self, document: TomlDocument, table: Mapping[str, Any], above: tuple[str | int, ...]
    ) -> None:
        self.document = document
        self.table = table
        self.above = above

    def profile(self, extended: Extended) -> Profile:
        self.known(KEYS)
        base = NEUTRAL
        if "extends" in self.table:
            try:
                base = extended(self.text("extends"))
            except InputError as error:
                if error.path is not None:
                    raise
                raise self.document.error_in(error.message, *self.above, "extends") from None
        values: dict[str, Any] = {key: self.text(key) for key in _TEXTS if key in self.table}
        name = self.text("name") if "name" in self.table else base.name
        if "name" in self.table and _NAME.fullmatch(name) is None:
            raise self.error('"name" must consist of lowercase letters, digits and "-"', "name")
        if "listeners" in self.table:
            values["listeners"] = self.words("listeners")
        if "message_types" in self.table:
            added = [word for word in self.words("message_types") if word not in MESSAGE_TYPES]
            values["message_types"] = tuple(added)
        types = (*HALVES, *values.get("message_types", base.message_types))
        if "keyed_types" in self.table:
            values["keyed_types"] = self.own_types("keyed_types", types)
        if "frame_length" in self.table:
            values["frame_length"] = self.number("frame_length", 8)
            if values["frame_length"] not in (0, 1, 2, 4, 8):
                raise self.error('"frame_length" must be 0, 1, 2, 4 or 8 bytes', "frame_length")
        return base._replace(
            name=name,
            **values,
            former_listeners={**base.former_listeners, **self.texts_by_key("former_listeners")},
            entity_types=self.entity_types(base),
            suffixes=self.suffixes(base, types),
            headers=self.headers(base.headers, types),
            header_fields=self.header_fields(base.header_fields),
            negotiation=self.negotiation(base),
            tables={**base.tables, **self.placed("tables")},
            embedded=(*self.embedded(), *base.embedded),
            links=(*self.links(), *base.links),
            site=self.site(base.site),
            path=self.document.path,
            positions=self.positions(),
        )

    def positions(self) -> KeyPositions:
        """Where the file has the keys that findings are about, or would have them."""
        roles = self.table.get("headers", {}).get("fields", {})
        keys = {"frame_length": ("frame_length",), "headers": ("headers",)}
        keys |= {role: ("headers", "fields", role) for role in roles}
        return KeyPositions(
            {name: self.document.at(*self.above, *path) or Position(1, 1) for name, path in keys.items()}
        )

    def placed(self, key: str) -> dict[str, str]:
        """Files by content, as paths relative to the folder of the document."""
        folder = posixpath.dirname(self.document.path)
        named = self.texts_by_key(key, TABLES)
        for what in GATED & named.keys():
            parts = [part for part in named[what].split("/") if part != ".."]
            if not candidate("/".join(parts), tests=True):
                raise self.error(
                    "a table is a .json file outside of hidden folders and those of builds", key, what
                )
        return {what: posixpath.normpath(posixpath.join(folder, path)) for what, path in named.items()}

    def entity_types(self, base: Profile) -> Mapping[str, str] | None:
        if "entity_types" not in self.table:
            return base.entity_types
        own = self.texts_by_key("entity_types", empty=True)
        for word, kind in own.items():
            if kind and kind not in PRIMITIVES:
                raise self.error(
                    f'"{kind}" is not a primitive type; "" stands for any type', "entity_types", word
                )
        return {**(base.entity_types or {}), **own}

    def own_types(self, key: str, types: Sequence[str]) -> tuple[str, ...]:
        words = self.words(key)
        for number, word in enumerate(words):
            if word not in types[len(HALVES) :]:
                raise self.error(f'"{word}" is not one of "message_types"', key, number)
        return words

    def suffixes(self, base: Profile, types: Sequence[str]) -> Mapping[str, str]:
        own = self.texts_by_key("suffixes", types, empty=True)
        for word, suffix in own.items():
            if suffix and _SUFFIX.fullmatch(suffix) is None:
                raise self.error(
                    f'"{suffix}" cannot end a name: write a capital letter, then letters and digits',
                    "suffixes",
                    word,
                )
        suffixes = {**base.suffixes, **own}
        if suffixes["request"] == suffixes["response"]:
            raise self.error("a request and its response need different suffixes", "suffixes")
        return suffixes

    def headers(self, base: Headers, types: Sequence[str]) -> Headers:
        if "headers" not in self.table:
            return base
        inner = self.inner("headers", (*types, *_OF_HEADERS))
        own = [word for word in types[len(HALVES) :] if word not in _OF_HEADERS]
        others = {word: inner.pair(word) for word in own if word in inner.table}
        every = {**dict(base.others), **others}
        headers = Headers(
            request=inner.pair("request") if "request" in inner.table else base.request,
            response=inner.pair("response") if "response" in inner.table else base.response,
            others=tuple(OwnHeader(*each) for each in every.items()),
        )
        exceptions = [*inner.exceptions(headers.types), *base.exceptions]
        return headers._replace(exceptions=tuple(exceptions))

    def header_fields(self, base: HeaderFields) -> HeaderFields:
        if "headers" not in self.table or "fields" not in self.table["headers"]:
            return base
        inner = self.inner("headers", tuple(self.table["headers"]))
        return base._replace(**inner.texts_by_key("fields", HeaderFields._fields))

    def pair(self, key: str) -> tuple[int, int]:
        value = self.table[key]
        if not isinstance(value, list) or len(value) != 2:
            raise self.error(
                f'"{key}" must be a list of two header versions: for non-flexible and for flexible versions',
                key,
            )
        return self.whole(value[0], MAX_INT16, key, 0), self.whole(value[1], MAX_INT16, key, 1)

    def exceptions(self, types: Sequence[str]) -> list[HeaderException]:
        exceptions: list[HeaderException] = []
        for each in self.tables("exceptions", ("type", "api_key", "versions", "header")):
            kind = each.text("type")
            if kind not in types:
                *others, last = (f'"{word}"' for word in types)
                raise each.error(f'"type" must be {", ".join(others)} or {last}', "type")
            try:
                versions = Versions.parse(each.text("versions"))
            except VersionsError as error:
                raise each.error(str(error), "versions") from None
            exception = HeaderException(
                kind, each.number("api_key", MAX_INT16), versions, each.number("header", MAX_INT16)
            )
            for other in exceptions:
                same = other[:2] == exception[:2] and other.header != exception.header
                if same and not (other.versions & exception.versions).empty:
                    raise each.error(
                        f"the {kind} with API key {exception.api_key} has header {other.header} in versions "
                        f"{other.versions & exception.versions}",
                    )
            exceptions.append(exception)
        return exceptions

    def negotiation(self, base: Profile) -> NegotiationApi | None:
        if "negotiation" not in self.table:
            return base.negotiation
        inner = self.inner("negotiation", ("name", "api_key"))
        return NegotiationApi(inner.text("name"), inner.number("api_key", MAX_INT16))

    def embedded(self) -> list[EmbeddedMessage]:
        messages = []
        for each in self.tables("embedded", ("field", "message", "when")):
            carrier, dot, path = each.text("field").partition(".")
            if not dot or not all(map(_FIELD.fullmatch, (carrier, *path.split(".")))):
                raise each.error('"field" must be a message and a field in it: Carrier.Field', "field")
            when = each.table.get("when", {})
            if not isinstance(when, dict):
                raise each.error('"when" must be a table of values by the names of fields', "when")
            for name, value in when.items():
                if isinstance(value, bool) or not isinstance(value, str | int):
                    raise each.error("write a string or an integer here", "when", name)
            messages.append(EmbeddedMessage(carrier, path, each.text("message"), dict(when)))
        return messages

    def links(self) -> list[Link]:
        links = []
        for each in self.tables("links", ("pattern", "url")):
            pattern, url = each.text("pattern"), each.text("url")
            try:
                groups = compiled(pattern).groups
            except ValueError as error:
                raise each.error(str(error), "pattern") from None
            named = [int(number) for number in re.findall(r"\{([0-9]{1,3})\}", url)]
            if re.fullmatch(r"(?:[^{}]|\{[0-9]{1,3}\})*", url) is None or max(named, default=0) > groups:
                raise each.error("{0} is the whole match, {1} the first placeholder of the pattern", "url")
            if not url.startswith(("https://", "http://")):
                raise each.error("an address must begin with https://", "url")
            links.append(Link(pattern, url))
        return links

    def site(self, base: SiteProfile) -> SiteProfile:
        if "site" not in self.table:
            return base
        inner = self.inner("site", (*_SITE_TEXTS, "guides"))
        values: dict[str, Any] = {key: inner.text(key) for key in _SITE_TEXTS if key in inner.table}
        if "guides" in inner.table:
            values["guides"] = inner.texts("guides")
        return base._replace(**values)

    def known(self, keys: Sequence[str]) -> None:
        for key in self.table:
            if key not in keys:
                raise self.document.unknown(key, keys, *self.above)

    def inner(self, key: str, keys: Sequence[str]) -> _Reader:
        """The table below a key, which may have only these keys."""
        value = self.table[key]
        if not isinstance(value, dict):
            raise self.error(f'"{key}" must be a table', key)
        inner = _Reader(self.document, value, (*self.above, key))
        inner.known(keys)
        return inner

    def tables(self, key: str, keys: Sequence[str]) -> list[_Reader]:
        """The tables in a list of tables, each with all of these keys and no others."""
        value = self.table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.error(f"write [[{'.'.join(map(str, (*self.above, key)))}]] above each of them", key)
        readers = [_Reader(self.document, item, (*self.above, key, at)) for at, item in enumerate(value)]
        for reader in readers:
            reader.known(keys)
        return readers

    def error(self, message: str, *keys: str | int) -> InputError:
        return self.document.error(message, *self.above, *keys)

    def text(self, key: str) -> str:
        value = self.table.get(key)
        if not isinstance(value, str) or not value.strip():
            raise self.error(f'"{key}" must be a string', key)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.table[key]
        if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
            raise self.error(f'"{key}" must be a list of strings', key)
        return tuple(value)

    def words(self, key: str) -> tuple[str, ...]:
        words = self.texts(key)
        for number, word in enumerate(words):
            if _WORD.fullmatch(word) is None:
                raise self.error(f'"{word}" is not a word of letters, digits, "-" and "_"', key, number)
        return words

    def texts_by_key(
        self, key: str, keys: Sequence[str] | None = None, *, empty: bool = False
    ) -> dict[str, str]:
        value = self.table.get(key, {})
        if not isinstance(value, dict):
            raise self.error(f'"{key}" must be a table of strings', key)
        for word, text in value.items():
            if keys is not None and word not in keys:
                raise self.document.unknown(word, keys, *self.above, key)
            if not isinstance(text, str) or not (text.strip() or empty):
                raise self.error("write a string here", key, word)
        return dict(value)

    def number(self, key: str, highest: int) -> int:
        return self.whole(self.table.get(key), highest, key)

    def whole(self, value: object, highest: int, *keys: str | int) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= highest:
            raise self.error(f'"{keys[0]}" must be an integer from 0 to {highest}', *keys)
        return value
