"""Provokes rows of errors at a broker, as a client without peers or permissions can, and marks what it saw.

    python -m tools.observe ADDRESS                 compare the answers of a broker with the rows
    python -m tools.observe ADDRESS --mark RELEASE  and mark rows as observed with a release of Apache Kafka

Only a broker that lists exactly the versions of the release marks rows: the answers of other implementations
prove nothing about Kafka. Each request has a connection of its own. None changes a topic or a setting.
"""

from __future__ import annotations

import argparse
import re
import socket
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wirebook.api import decode, encode, layout, load
from wirebook.docgen.catalog.errors import described_errors
from wirebook.specs.kafka.brokers import broker_named
from wirebook.specs.kafka.releases import known_releases
from wirebook.specs.kafka.text_check import position
from wirebook.specs.kafka.texts import TEXTS, all_texts
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions
from wirebook.specs.wire.layout import Layout
from wirebook.specs.wire.scalars import WireError

_ID = "6f747465-7200-4000-8000-000000000000"
_NONE = "wirebook-observe"
_SECONDS = 20
_GROUP = {"GroupId": _NONE, "MemberId": _NONE}
_TOPICS = [{"Name": _NONE, "Partitions": [{"PartitionIndex": 0}]}]


@dataclass(frozen=True, slots=True)
class Provocation:
    """A request whose response has an error code of a row at a path."""

    api: str
    version: int
    field: str
    error: str
    value: Mapping[str, Any]

    def __str__(self) -> str:
        return f"{self.api} {self.version} {self.field}: {self.error}"


def _new_topic(name: str, partitions: int) -> dict[str, Any]:
    topic = {"Name": name, "NumPartitions": partitions, "ReplicationFactor": 1}
    return {"timeoutMs": 1000, "validateOnly": True, "Topics": [topic]}


