"""Whoever writes a client from a page alone gets right bytes: done here, with real brokers at the other end.

The bytes below were written by hand, row by row, from the tables of the pages of Fetch version 12,
ApiVersions version 3 and RequestHeader version 2, and by nothing else: no codec has a hand in what is sent.
"""

from __future__ import annotations

import contextlib
import socket
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.real_brokers import mock_cluster, tansu
from wirebook.live.embedded import embedded_layout
from wirebook.specs.kafka.headers import header_layout
from wirebook.specs.wire.codec import codec
from wirebook.specs.wire.layout import Layout

pytestmark = pytest.mark.long

# A row of a table each: field, type, bytes. What has no field is the end of a struct in a flexible version.
END = ("", "tagged fields")

FETCH_HEADER = [
    ("RequestApiKey", "INT16", "0001"),  # Fetch
    ("RequestApiVersion", "INT16", "000c"),  # 12
    ("CorrelationId", "INT32", "0000002a"),  # 42
    ("ClientId", "NULLABLE_STRING", "0004 68616e64"),  # an INT16 length even here, "hand"
    (*END, "00"),  # none
]
FETCH = [
    ("ReplicaId", "INT32", "ffffffff"),  # a consumer
    ("MaxWaitMs", "INT32", "000001f4"),  # 500
    ("MinBytes", "INT32", "00000001"),
    ("MaxBytes", "INT32", "00100000"),  # a mebibyte
    ("IsolationLevel", "INT8", "00"),  # read_uncommitted
    ("SessionId", "INT32", "00000000"),
    ("SessionEpoch", "INT32", "ffffffff"),  # without a session
    ("Topics", "COMPACT_ARRAY", "02"),  # one element, plus 1
    ("Topics.Topic", "COMPACT_STRING", "06 776f726473"),  # 5 bytes, plus 1; "words"
    ("Topics.Partitions", "COMPACT_ARRAY", "02"),
    ("Topics.Partitions.Partition", "INT32", "00000000"),
    ("Topics.Partitions.CurrentLeaderEpoch", "INT32", "ffffffff"),  # not checked
    ("Topics.Partitions.FetchOffset", "INT64", "0000000000000000"),
    ("Topics.Partitions.LastFetchedEpoch", "INT32", "ffffffff"),  # not checked
    ("Topics.Partitions.LogStartOffset", "INT64", "ffffffffffffffff"),  # a consumer
    ("Topics.Partitions.PartitionMaxBytes", "INT32", "00100000"),
    (*END, "00"),
    (*END, "00"),
    ("ForgottenTopicsData", "COMPACT_ARRAY", "01"),  # no element, plus 1
    # Its fields Topic and Partitions, and their end, are not there: the array is empty.
    ("RackId", "COMPACT_STRING", "01"),  # empty, plus 1
]
WITHOUT_CLUSTER = [(*END, "00")]
WITH_CLUSTER = [
    (*END, "01"),  # one
    # Tag 0, 14 bytes of value, of which the first is the length of 13 bytes, plus 1; "tansu_cluster".
    ("ClusterId", "COMPACT_NULLABLE_STRING", "00 0e 0e 74616e73755f636c7573746572"),
]

API_VERSIONS_HEADER = [
    ("RequestApiKey", "INT16", "0012"),  # ApiVersions
    ("RequestApiVersion", "INT16", "0003"),
    ("CorrelationId", "INT32", "00000007"),
    ("ClientId", "NULLABLE_STRING", "ffff"),  # null
    (*END, "00"),
]
API_VERSIONS = [
    ("ClientSoftwareName", "COMPACT_STRING", "08 62792d68616e64"),  # "by-hand"
    ("ClientSoftwareVersion", "COMPACT_STRING", "04 312e30"),  # "1.0"
    (*END, "00"),
]

Rows = list[tuple[str, str, str]]


def written(*tables: Rows) -> bytes:
    """The bytes of tables, one after the other."""
    return bytes.fromhex("".join(data for table in tables for _, _, data in table))


def exchange(address: str, message: bytes) -> bytes:
    """Send a message with its length before it, and return the answer without."""
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), 60) as connection:
        connection.sendall(struct.pack(">i", len(message)) + message)
        with connection.makefile("rb") as stream:
            (size,) = struct.unpack(">i", stream.read(4))
            answer: bytes = stream.read(size)
    assert len(answer) == size
    return answer


