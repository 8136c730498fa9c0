"""Kafka's profile as values: every check of a Kafka repository needs it, and parsing TOML takes much longer.

`profile.toml` has the same content for people and for `extends`; tests/specs/kafka/test_profile.py compares
the two.
"""

from __future__ import annotations

from wirebook.specs.kafka import KAFKA
from wirebook.specs.profile import (
    EmbeddedMessage,
    HeaderException,
    HeaderFields,
    Headers,
    Link,
    NegotiationApi,
    Profile,
    SiteProfile,
)
from wirebook.specs.versions import Versions

KAFKA_PROFILE = Profile(
    name=KAFKA,
    product="Kafka",
    title="Apache Kafka protocol",
    client="client",
    server="broker",
    level="protocol level",
    listeners=("broker", "controller"),
    former_listeners={"zkBroker": "removed with ZooKeeper in 4.0"},
    entity_types={
        "unknown": "",
        "transactionalId": "string",
        "producerId": "int64",
        "groupId": "string",
        "topicName": "string",
        "brokerId": "int32",
    },
    headers=Headers(
        request=(1, 2),
        response=(0, 1),
        exceptions=(
            HeaderException("response", 18, Versions.ALL, 0),
            HeaderException("request", 7, Versions(0, 0), 0),
        ),
    ),
    header_fields=HeaderFields("RequestApiKey", "RequestApiVersion", "CorrelationId", "ClientId"),
    frame_length=4,
    negotiation=NegotiationApi("ApiVersions", 18),
    tables={
        "levels": "specs/kafka/api_versions.json",
        "errors": "specs/kafka/errors.json",
        "values": "specs/kafka/values.json",
    },
    embedded=(
        EmbeddedMessage(
            "JoinGroupRequest",
            "Protocols.Metadata",
            "ConsumerProtocolSubscription",
            {"ProtocolType": "consumer"},
        ),
        EmbeddedMessage(
            "JoinGroupResponse",
            "Members.Metadata",
            "ConsumerProtocolSubscription",
            {"ProtocolType": "consumer"},
        ),
        EmbeddedMessage(
            "SyncGroupRequest",
            "Assignments.Assignment",
            "ConsumerProtocolAssignment",
            {"ProtocolType": "consumer"},
        ),
        EmbeddedMessage(
            "SyncGroupResponse", "Assignment", "ConsumerProtocolAssignment", {"ProtocolType": "consumer"}
        ),
        EmbeddedMessage(
            "DescribeGroupsResponse",
            "Groups.Members.MemberMetadata",
            "ConsumerProtocolSubscription",
            {"ProtocolType": "consumer"},
        ),
        EmbeddedMessage(
            "DescribeGroupsResponse",
            "Groups.Members.MemberAssignment",
            "ConsumerProtocolAssignment",
            {"ProtocolType": "consumer"},
        ),
        EmbeddedMessage(
            "GroupMetadataValue",
            "members.subscription",
            "ConsumerProtocolSubscription",
            {"protocolType": "consumer"},
        ),
        EmbeddedMessage(
            "GroupMetadataValue",
            "members.assignment",
            "ConsumerProtocolAssignment",
            {"protocolType": "consumer"},
        ),
    ),
    links=(
        Link("KIP-{number}", "https://cwiki.apache.org/confluence/dosearchsite.action?queryString={0}"),
        Link("KAFKA-{number}", "https://issues.apache.org/jira/browse/{0}"),
    ),
    site=SiteProfile(title="Kafka protocol reference"),
    family=KAFKA,
    path="specs/kafka/profile.toml",
)
