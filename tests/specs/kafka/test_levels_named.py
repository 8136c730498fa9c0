"""Which versions name a protocol level: those for which Kafka's sources do; all others name a release.

The sources are the comments of `kafka.api.ApiVersion` (Kafka 2.8) and `MetadataVersion` (3.9 and trunk), and
the code that chooses a version by the level: ControllerChannelManager, ReplicaFetcherThread, KafkaServer,
GroupMetadataManager, TransactionMarkerChannelManager, MetadataVersion.fetchRequestVersion and its like.
"""

from __future__ import annotations

import re
from collections import Counter

from tests.kafka import own_message, read_kafka
from wirebook.specs.kafka.registry import embedded_paths, load_registry
from wirebook.specs.model import STANDING

# The versions that a level of a release with several levels brought.
NAMED = {
    "0.10.0-IV0": {"Fetch": [2], "Produce": [2]},
    "0.10.0-IV1": {"SaslHandshake": [0], "UpdateMetadata": [2]},
    "0.10.1-IV0": {"GroupMetadataValue": [1], "JoinGroup": [1]},
    "0.10.1-IV1": {"Fetch": [3]},
    "0.10.1-IV2": {"ListOffsets": [1]},
    "0.11.0-IV0": {
        "AddOffsetsToTxn": [0], "AddPartitionsToTxn": [0], "ControlRecordTypeSchema": [0], "EndTxn": [0],
        "EndTxnMarker": [0], "Fetch": [4], "InitProducerId": [0], "ListOffsets": [2], "Produce": [3],
        "ProducerSnapshot": [1], "TransactionLogKey": [0], "TransactionLogValue": [0],
        "TxnOffsetCommit": [0], "WriteTxnMarkers": [0],
    },
    "0.11.0-IV1": {"DeleteRecords": [0], "Fetch": [5]},
    "0.11.0-IV2": {"OffsetForLeaderEpoch": [0]},
    "2.0-IV0": {"OffsetForLeaderEpoch": [1]},
    # KIP-219 raised every request whose response says how long a quota held the client back.
    "2.0-IV1": {
        "AddOffsetsToTxn": [1], "AddPartitionsToTxn": [1], "AlterConfigs": [1], "AlterReplicaLogDirs": [1],
        "ApiVersions": [2], "CreateAcls": [1], "CreateDelegationToken": [1], "CreatePartitions": [1],
        "CreateTopics": [3], "DeleteAcls": [1], "DeleteGroups": [1], "DeleteRecords": [1],
        "DeleteTopics": [2], "DescribeAcls": [1], "DescribeConfigs": [2], "DescribeDelegationToken": [1],
        "DescribeGroups": [2], "DescribeLogDirs": [1], "EndTxn": [1], "ExpireDelegationToken": [1],
        "Fetch": [8], "FindCoordinator": [2], "Heartbeat": [2], "InitProducerId": [1], "JoinGroup": [3],
        "LeaveGroup": [2], "ListGroups": [2], "ListOffsets": [3], "Metadata": [6], "OffsetCommit": [4],
        "OffsetFetch": [4], "Produce": [6], "RenewDelegationToken": [1], "SyncGroup": [2],
        "TxnOffsetCommit": [1],
    },
    "2.1-IV0": {"GroupMetadataValue": [2], "OffsetCommit": [5], "OffsetCommitValue": [2]},
    "2.1-IV1": {
        "Fetch": [9], "ListOffsets": [4], "Metadata": [7], "OffsetCommit": [6], "OffsetCommitValue": [3],
        "OffsetFetch": [5], "OffsetForLeaderEpoch": [2], "TxnOffsetCommit": [2],
    },
    "2.1-IV2": {"Fetch": [10], "Produce": [7]},
    "2.2-IV0": {"ControlledShutdown": [2], "LeaderAndIsr": [2], "StopReplica": [1], "UpdateMetadata": [5]},
    "2.2-IV1": {"ListOffsets": [5]},
    "2.3-IV0": {
        "GroupMetadataValue": [3], "Heartbeat": [3], "JoinGroup": [5], "OffsetCommit": [7], "SyncGroup": [3],
    },
    "2.3-IV1": {"Fetch": [11], "OffsetForLeaderEpoch": [3]},
    "2.4-IV0": {"LeaderAndIsr": [3]},
    "2.4-IV1": {"ControlledShutdown": [3], "LeaderAndIsr": [4], "StopReplica": [2], "UpdateMetadata": [6]},
    "2.7-IV0": {"UpdateFeatures": [0]},
    "2.7-IV1": {
        "BeginQuorumEpoch": [0], "DescribeQuorum": [0], "EndQuorumEpoch": [0], "Fetch": [12], "Vote": [0],
    },
    "2.7-IV2": {"AlterPartition": [0]},
    "2.8-IV0": {"ListOffsets": [6], "OffsetForLeaderEpoch": [4], "WriteTxnMarkers": [1]},
    "2.8-IV1": {"LeaderAndIsr": [5], "UpdateMetadata": [7]},
    "3.0-IV0": {"AllocateProducerIds": [0]},
    "3.0-IV1": {"ListOffsets": [7]},
    "3.3-IV1": {"NoOpRecord": [0]},
    "3.3-IV3": {"BrokerRegistrationChangeRecord": [1], "RegisterBrokerRecord": [1]},
    "3.5-IV0": {"Fetch": [14], "ListOffsets": [8]},
    "3.5-IV1": {"Fetch": [15]},
    "3.5-IV2": {"RemoveUserScramCredentialRecord": [0]},
    "3.6-IV1": {"AbortTransactionRecord": [0], "BeginTransactionRecord": [0], "EndTransactionRecord": [0]},
    "3.6-IV2": {"RemoveDelegationTokenRecord": [0]},
    "3.7-IV0": {"ControllerRegistration": [0], "RegisterControllerRecord": [0]},
    "3.7-IV2": {
        "AssignReplicasToDirs": [0], "BrokerHeartbeat": [1], "BrokerRegistration": [2],
        "BrokerRegistrationChangeRecord": [2], "PartitionChangeRecord": [1], "PartitionRecord": [1],
        "RegisterBrokerRecord": [3],
    },
    "3.7-IV4": {"Fetch": [16]},
    "4.0-IV1": {"ClearElrRecord": [0], "PartitionChangeRecord": [2], "PartitionRecord": [2]},
    "4.0-IV3": {"ListOffsets": [10]},
    "4.1-IV1": {"Fetch": [18]},
    "4.2-IV1": {"ListOffsets": [11]},
}  # fmt: skip


