"""Records to JSON and back, and their JSON Schemas: by their types, which define keys and their
order."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, field, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from wirebook.specs.exported import ExportedLayout
from wirebook.specs.model import Json
from wirebook.specs.versions import Versions, VersionSet

T = TypeVar("T")
_Read = Callable[[Any], Any]


def omitted(default: object, about: str = "") -> Any:
    """A field that has no key in JSON while it is `default`; `about` describes it in the JSON
    Schema."""
    return field(default=default, metadata={"omit": True, "about": about})


def to_json(value: Any) -> Any:
    """A record as JSON: its fields in order, after `schema` if its class has the id of a document.

    Records of other packages have their own `to_json` and `from_json`.
    A field is written under its name or, if that is a keyword of Python, under `metadata["key"]`.
    """
    if isinstance(value, str | int | float | None):
        return value
    if isinstance(value, Mapping):
        return {str(key): to_json(inner) for key, inner in value.items()}
    if type(value) in (list, tuple):
        return [to_json(inner) for inner in value]
    if isinstance(value, VersionSet):
        return value.text
    if hasattr(value, "to_json"):
        return value.to_json()
    kind: Any = type(value)
    document = {"schema": value.SCHEMA} if hasattr(value, "SCHEMA") else {}
    for key, name, plain, default in _written(kind):
        inner = getattr(value, name)
        if default is MISSING or inner != default:
            document[key] = inner if plain else to_json(inner)
    return document


@cache
def _written(kind: Any) -> list[tuple[str, str, bool, Any]]:
    """For each field of a class: its key, its name, whether it already holds JSON, and the omitted
    value."""
    hints = get_type_hints(kind)
    plain = (Any, Mapping[str, Any])
    return [(key, name, hints[name] in plain, default) for key, name, default in _members(kind)]


def _members(kind: Any) -> list[tuple[str, str, Any]]:
    """For each field of a class: its key, its name, and the omitted value."""
    if not is_dataclass(kind):
        return [(name, name, MISSING) for name in kind._fields]
    return [
        (
            str(member.metadata.get("key", member.name)),
            member.name,
            member.default if member.metadata.get("omit") else MISSING,
        )
        for member in fields(kind)
    ]


def from_json(kind: type[T], value: Json) -> T:
    """A record of a class, from the output of `to_json`. Keys that the class does not have are
    ignored.

    Raises KeyError, TypeError, ValueError or AttributeError for what is no output of it.
    """
    target: Any = kind
    record: T = _reader(target)(value)
    return record


@cache
def _reader(kind: Any) -> _Read:
    """The function that reads a value of a type."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        inner = _reader(next(each for each in arguments if each is not types.NoneType))
        return lambda value: None if value is None else inner(value)
    if origin is tuple:
        item = _reader(arguments[0])
        return lambda value: tuple(map(item, value))
    if origin is Mapping:
        key, of_value = int if arguments[0] is int else str, _reader(arguments[1])
        return lambda value: {key(name): of_value(each) for name, each in value.items()}
    if kind is VersionSet:
        return lambda value: VersionSet.parse(value or "none")
    if is_dataclass(kind):
        return _record(kind)
    if hasattr(kind, "from_json"):
        foreign: _Read = kind.from_json
        return foreign
    return _record(kind) if hasattr(kind, "_fields") else lambda value: value


def _record(kind: Any) -> _Read:
    hints = get_type_hints(kind)
    members = [(key, _reader(hints[name]), default) for key, name, default in _members(kind)]

    def read(value: Any) -> Any:
        return kind(
            *(
                default if default is not MISSING and key not in value else inner(value[key])
                for key, inner, default in members
            )
        )

    return read


_TYPES = {str: "string", int: "integer", bool: "boolean", VersionSet: "string", Versions: "string"}
# Documents of their own, which have a schema in specs/schema.
_ELSEWHERE = {ExportedLayout: "urn:wirebook:schema:layout:1"}


def json_schema(kind: Any) -> dict[str, Any]:
    """The JSON Schema (2020-12) of the document of a class: of what `to_json` writes.

    The docstrings of the classes describe it.
    """
    definitions: dict[str, Any] = {}
    schema = _object(kind, definitions)
    _, name, edition = kind.SCHEMA.split("/")
    words = name.replace("-", " ").replace("api", "API")
    later = "Later versions of wirebook may add keys, but never remove any."
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:wirebook:schema:{name}:{edition}",
        "title": words[:1].upper() + words[1:],
        **schema,
        "description": f"{schema['description']} {later}",
        **({"$defs": definitions} if definitions else {}),
    }


def _object(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    abouts = (
        {each.name: each.metadata.get("about", "") for each in fields(kind)}
        if is_dataclass(kind)
        else {}
    )
    properties: dict[str, Any] = (
        {"schema": {"const": kind.SCHEMA}} if hasattr(kind, "SCHEMA") else {}
    )
    required = [*properties]
    for key, name, default in _members(kind):
        described = {"description": abouts[name]} if abouts.get(name) else {}
        properties[key] = {**described, **_schema(hints[name], definitions)}
        if default is MISSING and name not in getattr(kind, "_field_defaults", ()):
            required.append(key)
    about = " ".join((kind.__doc__ or "").split())
    return {"description": about, "type": "object", "required": required, "properties": properties}


def _schema(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """The schema of the values of a type; those of records are among `definitions`."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in _TYPES:
        return {"type": _TYPES[hint]}
    if hint in _ELSEWHERE:
        return {"$ref": _ELSEWHERE[hint]}
    if origin in (Union, types.UnionType):
        inner = _schema(next(each for each in arguments if each is not types.NoneType), definitions)
        is_plain = isinstance(inner.get("type"), str) and len(inner) == 1
        return (
            {"type": [inner["type"], "null"]} if is_plain else {"anyOf": [inner, {"type": "null"}]}
        )
    if origin is tuple:
        return {"type": "array", "items": _schema(arguments[0], definitions)}
    if origin is Mapping:
        return {"type": "object", "additionalProperties": _schema(arguments[1], definitions)}
    if not is_dataclass(hint) and not hasattr(hint, "_fields"):
        return {}
    name = hint.__name__
    if name not in definitions:
        definitions[name] = {}
        definitions[name] = _object(hint, definitions)
    return {"$ref": f"#/$defs/{name}"}
