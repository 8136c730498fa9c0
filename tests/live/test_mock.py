"""The mock broker as bytes see it: every release, refusals, SASL, limits, and what the log tells."""

from __future__ import annotations

import contextlib
import random
import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.live.mock_clients import client
from tests.live.mocks import Loop, Mocked, mocked, mocks, setup
from tests.live.small_broker import read
from tests.support import ROOT
from wirebook.docgen.render.kit.dashes import dashed
from wirebook.live.mock import broker as module
from wirebook.live.mock.conversation import Conversation, EndError, MockCluster
from wirebook.live.mock.faults import MODES, BrokerProfile
from wirebook.live.mock.request import MAX_PARTITIONS, MAX_TOPICS, MockRequest, setup_of
from wirebook.live.mock.sasl import SaslLogin, Users
from wirebook.live.probe.messages import api_versions_request, decoded, newest_version, request
from wirebook.live.scram import ScramClient, ScramError
from wirebook.specs.kafka.brokers import broker_named, load_brokers
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions
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


def test_as_many_topics_and_partitions_as_the_maximum_are_served() -> None:
    fitting = tuple(f"topic-{number}:10" for number in range(MAX_TOPICS))
    assert sum(setup_of(MockRequest(topics=fitting)).topics.values()) == MAX_PARTITIONS
    for topics in (
        (*fitting[1:], "topic-0:11"),
        tuple(f"topic-{number}" for number in range(MAX_TOPICS + 1)),
    ):
        with pytest.raises(InputError, match="are the maximum"):
            setup_of(MockRequest(topics=topics))


def test_the_log_names_ten_topics_of_a_request_at_most(loop: Loop) -> None:
    names = [f"topic-{number}" for number in range(11)]
    with mocked(loop, setup()) as mock, client(mock) as asked:
        answer = asked.ask("Metadata", 9, {"Topics": [{"Name": name} for name in names]})
        assert [topic["Name"] for topic in answer["Topics"]] == names
        asked.ask("Metadata", 9, {"Topics": None})
        assert [event.get("topics") for event in mock.requests] == [names[:10], None]


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


@pytest.mark.parametrize("name", ["bad topic!", "", ".", "..", "x" * 250, "ß"])
def test_a_topic_name_that_no_topic_can_have(name: str, loop: Loop) -> None:
    with mocked(loop, setup("3.9")) as mock, client(mock) as asked:
        for version in (0, 12):
            (topic,) = asked.ask("Metadata", version, {"Topics": [{"Name": name}]})["Topics"]
            assert (topic["ErrorCode"], topic["Name"]) == (17, name)
        (topic,) = asked.ask("Metadata", 12, {"Topics": [{"Name": "..."}]})["Topics"]
        assert topic["ErrorCode"] == 3


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


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (request("Metadata", 13, {"Topics": None}, 1), "the release serves 0-12"),
        (bytes.fromhex("0000 0003 00000001 ffff"), "the release serves it, but this mock broker does not"),
        (request("SaslHandshake", 0, {}, 1), "the release serves it, but this mock broker does not"),
        (bytes.fromhex("03e7 0000 00000001 ffff"), "the release serves none"),
        (bytes.fromhex("0003 000c 00000001 ffff 00 ff"), "it does not parse"),
    ],
)
def test_it_closes_on_what_it_does_not_answer(data: bytes, why: str, loop: Loop) -> None:
    with mocked(loop, setup("3.9")) as mock, client(mock) as asked:
        asked.send(data)
        assert asked.ended()
        until(mock, lambda: bool(mock.ends))
    assert mock.requests[0]["answer"] == f"closed: {why}"


def test_produce_is_listed_from_0_and_closed_on_below_3(loop: Loop) -> None:
    profile = BrokerProfile.of(broker_named("4.0"))
    assert (profile.listed[0], profile.served[0]) == (Versions(0, 12), Versions(3, 12))
    with mocked(loop, setup("4.0")) as mock, client(mock) as asked:
        asked.send(bytes.fromhex("0000 0002 00000001 ffff"))
        assert asked.ended()
    assert mock.requests[0]["answer"] == "closed: the release serves 3-12"


def test_releases_that_do_not_know_api_versions(loop: Loop) -> None:
    with mocked(loop, setup("0.8.2")) as mock, client(mock) as asked:
        asked.send(VERSIONS_4)
        assert asked.ended()
    with mocked(loop, setup("0.9.0")) as mock, client(mock) as asked:
        asked.send(VERSIONS_4)
        body = asked.ask("Metadata", 0)
        assert body["Topics"] == []
    assert mock.requests[0]["answer"] == "nothing: the release does not have this API"


@pytest.mark.parametrize("name", ["", "-x", "x_y", "a b", "é"])
def test_a_client_whose_name_is_out_of_form(name: str, loop: Loop) -> None:
    with mocked(loop, setup("3.9")) as mock, client(mock) as asked:
        for version in (3, 4):
            told = {"ClientSoftwareName": name, "ClientSoftwareVersion": "1"}
            body = asked.ask("ApiVersions", version, told)
            assert (body["ErrorCode"], body["ApiKeys"]) == (42, [])
        assert asked.ask("ApiVersions", 4, api_versions_request(4))["ErrorCode"] == 0


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


