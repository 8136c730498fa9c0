"""Provokes rows of errors at a broker, as a client without peers or permissions can, and marks what it saw.

    python -m tools.observe ADDRESS                 compare the answers of a broker with the rows
    python -m tools.observe ADDRESS --mark RELEASE  and mark rows as observed with a release of Apache Kafka
    python -m tools.observe ADDRESS --where denying that of a broker that grants the client no permission

Only a broker that lists exactly the versions of the release marks rows: the answers of other implementations
prove nothing about Kafka. Each request has a connection of its own. The requests are for a broker of one's
own: they leave topics, groups and a transactional id whose names begin with "wirebook-observe".
"""

from __future__ import annotations

import argparse
import re
import socket
import sys
import time
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from tools.provocations import (
    CLASSIC,
    COMPACTED,
    CONSUMER,
    INSTANCE,
    OPEN_TRANSACTION,
    PENDING,
    PROVOCATIONS,
    SAMPLE,
    SHARE,
    TOPIC,
    TRANSACTION,
    Provocation,
    filled,
)
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

_SECONDS = 20
_TRIES = 20


def codes_at(value: Any, path: str) -> Iterator[int]:
    """The error codes at a path of a response."""
    name, _, rest = path.partition(".")
    for item in value if isinstance(value, list) else [value]:
        if rest:
            yield from codes_at(item[name], rest)
        else:
            yield item[name]


def prepared(address: str) -> dict[str, Any]:
    """What a broker has made for the requests: a topic, groups with a member, a producer, a fetch session."""
    made = dict(SAMPLE)
    for step in (_topic, _coordinators, _classic, _groups, _producer, _session):
        try:
            made |= step(address)
        except (OSError, WireError, LookupError) as error:
            print(f"not prepared: {step.__name__.strip('_')}: {error}", file=sys.stderr)
    return made


def _topic(address: str) -> dict[str, Any]:
    topics = [
        {"Name": TOPIC, "NumPartitions": 1, "ReplicationFactor": 1},
        {
            "Name": COMPACTED, "NumPartitions": 1, "ReplicationFactor": 1,
            "Configs": [{"Name": "cleanup.policy", "Value": "compact"}],
        },
    ]  # fmt: skip
    response(address, "CreateTopics", 7, {"Topics": topics, "timeoutMs": 10_000})
    time.sleep(1)
    metadata = response(
        address, "Metadata", 12, {"Topics": [{"Name": TOPIC}], "AllowAutoTopicCreation": False}
    )
    folders = response(address, "DescribeLogDirs", 4, {})["Results"]
    return {
        "topic": metadata["Topics"][0]["TopicId"],
        "cluster": metadata["ClusterId"],
        "log-dir": folders[0]["LogDir"],
    }


def _coordinators(address: str) -> dict[str, Any]:
    """Wait until the internal topics exist and have been read."""
    for _ in range(_TRIES):
        group = response(address, "FindCoordinator", 3, {"Key": CLASSIC, "KeyType": 0})
        producer = response(address, "FindCoordinator", 3, {"Key": TRANSACTION, "KeyType": 1})
        loaded = response(address, "DescribeGroups", 5, {"Groups": [CLASSIC]})["Groups"][0]["ErrorCode"]
        states = response(address, "DescribeTransactions", 0, {"TransactionalIds": [TRANSACTION]})
        codes = (each["ErrorCode"] for each in states["TransactionStates"])
        if (
            not group["ErrorCode"]
            and not producer["ErrorCode"]
            and not loaded
            and not {14, 15, 16} & set(codes)
        ):
            return {}
        time.sleep(1)
    raise LookupError("no coordinators")


def _classic(address: str) -> dict[str, Any]:
    """A classic group with a static member, which nobody has to wait for."""
    joining = {
        "GroupId": CLASSIC,
        "SessionTimeoutMs": 300_000,
        "RebalanceTimeoutMs": 300_000,
        "ProtocolType": "consumer",
        "GroupInstanceId": INSTANCE,
        "Protocols": [{"Name": "range"}],
    }
    joined = response(address, "JoinGroup", 7, joining)
    member = {"MemberId": joined["MemberId"], "GenerationId": joined["GenerationId"]}
    assigned = [{"MemberId": joined["MemberId"], "Assignment": ""}]
    response(address, "SyncGroup", 4, {"GroupId": CLASSIC, **member, "Assignments": assigned})
    return {"member": joined["MemberId"], "generation": joined["GenerationId"]}