PROVOCATIONS = (
    Provocation("ApiVersions", 3, "ErrorCode", "INVALID_REQUEST",
                {"ClientSoftwareName": " ", "ClientSoftwareVersion": "1"}),
    Provocation("ApiVersions", 99, "ErrorCode", "UNSUPPORTED_VERSION",
                {}),
    Provocation("Metadata", 12, "Topics.ErrorCode", "UNKNOWN_TOPIC_ID",
                {"Topics": [{"TopicId": _ID, "Name": None}]}),
    Provocation("Metadata", 11, "Topics.ErrorCode", "INVALID_REQUEST",
                {"Topics": [{"TopicId": _ID, "Name": _NONE}]}),
    Provocation("Metadata", 9, "Topics.ErrorCode", "INVALID_TOPIC_EXCEPTION",
                {"Topics": [{"Name": "a b"}], "AllowAutoTopicCreation": False}),
    Provocation("Metadata", 9, "Topics.ErrorCode", "UNKNOWN_TOPIC_OR_PARTITION",
                {"Topics": [{"Name": _NONE}], "AllowAutoTopicCreation": False}),
    Provocation("FindCoordinator", 4, "Coordinators.ErrorCode", "INVALID_REQUEST",
                {"KeyType": 9, "CoordinatorKeys": [_NONE]}),
    Provocation("JoinGroup", 7, "ErrorCode", "INVALID_GROUP_ID",
                {"GroupId": "", "SessionTimeoutMs": 10000, "ProtocolType": "consumer"}),
    Provocation("JoinGroup", 7, "ErrorCode", "INVALID_SESSION_TIMEOUT",
                {"GroupId": _NONE, "SessionTimeoutMs": 1, "ProtocolType": "consumer",
                 "Protocols": [{"Name": "range"}]}),
    Provocation("Heartbeat", 4, "ErrorCode", "UNKNOWN_MEMBER_ID", _GROUP),
    Provocation("SyncGroup", 4, "ErrorCode", "UNKNOWN_MEMBER_ID", _GROUP),
    Provocation("LeaveGroup", 5, "Members.ErrorCode", "UNKNOWN_MEMBER_ID",
                {"GroupId": _NONE, "Members": [{"MemberId": _NONE}]}),
    Provocation("DescribeGroups", 6, "Groups.ErrorCode", "GROUP_ID_NOT_FOUND",
                {"Groups": [_NONE]}),
    Provocation("DeleteGroups", 2, "Results.ErrorCode", "GROUP_ID_NOT_FOUND",
                {"GroupsNames": [_NONE]}),
    Provocation("OffsetDelete", 0, "ErrorCode", "GROUP_ID_NOT_FOUND",
                {"GroupId": _NONE}),
    Provocation("ConsumerGroupDescribe", 0, "Groups.ErrorCode", "GROUP_ID_NOT_FOUND",
                {"GroupIds": [_NONE]}),
    Provocation("ConsumerGroupHeartbeat", 0, "ErrorCode", "INVALID_REQUEST",
                {"GroupId": ""}),
    Provocation("InitProducerId", 4, "ErrorCode", "INVALID_REQUEST",
                {"TransactionalId": "", "TransactionTimeoutMs": 1000}),
    Provocation("InitProducerId", 4, "ErrorCode", "INVALID_TRANSACTION_TIMEOUT",
                {"TransactionalId": _NONE, "TransactionTimeoutMs": 0}),
    Provocation("EndTxn", 3, "ErrorCode", "INVALID_PRODUCER_ID_MAPPING",
                {"TransactionalId": _NONE, "ProducerId": 1, "ProducerEpoch": 0, "Committed": True}),
    Provocation("DescribeTransactions", 0, "TransactionStates.ErrorCode", "TRANSACTIONAL_ID_NOT_FOUND",
                {"TransactionalIds": [_NONE]}),
    Provocation("Fetch", 12, "ErrorCode", "FETCH_SESSION_ID_NOT_FOUND",
                {"SessionId": 9, "SessionEpoch": 9}),
    Provocation("ListOffsets", 7, "Topics.Partitions.ErrorCode", "UNKNOWN_TOPIC_OR_PARTITION",
                {"ReplicaId": -1, "Topics": _TOPICS}),
    Provocation("DeleteRecords", 2, "Topics.Partitions.ErrorCode", "UNKNOWN_TOPIC_OR_PARTITION",
                {"TimeoutMs": 1000, "Topics": _TOPICS}),
    Provocation("DescribeProducers", 0, "Topics.Partitions.ErrorCode", "UNKNOWN_TOPIC_OR_PARTITION",
                {"Topics": [{"Name": _NONE, "PartitionIndexes": [0]}]}),
    Provocation("DescribeCluster", 1, "ErrorCode", "UNSUPPORTED_ENDPOINT_TYPE",
                {"EndpointType": 9}),
    Provocation("CreateTopics", 7, "Topics.ErrorCode", "INVALID_TOPIC_EXCEPTION",
                _new_topic("a b", 1)),
    Provocation("CreateTopics", 7, "Topics.ErrorCode", "INVALID_PARTITIONS",
                _new_topic(_NONE, 0)),
    Provocation("DeleteTopics", 6, "Responses.ErrorCode", "UNKNOWN_TOPIC_ID",
                {"TimeoutMs": 1000, "Topics": [{"TopicId": _ID, "Name": None}]}),
    Provocation("SaslHandshake", 1, "ErrorCode", "UNSUPPORTED_SASL_MECHANISM",
                {"Mechanism": "OTTER"}),
)  # fmt: skip


def codes_at(value: Any, path: str) -> Iterator[int]:
    """The error codes at a path of a response."""
    name, _, rest = path.partition(".")
    for item in value if isinstance(value, list) else [value]:
        if rest:
            yield from codes_at(item[name], rest)
        else:
            yield item[name]


def answer(address: str, asked: Provocation) -> list[str]:
    """The names of the error codes that a broker returns at the path."""
    sent = min(asked.version, max(_versions(f"{asked.api}Request")))
    request, response = (layout(f"{asked.api}{half}", sent) for half in ("Request", "Response"))
    data = _exchange(address, request, asked.version, asked.value)
    body = data[1:] if response.header_version == 1 else data
    if asked.version != sent:
        # A broker answers an unknown version of ApiVersions in version 0.
        response = layout(f"{asked.api}Response", 0)
    names = {error.code: error.name for error in described_errors()}
    return [names.get(code, str(code)) for code in codes_at(decode(response, body), asked.field)]


