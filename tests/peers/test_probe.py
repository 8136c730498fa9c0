"""The probe against brokers that keep to the protocol, those that do not, and what is no broker at
all."""

from __future__ import annotations

import shutil
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.peers.small_broker import (
    APIS,
    Broker,
    certificate,
    frame,
    listening,
    read_request,
    server_side,
)
from wirebook.peers.probe import Access, Address, Answer, Login, probe
from wirebook.peers.tls import trust
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions

# For what says nothing, and for what answers: a machine may be busy.
QUICK = Access(1.0)
PATIENT = Access(30.0)
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
ALICE = Login("PLAIN", "alice", "secret")
needs_openssl = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="needs openssl for a certificate"
)
Handler = Callable[[socket.socket], None]


def probed(address: str, access: Access = PATIENT) -> Answer:
    (answer,) = probe([Address.parse(address)], access)
    return answer


def asked(broker: Handler, access: Access = PATIENT) -> Answer:
    with listening(broker) as listener:
        return probed(listener.address, access)


def ranges(apis: dict[int, tuple[int, int]]) -> dict[int, Versions]:
    return {key: Versions(*found) for key, found in apis.items()}


def test_a_broker_is_asked_in_the_newest_version() -> None:
    feature = {"Name": "metadata.version", "MinVersion": 1, "MaxVersion": 25}
    broker = Broker(body={"SupportedFeatures": [feature]})
    found = asked(broker)
    assert (found.failure, found.versions, found.notes) == (None, ranges(APIS), [])
    assert broker.asked == [(18, 5)]
    assert found.supported_features == {"metadata.version": "1-25"}


@pytest.mark.parametrize(
    ("highest", "named", "then"),
    [(0, True, 0), (2, True, 2), (3, True, 3), (0, False, 0), (2, False, 0)],
)
def test_after_error_35_the_version_that_it_names_is_asked_and_0_after_an_empty_list(
    highest: int, named: bool, then: int
) -> None:
    broker = Broker({**APIS, 18: (0, highest)}, refuse=named)
    found = asked(broker)
    assert [version for key, version in broker.asked if key == 18] == [5, then]
    assert (found.api_versions_version, found.notes) == (then, [])
    assert found.versions == ranges({**APIS, 18: (0, highest)})


@pytest.mark.parametrize(
    ("wrong", "note"),
    [
        (
            Broker().versions(5, 35)[4:],
            "its error 35 to ApiVersions 5 does not have the layout of version 0",
        ),
        (b"", "it closes the connection where a broker answers error 35"),
        (Broker().versions(5, 42)[4:], "error 42, INVALID_REQUEST"),
        (Broker({**APIS, 5: (3, 1)}).versions(5)[4:], "1 ranges that it lists are impossible"),
    ],
)
def test_mistakes_of_servers_are_noted(wrong: bytes, note: str) -> None:
    found = asked(Broker(answers={(18, 5): wrong}))
    assert (found.failure, found.versions) == (None, ranges(APIS))
    assert [text for text in found.notes if note in text], found.notes


def closes(_: socket.socket) -> None:
    return


def silent(connection: socket.socket) -> None:
    while connection.recv(4096):
        pass


def sends(data: bytes, then: Handler = closes) -> Handler:
    def serve(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(data)
        then(connection)

    return serve


def trickles(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"x")
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("broker", "words"),
    [
        (Broker({18: (0, -1)}, refuse=False), "it refuses every version of ApiVersions"),
        (Broker({18: (7, 9)}), "it supports only ApiVersions 7-9"),
        (Broker({}, answers={(18, 5): Broker({}, refuse=False).versions(5)[4:]}), "without naming any API"),
        (silent, "does not answer ApiVersions 5 within 1 s; brokers before 0.10.0 do not"),
        (closes, "closes the connection without an answer to ApiVersions"),
        (sends(b"\0\0"), "is cut off"),
        (sends(b"\0\0\0\x50half", silent), "within 1 s"),
        (sends(b"\0\0\x10\0", trickles), "within 1 s"),
        (sends(b"\x7f\xff\xff\xff" + b"x" * 99), "a frame of 2,147,483,647 bytes"),
        (sends(b"\xff\xff\xff\xff"), "a frame of -1 bytes"),
        (sends(b"\0\0\0\0", silent), "a frame of 0 bytes"),
        (sends(b"\0\0\0\4\0\0\0\1", silent), "a frame of 4 bytes"),
        (sends(frame(99, b"\0\0"), silent), "another correlation ID"),
        (sends(frame(1, b"\0\0" + b"\xee" * 40), silent), "does not parse"),
        (sends(b"HTTP/1.1 400 Bad Request\r\n\r\n"), "an HTTP server answers here"),
        (sends(b"\x15\x03\x03\0\2\2\x46"), "--tls"),
    ],
)  # fmt: skip
def test_each_failure_is_described(broker: Handler, words: str) -> None:
    found = asked(broker, QUICK if "1 s" in words else PATIENT).failure
    assert words in (found or "")