def test_metadata_that_is_not_to_be_had(loop: Loop) -> None:
    for mode, listed in (
        ("metadata-too-new", (50, 60)),
        ("metadata-missing", None),
    ):
        with mocked(loop, setup("3.9", mode)) as mock, client(mock) as asked:
            body = asked.ask("ApiVersions", 0)
            found = {item["ApiKey"]: (item["MinVersion"], item["MaxVersion"]) for item in body["ApiKeys"]}
            assert found.get(3) == listed
            asked.send(request("Metadata", 12, {"Topics": None}, 1))
            assert asked.ended(), mode


def test_later_connections_meet_an_older_broker(loop: Loop) -> None:
    found = []
    with mocked(loop, setup("3.9", "downgrade")) as mock:
        for _ in range(3):
            with client(mock) as asked:
                body = asked.ask("ApiVersions", 0)
                found.append([item["MaxVersion"] for item in body["ApiKeys"] if item["ApiKey"] in (3, 18)])
    assert found == [[12, 4], [1, 1], [1, 1]]


def test_requests_in_one_packet_are_answered_in_order(loop: Loop) -> None:
    frames = [request("ApiVersions", 0, {}, number) for number in range(300)]
    with mocked(loop, setup("3.9")) as mock, client(mock) as asked:
        asked.socket.sendall(b"".join(len(each).to_bytes(4, "big") + each for each in frames))
        ids = [int.from_bytes(asked.frame()[:4], "big") for _ in frames]
    assert ids == list(range(300))


# SASL.

USERS = Users({"alice": "wonder:land", "bob": ""})


def test_nothing_but_api_versions_before_the_login(loop: Loop) -> None:
    with mocked(loop, setup("3.9", mechanisms=("PLAIN",), users=USERS)) as mock:
        with client(mock) as asked:
            assert asked.ask("ApiVersions", 4, api_versions_request(4))["ErrorCode"] == 0
            asked.send(request("Metadata", 12, {"Topics": None}, 1))
            assert asked.ended()
        with client(mock) as asked:
            body = asked.ask("SaslHandshake", 1, {"Mechanism": "SCRAM-SHA-256"})
            assert body == {"ErrorCode": 33, "Mechanisms": ["PLAIN"]}
            assert asked.ended()
        with client(mock) as asked:
            assert asked.ask("SaslAuthenticate", 2, {"AuthBytes": "00"})["ErrorCode"] == 34
            assert asked.ended()
        with client(mock) as asked:
            asked.ask("SaslHandshake", 1, {"Mechanism": "PLAIN"})
            asked.send(VERSIONS_4)
            assert asked.ended()


def test_a_listener_without_sasl_says_so_and_stays(loop: Loop) -> None:
    with mocked(loop, setup("3.9")) as mock, client(mock) as asked:
        assert asked.ask("SaslHandshake", 1, {"Mechanism": "PLAIN"})["ErrorCode"] == 34
        assert asked.ask("SaslAuthenticate", 2, {"AuthBytes": "00"})["ErrorCode"] == 34
        assert asked.ask("Metadata", 12, {"Topics": None})["ClusterId"] == "wirebook-mock-cluster"


@pytest.mark.parametrize("version", [0, 1, 2])
def test_plain(version: int, loop: Loop) -> None:
    with mocked(loop, setup("3.9", mechanisms=("PLAIN",), users=USERS)) as mock:
        with client(mock) as asked:
            asked.ask("SaslHandshake", 1, {"Mechanism": "PLAIN"})
            token = b"\0alice\0wonder:land".hex()
            assert asked.ask("SaslAuthenticate", version, {"AuthBytes": token})["ErrorCode"] == 0
            assert asked.ask("Metadata", 12, {"Topics": None})["Brokers"]
        for wrong in (
            b"\0alice\0wrong",
            b"\0nobody\0",
            b"alice",
            b"bob\0alice\0wonder:land",
            b"\xff\0\xff\0",
        ):
            with client(mock) as asked:
                asked.ask("SaslHandshake", 1, {"Mechanism": "PLAIN"})
                body = asked.ask("SaslAuthenticate", version, {"AuthBytes": wrong.hex()})
                assert body["ErrorCode"] == 58
                assert body["ErrorMessage"].startswith("Authentication failed: ")
                assert asked.ended()
    assert "wonder:land" not in str(mock.log)
    assert b"wonder:land".hex() not in str(mock.log)
    assert [event["user"] for event in mock.requests if "user" in event] == ["alice"]


def test_scram_goes_its_way_in_order_only() -> None:
    login = SaslLogin("SCRAM-SHA-512", USERS)
    scram = ScramClient("SCRAM-SHA-512", "bob", "")
    final = scram.final(login.token(scram.first()))
    assert login.user == ""
    scram.check(login.token(final))
    assert login.user == "bob"
    for first in (b"c=biws,r=x,p=x", b"", b"n,,n=alice"):
        with pytest.raises(ScramError):
            SaslLogin("SCRAM-SHA-512", USERS).token(first)


