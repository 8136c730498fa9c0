"""The layouts that kafka-python declares."""

from __future__ import annotations

import importlib
import importlib.resources
import pkgutil
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from typing import Any
from uuid import UUID

from kafka.protocol.api_message import ApiMessage
from kafka.protocol.schemas import load_json
from kafka.protocol.schemas.fields.base import BaseField
from kafka.protocol.schemas.fields.struct import StructField

from tests.specs.wire.agreement import (
    Identity,
    TheirLayout,
    Theirs,
    wire_type,
)
from wirebook.specs.model import Json
from wirebook.specs.wire.defaults import ZERO_UUID


def _modules(package: Any) -> Iterator[Any]:
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        yield importlib.import_module(found.name)


@cache
def their_layouts() -> dict[tuple[Identity, int], TheirLayout]:
    """Every version of every spec that kafka-python ships."""
    for part in ("admin", "consumer", "metadata", "producer"):
        list(_modules(importlib.import_module(f"kafka.protocol.{part}")))
    importlib.import_module("kafka.protocol.sasl")
    classes = {found.__name__: found for found in ApiMessage.__subclasses__()}
    layouts = {}
    for file in importlib.resources.files("kafka.protocol.schemas.resources").iterdir():
        if file.name.endswith(".json"):
            name = file.name.removesuffix(".json")
            spec = load_json(name)
            rpc = spec["type"] in ("request", "response")
            identity = (spec["type"], spec["apiKey"] if rpc else name)
            first, last = BaseField.parse_versions(spec["validVersions"])
            flexible = BaseField.parse_versions(spec["flexibleVersions"])
            for version in range(first, last + 1):
                compact = flexible[0] <= version <= flexible[1]
                header = _header(classes[name], version) if name in classes else None
                # Its ApiHeader.encode writes no part of a header compact.
                made = _fields(StructField(spec), version, compact and spec["type"] != "header")
                layouts[identity, version] = TheirLayout(identity, version, compact, header, made)
    return layouts


def _header(message: Any, version: int) -> int:
    """The version of the header that kafka-python reads before a message."""
    data = BytesIO(bytes(20))
    message.parse_header(data, version=version)
    return {("request", 10): 1, ("request", 11): 2, ("response", 4): 0, ("response", 5): 1}[
        message.type, data.tell()
    ]


def _fields(struct: Any, version: int, compact: bool) -> tuple[Theirs, ...]:
    return tuple(
        _field(field, version, compact) for field in struct._fields or () if field.for_version_q(version)
    )


def _field(field: Any, version: int, compact: bool) -> Theirs:
    inner = field.array_of if field.is_array() else field
    kind = "struct" if inner.is_struct() else inner.type_str
    nullable = bool(field.nullable_for_version_q(version))
    return Theirs(
        field._name,
        wire_type("array" if field.is_array() else kind, compact, nullable),
        wire_type(kind, compact, False) if field.is_array() else None,
        nullable,
        field.tag if field.tagged_field_q(version) else None,
        _default(field),
        _fields(inner, version, compact) if kind == "struct" else None,
    )


def _default(field: Any) -> Json:
    if field.is_struct() and field.tag is None and field._json.get("default") is None:
        return {}  # it refuses to say
    default: Json = field.default
    if isinstance(default, bytes):
        return default.hex()
    if field.type_str == "uuid" and not field.is_array():
        return str(default) if isinstance(default, UUID) else ZERO_UUID  # None is its word for that
    return default
