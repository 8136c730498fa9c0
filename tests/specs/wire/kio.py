"""The layouts that kio declares."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import types
import typing
from functools import cache
from uuid import UUID

from kio.index import load_entity_schema
from kio.schema.index import schema_name_map
from kio.static.constants import EntityType

from tests.specs.wire.agreement import (
    Identity,
    TheirLayout,
    Theirs,
    wire_type,
)
from wirebook.specs.model import Json
from wirebook.specs.wire.defaults import ZERO_UUID

# kio's words for what a number means, and the type that is on the wire.
_MEANINGS = {
    "error_code": "int16",
    "timedelta_i32": "int32",
    "timedelta_i64": "int64",
    "datetime_i64": "int64",
}


_ZEROS: dict[str, Json] = {
    "bool": False,
    "string": "",
    "bytes": "",
    "records": None,
    "float64": 0.0,
    "uuid": ZERO_UUID,
    "struct": {},
    "array": [],
}


@cache
def kio_layouts() -> dict[tuple[Identity, int], TheirLayout]:
    """Everything that kio knows."""
    found = {}
    for name, versions in schema_name_map.items():
        for version, kinds in versions.items():
            for kind in kinds:
                entity: typing.Any = load_entity_schema(name, version, kind)
                rpc = kind in (EntityType.request, EntityType.response)
                identity = (kind.name, int(entity.__api_key__) if rpc else entity.__name__)
                header = int(entity.__header_schema__.__version__) if rpc else None
                assert int(entity.__version__) == version
                found[identity, version] = TheirLayout(
                    identity, version, entity.__flexible__, header, _fields(entity)
                )
    return found


def _fields(entity: typing.Any) -> tuple[Theirs, ...]:
    found = []
    for field in dataclasses.fields(entity):
        shape, nullable = _without_none(field.type)
        array = typing.get_origin(shape) is tuple
        inner = _without_none(typing.get_args(shape)[0])[0] if array else shape
        struct = dataclasses.is_dataclass(inner)
        said = "struct" if struct else field.metadata["kafka_type"]
        kind = _MEANINGS.get(said, said)
        # kio reads the zero uuid, and -1 as a point in time, as None; neither is null on the wire.
        none_is = {"uuid": ZERO_UUID, "datetime_i64": -1}.get(said) if not array else None
        compact = entity.__flexible__ and (entity.__name__, field.name) != ("RequestHeader", "client_id")
        nullable = nullable and none_is is None
        default = (
            _ZEROS.get("array" if array else kind, 0)
            if field.default is dataclasses.MISSING
            else _plain(field.default)
        )
        found.append(
            Theirs(
                # kio leaves the unit out of the name where the type of the value says it.
                field.name + ("_ms" if said.startswith(("timedelta", "datetime")) else ""),
                wire_type("array" if array else kind, compact, nullable),
                wire_type(kind, compact, False) if array else None,
                nullable,
                field.metadata.get("tag"),
                none_is if default is None and none_is is not None else default,
                _fields(inner) if struct else None,
            )
        )
    return tuple(found)


def _without_none(shape: object) -> tuple[object, bool]:
    if typing.get_origin(shape) is not types.UnionType:
        return shape, False
    (inner,) = (part for part in typing.get_args(shape) if part is not types.NoneType)
    return inner, True


def _plain(value: object) -> Json:
    """A default of kio's as a layout states it; kio's own kinds of numbers and texts are subclasses."""
    match value:
        case None | bool():
            return value
        case enum.Enum():
            return int(value.value)
        case datetime.timedelta():
            return value // datetime.timedelta(milliseconds=1)
        case int():
            return int(value)
        case float():
            return float(value)
        case str():
            return str(value)
        case bytes():
            return value.hex()
        case UUID():
            return str(value)
        case tuple():
            return list(value)
        case _ if dataclasses.is_dataclass(value):
            return {}
    raise AssertionError(f"a default of a new kind: {value!r}")