def _versions(message: str) -> Versions:
    """The versions of an embedded message."""
    return next(each.valid_versions for each in load().messages if each.name == message)


def is_release(address: str, release: str) -> bool:
    """Whether a broker lists exactly the versions of a release of Apache Kafka."""
    data = _exchange(address, layout("ApiVersionsRequest", 0), 0, {})
    rows = decode(layout("ApiVersionsResponse", 0), data)["ApiKeys"]
    ranges = {row["ApiKey"]: (row["MinVersion"], row["MaxVersion"]) for row in rows}
    listed = broker_named(release).listed("broker")
    return ranges == {key: (versions.lowest, versions.highest) for key, versions in listed.items()}


def _exchange(address: str, request: Layout, version: int, value: Mapping[str, Any]) -> bytes:
    """The response to a request with a header of this version, after its correlation id."""
    header = (request.message.api_key or 0).to_bytes(2, "big") + version.to_bytes(2, "big") + bytes(4)
    tags = b"\0" if request.header_version == 2 else b""
    message = header + b"\xff\xff" + tags + encode(request, value)
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), _SECONDS) as connection:
        connection.sendall(len(message).to_bytes(4, "big") + message)
        return _read(connection, int.from_bytes(_read(connection, 4), "big"))[4:]


def _read(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            raise ConnectionError("the broker closed the connection")
        data += part
    return data


def mark(asked: Provocation, release: str) -> None:
    """Write into the row that it was observed with a release."""
    texts = all_texts()[asked.api]
    number = row_of(asked)
    path = TEXTS / f"{asked.api}.json"
    lines = path.read_text(encoding="utf-8").split("\n")
    at = position(texts, ("errors", number)).line - 1
    observed = {*re.findall(r'"observed": "([^"]*)"', lines[at])[:1], release} - {""}
    lines[at] = re.sub(r', "observed": "[^"]*"', "", lines[at])
    last = max(observed, key=known_releases().names.index)
    lines[at] = re.sub(r" \}(,?)$", rf', "observed": "{last}" }}\1', lines[at])
    path.write_text("\n".join(lines), encoding="utf-8")


def row_of(asked: Provocation) -> int:
    """The number of the row among the errors of its API. Raises StopIteration if there is none."""
    return next(
        number
        for number, error in enumerate(all_texts()[asked.api].errors)
        if (error.name, error.field) == (asked.error, asked.field) and asked.version in error.versions
    )


def main(arguments: list[str]) -> int:
    """Print what a broker answers; return 1 if an answer differs from its row, 2 for bad input."""
    parser = argparse.ArgumentParser(prog="observe.py", description="Provoke rows of errors at a broker.")
    parser.add_argument("address", help="HOST:PORT of a broker without TLS and SASL")
    parser.add_argument("--mark", metavar="RELEASE", default="", help="mark what is seen with this release")
    options = parser.parse_args(arguments)
    try:
        if options.mark and not is_release(options.address, options.mark):
            print(
                f"the broker does not list the versions of Apache Kafka {options.mark}: it marks nothing",
                file=sys.stderr,
            )
            return 2
    except (OSError, InputError, WireError) as error:
        print(error, file=sys.stderr)
        return 2
    different = 0
    for asked in PROVOCATIONS:
        try:
            found = answer(options.address, asked)
        except (OSError, WireError) as error:
            found = [str(error)]
        is_seen = asked.error in found
        different += not is_seen
        print(f"{'observed' if is_seen else 'differs '} {asked}{'' if is_seen else f', not {found}'}")
        if is_seen and options.mark:
            mark(asked, options.mark)
    print(f"{len(PROVOCATIONS) - different} of {len(PROVOCATIONS)} rows observed")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
