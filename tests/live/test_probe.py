"""The probe against brokers that keep to the protocol, those that do not, and what is no broker at all."""

from __future__ import annotations

import shutil
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.live.silent import silent
from tests.live.small_broker import (
    APIS,
    Broker,
    certificate,
    frame,
    listening,
    read_request,
    server_side,
)
from wirebook.live.probe.address import Address
from wirebook.live.probe.answer import Answer, FeatureRange, SaslStatus
from wirebook.live.probe.probe import probe_broker, probe_brokers
from wirebook.live.probe.session import Login, Settings
from wirebook.live.probe.tls import trust
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions

# For what says nothing, and for what answers: a machine may be busy.
QUICK = Settings(timeout=1.0)
PATIENT = Settings(timeout=30.0)
needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl for a certificate")


def asked(broker: Callable[[socket.socket], None], settings: Settings = PATIENT) -> Answer:
    with listening(broker) as listener:
        return probe_broker(Address.parse(listener.address), settings)


def failure(broker: Callable[[socket.socket], None], settings: Settings = PATIENT) -> tuple[str, str]:
    found = asked(broker, settings).failure
    assert found is not None
    return found.code, found.message


def ranges(apis: dict[int, tuple[int, int]]) -> dict[int, Versions]:
    return {key: Versions(*found) for key, found in apis.items()}


def test_a_broker_is_asked_in_the_newest_version() -> None:
    broker = Broker(
        body={"SupportedFeatures": [{"Name": "metadata.version", "MinVersion": 1, "MaxVersion": 25}]}
    )
    found = asked(broker)
    assert found.failure is None
    assert found.versions == ranges(APIS)
    assert broker.asked == [(18, 4), (3, 12)]
    assert found.supported_features == (FeatureRange("metadata.version", 1, 25),)
    assert found.notes == []
    assert found.cluster is not None
    assert found.cluster.brokers[0].port == 9092


@pytest.mark.parametrize(
    ("highest", "named", "then"), [(0, True, 0), (2, True, 2), (3, True, 3), (0, False, 0), (2, False, 0)]
)
def test_after_error_35_the_version_that_it_names_is_asked_and_0_after_an_empty_list(
    highest: int, named: bool, then: int
) -> None:
    broker = Broker({**APIS, 18: (0, highest)}, refuse=named)
    found = asked(broker)
    assert [version for key, version in broker.asked if key == 18] == [4, then]
    assert found.asked == then
    assert found.versions == ranges({**APIS, 18: (0, highest)})
    assert found.notes == []


def body_of(version: int, error: int = 0) -> bytes:
    return Broker().versions(version, error)


@pytest.mark.parametrize(
    ("wrong", "note"),
    [
        ({(18, 4): body_of(4, 35)}, "its error 35 to ApiVersions 4 does not have the layout of version 0"),
        ({(18, 4): b""}, "it closes the connection where a broker answers error 35"),
        ({(18, 4): body_of(4, 42)}, "error 42, INVALID_REQUEST"),
        ({(18, 4): body_of(4) + b"\0\0"}, "longer than its layout"),
        ({(3, 12): b"\0\0"}, "Metadata 12: the answer to Metadata 12 does not parse"),
    ],
)
def test_mistakes_of_servers_are_told_and_lived_with(wrong: dict[tuple[int, int], bytes], note: str) -> None:
    found = asked(Broker(answers=wrong))
    assert found.failure is None
    assert found.versions == ranges(APIS)
    assert [text for text in found.notes if note in text], found.notes


def test_a_broker_that_refuses_every_version_and_one_beyond_the_book() -> None:
    code, words = failure(Broker({18: (0, -1)}, refuse=False))
    assert (code, "to every version" in words) == ("unsupported", True)
    code, words = failure(Broker({18: (7, 9)}))
    assert (code, "7-9" in words) == ("unsupported", True)


def hangs_up_on_a_wrong_length(connection: socket.socket) -> None:
    read_request(connection)
    read_request(connection)


def closes(_: socket.socket) -> None:
    return


def closes_late(_: socket.socket) -> None:
    time.sleep(1)


