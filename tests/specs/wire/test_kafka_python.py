"""Layouts agree field by field with kafka-python, in the two forms it has.

There are the specs that it ships, as it resolves them itself, and the classes that were written by hand
before those, which still have the versions that Kafka 4.0 removed.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import Any

import kafka.protocol
import kafka.protocol.old
import pytest
from kafka.protocol.old.api import Request, Response
from kafka.protocol.old.types import Array, CompactArray, Schema, TaggedFields

from tests.specs.wire.agreement import (
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
)
from tests.specs.wire.kafka_python import _modules, their_layouts
from tests.support import needs_shared
from wirebook.docgen.catalog.bnf import snake_case
from wirebook.specs.wire.layout import Layout, LayoutField, layout

pytestmark = pytest.mark.xdist_group("released")

_NO_STRUCT = "kafka-python has null where nobody set a tagged struct, and writes neither"

KNOWN = (
    Known(
        "default",
        "",
        "kafka-python treats records as bytes, whose default is no bytes; that of records is null",
        {
            "ProduceRequest": ("TopicData.PartitionData.Records",),
            "FetchResponse": ("Responses.Partitions.Records",),
        },
    ),
    Known(
        "default",
        None,
        _NO_STRUCT,
        {
            "FetchRequest": ("ReplicaState",),
            "FetchResponse": (
                "Responses.Partitions.DivergingEpoch",
                "Responses.Partitions.CurrentLeader",
                "Responses.Partitions.SnapshotId",
            ),
            "ProduceResponse": ("Responses.PartitionResponses.CurrentLeader",),
        },
    ),
)


# --- the specs that it ships ------------------------------------------------------------------------------


def same_name(ours: str, theirs: str) -> bool:
    return ours == theirs


def test_kafka_python_ships_so_many_versions() -> None:
    assert len(their_layouts()) == 490
    with_header = [found for found in their_layouts().values() if found.header_version is not None]
    assert len(with_header) == 478  # the rest are headers and what consumers tell each other


@needs_shared
def test_release_agrees_with_the_specs_of_kafka_python() -> None:
    found = []
    for (identity, version), theirs in their_layouts().items():
        ours = newest_released(identity, version)
        assert ours is not None
        if theirs.header_version is None:
            theirs = dataclasses.replace(theirs, header_version=ours.header_version)
        found += differences(ours, theirs, same_name)
    assert unexplained(found, KNOWN) == []
    assert unneeded(found, KNOWN) == []


def test_own_specs_agree_with_the_specs_of_kafka_python() -> None:
    """One test of all messages: a list of cases would load them all in each process of a run."""
    for identity in sorted({identity for identity, _ in their_layouts()}, key=str):
        compare_with_their_specs(identity)


def compare_with_their_specs(identity: Identity) -> None:
    """Fail if a message differs from theirs in another way than the table lists."""
    message = own_messages()[identity]
    found = []
    for (other, version), theirs in their_layouts().items():
        if other == identity:
            ours = layout(message, version)
            if theirs.header_version is None:
                theirs = dataclasses.replace(theirs, header_version=ours.header_version)
            found += differences(ours, theirs, same_name)
    known = [
        dataclasses.replace(entry, places={message.name: entry.places[message.name]})
        for entry in KNOWN
        if message.name in entry.places
    ]
    assert unexplained(found, known) == []
    assert unneeded(found, known) == []


@pytest.mark.parametrize("version", [5, 9, 13])
def test_comparison_notices_what_is_altered(version: int) -> None:
    message = own_messages()["request", 3]
    theirs = their_layouts()[message.identity, version]
    assert differences(layout(message, version), theirs, same_name) == []
    for what, changed in altered(theirs):
        found = differences(layout(message, version), changed, same_name)
        assert what in {each.attribute for each in found}, what


# --- the classes written by hand --------------------------------------------------------------------------

KNOWN_OLD = (
    Known(
        "element",
        "STRING",
        "an array of structs with one string is the same bytes as an array of strings",
        {"MetadataRequest": ("Topics",)},
    ),
    Known(
        "fields",
        False,
        "the same: one string instead of a struct of one string",
        {"MetadataRequest": ("Topics",)},
    ),
    Known(
        "name",
        "authorized_operations",
        "a shorter name; names are not on the wire",
        {"MetadataResponse": ("Topics.TopicAuthorizedOperations", "ClusterAuthorizedOperations")},
    ),
)


# Messages of which an old class of kafka-python has other bytes than every release of Kafka.
WRONG: dict[Identity, str] = {
    ("request", 29): "version 2 is flexible, its class is not",
    ("response", 29): "version 2 is flexible, its class is not",
    ("request", 35): "the partitions of a topic are an array, its class has one number",
    ("request", 37): "the assignments are outside of the topic in its class",
}


@cache
def old_layouts() -> dict[tuple[Identity, int], TheirLayout]:
    """The classes by what they are for. They do not say what may be null, nor what is tagged."""
    found: dict[tuple[Identity, int], TheirLayout] = {}
    for module in _modules(kafka.protocol.old):
        for made in vars(module).values():
            if isinstance(made, type) and issubclass(made, Request | Response):
                message: Any = made
                schema, key, version = message.SCHEMA, message.API_KEY, message.API_VERSION
                if isinstance(schema, Schema) and isinstance(key, int):
                    identity = ("request" if issubclass(made, Request) else "response", key)
                    flexible = TaggedFields in schema.fields
                    fields = _old_fields(schema)
                    found[identity, version] = TheirLayout(identity, version, flexible, None, fields)
    return found


def _old_fields(schema: Any) -> tuple[Theirs, ...]:
    found = []
    for name, shape in zip(schema.names, schema.fields, strict=True):
        if shape is TaggedFields:
            continue
        array = isinstance(shape, Array)
        inner = shape.array_of if array else shape
        nested = _old_fields(inner) if isinstance(inner, Schema) else None
        kind = _old_type(inner)
        outer = "COMPACT_ARRAY" if isinstance(shape, CompactArray) else "ARRAY"
        found.append(
            Theirs(name, outer if array else kind, kind if array else None, False, None, None, nested)
        )
    return tuple(found)


def _old_type(shape: Any) -> str:
    if isinstance(shape, Schema):
        return "STRUCT"
    name = (shape if isinstance(shape, type) else type(shape)).__name__
    return {"CompactString": "COMPACT_STRING", "CompactBytes": "COMPACT_BYTES", "BitField": "INT32"}.get(
        name, name.upper()
    )


def stripped(given: Layout) -> Layout:
    """What is left of a layout without that which those classes do not say."""

    def fields(items: tuple[LayoutField, ...]) -> tuple[LayoutField, ...]:
        return tuple(
            field._replace(
                type=field.type.replace("NULLABLE_", "").replace("RECORDS", "BYTES"),
                nullable=False,
                default=None,
                fields=None if field.fields is None else fields(field.fields),
            )
            for field in items
            if field.tag is None
        )

    return given._replace(header_version=None, fields=fields(given.fields))


def test_own_specs_agree_with_the_old_classes() -> None:
    for identity in sorted({identity for identity, _ in old_layouts()} - WRONG.keys(), key=str):
        compare_with_old_classes(identity)


def compare_with_old_classes(identity: Identity) -> None:
    """Fail if a message differs from the class written by hand in another way than the table lists."""
    message = own_messages()[identity]
    found = []
    for (other, version), theirs in old_layouts().items():
        if other == identity:
            ours = stripped(layout(message, version))
            found += differences(ours, theirs, lambda mine, other: snake_case(mine) == other)
    known = [entry for entry in KNOWN_OLD if message.name in entry.places]
    assert unexplained(found, known) == []
    assert unneeded(found, known) == []


def test_old_classes_have_what_was_removed() -> None:
    """So that the versions which no release of today has are proved, too."""
    removed = {
        ("request", 0): [0, 1, 2],
        ("response", 1): [0, 1, 2, 3],
        ("request", 2): [0],
        ("request", 8): [0, 1],
    }
    for identity, versions in removed.items():
        assert all((identity, version) in old_layouts() for version in versions), identity
        assert all(version in own_messages()[identity].valid_versions for version in versions)
    assert len(old_layouts()) == 273
