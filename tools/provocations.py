"""The requests that provoke rows of errors: what `observe.py` sends, with the row that each is for.

A value "$NAME" is what a preparation has made at the broker; where that failed, it is that of `SAMPLE`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wirebook.specs.wire.records.checksums import crc32c

Value = Mapping[str, Any]
# The API, the version, the field, the error, and the request.
Row = tuple[str, int, str, str, Value]

ID = "6f747465-7200-4000-8000-000000000000"
NONE = "wirebook-observe"
TOPIC = "wirebook-observe-topic"
COMPACTED = "wirebook-observe-compacted"
CLASSIC = "wirebook-observe-classic"
CONSUMER = "wirebook-observe-consumer"
SHARE = "wirebook-observe-share"
TRANSACTION = "wirebook-observe-transaction"
PENDING = "wirebook-observe-pending"
OPEN_TRANSACTION = "wirebook-observe-open-transaction"
INSTANCE = "wirebook-observe-instance"
SAMPLE: Value = {
    "topic": ID,
    "cluster": "otter",
    "log-dir": "/otter",
    "generation": 1,
    "session": 1,
    "producer": 1,
    "epoch": 0,
    "other-producer": 1,
    "other-epoch": 0,
    "consumer": "otter",
    "share": "otter",
    "member": "otter",
}  # fmt: skip
_RECORD = bytes.fromhex("16000000010a6f7474657200")
_NO_PRODUCER = bytes.fromhex("ffffffffffffffffffffffffffff")


@dataclass(frozen=True, slots=True)
class Provocation:
    """A request whose response has an error code of a row at a path.

    `where` is what the broker must be like: "open", or "denying" if it grants the client nothing, or "sasl"
    for a listener with SASL.
    """

    api: str
    version: int
    field: str
    error: str
    value: Value
    where: str = "open"

    def __str__(self) -> str:
        return f"{self.api} {self.version} {self.field}: {self.error}"


def filled(value: Any, made: Value) -> Any:
    """A value with what a preparation has made."""
    if isinstance(value, Mapping):
        return {key: filled(each, made) for key, each in value.items()}
    if isinstance(value, list):
        return [filled(each, made) for each in value]
    if isinstance(value, str) and value.startswith("$"):
        return made[value[1:]]
    return value


def batch(timestamp: int = 1_700_000_000_000, checksum: int | None = None) -> str:
    """A batch of one record without a key, in hex; with another checksum it is corrupt."""
    times = timestamp.to_bytes(8, "big") * 2
    counted = bytes(6) + times + _NO_PRODUCER + (1).to_bytes(4, "big") + _RECORD
    own = crc32c(counted) if checksum is None else checksum
    length = (len(counted) + 9).to_bytes(4, "big")
    return (bytes(8) + length + b"\xff" * 4 + b"\x02" + own.to_bytes(4, "big") + counted).hex()


def _topics(name: str = NONE, **partition: Any) -> list[dict[str, Any]]:
    return [{"Name": name, "Partitions": [{"PartitionIndex": 0, **partition}]}]


def _new_topic(name: str = NONE, partitions: int = 1, replicas: int = 1, **more: Any) -> dict[str, Any]:
    topic = {"Name": name, "NumPartitions": partitions, "ReplicationFactor": replicas, **more}
    return {"timeoutMs": 1000, "validateOnly": True, "Topics": [topic]}


def _config(type_: int, name: str, key: str = "retention.ms", value: str = "1000") -> dict[str, Any]:
    return {"ResourceType": type_, "ResourceName": name, "Configs": [{"Name": key, "Value": value}]}


def _transaction(
    id_: str = TRANSACTION, producer: Any = "$producer", epoch: Any = "$epoch"
) -> dict[str, Any]:
    return {"TransactionalId": id_, "ProducerId": producer, "ProducerEpoch": epoch}


def _added(of: Value, *topics: str) -> dict[str, Any]:
    """AddPartitionsToTxn up to version 3."""
    named = [{"Name": name, "Partitions": [0]} for name in topics or (TOPIC,)]
    return {f"V3AndBelow{key}": value for key, value in of.items()} | {"V3AndBelowTopics": named}


def _verified(of: Value, *topics: str) -> dict[str, Any]:
    """AddPartitionsToTxn from version 4 on, which only looks."""
    named = [{"Name": name, "Partitions": [0]} for name in topics or (TOPIC,)]
    return {"Transactions": [{**of, "VerifyOnly": True, "Topics": named}]}


def _produce(topic: str, records: str, acks: int = 1) -> dict[str, Any]:
    partition = {"Index": 0, "Records": records}
    return {"Acks": acks, "TimeoutMs": 1000, "TopicData": [{"Name": topic, "PartitionData": [partition]}]}


def _fetch(topic: str, **partition: Any) -> dict[str, Any]:
    rows = [{"Partition": 0, "PartitionMaxBytes": 1000, "FetchOffset": 0, **partition}]
    return {"MaxBytes": 1000, "SessionEpoch": -1, "Topics": [{"Topic": topic, "Partitions": rows}]}


def _commit(topic: str, group: str = CLASSIC, **more: Any) -> dict[str, Any]:
    partition = {"PartitionIndex": 0, "CommittedOffset": 0, "CommittedMetadata": more.pop("metadata", "")}
    return {"GroupId": group, "Topics": [{"Name": topic, "Partitions": [partition]}], **more}


def _txn_commit(topic: str = TOPIC, group: str = NONE, metadata: str = "", **of: Any) -> dict[str, Any]:
    partition = {"PartitionIndex": 0, "CommittedOffset": 0, "CommittedMetadata": metadata}
    topics = [{"Name": topic, "Partitions": [partition]}]
    return {**(of or _transaction()), "GroupId": group, "Topics": topics}


def _heartbeat(group: str, member: str = "otter", epoch: int = 0, **more: Any) -> dict[str, Any]:
    """A heartbeat of the groups of KIP-848 and KIP-932."""
    return {"GroupId": group, "MemberId": member, "MemberEpoch": epoch, **more}


def _joining(group: str, **more: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "RebalanceTimeoutMs": 60000,
        "SubscribedTopicNames": [TOPIC],
        "TopicPartitions": [],
    }
    return _heartbeat(group, **(fields | more))


def _join(group: str = CLASSIC, **more: Any) -> dict[str, Any]:
    fields = {"SessionTimeoutMs": 60000, "RebalanceTimeoutMs": 60000, "ProtocolType": "consumer"}
    return {"GroupId": group, **fields, "Protocols": [{"Name": "range", "Metadata": ""}], **more}


def _share_state(partition: int, id_: str = "$topic") -> dict[str, Any]:
    return {"GroupId": SHARE, "Topics": [{"TopicId": id_, "Partitions": [{"Partition": partition}]}]}


def _credential(**more: Any) -> dict[str, Any]:
    of = {"Name": NONE, "Mechanism": 1, "Iterations": 4096, "Salt": "00", "SaltedPassword": "00", **more}
    return {"Deletions": [], "Upsertions": [of]}


_MEMBER = {"GroupId": CLASSIC, "MemberId": "$member", "GenerationId": "$generation"}
_FENCED = {
    "GroupId": CLASSIC,
    "MemberId": "otter",
    "GroupInstanceId": INSTANCE,
    "GenerationId": "$generation",
}
_ENTRY = {"Principal": "User:otter", "Host": "*", "Operation": 3, "PermissionType": 3}
_ACL = {"ResourceType": 2, "ResourceName": NONE, "ResourcePatternType": 3, **_ENTRY}
_FILTER = {"ResourceTypeFilter": 1, "PatternTypeFilter": 1, "Operation": 1, "PermissionType": 1}
_VOTER = {"VoterId": 9, "VoterDirectoryId": ID, "ClusterId": None}
_NEW_VOTER = {
    **_VOTER,
    "TimeoutMs": 1000,
    "Listeners": [{"Name": "CONTROLLER", "Host": "127.0.0.1", "Port": 9}],
}
_OTHER = _transaction(producer=987654321)
_OLD = _transaction(epoch=32000)
_UNKNOWN = _transaction(NONE, 987654321, 0)
_QUOTA = {"Entity": [], "Ops": [{"Key": "request_percentage", "Value": 100.0, "Remove": False}]}
_TOPIC_DENIED, _GROUP_DENIED = "TOPIC_AUTHORIZATION_FAILED", "GROUP_AUTHORIZATION_FAILED"
_CLUSTER_DENIED = "CLUSTER_AUTHORIZATION_FAILED"
_TRANSACTION_DENIED = "TRANSACTIONAL_ID_AUTHORIZATION_FAILED"
_V3 = "ResultsByTopicV3AndBelow.ResultsByPartition.PartitionErrorCode"
_V4 = "ResultsByTransaction.TopicResults.ResultsByPartition.PartitionErrorCode"
_PARTITION = "Topics.Partitions.ErrorCode"


def _open() -> Iterator[Row]:
    """Requests that a broker without an authorizer refuses."""
    yield (
        "ApiVersions",
        3,
        "ErrorCode",
        "INVALID_REQUEST",
        {"ClientSoftwareName": " ", "ClientSoftwareVersion": "1"},
    )
    yield "ApiVersions", 99, "ErrorCode", "UNSUPPORTED_VERSION", {}
    yield from _open_topics()
    yield from _open_groups()
    yield from _open_offsets()
    yield from _open_new_groups()
    yield from _open_share_groups()
    yield from _open_transactions()
    yield from _open_administration()
    yield from _open_configs()
    yield from _open_cluster()


def _open_topics() -> Iterator[Row]:
    code = "Topics.ErrorCode"
    yield "Metadata", 12, code, "UNKNOWN_TOPIC_ID", {"Topics": [{"TopicId": ID, "Name": None}]}
    yield "Metadata", 11, code, "INVALID_REQUEST", {"Topics": [{"TopicId": ID, "Name": NONE}]}
    for error, name in (("INVALID_TOPIC_EXCEPTION", "a b"), ("UNKNOWN_TOPIC_OR_PARTITION", NONE)):
        yield "Metadata", 9, code, error, {"Topics": [{"Name": name}], "AllowAutoTopicCreation": False}
        yield "DescribeTopicPartitions", 0, code, error, {"Topics": [{"Name": name}]}
    cursor = {"TopicName": NONE, "PartitionIndex": -1}
    yield (
        "DescribeTopicPartitions",
        0,
        code,
        "INVALID_REQUEST",
        {"Topics": [{"Name": TOPIC}], "Cursor": cursor},
    )
    fetched = "Responses.Partitions.ErrorCode"
    yield "Fetch", 12, "ErrorCode", "FETCH_SESSION_ID_NOT_FOUND", {"SessionId": 9, "SessionEpoch": 9}
    yield (
        "Fetch",
        12,
        "ErrorCode",
        "INVALID_FETCH_SESSION_EPOCH",
        {"SessionId": "$session", "SessionEpoch": 9},
    )
    yield (
        "Fetch",
        13,
        "ErrorCode",
        "FETCH_SESSION_TOPIC_ID_ERROR",
        {"SessionId": "$session", "SessionEpoch": 1},
    )
    yield "Fetch", 12, fetched, "UNKNOWN_TOPIC_OR_PARTITION", _fetch(NONE)
    yield "Fetch", 12, fetched, "OFFSET_OUT_OF_RANGE", _fetch(TOPIC, FetchOffset=99)
    yield "Fetch", 12, fetched, "UNKNOWN_LEADER_EPOCH", _fetch(TOPIC, CurrentLeaderEpoch=99)
    by_id = _fetch(NONE)["Topics"][0] | {"TopicId": ID}
    yield "Fetch", 13, fetched, "UNKNOWN_TOPIC_ID", {"SessionEpoch": -1, "Topics": [by_id]}
    at = {"ReplicaId": -1}
    yield "ListOffsets", 7, _PARTITION, "UNKNOWN_TOPIC_OR_PARTITION", {**at, "Topics": _topics()}
    yield "ListOffsets", 7, _PARTITION, "INVALID_REQUEST", {**at, "Topics": [_twice(TOPIC)]}
    yield "ListOffsets", 7, _PARTITION, "UNSUPPORTED_VERSION", {**at, "Topics": _topics(TOPIC, Timestamp=-99)}
    ahead = _topics(TOPIC, CurrentLeaderEpoch=99, Timestamp=-1)
    yield "ListOffsets", 7, _PARTITION, "UNKNOWN_LEADER_EPOCH", {**at, "Topics": ahead}
    for error, name, epoch in (("UNKNOWN_TOPIC_OR_PARTITION", NONE, -1), ("UNKNOWN_LEADER_EPOCH", TOPIC, 99)):
        partition = {"Partition": 0, "CurrentLeaderEpoch": epoch, "LeaderEpoch": 0}
        topics = [{"Topic": name, "Partitions": [partition]}]
        yield "OffsetForLeaderEpoch", 4, _PARTITION, error, {"ReplicaId": -1, "Topics": topics}
    produced = "Responses.PartitionResponses.ErrorCode"
    good, bad, future = batch(), batch(checksum=0), batch(4_000_000_000_000)
    yield "Produce", 11, produced, "UNKNOWN_TOPIC_OR_PARTITION", _produce(NONE, good)
    yield "Produce", 11, produced, "INVALID_REQUIRED_ACKS", _produce(TOPIC, good, 7)
    yield "Produce", 11, produced, "INVALID_TOPIC_EXCEPTION", _produce("__consumer_offsets", good)
    yield "Produce", 11, produced, "CORRUPT_MESSAGE", _produce(TOPIC, bad)
    yield "Produce", 11, produced, "INVALID_TIMESTAMP", _produce(TOPIC, future)
    yield "Produce", 11, produced, "INVALID_RECORD", _produce(COMPACTED, good)
    by_id = _produce(NONE, good)["TopicData"][0] | {"TopicId": ID}
    yield "Produce", 13, produced, "UNKNOWN_TOPIC_ID", {"Acks": 1, "TimeoutMs": 1000, "TopicData": [by_id]}
    timed = {"TimeoutMs": 1000}
    yield "DeleteRecords", 2, _PARTITION, "UNKNOWN_TOPIC_OR_PARTITION", {**timed, "Topics": _topics()}
    yield (
        "DeleteRecords",
        2,
        _PARTITION,
        "OFFSET_OUT_OF_RANGE",
        {**timed, "Topics": _topics(TOPIC, Offset=99)},
    )
    yield "DeleteRecords", 2, _PARTITION, "POLICY_VIOLATION", {**timed, "Topics": _topics(COMPACTED)}
    internal = _topics("__consumer_offsets")
    yield "DeleteRecords", 2, _PARTITION, "INVALID_TOPIC_EXCEPTION", {**timed, "Topics": internal}
    for error, name in (("UNKNOWN_TOPIC_OR_PARTITION", NONE), ("INVALID_TOPIC_EXCEPTION", "a b")):
        described = [{"Name": name, "PartitionIndexes": [0]}]
        yield "DescribeProducers", 0, _PARTITION, error, {"Topics": described}


def _twice(topic: str) -> dict[str, Any]:
    partition = {"PartitionIndex": 0, "Timestamp": -1}
    return {"Name": topic, "Partitions": [partition, partition]}


def _open_groups() -> Iterator[Row]:
    for version, field in ((3, "ErrorCode"), (4, "Coordinators.ErrorCode")):
        asked = {"Key": NONE, "KeyType": 9} if version == 3 else {"CoordinatorKeys": [NONE], "KeyType": 9}
        yield "FindCoordinator", version, field, "INVALID_REQUEST", asked
    code = "ErrorCode"
    yield "JoinGroup", 7, code, "INVALID_GROUP_ID", _join("")
    yield "JoinGroup", 7, code, "INVALID_SESSION_TIMEOUT", _join(NONE, SessionTimeoutMs=1)
    yield "JoinGroup", 7, code, "INCONSISTENT_GROUP_PROTOCOL", _join(ProtocolType="otter")
    yield "JoinGroup", 7, code, "UNKNOWN_MEMBER_ID", _join(MemberId="otter")
    yield "JoinGroup", 7, code, "MEMBER_ID_REQUIRED", _join()
    yield "JoinGroup", 7, code, "FENCED_INSTANCE_ID", _join(MemberId="otter", GroupInstanceId=INSTANCE)
    nobody = {"GroupId": NONE, "MemberId": NONE}
    for api, version in (("Heartbeat", 4), ("SyncGroup", 4)):
        yield api, version, code, "UNKNOWN_MEMBER_ID", nobody
        yield api, version, code, "INVALID_GROUP_ID", {**nobody, "GroupId": ""}
        yield api, version, code, "ILLEGAL_GENERATION", {**_MEMBER, "GenerationId": 99}
        yield api, version, code, "FENCED_INSTANCE_ID", _FENCED
    other = {"ProtocolType": "otter", "ProtocolName": "range"}
    yield "SyncGroup", 5, code, "INCONSISTENT_GROUP_PROTOCOL", {**_MEMBER, **other}
    left = {"GroupId": NONE, "Members": [{"MemberId": NONE}]}
    yield "LeaveGroup", 2, code, "UNKNOWN_MEMBER_ID", nobody
    yield "LeaveGroup", 5, "Members.ErrorCode", "UNKNOWN_MEMBER_ID", left
    yield "LeaveGroup", 5, code, "INVALID_GROUP_ID", {**left, "GroupId": ""}
    fenced = {"MemberId": "otter", "GroupInstanceId": INSTANCE}
    yield (
        "LeaveGroup",
        5,
        "Members.ErrorCode",
        "FENCED_INSTANCE_ID",
        {"GroupId": CLASSIC, "Members": [fenced]},
    )
    yield "DescribeGroups", 6, "Groups.ErrorCode", "GROUP_ID_NOT_FOUND", {"Groups": [NONE]}
    yield "DeleteGroups", 2, "Results.ErrorCode", "GROUP_ID_NOT_FOUND", {"GroupsNames": [NONE]}
    yield "DeleteGroups", 2, "Results.ErrorCode", "NON_EMPTY_GROUP", {"GroupsNames": [CLASSIC]}
    yield "OffsetDelete", 0, code, "GROUP_ID_NOT_FOUND", {"GroupId": NONE}
    yield "OffsetDelete", 0, code, "INVALID_GROUP_ID", {"GroupId": ""}
    deleted = {"GroupId": CONSUMER, "Topics": _topics(TOPIC)}
    yield "OffsetDelete", 0, _PARTITION, "GROUP_SUBSCRIBED_TO_TOPIC", deleted
    yield (
        "OffsetDelete",
        0,
        _PARTITION,
        "UNKNOWN_TOPIC_OR_PARTITION",
        {"GroupId": CONSUMER, "Topics": _topics()},
    )


def _open_offsets() -> Iterator[Row]:
    """Offsets of groups."""
    member: dict[str, Any] = {"MemberId": "$member", "GenerationIdOrMemberEpoch": "$generation"}
    yield "OffsetCommit", 9, _PARTITION, "UNKNOWN_TOPIC_OR_PARTITION", _commit(NONE, **member)
    yield (
        "OffsetCommit",
        9,
        _PARTITION,
        "OFFSET_METADATA_TOO_LARGE",
        _commit(TOPIC, metadata="x" * 5000, **member),
    )
    late: dict[str, Any] = {"MemberId": "$member", "GenerationIdOrMemberEpoch": 99}
    yield "OffsetCommit", 9, _PARTITION, "ILLEGAL_GENERATION", _commit(TOPIC, **late)
    unknown: dict[str, Any] = {"MemberId": "otter", "GenerationIdOrMemberEpoch": 1}
    yield "OffsetCommit", 9, _PARTITION, "UNKNOWN_MEMBER_ID", _commit(TOPIC, **unknown)
    yield "OffsetCommit", 9, _PARTITION, "GROUP_ID_NOT_FOUND", _commit(TOPIC, NONE, **unknown)
    fenced_commit: dict[str, Any] = {**unknown, "GroupInstanceId": INSTANCE}
    yield "OffsetCommit", 9, _PARTITION, "FENCED_INSTANCE_ID", _commit(TOPIC, **fenced_commit)
    stale: dict[str, Any] = {"MemberId": "$consumer", "GenerationIdOrMemberEpoch": 99}
    yield "OffsetCommit", 9, _PARTITION, "STALE_MEMBER_EPOCH", _commit(TOPIC, CONSUMER, **stale)
    by_id = [{"TopicId": ID, "Partitions": [{"PartitionIndex": 0, "CommittedOffset": 0}]}]
    yield "OffsetCommit", 10, _PARTITION, "UNKNOWN_TOPIC_ID", {"GroupId": CLASSIC, **member, "Topics": by_id}
    for error, read in (("UNKNOWN_MEMBER_ID", "otter"), ("STALE_MEMBER_EPOCH", "$consumer")):
        group = {"GroupId": CONSUMER, "MemberId": read, "MemberEpoch": 99, "Topics": None}
        yield "OffsetFetch", 9, "Groups.ErrorCode", error, {"Groups": [group]}
    named = {"GroupId": NONE, "Topics": [{"TopicId": ID, "PartitionIndexes": [0]}]}
    yield "OffsetFetch", 10, "Groups.Topics.Partitions.ErrorCode", "UNKNOWN_TOPIC_ID", {"Groups": [named]}


def _open_new_groups() -> Iterator[Row]:
    """The groups of KIP-848, KIP-932 and KIP-1071."""
    code = "ErrorCode"
    for api, version in (
        ("ConsumerGroupDescribe", 0),
        ("ShareGroupDescribe", 1),
        ("StreamsGroupDescribe", 0),
    ):
        yield api, version, "Groups.ErrorCode", "GROUP_ID_NOT_FOUND", {"GroupIds": [NONE]}
        yield api, version, "Groups.ErrorCode", "INVALID_GROUP_ID", {"GroupIds": [""]}
    api = "ConsumerGroupHeartbeat"
    yield api, 0, code, "INVALID_REQUEST", {"GroupId": ""}
    yield api, 0, code, "GROUP_ID_NOT_FOUND", _heartbeat(NONE, epoch=1)
    yield api, 0, code, "UNKNOWN_MEMBER_ID", _heartbeat(CONSUMER, epoch=1)
    yield api, 0, code, "FENCED_MEMBER_EPOCH", _heartbeat(CONSUMER, "$consumer", 99)
    yield api, 0, code, "UNSUPPORTED_ASSIGNOR", _joining(CONSUMER, ServerAssignor="otter")
    regex = _joining(CONSUMER, SubscribedTopicNames=None, SubscribedTopicRegex="[")
    yield api, 1, code, "INVALID_REGULAR_EXPRESSION", regex
    yield api, 0, code, "UNRELEASED_INSTANCE_ID", _joining(CONSUMER, InstanceId=INSTANCE)
    yield api, 0, code, "FENCED_INSTANCE_ID", _heartbeat(CONSUMER, epoch=1, InstanceId=INSTANCE)
    api = "ShareGroupHeartbeat"
    yield api, 1, code, "INVALID_REQUEST", _heartbeat("")
    yield api, 1, code, "GROUP_ID_NOT_FOUND", _heartbeat(NONE, epoch=1)
    yield api, 1, code, "UNKNOWN_MEMBER_ID", _heartbeat(SHARE, epoch=1)
    yield api, 1, code, "FENCED_MEMBER_EPOCH", _heartbeat(SHARE, "$share", 99)
    api = "StreamsGroupHeartbeat"
    yield api, 0, code, "INVALID_REQUEST", _heartbeat("")
    yield api, 0, code, "GROUP_ID_NOT_FOUND", _heartbeat(NONE, epoch=1)


def _open_share_groups() -> Iterator[Row]:
    """Share sessions, and the state of share groups."""
    code = "ErrorCode"
    for api in ("ShareFetch", "ShareAcknowledge"):
        yield api, 1, code, "INVALID_REQUEST", {"GroupId": SHARE, "MemberId": ""}
        open_session = {"GroupId": SHARE, "MemberId": "$share", "ShareSessionEpoch": 5}
        yield api, 1, code, "SHARE_SESSION_NOT_FOUND", open_session
    started = {"GroupId": SHARE, "MemberId": "$share", "ShareSessionEpoch": 0}
    yield "ShareAcknowledge", 1, code, "INVALID_SHARE_SESSION_EPOCH", started
    yield "AlterShareGroupOffsets", 0, code, "INVALID_GROUP_ID", {"GroupId": ""}
    yield "AlterShareGroupOffsets", 0, code, "GROUP_ID_NOT_FOUND", {"GroupId": CLASSIC, "Topics": []}
    altered = [{"TopicName": TOPIC, "Partitions": [{"PartitionIndex": 0, "StartOffset": 0}]}]
    yield "AlterShareGroupOffsets", 0, code, "NON_EMPTY_GROUP", {"GroupId": SHARE, "Topics": altered}
    for error, name in (("INVALID_GROUP_ID", ""), ("GROUP_ID_NOT_FOUND", NONE), ("NON_EMPTY_GROUP", SHARE)):
        topics = [{"TopicName": TOPIC}]
        yield "DeleteShareGroupOffsets", 0, code, error, {"GroupId": name, "Topics": topics}
    field = "Results.Partitions.ErrorCode"
    for name in ("Initialize", "Read", "Write", "Delete"):
        yield f"{name}ShareGroupState", 0, field, "INVALID_REQUEST", _share_state(-1)
    for name in ("Initialize", "Delete"):
        yield f"{name}ShareGroupState", 0, field, "UNKNOWN_TOPIC_OR_PARTITION", _share_state(0, ID)
    yield "ReadShareGroupStateSummary", 0, field, "INVALID_REQUEST", _share_state(-1)
    yield "ReadShareGroupStateSummary", 0, field, "UNKNOWN_TOPIC_OR_PARTITION", _share_state(0, ID)


def _open_transactions() -> Iterator[Row]:
    code = "ErrorCode"
    timeout = {"TransactionTimeoutMs": 1000}
    yield "InitProducerId", 4, code, "INVALID_REQUEST", {"TransactionalId": "", **timeout}
    yield (
        "InitProducerId",
        4,
        code,
        "INVALID_TRANSACTION_TIMEOUT",
        {"TransactionalId": NONE, "TransactionTimeoutMs": 0},
    )
    yield "InitProducerId", 4, code, "PRODUCER_FENCED", {**_OTHER, **timeout}
    yield "InitProducerId", 3, code, "INVALID_PRODUCER_EPOCH", {**_OTHER, **timeout}
    group = {"GroupId": NONE}
    for version, error, of in (
        (3, "INVALID_REQUEST", _transaction("")),
        (3, "INVALID_PRODUCER_ID_MAPPING", _UNKNOWN),
        (3, "PRODUCER_FENCED", _OLD),
        (1, "INVALID_PRODUCER_EPOCH", _OLD),
    ):
        yield "AddOffsetsToTxn", version, code, error, {**of, **group}
        yield "AddPartitionsToTxn", version, _V3, error, _added(of)
        yield "EndTxn", version, code, error, {**of, "Committed": True}
    yield "EndTxn", 3, code, "INVALID_TXN_STATE", {**_transaction(), "Committed": True}
    yield "AddPartitionsToTxn", 3, _V3, "UNKNOWN_TOPIC_OR_PARTITION", _added(_transaction(), NONE)
    yield "AddPartitionsToTxn", 3, _V3, "OPERATION_NOT_ATTEMPTED", _added(_transaction(), NONE, TOPIC)
    yield "AddPartitionsToTxn", 4, _V4, "INVALID_REQUEST", _verified(_transaction(""))
    yield "AddPartitionsToTxn", 4, _V4, "INVALID_PRODUCER_ID_MAPPING", _verified(_UNKNOWN)
    yield "AddPartitionsToTxn", 4, _V4, "PRODUCER_FENCED", _verified(_OLD)
    yield "AddPartitionsToTxn", 4, _V4, "TRANSACTION_ABORTABLE", _verified(_transaction())
    yield "AddPartitionsToTxn", 4, _V4, "UNKNOWN_TOPIC_OR_PARTITION", _verified(_transaction(), NONE)
    yield "AddPartitionsToTxn", 4, _V4, "OPERATION_NOT_ATTEMPTED", _verified(_transaction(), NONE, TOPIC)
    yield "TxnOffsetCommit", 3, _PARTITION, "INVALID_GROUP_ID", _txn_commit(group="")
    yield "TxnOffsetCommit", 3, _PARTITION, "INVALID_PRODUCER_ID_MAPPING", _txn_commit(**_UNKNOWN)
    yield "TxnOffsetCommit", 3, _PARTITION, "INVALID_TXN_STATE", _txn_commit()
    yield "TxnOffsetCommit", 4, _PARTITION, "TRANSACTION_ABORTABLE", _txn_commit()
    begun = _transaction(OPEN_TRANSACTION, "$other-producer", "$other-epoch")
    late, unknown = (
        {**begun, **_MEMBER, "GenerationId": 99},
        {**begun, "MemberId": "otter", "GenerationId": 1},
    )
    for error, committed in (
        ("OFFSET_METADATA_TOO_LARGE", _txn_commit(metadata="x" * 5000, **begun)),
        ("GROUP_ID_NOT_FOUND", _txn_commit(group=SHARE, **begun)),
        ("ILLEGAL_GENERATION", _txn_commit(group=CLASSIC, **late)),
        ("UNKNOWN_MEMBER_ID", _txn_commit(group=CLASSIC, **unknown)),
        ("FENCED_INSTANCE_ID", _txn_commit(group=CLASSIC, **{**unknown, "GroupInstanceId": INSTANCE})),
    ):
        yield "TxnOffsetCommit", 3, _PARTITION, error, committed
    pending = {"GroupId": PENDING, "Topics": [{"Name": TOPIC, "PartitionIndexes": [0]}]}
    yield "OffsetFetch", 7, _PARTITION, "UNSTABLE_OFFSET_COMMIT", {**pending, "RequireStable": True}
    field = "Groups.Topics.Partitions.ErrorCode"
    yield "OffsetFetch", 8, field, "UNSTABLE_OFFSET_COMMIT", {"Groups": [pending], "RequireStable": True}
    yield "TxnOffsetCommit", 3, _PARTITION, "UNKNOWN_TOPIC_OR_PARTITION", _txn_commit(NONE)
    yield "TxnOffsetCommit", 3, _PARTITION, "INVALID_PRODUCER_EPOCH", _txn_commit(**_OLD)
    for error, name in (("TRANSACTIONAL_ID_NOT_FOUND", NONE), ("INVALID_REQUEST", "")):
        yield "DescribeTransactions", 0, "TransactionStates.ErrorCode", error, {"TransactionalIds": [name]}
    yield (
        "ListTransactions",
        2,
        code,
        "INVALID_REGULAR_EXPRESSION",
        {"DurationFilter": -1, "TransactionalIdPattern": "["},
    )
    marker = {"ProducerId": 1, "Topics": [{"Name": NONE, "PartitionIndexes": [0]}]}
    field = "Markers.Topics.Partitions.ErrorCode"
    yield "WriteTxnMarkers", 1, field, "UNKNOWN_TOPIC_OR_PARTITION", {"Markers": [marker]}


def _open_administration() -> Iterator[Row]:
    code = "Topics.ErrorCode"
    yield "CreateTopics", 7, code, "INVALID_TOPIC_EXCEPTION", _new_topic("a b")
    yield "CreateTopics", 7, code, "INVALID_PARTITIONS", _new_topic(partitions=0)
    yield "CreateTopics", 7, code, "TOPIC_ALREADY_EXISTS", _new_topic(TOPIC)
    yield "CreateTopics", 7, code, "INVALID_REPLICATION_FACTOR", _new_topic(replicas=1000)
    assigned = [{"PartitionIndex": 3, "BrokerIds": [1]}]
    yield (
        "CreateTopics",
        7,
        code,
        "INVALID_REPLICA_ASSIGNMENT",
        _new_topic(NONE, -1, -1, Assignments=assigned),
    )
    unknown = [{"Name": "otter", "Value": "1"}]
    yield "CreateTopics", 7, code, "INVALID_CONFIG", _new_topic(Configs=unknown)
    yield "CreateTopics", 7, code, "INVALID_REQUEST", _new_topic(Assignments=assigned)
    timed = {"TimeoutMs": 1000}
    code = "Responses.ErrorCode"
    by_id = {"TopicId": ID, "Name": None}
    yield "DeleteTopics", 6, code, "UNKNOWN_TOPIC_ID", {**timed, "Topics": [by_id]}
    yield "DeleteTopics", 6, code, "UNKNOWN_TOPIC_OR_PARTITION", {**timed, "Topics": [{"Name": NONE}]}
    yield "DeleteTopics", 6, code, "INVALID_REQUEST", {**timed, "Topics": [{"Name": NONE, "TopicId": ID}]}
    code = "Results.ErrorCode"
    checked = {**timed, "ValidateOnly": True}
    for error, name, count in (("UNKNOWN_TOPIC_OR_PARTITION", NONE, 2), ("INVALID_PARTITIONS", TOPIC, 1)):
        topic = {"Name": name, "Count": count, "Assignments": None}
        yield "CreatePartitions", 3, code, error, {**checked, "Topics": [topic]}
    topic = {"Name": TOPIC, "Count": 2, "Assignments": [{"BrokerIds": [1000]}]}
    yield "CreatePartitions", 3, code, "INVALID_REPLICA_ASSIGNMENT", {**checked, "Topics": [topic]}
    yield "CreatePartitions", 3, code, "INVALID_REQUEST", {**checked, "Topics": [topic, topic]}
    for error, type_, name in (
        ("UNKNOWN_TOPIC_OR_PARTITION", 2, NONE),
        ("INVALID_TOPIC_EXCEPTION", 2, "a b"),
        ("INVALID_REQUEST", 77, NONE),
    ):
        resource = {"ResourceType": type_, "ResourceName": name}
        yield "DescribeConfigs", 4, code, error, {"Resources": [resource]}


def _open_configs() -> Iterator[Row]:
    """Configurations, quotas, ACLs, tokens and credentials."""
    code = "Responses.ErrorCode"
    for api, version in (("AlterConfigs", 2), ("IncrementalAlterConfigs", 1)):
        for error, resource in (
            ("UNKNOWN_TOPIC_OR_PARTITION", _config(2, NONE)), ("INVALID_TOPIC_EXCEPTION", _config(2, "a b")),
            ("INVALID_CONFIG", _config(2, TOPIC, "otter")), ("INVALID_REQUEST", _config(8, NONE)),
        ):  # fmt: skip
            yield api, version, code, error, {"Resources": [resource], "ValidateOnly": True}
    yield "ListConfigResources", 1, "ErrorCode", "UNSUPPORTED_VERSION", {"ResourceTypes": [99]}
    yield (
        "AlterClientQuotas",
        1,
        "Entries.ErrorCode",
        "INVALID_REQUEST",
        {"Entries": [_QUOTA], "ValidateOnly": True},
    )
    for error, component in (
        ("INVALID_REQUEST", {"EntityType": "user", "MatchType": 9}),
        ("UNSUPPORTED_VERSION", {"EntityType": "otter", "MatchType": 2}),
    ):
        yield "DescribeClientQuotas", 1, "ErrorCode", error, {"Components": [component]}
    yield "CreateAcls", 3, "Results.ErrorCode", "SECURITY_DISABLED", {"Creations": [_ACL]}
    yield "DeleteAcls", 3, "FilterResults.ErrorCode", "SECURITY_DISABLED", {"Filters": [_FILTER]}
    yield "DescribeAcls", 3, "ErrorCode", "SECURITY_DISABLED", _FILTER
    for api in ("Create", "Describe", "Expire", "Renew"):
        yield f"{api}DelegationToken", 2, "ErrorCode", "DELEGATION_TOKEN_REQUEST_NOT_ALLOWED", {}


def _open_cluster() -> Iterator[Row]:
    """Partitions, users and nodes."""
    timed = {"TimeoutMs": 1000}
    code = "Responses.Partitions.ErrorCode"
    for error, name, replicas in (
        ("UNKNOWN_TOPIC_OR_PARTITION", NONE, [1]), ("INVALID_REPLICA_ASSIGNMENT", TOPIC, []),
        ("NO_REASSIGNMENT_IN_PROGRESS", TOPIC, None),
    ):  # fmt: skip
        topics = [{"Name": name, "Partitions": [{"PartitionIndex": 0, "Replicas": replicas}]}]
        yield "AlterPartitionReassignments", 0, code, error, {**timed, "Topics": topics}
    code = "ReplicaElectionResults.PartitionResult.ErrorCode"
    for error, name in (("UNKNOWN_TOPIC_OR_PARTITION", NONE), ("ELECTION_NOT_NEEDED", TOPIC)):
        yield (
            "ElectLeaders",
            2,
            code,
            error,
            {**timed, "TopicPartitions": [{"Topic": name, "Partitions": [0]}]},
        )
    elected = {**timed, "ElectionType": 9, "TopicPartitions": [{"Topic": TOPIC, "Partitions": [0]}]}
    yield "ElectLeaders", 2, "ErrorCode", "INVALID_REQUEST", elected
    code = "Results.Partitions.ErrorCode"
    for error, path, name in (
        ("LOG_DIR_NOT_FOUND", "/otter", TOPIC),
        ("UNKNOWN_TOPIC_OR_PARTITION", "$log-dir", NONE),
    ):
        moved = {"Path": path, "Topics": [{"Name": name, "Partitions": [0]}]}
        yield "AlterReplicaLogDirs", 2, code, error, {"Dirs": [moved]}
    code = "Results.ErrorCode"
    yield "AlterUserScramCredentials", 0, code, "UNSUPPORTED_SASL_MECHANISM", _credential(Mechanism=9)
    yield "AlterUserScramCredentials", 0, code, "UNACCEPTABLE_CREDENTIAL", _credential(Iterations=1)
    deletions = [{"Name": NONE, "Mechanism": 1}]
    yield (
        "AlterUserScramCredentials",
        0,
        code,
        "RESOURCE_NOT_FOUND",
        {"Deletions": deletions, "Upsertions": []},
    )
    both = {"Deletions": [], "Upsertions": _credential()["Upsertions"] * 2}
    yield "AlterUserScramCredentials", 0, code, "DUPLICATE_RESOURCE", both
    for error, number in (("RESOURCE_NOT_FOUND", 1), ("DUPLICATE_RESOURCE", 2)):
        yield "DescribeUserScramCredentials", 0, code, error, {"Users": [{"Name": NONE}] * number}
    yield "DescribeCluster", 1, "ErrorCode", "UNSUPPORTED_ENDPOINT_TYPE", {"EndpointType": 9}
    yield "DescribeCluster", 1, "ErrorCode", "MISMATCHED_ENDPOINT_TYPE", {"EndpointType": 2}
    topics = [{"TopicName": NONE, "Partitions": [{"PartitionIndex": 0}]}]
    yield "DescribeQuorum", 2, _PARTITION, "UNKNOWN_TOPIC_OR_PARTITION", {"Topics": topics}
    for api, voter in (("AddRaftVoter", _NEW_VOTER), ("RemoveRaftVoter", _VOTER)):
        yield api, 0, "ErrorCode", "INCONSISTENT_CLUSTER_ID", {**voter, "ClusterId": "otter"}
        yield api, 0, "ErrorCode", "INVALID_REQUEST", {**voter, "VoterId": -1}
        yield api, 0, "ErrorCode", "UNSUPPORTED_VERSION", voter
    update = {"Feature": "metadata.version", "MaxVersionLevel": 999, "UpgradeType": 1}
    features = {"timeoutMs": 1000, "FeatureUpdates": [update], "ValidateOnly": True}
    yield "UpdateFeatures", 1, "ErrorCode", "INVALID_UPDATE_VERSION", features
    yield "UnregisterBroker", 0, "ErrorCode", "BROKER_ID_NOT_REGISTERED", {"BrokerId": 987}
    yield "SaslHandshake", 1, "ErrorCode", "ILLEGAL_SASL_STATE", {"Mechanism": "PLAIN"}
    yield "SaslAuthenticate", 2, "ErrorCode", "ILLEGAL_SASL_STATE", {"AuthBytes": "00"}


def _denied() -> Iterator[Row]:
    """Requests that a broker refuses to a client without any permission."""
    yield from _denied_topics()
    yield from _denied_groups()
    yield from _denied_transactions()
    yield from _denied_cluster()


def _denied_topics() -> Iterator[Row]:
    named, timed = _topics(TOPIC), {"TimeoutMs": 1000}
    code = "ErrorCode"
    yield (
        "Metadata",
        9,
        "Topics.ErrorCode",
        _TOPIC_DENIED,
        {"Topics": [{"Name": TOPIC}], "AllowAutoTopicCreation": False},
    )
    yield "DescribeTopicPartitions", 0, "Topics.ErrorCode", _TOPIC_DENIED, {"Topics": [{"Name": TOPIC}]}
    yield "Fetch", 12, "Responses.Partitions.ErrorCode", _TOPIC_DENIED, _fetch(TOPIC)
    yield "Produce", 11, "Responses.PartitionResponses.ErrorCode", _TOPIC_DENIED, _produce(TOPIC, batch())
    yield "ListOffsets", 7, _PARTITION, _TOPIC_DENIED, {"ReplicaId": -1, "Topics": named}
    epochs = [{"Topic": TOPIC, "Partitions": [{"Partition": 0, "CurrentLeaderEpoch": -1, "LeaderEpoch": 0}]}]
    yield "OffsetForLeaderEpoch", 4, _PARTITION, _TOPIC_DENIED, {"ReplicaId": -1, "Topics": epochs}
    yield "DeleteRecords", 2, _PARTITION, _TOPIC_DENIED, {**timed, "Topics": named}
    producers = [{"Name": TOPIC, "PartitionIndexes": [0]}]
    yield "DescribeProducers", 0, _PARTITION, _TOPIC_DENIED, {"Topics": producers}
    yield "CreateTopics", 7, "Topics.ErrorCode", _TOPIC_DENIED, _new_topic()
    yield "DeleteTopics", 6, "Responses.ErrorCode", _TOPIC_DENIED, {**timed, "Topics": [{"Name": TOPIC}]}
    more = [{"Name": TOPIC, "Count": 9, "Assignments": None}]
    yield (
        "CreatePartitions",
        3,
        "Results.ErrorCode",
        _TOPIC_DENIED,
        {**timed, "Topics": more, "ValidateOnly": True},
    )
    for error, type_, name in (
        (_TOPIC_DENIED, 2, TOPIC),
        (_GROUP_DENIED, 32, NONE),
        (_CLUSTER_DENIED, 4, "1"),
    ):
        resource = {"ResourceType": type_, "ResourceName": name}
        yield "DescribeConfigs", 4, "Results.ErrorCode", error, {"Resources": [resource]}
        for api, version in (("AlterConfigs", 2), ("IncrementalAlterConfigs", 1)):
            change = {"Resources": [_config(type_, name)], "ValidateOnly": True}
            yield api, version, "Responses.ErrorCode", error, change
    yield "ListConfigResources", 1, code, _CLUSTER_DENIED, {}


def _denied_groups() -> Iterator[Row]:
    code, named = "ErrorCode", _topics(TOPIC)
    yield "FindCoordinator", 3, code, _GROUP_DENIED, {"Key": NONE, "KeyType": 0}
    yield "FindCoordinator", 3, code, _TRANSACTION_DENIED, {"Key": NONE, "KeyType": 1}
    for error, key_type in ((_GROUP_DENIED, 0), (_TRANSACTION_DENIED, 1)):
        asked = {"CoordinatorKeys": [NONE], "KeyType": key_type}
        yield "FindCoordinator", 4, "Coordinators.ErrorCode", error, asked
    share_key = {"CoordinatorKeys": [f"{SHARE}:{ID}:0"], "KeyType": 2}
    yield "FindCoordinator", 6, "Coordinators.ErrorCode", _CLUSTER_DENIED, share_key
    yield "JoinGroup", 7, code, _GROUP_DENIED, _join()
    member = {"GroupId": CLASSIC, "MemberId": "otter"}
    yield "Heartbeat", 4, code, _GROUP_DENIED, member
    yield "SyncGroup", 4, code, _GROUP_DENIED, member
    yield "LeaveGroup", 5, code, _GROUP_DENIED, {"GroupId": CLASSIC, "Members": [{"MemberId": "otter"}]}
    yield "DescribeGroups", 6, "Groups.ErrorCode", _GROUP_DENIED, {"Groups": [CLASSIC]}
    yield "DeleteGroups", 2, "Results.ErrorCode", _GROUP_DENIED, {"GroupsNames": [CLASSIC]}
    yield "OffsetCommit", 9, _PARTITION, _GROUP_DENIED, _commit(TOPIC)
    yield "OffsetDelete", 0, code, _GROUP_DENIED, {"GroupId": CLASSIC, "Topics": named}
    wanted = [{"Name": TOPIC, "PartitionIndexes": [0]}]
    yield "OffsetFetch", 1, _PARTITION, _GROUP_DENIED, {"GroupId": CLASSIC, "Topics": wanted}
    yield "OffsetFetch", 7, code, _GROUP_DENIED, {"GroupId": CLASSIC, "Topics": wanted}
    yield (
        "OffsetFetch",
        8,
        "Groups.ErrorCode",
        _GROUP_DENIED,
        {"Groups": [{"GroupId": CLASSIC, "Topics": None}]},
    )
    yield "ConsumerGroupHeartbeat", 0, code, _GROUP_DENIED, _joining(CONSUMER)
    yield "ShareGroupHeartbeat", 1, code, _GROUP_DENIED, _heartbeat(SHARE)
    yield "StreamsGroupHeartbeat", 0, code, _GROUP_DENIED, _heartbeat(NONE)
    for api, version in (
        ("ConsumerGroupDescribe", 0),
        ("ShareGroupDescribe", 1),
        ("StreamsGroupDescribe", 0),
    ):
        yield api, version, "Groups.ErrorCode", _GROUP_DENIED, {"GroupIds": [NONE]}
    for api in ("ShareFetch", "ShareAcknowledge"):
        session = {"GroupId": SHARE, "MemberId": "otter", "ShareSessionEpoch": 1}
        yield api, 1, code, _GROUP_DENIED, session
    yield "AlterShareGroupOffsets", 0, code, _GROUP_DENIED, {"GroupId": SHARE, "Topics": []}
    yield "DeleteShareGroupOffsets", 0, code, _GROUP_DENIED, {"GroupId": SHARE, "Topics": []}
    yield "DescribeShareGroupOffsets", 0, "Groups.ErrorCode", _GROUP_DENIED, {"Groups": [{"GroupId": SHARE}]}
    for name in ("Initialize", "Read", "Write", "Delete"):
        yield (
            f"{name}ShareGroupState",
            0,
            "Results.Partitions.ErrorCode",
            _CLUSTER_DENIED,
            _share_state(0, ID),
        )
    yield (
        "ReadShareGroupStateSummary",
        0,
        "Results.Partitions.ErrorCode",
        _CLUSTER_DENIED,
        _share_state(0, ID),
    )


def _denied_transactions() -> Iterator[Row]:
    code = "ErrorCode"
    yield (
        "InitProducerId",
        4,
        code,
        _TRANSACTION_DENIED,
        {"TransactionalId": NONE, "TransactionTimeoutMs": 1000},
    )
    yield "InitProducerId", 4, code, _CLUSTER_DENIED, {"TransactionalId": None, "TransactionTimeoutMs": 1000}
    yield "AddOffsetsToTxn", 3, code, _TRANSACTION_DENIED, {**_UNKNOWN, "GroupId": NONE}
    yield "AddPartitionsToTxn", 3, _V3, _TRANSACTION_DENIED, _added(_UNKNOWN)
    yield "AddPartitionsToTxn", 4, code, _CLUSTER_DENIED, _verified(_UNKNOWN)
    yield "EndTxn", 3, code, _TRANSACTION_DENIED, {**_UNKNOWN, "Committed": True}
    yield "TxnOffsetCommit", 3, _PARTITION, _TRANSACTION_DENIED, _txn_commit(**_UNKNOWN)
    yield (
        "DescribeTransactions",
        0,
        "TransactionStates.ErrorCode",
        _TRANSACTION_DENIED,
        {"TransactionalIds": [NONE]},
    )
    marker = {"ProducerId": 1, "Topics": [{"Name": NONE, "PartitionIndexes": [0]}]}
    yield "WriteTxnMarkers", 1, "Markers.Topics.Partitions.ErrorCode", _CLUSTER_DENIED, {"Markers": [marker]}


def _denied_cluster() -> Iterator[Row]:
    code, timed = "ErrorCode", {"TimeoutMs": 1000}
    quota = {**_QUOTA, "Entity": [{"EntityType": "user", "EntityName": NONE}]}
    yield (
        "AlterClientQuotas",
        1,
        "Entries.ErrorCode",
        _CLUSTER_DENIED,
        {"Entries": [quota], "ValidateOnly": True},
    )
    yield "DescribeClientQuotas", 1, code, _CLUSTER_DENIED, {"Components": []}
    yield "CreateAcls", 3, "Results.ErrorCode", _CLUSTER_DENIED, {"Creations": [_ACL]}
    yield "DeleteAcls", 3, "FilterResults.ErrorCode", _CLUSTER_DENIED, {"Filters": [_FILTER]}
    yield "DescribeAcls", 3, code, _CLUSTER_DENIED, _FILTER
    targets = [{"Name": TOPIC, "Partitions": [{"PartitionIndex": 0, "Replicas": [1]}]}]
    yield "AlterPartitionReassignments", 0, code, _CLUSTER_DENIED, {**timed, "Topics": targets}
    yield "ListPartitionReassignments", 0, code, _CLUSTER_DENIED, timed
    elected = {**timed, "TopicPartitions": [{"Topic": TOPIC, "Partitions": [0]}]}
    yield "ElectLeaders", 2, code, _CLUSTER_DENIED, elected
    yield "ElectLeaders", 0, "ReplicaElectionResults.PartitionResult.ErrorCode", _CLUSTER_DENIED, elected
    moved = {"Path": "/otter", "Topics": [{"Name": TOPIC, "Partitions": [0]}]}
    yield "AlterReplicaLogDirs", 2, "Results.Partitions.ErrorCode", _CLUSTER_DENIED, {"Dirs": [moved]}
    yield "DescribeLogDirs", 4, code, _CLUSTER_DENIED, {}
    yield "AlterUserScramCredentials", 0, "Results.ErrorCode", _CLUSTER_DENIED, _credential()
    yield "DescribeUserScramCredentials", 0, code, _CLUSTER_DENIED, {"Users": [{"Name": NONE}]}
    quorum = [{"TopicName": "__cluster_metadata", "Partitions": [{"PartitionIndex": 0}]}]
    yield "DescribeQuorum", 2, code, _CLUSTER_DENIED, {"Topics": quorum}
    yield "AddRaftVoter", 0, code, _CLUSTER_DENIED, _NEW_VOTER
    yield "RemoveRaftVoter", 0, code, _CLUSTER_DENIED, _VOTER
    update = {"Feature": "metadata.version", "MaxVersionLevel": 1, "UpgradeType": 1}
    features = {"timeoutMs": 1000, "FeatureUpdates": [update], "ValidateOnly": True}
    yield "UpdateFeatures", 1, code, _CLUSTER_DENIED, features
    yield "UnregisterBroker", 0, code, _CLUSTER_DENIED, {"BrokerId": 987}


PROVOCATIONS = (
    *(Provocation(*row) for row in _open()),
    *(Provocation(*row, "denying") for row in _denied()),
    Provocation(
        "SaslHandshake", 1, "ErrorCode", "UNSUPPORTED_SASL_MECHANISM", {"Mechanism": "OTTER"}, "sasl"
    ),
)
