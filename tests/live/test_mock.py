"""The mock broker as bytes see it: every release, refusals, limits, and what the log tells."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.live.mock_clients import client
from tests.live.mocks import Loop, Mocked, mocked, mocks, setup
from tests.live.small_broker import read
from wirebook.live.probe.messages import api_versions_request, decoded, newest_version, request
from wirebook.specs.kafka.brokers import broker_named, load_brokers
from wirebook.specs.wire.scalars import WireError

RELEASES = [broker.release for broker in load_brokers() if broker.negotiates]
VERSIONS_4 = request("ApiVersions", 4, api_versions_request(4), 9)


@pytest.fixture(scope="module")
def loop() -> Iterator[Loop]:
    with mocks() as made:
        yield made


def until(broker: Mocked, test: Callable[[], bool]) -> None:
    """Wait for what is told after the client has seen it."""
    import time

    deadline = time.monotonic() + 60
    while not test():
        assert time.monotonic() < deadline, broker.log
        time.sleep(0.01)


@pytest.mark.parametrize("release", RELEASES)
def test_every_release_answers_every_version_that_it_has(release: str, loop: Loop) -> None:
    broker = broker_named(release)
    with mocked(loop, setup(release, topics={"words": 2}), nodes=2) as mock, client(mock) as asked:
        expected = {key: (v.lowest, v.highest) for key, v in mock.broker.profile.listed.items()}
        for version in mock.broker.profile.served[18]:
            body = asked.ask("ApiVersions", version, api_versions_request(version))
            found = {item["ApiKey"]: (item["MinVersion"], item["MaxVersion"]) for item in body["ApiKeys"]}
            assert (body["ErrorCode"], found) == (0, expected)
            assert list(found) == sorted(found)
        for version in broker.versions[3]:
            empty: list[Any] = []
            body = asked.ask("Metadata", version, {"Topics": None if version else empty})
            assert [node["Port"] for node in body["Brokers"]] == [port for _, port in mock.broker.nodes]
            assert [(topic["Name"], len(topic["Partitions"])) for topic in body["Topics"]] == [("words", 2)]
            assert {part["LeaderId"] for part in body["Topics"][0]["Partitions"]} == {1, 2}
            body = asked.ask("Metadata", version, {"Topics": [{"Name": "none"}, {"Name": "none"}]})
            assert [(topic["Name"], topic["ErrorCode"]) for topic in body["Topics"]] == [("none", 3)]
        assert mock.broker.connections == 1
    newest = {18: newest_version("ApiVersions"), 3: newest_version("Metadata")}
    for key, versions in broker.listed().items():
        assert expected[key] == (versions.lowest, min(versions.highest, newest.get(key, versions.highest)))


def test_topics_have_ids_that_can_be_requested(loop: Loop) -> None:
    with mocked(loop, setup("4.3", topics={"words": 1, "more": 2})) as mock, client(mock) as asked:
        every = asked.ask("Metadata", 13, {"Topics": None})["Topics"]
        ids = {topic["Name"]: topic["TopicId"] for topic in every}
        none = "00000000-0000-0000-0000-000000000000"
        assert len({*ids.values(), none}) == 3
        other = "00000000-0000-0000-0000-0000000000ff"
        wanted = [{"TopicId": each, "Name": None} for each in (other, ids["more"])]
        unknown, known = asked.ask("Metadata", 13, {"Topics": wanted})["Topics"]
        assert (unknown["ErrorCode"], unknown["Name"], unknown["TopicId"]) == (100, None, other)
        assert (known["ErrorCode"], known["Name"], len(known["Partitions"])) == (0, "more", 2)
        # Brokers refuse ids in the two versions that have the field before they know it.
        (refused,) = asked.ask("Metadata", 11, {"Topics": wanted[1:]})["Topics"]
        assert refused["ErrorCode"] == 42
    with mocked(loop, setup("4.3", topics={"words": 1})) as mock, client(mock) as asked:
        assert asked.ask("Metadata", 10, {"Topics": None})["Topics"][0]["TopicId"] == ids["words"]


@pytest.mark.parametrize(
    ("release", "named"), [("0.10.0", []), ("2.3", []), ("2.4", [0, 3]), ("4.3", [0, 4])]
)
def test_error_35_names_the_range_since_2_4(release: str, named: list[int], loop: Loop) -> None:
    with mocked(loop, setup(release)) as mock:
        for version in (99, -1):
            with client(mock) as asked:
                header = bytes.fromhex("0012") + version.to_bytes(2, "big", signed=True)
                # Header 2 ends with tags; what follows is never looked at.
                asked.send(
                    header + bytes.fromhex("00000005 ffff") + (b"\0" if version > 0 else b"") + b"\xff\xff"
                )
                answer = asked.frame()
                assert answer[:4] == bytes.fromhex("00000005")
                body = decoded("ApiVersions", 0, answer)
                assert not isinstance(body, WireError)
                assert body["ErrorCode"] == 35
                told = [[item["MinVersion"], item["MaxVersion"]] for item in body["ApiKeys"]]
                assert told == ([named] if named else [])
                asked.ask("ApiVersions", 0)


def test_releases_that_do_not_know_api_versions(loop: Loop) -> None:
    with mocked(loop, setup("0.8.2")) as mock, client(mock) as asked:
        asked.send(VERSIONS_4)
        assert asked.ended()
    with mocked(loop, setup("0.9.0")) as mock, client(mock) as asked:
        asked.send(VERSIONS_4)
        body = asked.ask("Metadata", 0)
        assert body["Topics"] == []
    assert mock.requests[0]["answer"] == "nothing: the release does not have this API"


@pytest.mark.parametrize(
    ("mode", "frame"),
    [
        ("correlation-only", "00000004 0000002a"),
        ("empty-frame", "00000000"),
    ],
)
@pytest.mark.parametrize(("key", "version"), [(999, 0), (3, 77), (-1, 0), (0, 99), (18, 0)])
def test_what_is_not_supported_gets_an_empty_response(
    loop: Loop, mode: str, frame: str, key: int, version: int
) -> None:
    """Drafts of KIP-35: any unknown key or version."""
    request = (
        key.to_bytes(2, "big", signed=True) + version.to_bytes(2, "big") + bytes.fromhex("0000002a 0000")
    )
    expected = bytes.fromhex(frame)
    with mocked(loop, setup("3.9", mode)) as broker, client(broker) as asked:
        asked.send(request)
        assert read(asked.socket, len(expected)) == expected


def test_modes_that_answer_with_other_bytes(loop: Loop) -> None:
    """The exact answers to ApiVersions 4 with the id 9, as far as they do not hold the whole list."""
    whole = {
        "max-0": "00000010 00000009 0023 00000001 0012 0000 0000",
        "max-2": "00000010 00000009 0023 00000001 0012 0000 0002",
        "max-0-empty-list": "0000000a 00000009 0023 00000000",
        "error-same-version": "00000013 00000009 0023 02 0012 0000 0000 00 00000000 00",
        "refused": "0000000c 00000009 002a 01 00000000 00",
        "correlation-only": "00000004 00000009",
        "empty-frame": "00000000",
        "close": "",
    }
    begin = {
        "wrong-correlation": "000001be 000003f1 0000 3f",
        "response-header-1": "000001bf 00000009 00 0000 3f 0000",
        "slow": "000001be 00000009 0000 3f",
    }
    for mode, text in [*whole.items(), *begin.items()]:
        with mocked(loop, setup("3.9", mode)) as mock, client(mock) as asked:
            asked.send(VERSIONS_4)
            expected = bytes.fromhex(text)
            assert read(asked.socket, len(expected)) == expected, mode
            if mode in whole:
                # Nothing more comes.
                asked.socket.settimeout(0.05)
                with contextlib.suppress(TimeoutError):
                    assert asked.socket.recv(1) == b"", mode
            until(mock, lambda: bool(mock.requests))
            assert mock.requests[0]["answer"]


@pytest.mark.parametrize("mode", ["unknown-tags", "slow"])
def test_modes_that_a_sound_client_reads(mode: str, loop: Loop) -> None:
    with mocked(loop, setup("3.9", mode)) as mock, client(mock) as asked:
        for version in range(5):
            body = asked.ask("ApiVersions", version, api_versions_request(version))
            keys = [item["ApiKey"] for item in body["ApiKeys"]]
            assert keys == sorted(mock.broker.profile.listed)


def test_requests_in_one_packet_are_answered_in_order(loop: Loop) -> None:
    frames = [request("ApiVersions", 0, {}, number) for number in range(300)]
    with mocked(loop, setup("3.9")) as mock, client(mock) as asked:
        asked.socket.sendall(b"".join(len(each).to_bytes(4, "big") + each for each in frames))
        ids = [int.from_bytes(asked.frame()[:4], "big") for _ in frames]
    assert ids == list(range(300))


# Limits.


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (bytes.fromhex("00010001"), "a frame of 65,537 bytes is announced; the limit is 65,536"),
        (bytes.fromhex("ffffffff"), "a frame of -1 bytes is announced; the limit is 65,536"),
        (bytes.fromhex("00000003 000000"), "a request of 3 bytes: its header has at least 8"),
    ],
)
def test_frames_that_are_none(data: bytes, why: str, loop: Loop) -> None:
    with mocked(loop, setup("3.9")) as mock, client(mock) as asked:
        asked.socket.sendall(data)
        assert asked.ended()
        until(mock, lambda: bool(mock.ends))
    assert mock.ends == [why]
