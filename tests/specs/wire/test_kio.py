"""Layouts agree field by field with kio, whose classes were generated from Kafka 4.3's specs."""

from __future__ import annotations

import dataclasses

import pytest

from tests.specs.released_specs import released
from tests.specs.wire.agreement import (
    Difference,
    Identity,
    Known,
    altered,
    differences,
    newest_released,
    own_messages,
    unexplained,
    unneeded,
)
from tests.specs.wire.kio import kio_layouts
from tests.support import needs_shared
from wirebook.docgen.catalog.bnf import snake_case
from wirebook.specs.wire.layout import layout

pytestmark = pytest.mark.xdist_group("released")

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


def test_own_specs_agree_with_kio() -> None:
    """One test of all messages: a list of cases would load all classes of kio in each process of a run."""
    for identity in sorted({identity for identity, _ in kio_layouts()}, key=str):
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
