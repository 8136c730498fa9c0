"""Where a release's spec of a version differs from ours, and why: ours is what the newest release has.

A version's layout has changed between releases in names and in what programs are told about a field, once
by a tagged field. Everything of that kind is listed here; the comparison accepts nothing else, and nothing
that is listed and no longer found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

ABSENT, PRESENT = "absent", "present"


@dataclass(frozen=True, slots=True)
class Difference:
    """In these fields, up to release `until`, `attribute` was `theirs` instead of what our layout has.

    `fields` holds paths by message name, in today's names. The attribute "field" is about the field itself.
    """

    attribute: str
    theirs: object
    until: str
    reason: str
    fields: Mapping[str, tuple[str, ...]]


# Old path -> name of its last part today. Names are not on the wire. Those of Produce and Fetch changed
# when 2.7, 2.8 and 3.0 gave up the hand-written schemas of these messages; the rest was mended one by one.
RENAMED: dict[str, dict[str, str]] = {
    "ProduceRequest": {
        "Topics": "TopicData",
        "Topics.Partitions": "PartitionData",
        "Topics.Partitions.PartitionIndex": "Index",
    },
    "ProduceResponse": {
        "Responses.Partitions": "PartitionResponses",
        "Responses.Partitions.PartitionIndex": "Index",
    },
    "FetchRequest": {
        "MaxWait": "MaxWaitMs",
        "Epoch": "SessionEpoch",
        "Topics.Name": "Topic",
        "Topics.FetchPartitions": "Partitions",
        "Topics.FetchPartitions.PartitionIndex": "Partition",
        "Topics.FetchPartitions.MaxBytes": "PartitionMaxBytes",
        "Forgotten": "ForgottenTopicsData",
        "Forgotten.Name": "Topic",
        "Forgotten.ForgottenPartitionIndexes": "Partitions",
    },
    "FetchResponse": {
        "Topics": "Responses",
        "Topics.Name": "Topic",
        "Topics.Partitions.Aborted": "AbortedTransactions",
        "Responses.PartitionResponses": "Partitions",
        "Responses.PartitionResponses.Partition": "PartitionIndex",
        "Responses.PartitionResponses.RecordSet": "Records",
    },
    "OffsetCommitRequest": {"GenerationId": "GenerationIdOrMemberEpoch"},
    "OffsetFetchRequest": {"Groups.groupId": "GroupId"},
    "OffsetFetchResponse": {"Groups.groupId": "GroupId"},
    "HeartbeatRequest": {"Generationid": "GenerationId"},
    "ApiVersionsResponse": {"ApiKeys.Index": "ApiKey"},
    "DeleteTopicsResponse": {"throttleTimeMs": "ThrottleTimeMs"},
    "DescribeConfigsRequest": {"IncludeSynoyms": "IncludeSynonyms"},
    "AlterConfigsResponse": {"Resources": "Responses"},
}

_RECORDS_CAME = "the type records came with the generated code of the message; its bytes are those of bytes"
_IGNORABLE = "the sender may now leave the field out for an older peer; no byte of a version changes"
_DEFAULT = "the default was set later; the field is untagged in these versions, so it is always on the wire"
_ENTITY_TYPE = "the mark was added later, most of them in 2.3; it is not on the wire"
_MAP_KEY = "the generated code keeps these in a map; the wire has the same array"
_TAGGED_LATER = (
    "a tagged field added to a version that was already released; to older peers it is an unknown tag"
)

_RECORDS = {
    "2.6.3": {"FetchResponse": ("Responses.Partitions.Records",)},
    "2.7.2": {"ProduceRequest": ("TopicData.PartitionData.Records",)},
}

DIFFERENCES: tuple[Difference, ...] = (
    Difference(
        "field",
        PRESENT,
        "2.3.1",
        "up to 2.3 the only header spec was numbered 0 and had the client id; since 2.4 it is version 1, "
        "and 0 is the one without, which ControlledShutdown v0 always had",
        {"RequestHeader": ("ClientId",)},
    ),
    Difference(
        "field",
        ABSENT,
        "2.6.3",
        _TAGGED_LATER,
        {
            "ApiVersionsResponse": (
                "SupportedFeatures",
                "SupportedFeatures.Name",
                "SupportedFeatures.MinVersion",
                "SupportedFeatures.MaxVersion",
                "FinalizedFeaturesEpoch",
                "FinalizedFeatures",
                "FinalizedFeatures.Name",
                "FinalizedFeatures.MaxVersionLevel",
                "FinalizedFeatures.MinVersionLevel",
            ),
        },
    ),
    Difference(
        "field",
        ABSENT,
        "2.7.2",
        _TAGGED_LATER,
        {
            "FetchResponse": (
                "Responses.Partitions.SnapshotId",
                "Responses.Partitions.SnapshotId.EndOffset",
                "Responses.Partitions.SnapshotId.Epoch",
            )
        },
    ),
    Difference("field", ABSENT, "3.3.2", _TAGGED_LATER, {"ApiVersionsResponse": ("ZkMigrationReady",)}),
    *(Difference("type", "NULLABLE_BYTES", until, _RECORDS_CAME, where) for until, where in _RECORDS.items()),
    *(Difference("spec_type", "bytes", until, _RECORDS_CAME, where) for until, where in _RECORDS.items()),
    *(Difference("default", "", until, _RECORDS_CAME, where) for until, where in _RECORDS.items()),
    Difference("default", "", "2.2.2", _DEFAULT, {"MetadataResponse": ("Brokers.Rack", "ClusterId")}),
    Difference(
        "default",
        0,
        "2.2.2",
        _DEFAULT,
        {"JoinGroupResponse": ("GenerationId",), "CreateTopicsRequest": ("timeoutMs",)},
    ),
    Difference(
        "default", 0, "2.3.1", _DEFAULT, {"OffsetFetchResponse": ("Topics.Partitions.CommittedLeaderEpoch",)}
    ),
    Difference(
        "default",
        0,
        "2.6.3",
        _DEFAULT,
        {
            "FetchResponse": ("Responses.Partitions.PreferredReadReplica",),
            "ListOffsetsRequest": ("Topics.Partitions.CurrentLeaderEpoch", "Topics.Partitions.MaxNumOffsets"),
            "ListOffsetsResponse": ("Topics.Partitions.LeaderEpoch",),
        },
    ),
    Difference("default", "", "2.7.2", _DEFAULT, {"ProduceRequest": ("TransactionalId",)}),
    Difference("default", "", "2.8.2", _DEFAULT, {"DeleteTopicsRequest": ("Topics.Name",)}),
    Difference("default", 0, "3.4.1", _DEFAULT, {"FetchRequest": ("ReplicaId",)}),
    Difference(
        "ignorable",
        False,
        "2.4.1",
        _IGNORABLE,
        {
            "MetadataResponse": ("ThrottleTimeMs",),
            "OffsetFetchResponse": ("ErrorCode", "Topics.Partitions.CommittedLeaderEpoch"),
            "ApiVersionsRequest": ("ClientSoftwareName", "ClientSoftwareVersion"),
            "SaslAuthenticateResponse": ("SessionLifetimeMs",),
            "CreateTopicsResponse": (
                "Topics.NumPartitions",
                "Topics.ReplicationFactor",
                "Topics.Configs",
                "Topics.TopicConfigErrorCode",
            ),
            "DeleteTopicsResponse": ("ThrottleTimeMs",),
        },
    ),
    Difference(
        "ignorable",
        False,
        "2.5.0",
        _IGNORABLE,
        {"DescribeGroupsResponse": ("Groups.Members.GroupInstanceId",)},
    ),
    Difference(
        "ignorable",
        False,
        "2.6.3",
        _IGNORABLE,
        {
            "FetchRequest": (
                "IsolationLevel",
                "SessionId",
                "SessionEpoch",
                "Topics.Partitions.LogStartOffset",
            ),
            "FetchResponse": ("ErrorCode", "Responses.Partitions.AbortedTransactions"),
            "ListOffsetsRequest": ("Topics.Partitions.CurrentLeaderEpoch",),
        },
    ),
    Difference(
        "ignorable",
        False,
        "2.7.2",
        _IGNORABLE,
        {"FetchRequest": ("ClusterId",), "DeleteTopicsRequest": ("TopicNames",)},
    ),
    Difference(
        "ignorable",
        False,
        "2.8.2",
        _IGNORABLE,
        {"ApiVersionsResponse": ("SupportedFeatures", "FinalizedFeatures")},
    ),
    Difference(
        "ignorable",
        False,
        "3.0.2",
        _IGNORABLE,
        {
            "FetchRequest": ("Topics.Topic", "ForgottenTopicsData.Topic"),
            "FetchResponse": ("Responses.Topic",),
        },
    ),
    Difference("ignorable", False, "3.3.1", _IGNORABLE, {"JoinGroupResponse": ("Members.GroupInstanceId",)}),
    Difference(
        "ignorable",
        False,
        "4.0.1",
        _IGNORABLE,
        {
            "ProduceRequest": ("TopicData.Name",),
            "ProduceResponse": ("Responses.Name",),
            "OffsetCommitRequest": ("Topics.Name",),
            "OffsetCommitResponse": ("Topics.Name",),
            "OffsetFetchRequest": ("Groups.Topics.Name",),
            "OffsetFetchResponse": ("Groups.Topics.Name",),
        },
    ),
    Difference(
        "ignorable",
        True,
        "2.6.3",
        "a consumer that is not told of the replica reads on from the leader, so 2.7 would rather fail",
        {"FetchResponse": ("Responses.Partitions.PreferredReadReplica",)},
    ),
    Difference(
        "ignorable",
        True,
        "3.9.1",
        "only header version 0 had no client id; it went in 4.0, and the mark with it",
        {"RequestHeader": ("ClientId",)},
    ),
    Difference(
        "map_key",
        False,
        "2.2.2",
        _MAP_KEY,
        {"CreateTopicsRequest": ("Topics.Name",), "DeleteTopicsResponse": ("Responses.Name",)},
    ),
    Difference(
        "map_key",
        False,
        "2.7.2",
        _MAP_KEY,
        {"ProduceRequest": ("TopicData.Name",), "ProduceResponse": ("Responses.Name",)},
    ),
    Difference(
        "entity_type",
        None,
        "2.2.2",
        _ENTITY_TYPE,
        {
            "ProduceRequest": ("TransactionalId", "TopicData.Name"),
            "ProduceResponse": ("Responses.Name",),
            "FetchRequest": ("Topics.Topic", "ForgottenTopicsData.Topic"),
            "FetchResponse": ("Responses.Topic", "Responses.Partitions.AbortedTransactions.ProducerId"),
            "ListOffsetsRequest": ("ReplicaId", "Topics.Name"),
            "ListOffsetsResponse": ("Topics.Name",),
            "MetadataRequest": ("Topics.Name",),
            "MetadataResponse": (
                "Brokers.NodeId",
                "ControllerId",
                "Topics.Name",
                "Topics.Partitions.LeaderId",
                "Topics.Partitions.ReplicaNodes",
            ),
            "OffsetCommitRequest": ("GroupId", "Topics.Name"),
            "OffsetCommitResponse": ("Topics.Name",),
            "OffsetFetchRequest": ("GroupId", "Topics.Name"),
            "OffsetFetchResponse": ("Topics.Name",),
            "FindCoordinatorResponse": ("NodeId",),
            "JoinGroupRequest": ("GroupId",),
            "HeartbeatRequest": ("GroupId",),
            "LeaveGroupRequest": ("GroupId",),
            "SyncGroupRequest": ("GroupId",),
            "DescribeGroupsRequest": ("Groups",),
            "DescribeGroupsResponse": ("Groups.GroupId",),
            "ListGroupsResponse": ("Groups.GroupId",),
            "CreateTopicsRequest": ("Topics.Name", "Topics.Assignments.BrokerIds"),
            "CreateTopicsResponse": ("Topics.Name",),
            "DeleteTopicsRequest": ("TopicNames",),
            "DeleteTopicsResponse": ("Responses.Name",),
        },
    ),
    Difference(
        "entity_type",
        None,
        "2.8.2",
        _ENTITY_TYPE,
        {
            "FetchRequest": ("ReplicaId",),
            "FetchResponse": (
                "Responses.Partitions.PreferredReadReplica",
                "Responses.Partitions.CurrentLeader.LeaderId",
            ),
            "MetadataResponse": ("Topics.Partitions.IsrNodes", "Topics.Partitions.OfflineReplicas"),
            "DeleteTopicsRequest": ("Topics.Name",),
        },
    ),
)

# Versions whose bytes were others in releases up to the one named: ours are those of later ones. All were
# changed in place while nothing stable used them: KRaft before 3.3, previews of KIP-848, KIP-932 and
# KIP-1071, tiered storage before 3.9, and tagged fields that joined.
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
    ("StreamsGroupMetadataValue", 0): "4.1.1",
    ("StreamsGroupTargetAssignmentMetadataValue", 0): "4.2.1",
    ("TopicRecord", 0): "2.8.2",
    ("UnfenceBrokerRecord", 0): "2.8.2",
    ("UnregisterBrokerRecord", 0): "2.8.2",
    ("UpdateMetadataRequest", 8): "3.6.0",
    ("UserScramCredentialRecord", 0): "3.4.1",
}