def _groups(address: str) -> dict[str, Any]:
    """A consumer group with a static member, and a share group."""
    joining = {"RebalanceTimeoutMs": 300_000, "SubscribedTopicNames": [TOPIC], "TopicPartitions": []}
    consumer, share = (str(uuid.uuid4()) for _ in range(2))
    own = {"GroupId": CONSUMER, "MemberId": consumer, "InstanceId": INSTANCE}
    response(address, "ConsumerGroupHeartbeat", 1, {**own, **joining})
    sharing = {"GroupId": SHARE, "MemberId": share, "SubscribedTopicNames": [TOPIC]}
    response(address, "ShareGroupHeartbeat", 1, sharing)
    return {"consumer": consumer, "share": share}


def _producer(address: str) -> dict[str, Any]:
    """A producer without a transaction, and one with an offset in its open transaction."""
    producer, epoch = _initialized(address, TRANSACTION)
    other, other_epoch = _initialized(address, OPEN_TRANSACTION)
    begun = {"TransactionalId": OPEN_TRANSACTION, "ProducerId": other, "ProducerEpoch": other_epoch}
    response(address, "AddOffsetsToTxn", 3, {**begun, "GroupId": PENDING})
    offset = [{"Name": TOPIC, "Partitions": [{"PartitionIndex": 0, "CommittedOffset": 0}]}]
    response(address, "TxnOffsetCommit", 3, {**begun, "GroupId": PENDING, "Topics": offset})
    return {"producer": producer, "epoch": epoch, "other-producer": other, "other-epoch": other_epoch}


def _initialized(address: str, id_: str) -> tuple[int, int]:
    wanted = {"TransactionalId": id_, "TransactionTimeoutMs": 600_000}
    for _ in range(_TRIES):
        given = response(address, "InitProducerId", 4, wanted)
        if not given["ErrorCode"]:
            return given["ProducerId"], given["ProducerEpoch"]
        time.sleep(1)
    raise LookupError("no producer id")


def _session(address: str) -> dict[str, Any]:
    partition = {"Partition": 0, "FetchOffset": 0, "PartitionMaxBytes": 1000}
    topics = [{"Topic": TOPIC, "Partitions": [partition]}]
    return {
        "session": response(address, "Fetch", 12, {"MaxBytes": 1000, "SessionEpoch": 0, "Topics": topics})[
            "SessionId"
        ]
    }


def response(address: str, api: str, version: int, value: Mapping[str, Any]) -> dict[str, Any]:
    """The response of a broker to a request."""
    request, of = (layout(f"{api}{half}", version) for half in ("Request", "Response"))
    data = _exchange(address, request, version, value)
    return decode(of, data[1:] if of.header_version == 1 else data)


def answer(address: str, asked: Provocation, made: Mapping[str, Any]) -> list[str]:
    """The names of the error codes that a broker returns at the path."""
    sent = min(asked.version, max(_versions(f"{asked.api}Request")))
    request, of = (layout(f"{asked.api}{half}", sent) for half in ("Request", "Response"))
    data = _exchange(address, request, asked.version, filled(asked.value, made))
    body = data[1:] if of.header_version == 1 else data
    if asked.version != sent:
        # A broker answers an unknown version of ApiVersions in version 0.
        of = layout(f"{asked.api}Response", 0)
    names = {error.code: error.name for error in described_errors()}
    return [names.get(code, str(code)) for code in codes_at(decode(of, body), asked.field)]


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
    begin, at = (position(texts, ("errors", number, *key)).line - 1 for key in ((), ("source",)))
    # A row of several lines has one for each key.
    is_one_line = at == begin
    marked = re.search(r'"observed": "([^"]*)"', lines[at] if is_one_line else lines[at - 1])
    last = max({marked[1] if marked else "", release} - {""}, key=known_releases().names.index)
    if is_one_line:
        lines[at] = re.sub(r', "observed": "[^"]*"', "", lines[at])
        lines[at] = re.sub(r"( ?\},?)$", rf', "observed": "{last}"\1', lines[at])
    else:
        indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        lines[at - 1 if marked else at : at] = [f'{indent}"observed": "{last}",']
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
    parser.add_argument(
        "--where", choices=("open", "denying", "sasl"), default="open", help="what the broker is like (open)"
    )
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
    provocations = [each for each in PROVOCATIONS if each.where == options.where]
    made = prepared(options.address) if options.where == "open" else SAMPLE
    for asked in provocations:
        try:
            found = answer(options.address, asked, made)
        except (OSError, WireError, LookupError) as error:
            found = [str(error)]
        is_seen = asked.error in found
        different += not is_seen
        print(f"{'observed' if is_seen else 'differs '} {asked}{'' if is_seen else f', not {found}'}")
        if is_seen and options.mark:
            mark(asked, options.mark)
    print(f"{len(provocations) - different} of {len(provocations)} rows observed")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
