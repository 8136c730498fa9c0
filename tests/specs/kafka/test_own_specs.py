"""The specs that come with wirebook: sound in themselves, and the same as what Kafka's releases
have."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from tests import support
from tests.kafka import read_kafka
from tests.specs.released_specs import NEWEST, distinct, release_order, released
from tests.support import needs_shared
from tests.together import together
from wirebook.docgen.catalog.wire import wire
from wirebook.specs.kafka.registry import embedded_path, embedded_paths, load_registry
from wirebook.specs.kafka.version_lifecycle import VersionLifecycle
from wirebook.specs.layout import Layout, layout, layouts
from wirebook.specs.model import STANDING, HistoryEntry, Message
from wirebook.specs.releases import line_of
from wirebook.specs.versions import Versions

pytestmark = pytest.mark.xdist_group("released")

NAMES = [path.stem for path in embedded_paths()]
APIS = [name.removesuffix("Request") for name in NAMES if name.endswith("Request")]
KEYS = 95
COMPARED = (
    "type", "element", "spec_type", "nullable", "tag", "default", "ignorable", "entity_type", "map_key",
)  # fmt: skip
# Versions whose bytes were others in releases up to the one named: ours are those of later ones.
# All were changed in place while nothing stable used them: KRaft before 3.3, previews of KIP-848,
# KIP-932 and KIP-1071, tiered storage before 3.9, and tagged fields that joined.
OTHER_BYTES: dict[tuple[str, int], str] = {
    ("ApiVersionsResponse", 3): "3.3.2",
    ("ConfigRecord", 0): "2.8.2",
    ("ConsumerGroupCurrentMemberAssignmentValue", 0): "4.2.1",
    ("ConsumerGroupDescribeResponse", 0): "3.7.1",
    ("ConsumerGroupHeartbeatRequest", 0): "3.6.2",
    ("ConsumerGroupHeartbeatResponse", 0): "3.6.2",
    ("ConsumerGroupTargetAssignmentMetadataValue", 0): "4.2.1",
    ("DelegationTokenRecord", 0): "3.5.2",
    ("EndQuorumEpochRequest", 0): "2.7.2",
    ("FeatureLevelRecord", 0): "3.2.3",
    ("FenceBrokerRecord", 0): "2.8.2",
    ("FetchResponse", 12): "2.7.2",
    ("LeaderChangeMessage", 0): "2.8.2",
    ("PartitionChangeRecord", 0): "3.1.2",
    ("PartitionRecord", 0): "3.1.2",
    ("ReadShareGroupStateSummaryResponse", 0): "4.0.1",
    ("RegisterBrokerRecord", 0): "2.8.2",
    ("RemoteLogSegmentMetadataRecord", 0): "3.9.1",
    ("RemoteLogSegmentMetadataSnapshotRecord", 0): "3.9.1",
    ("RemoteLogSegmentMetadataUpdateRecord", 0): "3.5.2",
    ("RemoveTopicRecord", 0): "2.8.2",
    ("RequestHeader", 0): "2.3.1",
    ("ShareGroupPartitionMetadataValue", 0): "3.9.1",
    ("ShareGroupTargetAssignmentMetadataValue", 0): "4.2.1",
    ("ShareSnapshotValue", 0): "4.1.1",
    ("ShareUpdateValue", 0): "4.1.1",
    ("StreamsGroupCurrentMemberAssignmentValue", 0): "4.1.1",
    ("StreamsGroupMetadataValue", 0): "4.3.1",
    ("StreamsGroupTargetAssignmentMetadataValue", 0): "4.2.1",
    ("TopicRecord", 0): "2.8.2",
    ("UnfenceBrokerRecord", 0): "2.8.2",
    ("UnregisterBrokerRecord", 0): "2.8.2",
    ("UpdateMetadataRequest", 8): "3.6.0",
    ("UserScramCredentialRecord", 0): "3.4.1",
}


@cache
def own(name: str) -> Message:
    path = embedded_path(name)
    return read_kafka(path.read_bytes(), path.name)


def test_the_folder_holds_every_api_from_key_0_on_and_its_response() -> None:
    assert sorted(own(f"{api}Request").api_key or 0 for api in APIS) == list(range(KEYS))
    assert {f"{api}Response" for api in APIS} < set(NAMES)


@together("name", NAMES)
def test_a_file_reads_without_any_problem_and_every_version_can_be_laid_out(name: str) -> None:
    message = own(name)
    assert message.problems == ()
    assert message.name == Path(message.path).stem
    assert message.written.lines.text.startswith("// SPDX-License-Identifier: Apache-2.0\n")
    assert [made.version for made in layouts(message)] == list(message.valid_versions)


@together("name", NAMES)
def test_history_has_one_entry_for_each_version(name: str) -> None:
    message = own(name)
    assert [entry.version for entry in message.history] == list(message.valid_versions)
    assert message.valid_versions.lowest == 0 or message.api_key is None
    assert message.deprecated_versions == Versions.NONE, "history says it"


@together("name", NAMES)
def test_history_names_known_api_versions_in_the_order_of_life(name: str) -> None:
    message = own(name)
    registry = load_registry()
    before = -1
    for entry in message.history:
        life = VersionLifecycle.of(entry, registry)
        assert entry.added is not None, f"version {entry.version}"
        for marks in (
            (life.added, life.unstable, life.stable, life.deprecated, life.removed, life.returned),
            (life.deprecated, life.undeprecated),
        ):
            moments = [moment for moment in marks if moment is not None]
            assert moments == sorted(moments), f"version {entry.version}"
        assert life.added.level >= before, (
            f"version {entry.version} came before {entry.version - 1}"
        )
        before = life.added.level
        assert entry.unstable in (None, entry.added)
        assert entry.unstable or not entry.stable
        assert entry.deprecated or not entry.undeprecated
        assert entry.removed or not entry.returned


@together("api", APIS)
def test_request_and_response_agree(api: str) -> None:
    request, response = own(f"{api}Request"), own(f"{api}Response")
    assert (request.type, response.type) == ("request", "response")
    assert request.api_key == response.api_key
    assert request.valid_versions == response.valid_versions
    assert request.flexible_versions == response.flexible_versions
    assert [lifecycle(entry) for entry in request.history] == [
        lifecycle(entry) for entry in response.history
    ]
    assert request.listeners
    assert not response.listeners


def lifecycle(entry: HistoryEntry) -> tuple[object, ...]:
    return (entry.version, *(getattr(entry, key) for key in STANDING))


@needs_shared
def test_every_fact_of_a_layout_is_that_of_the_newest_release() -> None:
    compared = 0
    for name in NAMES:
        ours = own(name)
        newest = released(ours.identity)[-1]
        for version in newest.message.valid_versions:
            mine, theirs = layout(ours, version), layout(newest.message, version)
            assert facts(mine) == facts(theirs), f"{name} {version} of {newest.release}"
            compared += 1
    assert compared > 500, "the bundle's releases were compared"


@needs_shared
def test_the_bytes_of_every_version_are_those_of_every_release() -> None:
    changed: dict[tuple[str, int], set[str]] = {}
    seen: set[tuple[str, int]] = set()
    for name in NAMES:
        ours = own(name)
        for theirs, holders in distinct(ours.identity):
            for version in theirs.valid_versions:
                seen.add((name, version))
                assert version in ours.valid_versions, f"{name} {version} of {holders}"
                if wire(layout(ours, version)) != wire(layout(theirs, version)):
                    changed.setdefault((name, version), set()).update(holders)
    assert {key: max(where, key=release_order) for key, where in changed.items()} == OTHER_BYTES
    of_ours = {(name, version) for name in NAMES for version in own(name).valid_versions}
    assert of_ours == seen


def facts(of: Layout) -> list[tuple[object, ...]]:
    """All that is said of a layout and its fields, in wire order."""
    fields = [(field.path, *(getattr(field, key) for key in COMPARED)) for field in of.walk()]
    return [(of.flexible, of.header_version, of.type, of.api_key), *fields]


@needs_shared
@together("name", NAMES)
def test_listeners_instability_and_the_range_are_those_of_the_newest_release(name: str) -> None:
    message = own(name)
    newest = released(message.identity)[-1]
    if newest.release != NEWEST or not newest.message.valid_versions:
        assert all(entry.removed for entry in message.history)
        return
    gone = {entry.version for entry in message.history if entry.removed and not entry.returned}
    served = [version for version in message.valid_versions if version not in gone]
    assert served == list(newest.message.valid_versions)
    assert message.listeners == newest.message.listeners
    assert message.latest_version_unstable == newest.message.latest_version_unstable
    assert message.flexible_versions == newest.message.flexible_versions
    marked = [
        version for version in newest.message.valid_versions if layout(message, version).deprecated
    ]
    assert marked == list(newest.message.deprecated_versions)


@needs_shared
@together("api", APIS)
def test_versions_came_and_went_with_the_releases_of_the_facts(api: str) -> None:
    assert support.SHARED is not None
    facts = json.loads((support.SHARED / "facts" / "broker_versions.json").read_text())
    registry = load_registry()
    message = own(f"{api}Request")
    for entry in message.history:
        steps = ["added", "removed", "returned", "removed again"]
        expected: dict[str, tuple[int, ...] | None] = {}
        there = False
        for line in facts:
            lowest, highest = facts[line].get(str(message.api_key), (0, -1))
            if there != (lowest <= entry.version <= highest):
                expected[steps.pop(0)] = line_of(line)
                there = not there
        served = entry.stable if entry.unstable else entry.added
        named = {"added": served, "removed": entry.removed, "returned": entry.returned}
        moments = {step: registry.moment(name) for step, name in named.items() if name}
        found = {
            step: line_of(moment.release or registry.api_versions[moment.level].release)
            for step, moment in moments.items()
            if moment is not None
        }
        if (api, entry.version) == ("ControlledShutdown", 0):
            # From 0.9 to 0.11 brokers read it, but did not advertise it.
            expected = {"added": (0, 8, 0), "removed": (4, 0)}
        if served is None:
            assert not expected
        else:
            assert found == expected, f"version {entry.version}"