def test_a_level_is_named_where_sources_name_it_and_else_the_release() -> None:
    registry = load_registry()
    count = Counter(level.release for level in registry.api_versions)
    found: dict[str, dict[str, list[int]]] = {}
    for path in embedded_paths():
        message = read_kafka(path.read_bytes(), path.name)
        for entry in message.history:
            level = registry.by_version(entry.added or "")
            if level is not None and count[level.release] > 1:
                versions = found.setdefault(level.version, {}).setdefault(message.api, [])
                if entry.version not in versions:
                    versions.append(entry.version)
            later = [getattr(entry, key) for key in STANDING if key != "added" and getattr(entry, key)]
            named = [registry.by_version(name) for name in later]
            # A mark in the documentation is one of a release: no level brings it.
            assert all(one is None or count[one.release] == 1 for one in named), f"{path.name}: {later}"
    assert found == NAMED


def test_what_is_said_of_a_level_is_what_the_histories_say() -> None:
    """Each version that the registry mentions, "Fetch 12", came with that very level."""
    registry = load_registry()
    names = [path.stem for path in embedded_paths()]
    requests = {name.removesuffix("Request") for name in names if name.endswith("Request")}
    mentioned = 0
    for level in registry.described:
        assert level.about, level.version
        for name, number in re.findall(r"\b([A-Z]\w+) (\d+)\b", level.about):
            if name in requests:
                entry = own_message(f"{name}Request").history[int(number)]
                moment = registry.moment(entry.added or "")
                assert moment is not None
                assert (moment.level, moment.release) == (level.id, ""), f"{level.version}: {name} {number}"
                mentioned += 1
    assert mentioned > 40
