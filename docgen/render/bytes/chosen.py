"""Values in examples of Kafka's messages that names do not suggest: dependent fields agree."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from wirebook.specs.model import Json
from wirebook.specs.versions import Versions
from wirebook.specs.wire.defaults import INTEGERS
from wirebook.specs.wire.exported import ExportedField, ExportedLayout

ZERO_UUID = "00000000-0000-0000-0000-000000000000"
# The URL-safe base64 form, which brokers 4.1 require of members of share groups.
_MEMBER = "bx4sPYqbTF2eD6Gyw9Tl9g"
_LOG = "__cluster_metadata"
_QUOTA = "request_percentage"
_BATCHES = "Topics.Partitions.AcknowledgementBatches"
_TOPOLOGY = "Topology.Subtopologies"
# MetricsData of OpenTelemetry with one empty ResourceMetrics.
_METRICS = "0a00"
_REJECTED = "One or more records have been rejected"

# By message; then by the path of a field and the versions, all of them unless the path ends with a range.
_VALUES: dict[str, dict[str, Json]] = {
    # Identified by ID from version 12 on; versions 10 and 11 require the zero ID.
    "MetadataRequest": {"Topics.TopicId 10-11": ZERO_UUID, "Topics.Name 12+": None},
    "DeleteTopicsRequest": {"Topics.Name 6+": None},
    # Assignments exclude both numbers.
    "CreateTopicsRequest": {"Topics.NumPartitions": -1, "Topics.ReplicationFactor": -1},
    # A rejected batch: only then are there record errors.
    "ProduceResponse": {
        "Responses.PartitionResponses.ErrorCode 8+": 87,
        "Responses.PartitionResponses.BaseOffset 8+": -1,
        "Responses.PartitionResponses.ErrorMessage": _REJECTED,
    },
    # A consumer's first fetch, which opens a session and has nothing to forget.
    "FetchRequest": {
        "SessionEpoch": 0,
        "Topics.Partitions.LogStartOffset": -1,
        "Topics.Partitions.LastFetchedEpoch": -1,
        "ForgottenTopicsData": [],
    },
    "FetchResponse": {"SessionId": 1042},
    # Acknowledges two records in an open session, and fetches more.
    "ShareFetchRequest": {
        "MemberId": _MEMBER,
        "ShareSessionEpoch": 3,
        "MaxRecords": 500,
        "BatchSize": 500,
        "IsRenewAck": False,
        f"{_BATCHES}.LastOffset": 1043,
    },
    # Renews two locks from version 2 on.
    "ShareAcknowledgeRequest": {
        "MemberId": _MEMBER,
        "ShareSessionEpoch": 3,
        f"{_BATCHES}.LastOffset": 1043,
        f"{_BATCHES}.AcknowledgeTypes 2+": [4, 4],
    },
    "ShareGroupHeartbeatRequest": {"MemberId": _MEMBER},
    "ShareGroupHeartbeatResponse": {"MemberId": _MEMBER},
    # A member that joins with its topology and has no tasks yet.
    "StreamsGroupHeartbeatRequest": {
        "MemberId": _MEMBER,
        "MemberEpoch": 0,
        "InstanceId": None,
        "Topology.Epoch": 0,
        f"{_TOPOLOGY}.SourceTopicRegex": [],
        f"{_TOPOLOGY}.RepartitionSinkTopics": ["by-customer-repartition"],
        f"{_TOPOLOGY}.RepartitionSourceTopics.Name": "by-customer-repartition",
        f"{_TOPOLOGY}.RepartitionSourceTopics.TopicConfigs.Key": "retention.ms",
        f"{_TOPOLOGY}.StateChangelogTopics.Name": "counts-changelog",
        f"{_TOPOLOGY}.StateChangelogTopics.TopicConfigs.Key": "retention.ms",
        f"{_TOPOLOGY}.CopartitionGroups.SourceTopics": [0],
        f"{_TOPOLOGY}.CopartitionGroups.SourceTopicRegex": [],
        f"{_TOPOLOGY}.CopartitionGroups.RepartitionSourceTopics": [0],
        "ActiveTasks": [],
        "StandbyTasks": [],
        "WarmupTasks": [],
        "ClientTags.Key": "zone",
        "ClientTags.Value": "zone-a",
        "TaskOffsets": None,
        "TaskEndOffsets": None,
        "ShutdownApplication": False,
    },
    "InitProducerIdRequest": {"Enable2Pc": False, "KeepPreparedTxn": False},
    # ACLs have addresses of clients, never names of hosts.
    "CreateAclsRequest": {"Creations.Host": "192.0.2.7"},
    "DescribeAclsResponse": {"Resources.Acls.Host": "192.0.2.7"},
    "DeleteAclsResponse": {"FilterResults.MatchingAcls.Host": "192.0.2.7"},
    "AlterClientQuotasRequest": {"Entries.Ops.Key": _QUOTA, "Entries.Ops.Remove": False},
    "DescribeClientQuotasRequest": {"Components.MatchType": 0},
    "DescribeClientQuotasResponse": {"Entries.Values.Key": _QUOTA},
    # One mechanism of one user cannot be both deleted and set.
    "AlterUserScramCredentialsRequest": {"Deletions.Name": "bob", "Upsertions.Name": "alice"},
    "DescribeUserScramCredentialsRequest": {"Users.Name": "alice"},
    # Sets the value; 1 deletes it.
    "IncrementalAlterConfigsRequest": {"Resources.Configs.ConfigOperation": 0},
    # Topics and the subscriptions of client metrics.
    "ListConfigResourcesRequest": {"ResourceTypes": [2, 16]},
    "PushTelemetryRequest": {"CompressionType": 0, "Metrics": _METRICS},
    "BrokerRegistrationRequest": {"IsMigratingZkBroker": False},
    # Requests to a quorum of controllers know one topic.
    "DescribeQuorumRequest": {"Topics.TopicName": _LOG},
    "DescribeQuorumResponse": {"Topics.TopicName": _LOG},
    "VoteRequest": {"Topics.TopicName": _LOG},
    "VoteResponse": {"Topics.TopicName": _LOG},
    "BeginQuorumEpochRequest": {"Topics.TopicName": _LOG},
    "BeginQuorumEpochResponse": {"Topics.TopicName": _LOG},
    "EndQuorumEpochRequest": {"Topics.TopicName": _LOG},
    "EndQuorumEpochResponse": {"Topics.TopicName": _LOG},
    "FetchSnapshotRequest": {"Topics.Name": _LOG},
    "FetchSnapshotResponse": {"Topics.Name": _LOG},
}


class NoChoice:
    """The type of NO_CHOICE: null is a value, too."""


NO_CHOICE = NoChoice()


def chosen(layout: ExportedLayout, field: ExportedField) -> Json | NoChoice:
    """The value of a field in the examples of a layout, NO_CHOICE if its name and type decide.

    A message of another protocol may have the same name: a value that its field cannot have is not chosen.
    """
    for versions, value in _by_path().get((layout.message, field.path), ()):
        if layout.version in versions and _fits(field, value):
            return value
    return NO_CHOICE


@cache
def _by_path() -> Mapping[tuple[str, str], list[tuple[Versions, Json]]]:
    values: dict[tuple[str, str], list[tuple[Versions, Json]]] = {}
    for message, of_message in _VALUES.items():
        for place, value in of_message.items():
            path, _, versions = place.partition(" ")
            values.setdefault((message, path), []).append((Versions.parse(versions or "0+"), value))
    return values


def _fits(field: ExportedField, value: Json) -> bool:
    """Whether a field can have a value, by the types that the table above has values of."""
    if value is None:
        return field.nullable
    if isinstance(value, list):
        return field.element is not None and all(_fits_type(field.element, each) for each in value)
    return field.element is None and _fits_type(field.type, value)


def _fits_type(wire_type: str, value: Json) -> bool:
    kind = wire_type.removeprefix("COMPACT_").removeprefix("NULLABLE_")
    if isinstance(value, bool):
        return kind == "BOOLEAN"
    if isinstance(value, int):
        return kind in INTEGERS and INTEGERS[kind][0] <= value <= INTEGERS[kind][1]
    return kind == ("UUID" if value == ZERO_UUID else "BYTES" if value == _METRICS else "STRING")