def test_an_address_where_nothing_listens() -> None:
    with socket.socket() as taken:
        # It is nobody else's, and nobody listens.
        taken.bind(("127.0.0.1", 0))
        assert "no connection: " in (probed(f"127.0.0.1:{taken.getsockname()[1]}").failure or "")
    for host in ("no-such-host.invalid", "x" * 300, "a\0b", "ä" * 70):
        (found,) = probe([Address(host, 9092)], PATIENT)
        assert (found.failure or "").startswith("no connection: "), found.failure


@pytest.fixture(scope="module")
def pems(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("certificates")
    hosts = {"right": "localhost", "other": "localhost", "elsewhere": "example.org"}
    return {name: certificate(folder, name, host) for name, host in hosts.items()}


@needs_openssl
def test_tls(pems: dict[str, Path]) -> None:
    right = Access(30.0, trust(str(pems["right"])))
    with listening(Broker(), server_side(pems["right"])) as listener:
        for access in (right, Access(30.0, trust(insecure=True))):
            found = probed(listener.address, access)
            assert (found.failure, found.tls) == (None, "TLSv1.3")
        for context in (trust(), trust(str(pems["other"]))):
            failure = probed(listener.address, Access(30.0, context)).failure
            assert "its certificate is not accepted" in (failure or "")
        assert "TLS" in (probed(listener.address).failure or "")
    with listening(Broker(), server_side(pems["elsewhere"])) as listener:
        failure = probed(listener.address, Access(30.0, trust(str(pems["elsewhere"])))).failure
        assert "mismatch" in (failure or "")
    with listening(Broker(), server_side(pems["right"], pems["other"])) as listener:
        assert "a client certificate" in (probed(listener.address, right).failure or "")
        both = Access(30.0, trust(str(pems["right"]), str(pems["other"])))
        assert probed(listener.address, both).failure is None
    with listening(Broker()) as listener:
        assert "a port without TLS" in (probed(listener.address, right).failure or "")


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("tls", [False, True])
@needs_openssl
def test_sasl(mechanism: str, tls: bool, pems: dict[str, Path]) -> None:
    broker = Broker(users={"alice": "secret"}, mechanisms=MECHANISMS)
    context = trust(insecure=True) if tls else None
    with listening(broker, server_side(pems["right"]) if tls else None) as listener:
        found = probed(listener.address, Access(30.0, context, Login(mechanism, "alice", "secret")))
        assert (found.failure, found.versions) == (None, ranges(APIS))
        wrong = probed(listener.address, Access(30.0, context, Login(mechanism, "alice", "wrong")))
        assert "authentication fails with error 58" in (wrong.failure or "")
        assert wrong.versions == ranges(APIS)
        assert "secret" not in repr(found)


@pytest.mark.parametrize(
    ("broker", "words"),
    [
        (Broker(mechanisms=["OAUTHBEARER"]), "does not support PLAIN, but OAUTHBEARER"),
        (Broker(), "ILLEGAL_SASL_STATE"),
        (Broker({18: (0, 5)}), "no SASL"),
        (Broker({18: (0, 0), 17: (0, 0)}), "before 1.0"),
        (Broker({18: (0, 0), 17: (0, 1)}, mechanisms=["PLAIN"]), "SaslAuthenticate none"),
        (Broker(answers={(17, 1): b""}), "does not support PLAIN, or"),
        (Broker(answers={(36, 2): b""}, mechanisms=["PLAIN"]), "the password is wrong"),
        (Broker(answers={(17, 1): b"\0\x4d\0\0\0\0"}), "error 77"),
    ],
)
def test_failures_of_sasl(broker: Broker, words: str) -> None:
    assert words in (asked(broker, Access(30.0, None, ALICE)).failure or "")


def test_many_at_once_and_in_their_order() -> None:
    together = threading.Barrier(10)

    def serves_ten_at_once(connection: socket.socket) -> None:
        together.wait(20)
        Broker()(connection)

    with listening(serves_ten_at_once) as good, listening(closes) as bad:
        addresses = [Address.parse(each.address) for each in (bad, *[good] * 10, bad)]
        found = probe(addresses, PATIENT)
    assert [each.failure is None for each in found] == [False, *[True] * 10, False]


@pytest.mark.parametrize(
    "text",
    ["", "localhost", "localhost:", ":9092", "localhost:0", "localhost:65536", "localhost:9092x", "::1:9092",
     "a b:1", "http://localhost:9092", "user@host:1", "[::1:9092", "localhost:٩٠٩٢"],
)  # fmt: skip
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(InputError):
        Address.parse(text)


def test_addresses() -> None:
    assert Address.parse("[::1]:9092") == Address("::1", 9092)
    assert str(Address("::1", 9092)) == "[::1]:9092"
    assert str(Address.parse(" kafka-1.example:9092 ")) == "kafka-1.example:9092"
