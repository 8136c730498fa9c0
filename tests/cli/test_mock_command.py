"""`wirebook mock` as a program: how it starts, what it prints, how it stops, and how it refuses."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.peers.small_broker import read
from wirebook.cli.main import main
from wirebook.docgen.pages.schemas import read_schema
from wirebook.peers.messages import api_versions_request, request

SCHEMA = read_schema("mock")


@contextlib.contextmanager
def program(*options: str) -> Iterator[subprocess.Popen[str]]:
    """The command as a process of its own, which ends by itself if nobody stops it."""
    command = [sys.executable, "-m", "wirebook.cli.main", "mock", "--seconds", "600", *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
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
    with program("--release", "2.3") as process:
        where = first_line(process)
        assert (where["event"], where["release"], where["fault"]) == ("listening", "2.3", "")
        assert where["host"] == "127.0.0.1"
        answer = ask(where["port"], request("ApiVersions", 3, api_versions_request(3), 5))
        assert answer == bytes.fromhex("00000005 0023 00000000")
        with socket.create_connection(("127.0.0.1", where["port"]), 120) as idle:
            # Accepted in order: this one is open once it has answered.
            frame = request("ApiVersions", 3, api_versions_request(3), 5)
            idle.sendall(len(frame).to_bytes(4, "big") + frame)
            read(idle, 4)
            process.send_signal(number)
            out, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (0, "")
    events = [where, *map(json.loads, out.splitlines())]
    for event in events:
        jsonschema.validate(event, SCHEMA)
    assert [event["event"] for event in events[1:]] == ["request", "closed", "request", "closed"]
    assert events[1]["answer"] == "error 35, 0 APIs, layout 0"
    with pytest.raises(ConnectionRefusedError):
        ask(where["port"], b"")


def test_it_stops_by_itself() -> None:
    with program("--seconds", "0.2") as process:
        out, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (0, "")
    assert [json.loads(line)["event"] for line in out.splitlines()] == ["listening"]


def test_a_busy_port(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = refused(capsys, "--port", str(port))
    assert f"cannot listen on 127.0.0.1:{port}" in said


def test_what_cannot_be_done_is_said_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for options, words in (
        (["--release", "3.99x"], 'no broker release "3.99x" is known'),
        (["--release", "0.9.0", "--fault", "close"], "does not have ApiVersions"),
        (
            ["--release", "4.3", "--listener", "zkBroker"],
            "has no listener zkBroker, only broker and controller",
        ),
        (["--port", "65536"], "port must be 0-65535"),
        (["--topic", "a b"], "is not a topic"),
        (["--topic", "a:0"], "is not a topic"),
        (["--host", "256.1.1.1"], "cannot listen on 256.1.1.1"),
    ):
        assert words in refused(capsys, *options), options
