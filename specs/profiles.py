"""Reads a Profile from the keys of wirebook.toml that state it."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from wirebook.specs.keys import filled, many, matching, versions, whole
from wirebook.specs.limits import MAX_INT16
from wirebook.specs.model import PRIMITIVES
from wirebook.specs.problems import InputError
from wirebook.specs.profile import (
    HEADERS,
    NEUTRAL,
    EmbeddedMessage,
    HeaderFields,
    HeaderRange,
    Headers,
    Link,
    NegotiationApi,
    Profile,
    SiteProfile,
)
from wirebook.specs.toml import Table

TABLES = ("levels", "errors", "values")  # the files of facts that a profile may name

_WORD = r"[A-Za-z][A-Za-z0-9_-]*"
_FIELD = r"[A-Za-z][A-Za-z0-9]*(\.[A-Za-z][A-Za-z0-9]*)+"
_URL = r"https?://([^{}]|\{[01]\})*"
_TEXTS = ("product", "title", "client", "server", "level")
_INT16 = whole(0, MAX_INT16)


def profile_of(values: Mapping[str, Any], path: str, extended: Callable[[str], Profile]) -> Profile:
    """The profile that the values of the TOML file at a path state.

    Missing settings are those of the profile that `extends` names. Entity types, embedded messages,
    links, and fields and exceptions of headers are added to its own. Raises InputError,
    with the key, for unknown keys and values of the wrong type.
    """
    table = Table(values, path)
    table.known(KEYS)
    base = NEUTRAL
    if "extends" in table:
        try:
            base = extended(table.read("extends", filled))
        except InputError as error:
            raise table.error(error.message) from None
    stated: dict[str, Any] = {key: table.read(key, filled) for key in _TEXTS if key in table}
    stated |= {key: read(table, base) for key, read in _READERS.items() if key in table}
    return replace(base, **stated, path=path)


def _entity_types(table: Table, base: Profile) -> Mapping[str, str]:
    own = table.strings("entity_types")
    for kind in own.values():
        if kind and kind not in PRIMITIVES:
            raise table.error(f'entity_types: "{kind}" is not a primitive type; "" is any type')
    return {**(base.entity_types or {}), **own}


def _headers(table: Table, base: Profile) -> Headers:
    inner = table.inner("headers")
    inner.known(Headers._fields)
    fields = base.headers.fields._replace(**inner.strings("fields", HeaderFields._fields))
    exceptions = dict(base.headers.exceptions)
    for each in inner.inners("exceptions"):
        each.known(("type", "api_key", "versions", "header"))
        key = each.read("type", matching("|".join(HEADERS))), each.read("api_key", _INT16)
        own = HeaderRange(each.read("versions", versions), each.read("header", _INT16))
        exceptions[key] = (own, *exceptions.get(key, ()))
    return Headers(fields, exceptions)


def _negotiation(table: Table, base: Profile) -> NegotiationApi:
    inner = table.inner("negotiation")
    inner.known(NegotiationApi._fields)
    return NegotiationApi(inner.read("name", filled), inner.read("api_key", _INT16))


def _tables(table: Table, base: Profile) -> Mapping[str, str]:
    """Files by content, as paths relative to the top of what has the file of the profile."""
    folder = posixpath.dirname(table.path)
    named = table.strings("tables", TABLES, matching(r".+\.json"))
    return {what: posixpath.normpath(posixpath.join(folder, path)) for what, path in named.items()}


def _embedded(table: Table) -> EmbeddedMessage:
    table.known(("field", "message", "when"))
    carrier, _, path = table.read("field", matching(_FIELD)).partition(".")
    when = table.inner("when").values if "when" in table else {}
    for name, value in when.items():
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise table.error(f'"{name}" in "when" must be a string or an integer')
    return EmbeddedMessage(carrier, path, table.read("message", filled), dict(when))


def _link(table: Table) -> Link:
    table.known(("pattern", "url"))
    pattern, url = table.read("pattern", filled), table.read("url", matching(_URL))
    if pattern.count("{number}") != 1:
        raise table.error('"pattern" is a text with {number} in it, such as "ISSUE-{number}"')
    return Link(pattern, url)


def _site(table: Table, base: Profile) -> SiteProfile:
    inner = table.inner("site")
    inner.known(SiteProfile._fields)
    colour = matching("#[0-9a-fA-F]{6}")
    texts = {
        key: inner.read(key, colour if key in ("primary", "accent") else filled)
        for key in SiteProfile._fields
        if key in inner and key != "guides"
    }
    guides = inner.read("guides", many(filled)) if "guides" in inner else base.site.guides
    return base.site._replace(**texts, guides=guides)


_READERS: Mapping[str, Callable[[Table, Profile], Any]] = {
    "name": lambda table, _: table.read("name", matching("[a-z][a-z0-9-]*")),
    "listeners": lambda table, _: table.read("listeners", many(matching(_WORD))),
    "entity_types": _entity_types,
    "headers": _headers,
    "negotiation": _negotiation,
    "tables": _tables,
    "embedded": lambda table, base: (*map(_embedded, table.inners("embedded")), *base.embedded),
    "links": lambda table, base: (*map(_link, table.inners("links")), *base.links),
    "site": _site,
}
KEYS = ("extends", *_TEXTS, *_READERS)
