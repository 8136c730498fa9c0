"""Reads a Profile from the keys of wirebook.toml that state it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from wirebook.specs.limits import MAX_INT16
from wirebook.specs.link_pattern import compiled
from wirebook.specs.model import MESSAGE_TYPES, PRIMITIVES
from wirebook.specs.problems import InputError, Lines, Position
from wirebook.specs.profile import (
    HALVES,
    NEUTRAL,
    EmbeddedMessage,
    HeaderException,
    HeaderFields,
    Headers,
    Link,
    NegotiationApi,
    Profile,
    SiteProfile,
)
from wirebook.specs.reading.discovery import candidate
from wirebook.specs.table import Table

TABLES = ("levels", "errors", "values")  # the files of facts that a profile may name

_NAME = re.compile(r"[a-z][a-z0-9-]*", re.ASCII)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*", re.ASCII)
_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:\.[A-Za-z][A-Za-z0-9]*)+", re.ASCII)
_SUFFIX = re.compile(r"[A-Z][A-Za-z0-9]*", re.ASCII)
_URL = re.compile(r"(?:[^{}]|\{[0-9]{1,3}\})*")
_OF_HEADERS = ("exceptions", "fields")  # the keys of [headers] that are no types of messages
_TEXTS = ("product", "title", "client", "server", "level")
_SITE_TEXTS = ("title", "description", "logo", "favicon", "primary", "accent", "home")
KEYS = (
    "name", "extends", *_TEXTS, "listeners", "former_listeners", "entity_types", "message_types",
    "keyed_types", "suffixes", "headers", "frame_length", "negotiation", "tables", "embedded",
    "links", "site",
)  # fmt: skip


def profile_of(
    values: Mapping[str, Any], path: str, text: str, extended: Callable[[str], Profile]
) -> Profile:
    """The profile that the values of the TOML file at a path state; `text` is that of the file.

    Missing settings are those of the profile that `extends` names. Entity types, former listeners,
    tables, embedded messages, links and exceptions of headers are added to its own. Raises
    InputError, with the key, for unknown keys, values of the wrong type and contradictory headers.
    """
    table = Table(values, path)
    table.known(KEYS)
    base = _extended(table, extended)
    given: dict[str, Any] = {key: table.text(key) for key in ("name", *_TEXTS) if key in table}
    if _NAME.fullmatch(given.get("name", "x")) is None:
        raise table.error('"name" must consist of lowercase letters, digits and "-"')
    if "listeners" in table:
        given["listeners"] = _words(table, "listeners")
    own = base.message_types
    if "message_types" in table:
        own = tuple(word for word in _words(table, "message_types") if word not in MESSAGE_TYPES)
    keyed = _words(table, "keyed_types") if "keyed_types" in table else base.keyed_types
    for word in keyed:
        if word not in own:
            raise table.error(f'"{word}" in "keyed_types" is not one of "message_types"')
    length = table.number("frame_length", 0, 8) if "frame_length" in table else base.frame_length
    if length not in (0, 1, 2, 4, 8):
        raise table.error('"frame_length" must be 0, 1, 2, 4 or 8 bytes')
    return replace(
        base,
        **given,
        message_types=own,
        keyed_types=keyed,
        frame_length=length,
        former_listeners={**base.former_listeners, **_texts_by_key(table, "former_listeners")},
        entity_types=_entity_types(table, base.entity_types),
        suffixes=_suffixes(table, base.suffixes, (*HALVES, *own)),
        headers=_headers(table, base.headers, own),
        header_fields=_header_fields(table, base.header_fields),
        negotiation=_negotiation(table, base.negotiation),
        tables={**base.tables, **_tables(table)},
        embedded=(*map(_embedded, table.inners("embedded")), *base.embedded),
        links=(*map(_link, table.inners("links")), *base.links),
        site=_site(table, base.site),
        path=path,
        positions=_positions(text, values),
    )


def _extended(table: Table, extended: Callable[[str], Profile]) -> Profile:
    if "extends" not in table:
        return NEUTRAL
    try:
        return extended(table.text("extends"))
    except InputError as error:
        raise InputError(error.message, table.path) from None


def _words(table: Table, key: str) -> tuple[str, ...]:
    words = table.texts(key)
    for word in words:
        if _WORD.fullmatch(word) is None:
            raise table.error(f'"{word}" in "{key}" is not a word of letters, digits, "-" and "_"')
    return words


def _texts_by_key(table: Table, key: str, keys: Sequence[str] | None = None) -> dict[str, str]:
    """A table of strings, which may be empty; with `keys`, it has only these."""
    if key not in table:
        return {}
    inner = table.inner(key)
    if keys is not None:
        inner.known(keys)
    return inner.texts_by_key()


def _entity_types(table: Table, base: Mapping[str, str] | None) -> Mapping[str, str] | None:
    if "entity_types" not in table:
        return base
    own = _texts_by_key(table, "entity_types")
    for kind in own.values():
        if kind and kind not in PRIMITIVES:
            raise table.error(f'entity_types: "{kind}" is not a primitive type; "" is any type')
    return {**(base or {}), **own}


def _suffixes(table: Table, base: Mapping[str, str], types: Sequence[str]) -> Mapping[str, str]:
    own = _texts_by_key(table, "suffixes", types)
    for suffix in own.values():
        if suffix and _SUFFIX.fullmatch(suffix) is None:
            words = "cannot end a name: write a capital letter, then letters and digits"
            raise table.error(f'suffixes: "{suffix}" {words}')
    suffixes = {**base, **own}
    if suffixes["request"] == suffixes["response"]:
        raise table.error("suffixes: a request and its response need different ones")
    return suffixes


def _headers(table: Table, base: Headers, own: Sequence[str]) -> Headers:
    if "headers" not in table:
        return base
    inner = table.inner("headers")
    inner.known((*HALVES, *own, *_OF_HEADERS))
    types = [word for word in (*HALVES, *own) if word in inner and word not in _OF_HEADERS]
    pairs = {word: _pair(inner, word) for word in types}
    headers = Headers(
        request=pairs.pop("request", base.request),
        response=pairs.pop("response", base.response),
        others={**base.others, **pairs},
    )
    exceptions: list[HeaderException] = []
    for each in inner.inners("exceptions"):
        exceptions.append(_exception(each, headers.types, exceptions))
    return headers._replace(exceptions=(*exceptions, *base.exceptions))


def _pair(headers: Table, key: str) -> tuple[int, int]:
    value = headers.values[key]
    if not isinstance(value, list) or len(value) != 2:
        words = "must be a list of two header versions: for non-flexible and for flexible versions"
        raise headers.error(f'"{key}" {words}')
    first, second = (headers.whole(key, each, 0, MAX_INT16) for each in value)
    return first, second


def _exception(
    table: Table, types: Sequence[str], others: Collection[HeaderException]
) -> HeaderException:
    table.known(("type", "api_key", "versions", "header"))
    kind = table.text("type")
    if kind not in types:
        *first, last = (f'"{word}"' for word in types)
        raise table.error(f'"type" must be {", ".join(first)} or {last}')
    versions = table.range("versions")
    key, header = (table.number(each, 0, MAX_INT16) for each in ("api_key", "header"))
    for other in others:
        shared = other.versions & versions
        if (other.type, other.api_key) == (kind, key) and other.header != header and shared:
            raise table.error(
                f"the {kind} with API key {key} has header {other.header} in versions {shared}"
            )
    return HeaderException(kind, key, versions, header)


def _header_fields(table: Table, base: HeaderFields) -> HeaderFields:
    if "headers" not in table:
        return base
    return base._replace(**_texts_by_key(table.inner("headers"), "fields", HeaderFields._fields))


def _negotiation(table: Table, base: NegotiationApi | None) -> NegotiationApi | None:
    if "negotiation" not in table:
        return base
    inner = table.inner("negotiation")
    inner.known(("name", "api_key"))
    return NegotiationApi(inner.text("name"), inner.number("api_key", 0, MAX_INT16))


def _tables(table: Table) -> dict[str, str]:
    """Files by content, as paths relative to the top of what has the file of the profile."""
    named = _texts_by_key(table, "tables", TABLES)
    for path in named.values():
        if not candidate("/".join(part for part in path.split("/") if part != ".."), tests=True):
            raise table.error(
                "tables: each is a .json file outside of hidden folders and those of builds"
            )
    folder = posixpath.dirname(table.path)
    return {what: posixpath.normpath(posixpath.join(folder, path)) for what, path in named.items()}


def _embedded(table: Table) -> EmbeddedMessage:
    table.known(("field", "message", "when"))
    if _FIELD.fullmatch(table.text("field")) is None:
        raise table.error('"field" must be a message and a field in it: Carrier.Field')
    carrier, _, path = table.text("field").partition(".")
    when = table.inner("when").values if "when" in table else {}
    for name, value in when.items():
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise table.error(f'"{name}" in "when" must be a string or an integer')
    return EmbeddedMessage(carrier, path, table.text("message"), dict(when))


def _link(table: Table) -> Link:
    table.known(("pattern", "url"))
    pattern, url = table.text("pattern"), table.text("url")
    try:
        groups = compiled(pattern).groups
    except ValueError as error:
        raise table.error(str(error)) from None
    numbers = [int(number) for number in re.findall(r"\{([0-9]{1,3})\}", url)]
    if _URL.fullmatch(url) is None or max(numbers, default=0) > groups:
        raise table.error("{0} is the whole match, {1} the first placeholder of the pattern")
    if not url.startswith(("https://", "http://")):
        raise table.error("an address must begin with https://")
    return Link(pattern, url)


def _site(table: Table, base: SiteProfile) -> SiteProfile:
    if "site" not in table:
        return base
    inner = table.inner("site")
    inner.known((*_SITE_TEXTS, "guides"))
    given: dict[str, Any] = {key: inner.text(key) for key in _SITE_TEXTS if key in inner}
    if "guides" in inner:
        given["guides"] = inner.texts("guides")
    return base._replace(**given)


def _positions(text: str, values: Mapping[str, Any]) -> dict[str, Position]:
    """Where the file has the keys that findings are about, or would have them."""
    headers = _position(text, "headers")
    positions = {"frame_length": _position(text, "frame_length"), "headers": headers}
    for role in values.get("headers", {}).get("fields", {}):
        positions[role] = _position(text, role, after=r"fields\b")
    return positions


def _position(text: str, key: str, after: str = "") -> Position:
    """The first line that states a key or a table of this name, below a line with what comes before
    it."""
    start = re.search(after, text)
    line = re.compile(rf"^[ \t]*(\[*[\w.-]*?\b{key}[ \t]*[=\].])", re.MULTILINE)
    found = line.search(text, start.start() if start else 0)
    return Lines(text).position(found.start(1) if found else 0)
