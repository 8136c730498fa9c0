"""`wirebook mock` as a program: how it starts, what it prints, how it stops, and how it refuses."""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.live.mock_clients import client
from tests.live.mocks import mocked, mocks, setup
from tests.live.small_broker import certificate, read
from tests.support import ROOT
from wirebook.cli.main import main
from wirebook.cli.peers.mock import declare, mock_request
from wirebook.docgen.schemas import SCHEMAS
from wirebook.live.mock.conversation import Setup
from wirebook.live.mock.faults import MODES
from wirebook.live.mock.request import setup_of
from wirebook.live.probe.messages import api_versions_request, request
from wirebook.specs.printable import quiet_json

SCHEMA = json.loads((ROOT / SCHEMAS["mock"]).read_text(encoding="utf-8"))
needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl for a certificate")


@contextlib.contextmanager
def program(*options: str) -> Iterator[subprocess.Popen[str]]:
    """The command as a process of its own, which ends by itself if nobody stops it."""
    command = [sys.executable, "-m", "wirebook.cli.main", "mock", "--seconds", "600", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def first_line(process: subprocess.Popen[str]) -> Any:
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


def ask(port: int, data: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), 120) as made:
        made.sendall(len(data).to_bytes(4, "big") + data)
        return read(made, int.from_bytes(read(made, 4), "big"))


