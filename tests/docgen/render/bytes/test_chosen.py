"""Examples of Kafka's requests obey the rules of brokers on fields that depend on each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from tests.docgen.histories import field, request, text_of
from tests.docgen.render.byte_pages import embedded
from wirebook.docgen.render.bytes.chosen import ZERO_UUID
from wirebook.docgen.render.bytes.examples import cases
from wirebook.specs.reading.reader import read_message
from wirebook.specs.wire.exported import ExportedLayout
from wirebook.specs.wire.layout import layout, layouts

Value = Mapping[str, Any]


def filled(name: str) -> Iterator[tuple[int, Value]]:
    """The filled example of each version of a message."""
    (message,) = embedded(name)
    for of in layouts(message):
        yield of.version, next(case.value for case in cases(of.exported()) if case.name == "filled")


def identified_once(topic: Value) -> bool:
    has_id: bool = topic.get("TopicId", ZERO_UUID) != ZERO_UUID
    return has_id == (topic["Name"] is None)


def batches(value: Value) -> Iterator[Value]:
    for topic in value["Topics"]:
        for partition in topic["Partitions"]:
            yield from partition["AcknowledgementBatches"]


def acknowledges(value: Value, most: int) -> bool:
    """Whether the acknowledgements fit an open session, their offsets, and the types up to `most`."""
    types = [kind for batch in batches(value) for kind in batch["AcknowledgeTypes"]]
    return (
        value["ShareSessionEpoch"] > 0
        and all(
            len(batch["AcknowledgeTypes"]) in (1, batch["LastOffset"] - batch["FirstOffset"] + 1)
            for batch in batches(value)
        )
        and all(0 <= kind <= most for kind in types)
        and (4 in types) == value.get("IsRenewAck", False)
    )


def streams_join(value: Value) -> bool:
    topology = value["Topology"]
    tasks = [value[f"{kind}Tasks"] for kind in ("Active", "Standby", "Warmup")]
    offsets = [value["TaskOffsets"], value["TaskEndOffsets"]]
    regexes = [part["SourceTopicRegex"] for part in topology["Subtopologies"]]
    return (value["MemberEpoch"] == 0 and tasks == [[], [], []] and offsets == [None, None]) and (
        value["InstanceId"] is None and not any(regexes)
    )


RULES: dict[str, Callable[[int, Value], bool]] = {
    "MetadataRequest": lambda version, value: all(
        identified_once(topic) and (version >= 12 or topic["Name"] is not None) for topic in value["Topics"]
    ),
    "DeleteTopicsRequest": lambda _, value: all(map(identified_once, value.get("Topics", []))),
    "CreateTopicsRequest": lambda _, value: all(
        not topic["Assignments"] or topic["NumPartitions"] == topic["ReplicationFactor"] == -1
        for topic in value["Topics"]
    ),
    "ShareFetchRequest": lambda version, value: acknowledges(value, 4 if version >= 2 else 3)
    and not value.get("IsRenewAck"),
    "ShareAcknowledgeRequest": lambda version, value: acknowledges(value, 4 if version >= 2 else 3),
    "ConsumerGroupHeartbeatRequest": lambda _, value: value["ServerAssignor"] in ("uniform", "range"),
    "StreamsGroupHeartbeatRequest": lambda _, value: streams_join(value),
    "ProduceResponse": lambda _, value: all(
        bool(partition.get("RecordErrors")) == (partition["ErrorCode"] != 0)
        and (partition["ErrorCode"] == 0 or partition["BaseOffset"] == -1)
        for topic in value["Responses"]
        for partition in topic["PartitionResponses"]
    ),
    # Not "any", which only filters may have.
    "CreateAclsRequest": lambda version, value: all(
        creation["Operation"] > 1 and creation["PermissionType"] > 1
        and creation.get("ResourcePatternType", 3) in (3, 4)
        for creation in value["Creations"]
    ),
    "AlterUserScramCredentialsRequest": lambda _, value: all(
        deleted["Name"] != each["Name"] and each["Iterations"] >= 4096
        for deleted in value["Deletions"]
        for each in value["Upsertions"]
    ),
    "InitProducerIdRequest": lambda _, value: not value.get("KeepPreparedTxn"),
    "IncrementalAlterConfigsRequest": lambda _, value: all(
        config["ConfigOperation"] != 1 or config["Value"] is None
        for resource in value["Resources"]
        for config in resource["Configs"]
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RULES)
def test_the_fields_of_an_example_go_together(name: str) -> None:
    refused = {version: value for version, value in filled(name) if not RULES[name](version, value)}
    assert not refused


def strings(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Each string of a value, with the name of its field."""
    if isinstance(value, dict):
        for inner, each in value.items():
            yield from strings(each, inner)
    elif isinstance(value, list):
        for each in value:
            yield from strings(each, name)
    elif isinstance(value, str):
        yield name, value


def test_no_string_of_a_request_or_response_is_only_the_name_of_its_field() -> None:
    placeholders = {
        (message.name, name)
        for message in embedded()
        for of in layouts(message)
        if of.type in ("request", "response")
        for case in cases(of.exported())
        for name, text in strings(case.value)
        if text == name.lower()[:24]
    }
    assert not placeholders


def test_a_message_of_another_protocol_has_no_values_that_its_fields_cannot_have() -> None:
    inner = [field("TopicId", "string"), field("Name", "int8")]
    spec = request("Metadata", 900, "10-12", field("Topics", "[]Topic", fields=inner))
    for version in (10, 12):
        of: ExportedLayout = layout(read_message(text_of(spec), "x.json"), version).exported()
        assert [case.name for case in cases(of)] == ["empty", "filled"]
