"""Records to JSON and back, by their types, which define keys and their order."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, field, fields, is_dataclass
from functools import cache
from typing import Any, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from wirebook.specs.versions import Versions, VersionSet

T = TypeVar("T")
_Read = Callable[[Any], Any]


class Member(NamedTuple):
    """A field of a record: its name, its type, and the value that has no key, MISSING for none.

    `about` describes it, and `is_required` is whether a record has to be made with it.
    """

    name: str
    hint: Any
    default: Any
    about: str
    is_required: bool


def omitted(default: object, about: str = "") -> Any:
    """A field without a key in JSON while it is `default`; `about` is for the JSON Schema."""
    return field(default=default, metadata={"omit": True, "about": about})


def unwritten(default: None) -> Any:
    """A field that is no part of a record's JSON, and that comparisons ignore."""
    return field(default=default, compare=False, metadata={"unwritten": True})


@cache
def members(kind: Any) -> tuple[Member, ...]:
    """The fields of a dataclass or a named tuple, without those that are `unwritten`."""
    hints = get_type_hints(kind)
    if not is_dataclass(kind):
        optional = kind._field_defaults
        return tuple(
            Member(name, hints[name], MISSING, "", name not in optional) for name in kind._fields
        )
    return tuple(
        Member(
            each.name,
            hints[each.name],
            each.default if "omit" in each.metadata else MISSING,
            each.metadata.get("about", ""),
            "omit" not in each.metadata,
        )
        for each in fields(kind)
        if "unwritten" not in each.metadata
    )


def shape_of(hint: Any) -> tuple[str, Any]:
    """What a type is made of: "optional", "list", "map", "record", "plain", and the type inside."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return "optional", next(each for each in arguments if each is not types.NoneType)
    if origin is tuple:
        return "list", arguments[0]
    if origin is Mapping:
        return "map", arguments[1]
    return "record" if is_dataclass(hint) or hasattr(hint, "_fields") else "plain", hint


_PLAIN = (str, int, float, types.NoneType)


def to_json(value: Any) -> Any:
    """A record as JSON: its fields in order, after `schema` if its class has the id of a document.

    Records of other packages have their own `to_json` and `from_json`.
    """
    if isinstance(value, _PLAIN):
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
    for each in members(kind):
        inner = getattr(value, each.name)
        if each.default is MISSING or inner != each.default:
            document[each.name] = to_json(inner)
    return document


def from_json(kind: type[T], value: object) -> T:
    """A record of a class, from the output of `to_json`, without the keys that are not of it.

    Raises KeyError, TypeError, ValueError or AttributeError for what is no output of it.
    """
    target: Any = kind
    record: T = _reader(target)(value)
    return record


@cache
def _reader(hint: Any) -> _Read:
    """The function that reads a value of a type."""
    if hint is VersionSet:
        return lambda value: VersionSet.parse(value or "none")
    if hint is Versions:
        return Versions.parse
    if hasattr(hint, "from_json"):
        foreign: _Read = hint.from_json
        return foreign
    shape, inner = shape_of(hint)
    if shape == "plain":
        return _plain(hint) if hint in (str, int, bool) else lambda value: value
    if shape == "record":
        return _record(hint)
    read = _reader(inner)
    if shape == "optional":
        return lambda value: None if value is None else read(value)
    if shape == "list":
        return lambda value: tuple(map(read, value))
    key: _Read = get_args(hint)[0]
    return lambda value: {key(name): read(each) for name, each in value.items()}


def _plain(kind: type[object]) -> _Read:
    def read(value: Any) -> Any:
        if type(value) is not kind:
            raise TypeError(f"{value!r:.40} is not of the type {kind.__name__}")
        return value

    return read


def _record(kind: Any) -> _Read:
    readers = [(each.name, _reader(each.hint), each.is_required) for each in members(kind)]

    def read(value: Any) -> Any:
        given = {
            name: inner(value[name])
            for name, inner, is_required in readers
            if is_required or name in value
        }
        return kind(**given)

    return read