def refused(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """What it says where it cannot start: one line, and exit code 2."""
    assert main(["mock", *options]) == 2
    out, said = capsys.readouterr()
    assert out == ""
    assert said.startswith("wirebook: ")
    assert said.count("\n") == 1
    return said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_tells_where_it_listens_and_stops_when_told(number: signal.Signals) -> None:
    with program("--release", "2.3", "--brokers", "2") as process:
        where = first_line(process)
        assert (where["event"], where["release"], where["mode"]) == ("listening", "2.3", "normal")
        assert [node["id"] for node in where["brokers"]] == [1, 2]
        for node in where["brokers"]:
            assert node["host"] == "127.0.0.1"
            answer = ask(node["port"], request("ApiVersions", 3, api_versions_request(3), 5))
            assert answer == bytes.fromhex("00000005 0023 00000000")
        process.send_signal(number)
        out, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (0, "")
    events = [where, *map(json.loads, out.splitlines())]
    for event in events:
        jsonschema.validate(event, SCHEMA)
    # The connections end after the requests, in either order.
    assert sorted(event["event"] for event in events[1:]) == ["closed", "closed", "request", "request"]
    assert events[1]["answer"] == "error 35, empty list, layout 0"
    with pytest.raises(ConnectionRefusedError):
        ask(where["port"], b"")


def test_it_stops_by_itself() -> None:
    with program("--seconds", "0.2", "--log", "none") as process:
        out, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (0, "")
    assert [json.loads(line)["event"] for line in out.splitlines()] == ["listening"]


def test_it_stops_when_nobody_reads_its_log() -> None:
    with program() as process:
        where = first_line(process)
        assert process.stdout is not None
        process.stdout.close()
        ask(where["port"], request("ApiVersions", 0, {}, 5))
        assert process.wait(120) == 2
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_a_busy_port(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = refused(capsys, "--port", str(port))
    assert f"cannot listen on 127.0.0.1:{port}" in said


def test_what_cannot_be_done_is_said_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nonsense, users = tmp_path / "nonsense", tmp_path / "users"
    nonsense.write_text("no PEM")
    users.write_text("alice:x\nsecret\n")
    for options, words in (
        (["--release", "3.99x"], 'no broker release "3.99x" is known'),
        (["--release", "0.9.0", "--mode", "max-0"], "does not have ApiVersions"),
        (
            ["--release", "4.3", "--listener", "zkBroker"],
            "has no listener zkBroker, only broker and controller",
        ),
        (["--brokers", "0"], "--brokers must be a number from 1 to 32"),
        (["--port", "65536"], "--port must be a number"),
        (["--port", "65530", "--brokers", "9"], "--port must be a number"),
        (["--seconds", "0"], "--seconds must be above 0"),
        (["--seconds", "nan"], "--seconds must be above 0"),
        (["--topic", "a b"], "is not a topic"),
        (["--topic", "a:0"], "is not a topic"),
        (["--topic", "a:9999", "--topic", "b:9999"], "are the maximum"),
        (["--sasl", "plain"], "--sasl needs --users"),
        (["--users", str(users)], "--sasl needs --users"),
        (["--sasl", "plain", "--users", str(users)], f"{users}:2:1: write a user as NAME:PASSWORD"),
        (["--sasl", "plain", "--users", str(tmp_path / "none")], "No such file"),
        (["--tls", str(tmp_path / "none")], "No such file"),
        (["--tls", str(nonsense)], f"{nonsense}: this file has no certificate with its key in PEM format"),
        (["--host", "256.1.1.1"], "cannot listen on 256.1.1.1"),
    ):
        assert words in refused(capsys, *options), options


def test_a_password_in_a_broken_file_is_not_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    users = tmp_path / "users"
    users.write_text("hunter2\n")
    assert "hunter2" not in refused(capsys, "--sasl", "plain", "--users", str(users))


@needs_openssl
def test_tls_with_the_key_in_the_same_file_or_another(tmp_path: Path) -> None:
    pem = certificate(tmp_path, "right")
    apart = tmp_path / "apart.pem"
    text = pem.read_text()
    apart.write_text(text[: text.index("-----BEGIN PRIVATE")])
    for files in (str(pem), f"{apart},{tmp_path / 'right.key'}"):
        with program("--tls", files) as process:
            where = first_line(process)
            assert where["tls"] is True
            context = ssl.create_default_context(cafile=str(apart))
            with socket.create_connection(("127.0.0.1", where["port"]), 120) as plain:
                made = context.wrap_socket(plain, server_hostname="localhost")
                data = request("ApiVersions", 0, {}, 5)
                made.sendall(len(data).to_bytes(4, "big") + data)
                assert read(made, 8)[4:] == bytes.fromhex("00000005")
            # Somebody without TLS does no harm.
            with socket.create_connection(("127.0.0.1", where["port"]), 120) as stranger:
                stranger.sendall(bytes(64))
                assert stranger.recv(100)[:1] in (b"", b"\x15")
            process.send_signal(signal.SIGTERM)
            _, errors = process.communicate(timeout=120)
            assert (process.returncode, errors) == (0, "")


def given(*arguments: str) -> Setup:
    parser = argparse.ArgumentParser()
    declare(parser)
    return setup_of(mock_request(parser.parse_args(arguments)))


def test_the_controller_lists_what_a_controller_has() -> None:
    found = given("--release", "4.0", "--listener", "controller").profile
    assert 52 in found.listed
    assert 3 not in found.listed


def test_the_host_that_metadata_tells() -> None:
    advertised = setup("3.9", advertise="broker.example")
    with mocks() as loop, mocked(loop, advertised) as broker, client(broker) as asked:
        nodes = asked.ask("Metadata", 12, {"Topics": None})["Brokers"]
    assert [(node["Host"], node["Port"]) for node in nodes] == [("broker.example", broker.port)]


def test_the_help_explains_each_mode_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["mock", "--help"])
    lines = capsys.readouterr().out.splitlines()
    for name, mode in MODES.items():
        assert [line for line in lines if line.split(maxsplit=1) == [name, mode.help]], name


def test_what_a_client_says_cannot_steer_a_terminal() -> None:
    with mocks() as loop, mocked(loop, setup("3.9")) as broker, client(broker) as asked:
        name = "\x1b[31mred\n##[error]"
        asked.send(bytes.fromhex("0012 0000 00000001") + len(name).to_bytes(2, "big") + name.encode())
        asked.frame()
        told = {"ClientSoftwareName": "\x1b[2J", "ClientSoftwareVersion": "x" * 5000}
        asked.ask("ApiVersions", 4, told)
    for event in broker.log:
        jsonschema.validate(event, SCHEMA)
        line = quiet_json(json.dumps(event))
        assert line.isprintable()
        assert "##[" not in line
        assert len(line) < 900