@pytest.mark.parametrize(
    ("text", "why", "line"),
    [
        ("alice", "write a user as NAME:PASSWORD", 1),
        ("# c\n\nalice:x\n:x", "write a user as NAME:PASSWORD", 4),
        ("alice:x\nalice:y", "this name appears twice", 2),
        ("\n", "there are no users in it", 0),
    ],
)
def test_files_of_users_that_are_none(text: str, why: str, line: int, tmp_path: Any) -> None:
    path = tmp_path / "users"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(why)) as caught:
        Users.read(path)
    assert (caught.value.position.line if caught.value.position else 0) == line
    assert "x" not in caught.value.message.split()


def test_users_are_read_as_editors_write_them(tmp_path: Path) -> None:
    path = tmp_path / "users"
    path.write_bytes(b"\xef\xbb\xbfalice:a\x0cb\r\nbob:\xe2\x80\xa8c\r\n")
    users = Users.read(path)
    assert users.has("alice", "a\x0cb")
    assert users.has("bob", "\u2028c")


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


def test_half_a_request_does_not_wait_for_ever(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "IDLE", 0.3)
    with mocked(loop, setup("3.9")) as mock:
        with client(mock) as asked:
            asked.socket.sendall(bytes.fromhex("00000010 0012"))
            assert asked.ended()
        with client(mock) as asked:
            asked.socket.sendall(bytes.fromhex("00000010 0012"))
            asked.socket.shutdown(socket.SHUT_WR)
            assert asked.ended()
        until(mock, lambda: len(mock.ends) == 2)
    assert mock.ends == [
        "no complete request within 0.3 s",
        "the client closed it in the middle of a request",
    ]


def test_one_that_does_not_read_is_closed_on(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "IDLE", 0.5)
    with mocked(loop, setup("3.9", topics={"t": 10_000})) as mock, client(mock) as asked:
        asked.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        for _ in range(100):
            with contextlib.suppress(OSError):
                asked.send(request("Metadata", 12, {"Topics": None}, 1))
        until(mock, lambda: bool(mock.ends))
    assert mock.ends == ["the client did not read the answer within 0.5 s"]


def test_stopping_ends_every_connection(loop: Loop) -> None:
    with contextlib.ExitStack() as stack:
        with mocked(loop, setup("3.9")) as mock:
            open_ = [stack.enter_context(client(mock)) for _ in range(5)]
            for each in open_:
                each.ask("ApiVersions", 0)
        assert all(each.ended() for each in open_)
    assert mock.ends == ["the mock broker stops"] * 5


@pytest.mark.parametrize("mechanism", ["", "PLAIN", "SCRAM-SHA-256"])
def test_requests_that_are_nonsense_raise_nothing_unforeseen(mechanism: str) -> None:
    dice = random.Random(7)
    sound = [request("ApiVersions", version, api_versions_request(version), 1) for version in range(5)]
    topics = [{"Name": "words"}, {"Name": "none"}]
    sound += [request("Metadata", version, {"Topics": topics}, 1) for version in range(14)]
    sound += [request("SaslHandshake", version, {"Mechanism": mechanism or "PLAIN"}, 1) for version in (0, 1)]
    tokens = (b"\0alice\0x", b"n,,n=alice,r=abc", b"c=biws,r=abc,p=AAAA")
    sound += [
        request("SaslAuthenticate", version, {"AuthBytes": token.hex()}, 1)
        for version in range(3)
        for token in tokens
    ]
    told: list[dict[str, Any]] = []
    kinds: dict[str, int] = {}
    for mode in MODES:
        mechanisms = (mechanism,) if mechanism else ()
        given = setup("3.9", mode, mechanisms=mechanisms, users=USERS, topics={"words": 2})
        mode_ = MODES[mode]
        cluster = MockCluster(given, mode_, [("127.0.0.1", 9092)], lambda event, **more: told.append(more))
        profile = mode_.profile(given.profile)
        conversation = Conversation(cluster, 1, profile)
        for _ in range(200):
            data = bytearray(dice.choice(sound))
            for _ in range(dice.randrange(3)):
                at = dice.randrange(len(data))
                data[at : at + dice.randrange(3)] = dice.randbytes(dice.randrange(3))
            try:
                conversation.reply_to(bytes(data))
                kind = "answered"
            except EndError:
                kind = "refused"
                conversation = Conversation(cluster, 1, profile)
            kinds[kind] = kinds.get(kind, 0) + 1
    assert sum(kinds.values()) == 200 * len(MODES)
    assert min(kinds.get(kind, 0) for kind in ("answered", "refused")) > 100, kinds
    assert "wonder:land" not in str(told)


def test_modes_explain_themselves_in_a_line() -> None:
    page = (ROOT / "site_src" / "mock.md").read_text(encoding="utf-8")
    for name, mode in MODES.items():
        assert re.fullmatch(r"[a-z0-9-]{3,20}", name)
        assert 10 < len(mode.help) < 90
        assert f"| `{name}` | {dashed(mode.help)} |\n" in page
