"""Records to JSON and back, by their types, which define keys and their order."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, field, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

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
    A field is written under its name or, if that is a keyword of Python, under `metadata["key"]`;
    one with `metadata["unwritten"]` is not.
    """
    if isinstance(value, str | int | float | None):
        return value
    if isinstance(value, Mapping):
        return {str(key): to_json(inner) for key, inner in value.items()}
    if type(value) in (list, tuple):
        return [to_json(inner) for inner in value]
    if isinstance(value, VersionSet):
        return value.text
    if isinstance(value, Versions):
        return str(value)
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
    return [(key, name, hints[name] in plain, default) for key, name, default in members_of(kind)]


def members_of(kind: Any) -> list[tuple[str, str, Any]]:
    """For each field of a class that is written: its key, its name, and the omitted value."""
    if not is_dataclass(kind):
        return [(name, name, MISSING) for name in kind._fields]
    return [
        (
            str(member.metadata.get("key", member.name)),
            member.name,
            member.default if member.metadata.get("omit") else MISSING,
        )
        for member in fields(kind)
        if not member.metadata.get("unwritten")
    ]


def from_json(kind: type[T], value: object) -> T:
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
    if kind is Versions:
        return Versions.parse
    if is_dataclass(kind):
        return _record(kind)
    if hasattr(kind, "from_json"):
        foreign: _Read = kind.from_json
        return foreign
    return _record(kind) if hasattr(kind, "_fields") else lambda value: value


def _record(kind: Any) -> _Read:
    hints = get_type_hints(kind)
    members = [
        (key, name, _reader(hints[name]), default) for key, name, default in members_of(kind)
    ]

    def read(value: Any) -> Any:
        given = {
            name: inner(value[key])
            for key, name, inner, default in members
            if key in value or default is MISSING
        }
        return kind(**given)

    return read
