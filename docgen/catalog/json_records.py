"""Records to JSON and back, by their types, which define the keys of a document and their order."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, field, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from wirebook.specs.model import Json
from wirebook.specs.versions import VersionsError, VersionSet

T = TypeVar("T")
_Read = Callable[[Any], Any]
_SCALARS = (str, int, bool, float)


class RecordError(ValueError):
    """A value that is not of the type of its key; the message has its place, such as ".apis[3].slug"."""


def omitted(default: object) -> Any:
    """A field that has no key in JSON while it is `default`."""
    return field(default=default, metadata={"omit": True})


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
    """For each field of a class: its key, its name, whether it already holds JSON, and the omitted value."""
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
    """A record of a class, from the output of `to_json`. Keys that the class does not have are ignored.

    Raises RecordError if a key is missing or a value is of another type.
    """
    target: Any = kind
    record: T = _reader(target)(value)
    return record


@cache
def _reader(kind: Any) -> _Read:
    """The function that reads a value of a type."""
    if kind is Any:
        return lambda value: value
    if kind in _SCALARS:
        return _scalar(kind)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _optional(_reader(next(each for each in arguments if each is not types.NoneType)))
    if origin is tuple:
        return _items(_reader(arguments[0]))
    if origin is Mapping:
        return _mapping(int if arguments[0] is int else str, _reader(arguments[1]))
    if kind is VersionSet:
        return _versions
    if is_dataclass(kind):
        return _record(kind)
    if hasattr(kind, "from_json"):
        return _foreign(kind)
    if hasattr(kind, "_fields"):
        return _record(kind)
    raise TypeError(f"no reader for {kind!r}")


def _scalar(kind: type) -> _Read:
    def read(value: Any) -> Any:
        if type(value) is not kind:
            raise RecordError(f": {value!r:.60} is not a valid {kind.__name__}")
        return value

    return read


def _optional(inner: _Read) -> _Read:
    return lambda value: None if value is None else inner(value)


def _items(inner: _Read) -> _Read:
    def read(value: Any) -> Any:
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise RecordError(f": {value!r:.60} is not a list")
        items = []
        for index, item in enumerate(value):
            try:
                items.append(inner(item))
            except RecordError as error:
                raise RecordError(f"[{index}]{error}") from None
        return tuple(items)

    return read


def _mapping(key: type, inner: _Read) -> _Read:
    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise RecordError(f": {value!r:.60} is not an object")
        mapping = {}
        for name, item in value.items():
            try:
                mapping[key(name)] = inner(item)
            except RecordError as error:
                raise RecordError(f".{name}{error}") from None
            except ValueError:
                raise RecordError(f": {name!r:.60} is not a number") from None
        return mapping

    return read


def _versions(value: Any) -> VersionSet:
    try:
        return VersionSet.parse(value or "none")
    except (AttributeError, VersionsError):
        raise RecordError(f": {value!r:.60} is not a set of versions") from None


def _foreign(kind: Any) -> _Read:
    def read(value: Any) -> Any:
        try:
            return kind.from_json(value)
        except KeyError as error:
            raise RecordError(f": the key {error} is missing") from None
        except TypeError:
            raise RecordError(f": {value!r:.60} is not an object") from None

    return read


def _record(kind: Any) -> _Read:
    hints = get_type_hints(kind)
    members = [(key, _reader(hints[name]), default) for key, name, default in _members(kind)]

    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise RecordError(f": {value!r:.60} is not an object")
        values = []
        for key, inner, default in members:
            if key not in value:
                if default is MISSING:
                    raise RecordError(f': the key "{key}" is missing')
                values.append(default)
                continue
            try:
                values.append(inner(value[key]))
            except RecordError as error:
                raise RecordError(f".{key}{error}") from None
        return kind(*values)

    return read