def read(api: str, version: int, answer: bytes) -> tuple[int, dict[str, Any]]:
    """The correlation id and the body of an answer, by the codec."""
    made = embedded_layout(f"{api}Response", version)
    assert made.header_version is not None
    header, start = codec(header_layout("response", made.header_version)).decode_from(answer)
    number = header["CorrelationId"]
    assert isinstance(number, int)
    return number, codec(made).decode(answer[start:])


@contextlib.contextmanager
def rust_broker_with_a_record(folder: Path) -> Iterator[str]:
    from kafka import KafkaProducer

    with tansu(folder) as address:
        producer = KafkaProducer(bootstrap_servers=address)
        try:
            producer.send("words", value=b"from afar", partition=0).get(timeout=120)
        finally:
            producer.close()
        yield address


def test_the_tables_are_those_of_the_pages() -> None:
    for rows, page in (
        (FETCH + WITH_CLUSTER, embedded_layout("FetchRequest", 12)),
        (API_VERSIONS, embedded_layout("ApiVersionsRequest", 3)),
        (FETCH_HEADER, header_layout("request", 2)),
    ):
        table = [
            (field.path, field.type)
            for field in page.walk()
            if not field.path.startswith("ForgottenTopicsData.")
        ]
        assert [(name, kind) for name, kind, _ in rows if name] == table
    assert [row[:2] for row in API_VERSIONS_HEADER] == [row[:2] for row in FETCH_HEADER]


def test_the_codec_writes_the_same() -> None:
    def encoded(made: Layout, value: dict[str, Any]) -> bytes:
        return codec(made).encode(value)

    partition = {"PartitionMaxBytes": 1 << 20}
    value = {
        "MaxWaitMs": 500,
        "MinBytes": 1,
        "MaxBytes": 1 << 20,
        "Topics": [{"Topic": "words", "Partitions": [partition]}],
    }
    # Defaults that a consumer would send are those of the table.
    partition.update(CurrentLeaderEpoch=-1, LastFetchedEpoch=-1, LogStartOffset=-1)
    fetch = embedded_layout("FetchRequest", 12)
    assert encoded(fetch, value) == written(FETCH, WITHOUT_CLUSTER)
    assert encoded(fetch, {**value, "ClusterId": "tansu_cluster"}) == written(FETCH, WITH_CLUSTER)
    names = {"ClientSoftwareName": "by-hand", "ClientSoftwareVersion": "1.0"}
    assert encoded(embedded_layout("ApiVersionsRequest", 3), names) == written(API_VERSIONS)


def test_api_versions_by_hand_to_the_broker_in_rust(tmp_path: Path) -> None:
    with tansu(tmp_path) as address:
        number, body = read("ApiVersions", 3, exchange(address, written(API_VERSIONS_HEADER, API_VERSIONS)))
    assert (number, body["ErrorCode"]) == (7, 0)
    listed = {item["ApiKey"]: (item["MinVersion"], item["MaxVersion"]) for item in body["ApiKeys"]}
    assert len(listed) > 30
    assert listed[1][0] <= 12 <= listed[1][1], "so that Fetch 12 may be sent"
    assert listed[18][0] <= 3 <= listed[18][1]


@pytest.mark.parametrize("end", [WITHOUT_CLUSTER, WITH_CLUSTER], ids=["no tag", "a tag"])
def test_fetch_by_hand_to_the_broker_in_rust(end: Rows, tmp_path: Path) -> None:
    with rust_broker_with_a_record(tmp_path) as address:
        number, body = read("Fetch", 12, exchange(address, written(FETCH_HEADER, FETCH, end)))
    assert number == 42
    fetched(body)


def test_fetch_by_hand_to_the_mock_cluster_of_librdkafka() -> None:
    with mock_cluster() as addresses:
        number, body = read(
            "Fetch", 12, exchange(addresses[0], written(FETCH_HEADER, FETCH, WITHOUT_CLUSTER))
        )
    assert number == 42
    fetched(body)


def fetched(body: dict[str, Any]) -> None:
    """The answer has the one record."""
    assert body["ErrorCode"] == 0
    assert [topic["Topic"] for topic in body["Responses"]] == ["words"]
    partition = body["Responses"][0]["Partitions"][0]
    assert (partition["PartitionIndex"], partition["ErrorCode"], partition["HighWatermark"]) == (0, 0, 1)
    assert b"from afar" in bytes.fromhex(partition["Records"])
