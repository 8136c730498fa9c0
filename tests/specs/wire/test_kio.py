"""Layouts agree field by field with kio, whose classes were generated from Kafka 4.3's specs."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import types
import typing
from functools import cache
from uuid import UUID

import pytest
from kio.index import load_entity_schema
from kio.schema.index import schema_name_map
from kio.static.constants import EntityType

from tests.specs.released_specs import released
from tests.specs.wire.agreement import (
    Difference,
    Identity,
    Known,
    TheirLayout,
    Theirs,
    altered,
    differences,
    newest_released,
    own_messages,
    unexplained,
    unneeded,
    wire_type,
)
from tests.support import needs_shared
from wirebook.docgen.catalog.bnf import snake_case
from wirebook.specs.model import Json
from wirebook.specs.wire.defaults import ZERO_UUID
from wirebook.specs.wire.layout import layout

_NO_DEFAULT = "kio has no default for an array that may be null and is not tagged: it asks for the value"
_BUILTIN = "kio keeps clear of Python's own names"
_KRAFT = "kio parts the K from the Raft"

KNOWN = (
    Known(
        "default",
        [],
        _NO_DEFAULT,
        {
            "ConsumerGroupHeartbeatRequest": ("TopicPartitions",),
            "ListPartitionReassignmentsRequest": ("Topics",),
            "StreamsGroupDescribeResponse": ("Groups.Topology.Subtopologies",),
            "StreamsGroupHeartbeatRequest": (
                "ActiveTasks",
                "StandbyTasks",
                "WarmupTasks",
                "ClientTags",
                "TaskOffsets",
                "TaskEndOffsets",
            ),
            "StreamsGroupHeartbeatResponse": (
                "ActiveTasks",
                "StandbyTasks",
                "WarmupTasks",
                "PartitionsByUserEndpoint",
            ),
        },
    ),
    Known(
        "name",
        "id_",
        _BUILTIN,
        {
            "AssignReplicasToDirsRequest": ("Directories.Id",),
            "AssignReplicasToDirsResponse": ("Directories.Id",),
        },
    ),
    Known(
        "name", "type_", _BUILTIN, {"ControlRecordTypeSchema": ("Type",), "DefaultPrincipalData": ("Type",)}
    ),
    Known("name", "k_raft_version", _KRAFT, {"KRaftVersionRecord": ("KRaftVersion",)}),
    Known(
        "name",
        "k_raft_version_feature",
        _KRAFT,
        {
            "UpdateRaftVoterRequest": ("KRaftVersionFeature",),
            "VotersRecord": ("Voters.KRaftVersionFeature",),
        },
    ),
)

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


def same_name(ours: str, theirs: str) -> bool:
    return snake_case(ours) == theirs


def own_differences(identity: Identity) -> list[Difference]:
    message = own_messages()[identity]
    found = []
    for (other, version), theirs in kio_layouts().items():
        if other == identity:
            assert version in message.valid_versions
            found += differences(layout(message, version), theirs, same_name)
    return found


def test_kio_knows_302_api_versions() -> None:
    assert sum(kind == "request" for (kind, _), _ in kio_layouts()) == 302
    assert sum(kind == "response" for (kind, _), _ in kio_layouts()) == 302
    assert len(kio_layouts()) == 625


@needs_shared
def test_release_agrees_with_kio() -> None:
    found = []
    for (identity, version), theirs in kio_layouts().items():
        assert released(identity)[-1].release == "4.3.1"
        assert version in released(identity)[-1].message.valid_versions
        ours = newest_released(identity, version)
        assert ours is not None
        found += differences(ours, theirs, same_name)
    assert unexplained(found, KNOWN) == []
    assert unneeded(found, KNOWN) == []


@pytest.mark.parametrize(
    "identity",
    sorted({identity for identity, _ in kio_layouts()}, key=str),
    ids=lambda identity: own_messages()[identity].name,
)
def test_own_spec_agrees_with_kio(identity: Identity) -> None:
    name = own_messages()[identity].name
    known = [
        dataclasses.replace(entry, places={name: entry.places[name]})
        for entry in KNOWN
        if name in entry.places
    ]
    found = own_differences(identity)
    assert unexplained(found, known) == []
    assert unneeded(found, known) == []


@pytest.mark.parametrize("version", [4, 11, 12, 17])
def test_comparison_notices_what_is_altered(version: int) -> None:
    message = own_messages()["request", 1]
    theirs = kio_layouts()[message.identity, version]
    assert differences(layout(message, version), theirs, same_name) == []
    for what, changed in altered(theirs):
        found = differences(layout(message, version), changed, same_name)
        assert what in {each.attribute for each in found}, what
