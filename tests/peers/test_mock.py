"""The mock broker as bytes see it: every release, refusals, faults, and what the log says."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.peers.mocks import Mocked, mocked
from tests.peers.small_broker import read
from wirebook.peers.messages import api_versions_request, decoded, newest_version, request
from wirebook.specs.kafka.brokers import kafka_releases

RELEASES = [broker.release for broker in kafka_releases().brokers if broker.negotiates]
VERSIONS_4 = request("ApiVersions", 4, api_versions_request(4), 9)


class Client:
    """A connection to a mock broker that waits a minute at most."""

    def __init__(self, broker: Mocked) -> None:
        self.socket = socket.create_connection(("127.0.0.1", broker.port), 60)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(len(data).to_bytes(4, "big") + data)

    def frame(self) -> bytes:
        return read(self.socket, int.from_bytes(read(self.socket, 4), "big"))

    def ask(self, api: str, version: int, value: dict[str, Any] | None = None) -> Mapping[str, Any]:
        self.send(request(api, version, value or {}, 9))
        answer = self.frame()
        assert answer[:4] == (9).to_bytes(4, "big")
        return decoded(f"{api}Response", version, answer)

    def ended(self) -> bool:
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True


def until(broker: Mocked, test: Callable[[], bool]) -> None:
    """Wait for what is logged after the client has seen it."""
    deadline = time.monotonic() + 60
    while not test():
        assert time.monotonic() < deadline, broker.log
        time.sleep(0.01)


@pytest.mark.parametrize("release", RELEASES)
def test_every_release_answers_every_version_that_it_has(release: str) -> None:
    broker = kafka_releases().broker(release)
    with mocked(release, topics={"words": 2}) as mock, Client(mock) as client:
        expected = {key: (v.lowest, v.highest) for key, v in mock.broker.listed.items()}
        for version in mock.broker.listed[18]:
            body = client.ask("ApiVersions", version, api_versions_request(version))
            found = {
                item["ApiKey"]: (item["MinVersion"], item["MaxVersion"]) for item in body["ApiKeys"]
            }
            assert (body["ErrorCode"], found) == (0, expected)
            assert list(found) == sorted(found)
        for version in broker.versions[3]:
            empty: list[Any] = []
            body = client.ask("Metadata", version, {"Topics": None if version else empty})
            assert [node["Port"] for node in body["Brokers"]] == [mock.port]
            assert [(topic["Name"], len(topic["Partitions"])) for topic in body["Topics"]] == [
                ("words", 2)
            ]
            body = client.ask("Metadata", version, {"Topics": [{"Name": "none"}]})
            assert [(topic["Name"], topic["ErrorCode"]) for topic in body["Topics"]] == [
                ("none", 3)
            ]
        for version in mock.broker.listed.get(60, ()):
            body = client.ask("DescribeCluster", version)
            assert [node["Port"] for node in body["Brokers"]] == [mock.port]
        for version in mock.broker.listed.get(17, ()):
            assert client.ask("SaslHandshake", version, {"Mechanism": "SCRAM"})["ErrorCode"] == 33
            assert client.ask("SaslHandshake", version, {"Mechanism": "PLAIN"})["ErrorCode"] == 0
        for version in mock.broker.listed.get(36, ()):
            assert client.ask("SaslAuthenticate", version, {"AuthBytes": "00"})["ErrorCode"] == 0
    newest = {18: newest_version("ApiVersions"), 3: newest_version("Metadata")}
    for key, versions in broker.listed().items():
        assert expected[key] == (
            versions.lowest,
            min(versions.highest, newest.get(key, versions.highest)),
        )


def test_topics_have_ids_that_can_be_requested() -> None:
    with mocked("4.3", topics={"words": 1, "more": 2}) as mock, Client(mock) as client:
        every = client.ask("Metadata", 13, {"Topics": None})["Topics"]
        ids = {topic["Name"]: topic["TopicId"] for topic in every}
        other = "00000000-0000-0000-0000-0000000000ff"
        wanted = [{"TopicId": each, "Name": None} for each in (other, ids["more"])]
        unknown, known = client.ask("Metadata", 13, {"Topics": wanted})["Topics"]
        assert (unknown["ErrorCode"], unknown["Name"], unknown["TopicId"]) == (100, None, other)
        assert (known["ErrorCode"], known["Name"], len(known["Partitions"])) == (0, "more", 2)
        assert client.ask("Metadata", 13, {"Topics": []})["Topics"] == []
        again = client.ask("Metadata", 13, {"Topics": [{"Name": "more"}] * 1000})["Topics"]
        assert [topic["Name"] for topic in again] == ["more"], (
            "described once, however often it is named"
        )


@pytest.mark.parametrize(
    ("release", "named"), [("0.10.0", []), ("2.3", []), ("2.4", [[0, 3]]), ("4.3", [[0, 4]])]
)
def test_error_35_names_the_range_since_2_4(release: str, named: list[list[int]]) -> None:
    with mocked(release) as mock:
        for version in (99, -1):
            with Client(mock) as client:
                header = bytes.fromhex("0012") + version.to_bytes(2, "big", signed=True)
                # What follows the header is never looked at.
                client.send(header + bytes.fromhex("00000005 ffff 00 ffff"))
                body = decoded("ApiVersionsResponse", 0, client.frame())
                assert body["ErrorCode"] == 35
                assert [
                    [item["MinVersion"], item["MaxVersion"]] for item in body["ApiKeys"]
                ] == named
                client.ask("ApiVersions", 0)


def test_releases_that_do_not_know_api_versions() -> None:
    with mocked("0.8.2") as mock, Client(mock) as client:
        client.send(VERSIONS_4)
        assert client.ended()
    with mocked("0.9.0") as mock, Client(mock) as client:
        client.send(VERSIONS_4)
        assert client.ask("Metadata", 0)["Topics"] == []
    assert mock.requests[0]["answer"] == "nothing: the release does not have this API"


@pytest.mark.parametrize(
    ("fault", "answer", "ends"),
    [
        ("close", "", True),
        ("silence", "", False),
        ("delay", "000001be 00000009 0000 3f", False),
        ("wrong-version", "00000013 00000009 0023 02 0012 0000 0000 00 00000000 00", False),
        ("unknown-error", "0000000c 00000009 270f 01 00000000 00", False),
    ],
)
def test_each_fault_has_its_bytes(fault: str, answer: str, ends: bool) -> None:
    with mocked("3.9", fault) as mock, Client(mock) as client:
        started = time.monotonic()
        client.send(VERSIONS_4)
        expected = bytes.fromhex(answer)
        assert read(client.socket, len(expected)) == expected
        assert fault != "delay" or time.monotonic() - started >= 1
        if ends:
            assert client.ended()
        elif fault != "delay":
            assert client.ask("Metadata", 0)["Topics"] == []


def test_half_of_an_answer_is_cut() -> None:
    with mocked("3.9", "cut") as mock, Client(mock) as client:
        client.send(VERSIONS_4)
        size = int.from_bytes(read(client.socket, 4), "big")
        assert len(read(client.socket, (size + 4) // 2 - 4)) < size
        assert client.ended()


def test_requests_in_one_packet_are_answered_in_order() -> None:
    frames = [request("ApiVersions", 0, {}, number) for number in range(300)]
    with mocked() as mock, Client(mock) as client:
        client.socket.sendall(b"".join(len(each).to_bytes(4, "big") + each for each in frames))
        assert [int.from_bytes(client.frame()[:4], "big") for _ in frames] == list(range(300))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (bytes.fromhex("00010001"), "a request of 65,537 bytes: it must have from 8 to 65,536"),
        (bytes.fromhex("ffffffff"), "a request of -1 bytes: it must have from 8 to 65,536"),
        (bytes.fromhex("0000000a 0000 0003 00000001 ffff"), "the broker closes it"),
    ],
)
def test_what_ends_a_connection(data: bytes, why: str) -> None:
    with mocked() as mock, Client(mock) as client:
        client.socket.sendall(data)
        assert client.ended()
        until(mock, lambda: bool(mock.ends))
    assert mock.ends == [why]