def sends(data: bytes, then_waits: bool = False) -> Callable[[socket.socket], None]:
    def serve(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(data)
        if then_waits:
            silent(connection)

    return serve


def trickles(connection: socket.socket) -> None:
    read_request(connection)
    connection.sendall(b"\0\0\x10\0")
    while True:
        connection.sendall(b"x")
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("broker", "code", "words"),
    [
        (silent, "silence", "sends nothing within 1 s; brokers before 0.10.0 do not answer"),
        (hangs_up_on_a_wrong_length, "silence", "brokers before 0.10.0 do not answer"),
        (closes, "closed", "closes the connection without an answer"),
        (sends(b"\0\0"), "half-frame", "2 of at least 4 bytes of an answer arrived, and then the end"),
        (sends(b"\0\0\0\x50half", True), "half-frame", "8 of at least 84 bytes of an answer arrived, and"),
        (trickles, "half-frame", "bytes of an answer arrived, and then nothing within 1 s"),
        (sends(b"\x7f\xff\xff\xff" + b"x" * 99), "oversize", "a frame of 2,147,483,647 bytes"),
        (sends(b"\xff\xff\xff\xff"), "garbage", "a frame of -1 bytes"),
        (sends(b"SSH-2.0-Sh\x1b[0m\r\n", True), "garbage", "text, not with Kafka's protocol"),
        (sends(b"\0\0\0\0", True), "empty", "a frame of 0 bytes"),
        (sends(b"\0\0\0\4\0\0\0\1", True), "empty", "only a correlation ID"),
        (sends(frame(99, b"\0\0"), True), "garbage", "has the correlation ID 99, not 1"),
        (sends(frame(1, b"\0\0" + b"\xee" * 40), True), "garbage", "does not parse"),
        (sends(b"HTTP/1.1 400 Bad Request\r\n\r\n"), "http", "an HTTP server answers here"),
        (sends(b"\x15\x03\x03\0\2\2\x46"), "tls-wanted", "--tls"),
    ],
)  # fmt: skip
def test_each_failure_has_its_own_words(
    broker: Callable[[socket.socket], None], code: str, words: str
) -> None:
    found = failure(broker, QUICK if code in ("silence", "half-frame") else PATIENT)
    assert found[0] == code
    assert words in found[1]


def test_nobody_there() -> None:
    with socket.socket() as taken:
        # It is nobody else's, and nobody listens.
        taken.bind(("127.0.0.1", 0))
        found = probe_broker(Address("127.0.0.1", taken.getsockname()[1]), PATIENT).failure
    assert (found and found.code) == "refused"
    found = probe_broker(Address("no-such-host.invalid", 9092), PATIENT).failure
    assert (found and found.code) == "unresolved"
    for host in ("x" * 300, "a\0b", "ä" * 70):
        found = probe_broker(Address(host, 9092), PATIENT).failure
        assert (found and found.code) == "unresolved"


@pytest.fixture(scope="module")
def pems(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("certificates")
    return {
        "right": certificate(folder, "right"),
        "other": certificate(folder, "other"),
        "elsewhere": certificate(folder, "elsewhere", "example.org"),
    }


@needs_openssl
def test_tls(pems: dict[str, Path]) -> None:
    with listening(Broker(), server_side(pems["right"])) as listener:
        address = Address.parse(listener.address)
        found = probe_broker(address, Settings(30.0, trust(str(pems["right"]))))
        assert found.failure is None
        assert found.tls is not None
        assert found.tls.verified is True
        unverified = probe_broker(address, Settings(30.0, trust(insecure=True)))
        assert unverified.tls is not None
        assert unverified.tls.verified is False
        for context in (trust(), trust(str(pems["other"]))):
            wrong = probe_broker(address, Settings(30.0, context)).failure
            assert wrong is not None
            assert wrong.code == "certificate"
        plain = probe_broker(address, QUICK).failure
        assert plain is not None
        assert (plain.code, "--tls" in plain.message) == ("tls-wanted", True)


@needs_openssl
def test_a_certificate_for_another_host(pems: dict[str, Path]) -> None:
    with listening(Broker(), server_side(pems["elsewhere"])) as listener:
        found = probe_broker(
            Address.parse(listener.address), Settings(30.0, trust(str(pems["elsewhere"])))
        ).failure
    assert found is not None
    assert (found.code, "for another" in found.message) == ("certificate", True)


@needs_openssl
def test_a_broker_that_wants_a_certificate(pems: dict[str, Path]) -> None:
    with listening(Broker(), server_side(pems["right"], pems["other"])) as listener:
        address = Address.parse(listener.address)
        found = probe_broker(address, Settings(30.0, trust(str(pems["right"])))).failure
        assert (found and found.code) == "client-certificate"
        good = probe_broker(address, Settings(30.0, trust(str(pems["right"]), str(pems["other"]))))
        assert good.failure is None


MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("tls", [False, True])
@needs_openssl
def test_sasl(mechanism: str, tls: bool, pems: dict[str, Path]) -> None:
    broker = Broker(users={"alice": "secret"}, mechanisms=MECHANISMS)
    context = trust(insecure=True) if tls else None
    with listening(broker, server_side(pems["right"]) if tls else None) as listener:
        address = Address.parse(listener.address)
        found = probe_broker(address, Settings(30.0, context, Login(mechanism, "alice", "secret"), True))
        assert found.failure is None
        assert found.sasl == SaslStatus(tuple(MECHANISMS), mechanism)
        assert found.cluster is not None
        wrong = probe_broker(address, Settings(30.0, context, Login(mechanism, "alice", "wrong"), True))
        assert wrong.failure is not None
        assert wrong.failure.code == "credentials"
        assert wrong.versions == ranges(APIS)
        assert "secret" not in repr(found)


def test_sasl_that_is_wanted_and_not_given_is_told() -> None:
    found = asked(Broker(users={"alice": "secret"}, mechanisms=["SCRAM-SHA-256", "OAUTHBEARER"]))
    assert found.failure is None
    assert found.notes == [
        "it requires SASL (SCRAM-SHA-256, OAUTHBEARER) before any other request: "
        "log in with --sasl and --user"
    ]
    assert found.sasl is not None
    assert found.sasl.mechanism is None


@pytest.mark.parametrize(
    ("broker", "code", "words"),
    [
        (Broker(mechanisms=["OAUTHBEARER"]), "mechanism", "does not support PLAIN, but OAUTHBEARER"),
        (Broker(), "no-sasl", "remove --sasl"),
        (Broker({18: (0, 4)}), "no-sasl", "SaslHandshake is not among its APIs"),
        (Broker({18: (0, 0), 17: (0, 0)}), "no-sasl", "before 1.0"),
        (
            Broker({18: (0, 0), 17: (0, 1)}, mechanisms=["PLAIN"]),
            "sasl",
            "known version of SaslAuthenticate",
        ),
        (Broker(answers={(17, 1): b""}), "mechanism", "without a reason"),
        (Broker(answers={(36, 2): b""}, mechanisms=["PLAIN"]), "credentials", "probably wrong"),
        (Broker(answers={(17, 1): b"\0\x4d\0\0\0\0"}), "sasl", "error 77"),
    ],
)
def test_failures_of_sasl(broker: Broker, code: str, words: str) -> None:
    found = failure(broker, Settings(30.0, None, Login("PLAIN", "alice", "secret"), True))
    assert found[0] == code
    assert words in found[1]


def test_a_password_is_not_sent_for_everyone_to_read() -> None:
    broker = Broker(mechanisms=["PLAIN"], users={"alice": "secret"})
    with listening(broker) as listener:
        address = Address.parse(listener.address)
        found = probe_broker(address, Settings(30.0, None, Login("PLAIN", "alice", "secret")))
        assert found.failure is not None
        assert (found.failure.code, "--allow-plaintext" in found.failure.message) == ("plaintext", True)
        assert not {"SaslHandshake", "SaslAuthenticate"} & {step.api for step in found.conversation}
        allowed = Settings(30.0, None, Login("PLAIN", "alice", "secret"), allow_plaintext=True)
        assert probe_broker(address, allowed).failure is None


def test_many_at_once_and_in_their_order() -> None:
    together = threading.Barrier(10)

    def serves_ten_at_once(connection: socket.socket) -> None:
        together.wait(20)
        Broker()(connection)

    with listening(serves_ten_at_once) as good, listening(closes_late) as bad:
        addresses = [Address.parse(each.address) for each in (bad, *[good] * 10, bad)]
        found = probe_brokers(addresses, PATIENT)
    assert [each.answered for each in found] == [False, *[True] * 10, False]
    assert probe_brokers([], QUICK) == []


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
