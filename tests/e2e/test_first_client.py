"""The client of the guide against brokers that nobody here wrote: it writes, and a group reads."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.e2e.real_brokers import mock_cluster, tansu
from tests.first_client import first_client, run
from wirebook.docgen.pages.first_client import CLIENT


def create(address: str, topic: str, partitions: int) -> None:
    admin = pytest.importorskip("kafka").KafkaAdminClient(bootstrap_servers=address)
    admin.create_topics({topic: {"num_partitions": partitions, "replication_factor": 1}})
    admin.close()


def partition(key: str, partitions: int) -> int:
    number: int = first_client().murmur2(key.encode())
    return (number & 0x7FFFFFFF) % partitions


def test_the_broker_in_rust(tmp_path: Path) -> None:
    with tansu(tmp_path) as address:
        create(address, "orders", 3)
        topics = run(address, "topics")
        written = run(address, "produce", "orders", "alice=one", "carol=two", "dave=three=3")
        alone = run(address, "consume", "orders", "--count", "3")
        first = run(address, "consume", "orders", "--group", "billing", "--count", "3")
        run(address, "produce", "orders", "alice=four")
        # The group goes on behind what it has committed.
        second = run(address, "consume", "orders", "--group", "billing", "--count", "1")
    assert topics == f"orders 0={address} 1={address} 2={address}\n"
    places = {key: partition(key, 3) for key in ("alice", "carol", "dave=three")}
    assert sorted(written.splitlines()) == sorted(
        f"partition {number}: written from offset 0 on" for number in set(places.values())
    )
    keys = {line.split()[2]: int(line.split()[0]) for line in alone.splitlines()}
    assert keys == {f"b'{key}'": number for key, number in places.items()}
    assert sorted(first.splitlines()) == sorted(alone.splitlines())
    assert second.split()[2:] == ["b'alice'", "b'four'"]


def test_two_members_share_the_partitions_of_the_broker_in_rust(tmp_path: Path) -> None:
    """The second member makes the group rebalance; kafka-python's members are not needed for
    that."""
    with tansu(tmp_path) as address:
        create(address, "orders", 2)
        client = first_client()
        keys = [
            next(f"{n}" for n in range(99) if partition(f"{n}", 2) == place) for place in (0, 1)
        ]
        command = [sys.executable, str(CLIENT), address, "consume", "orders", "--group", "billing"]
        members = [
            subprocess.Popen([*command, "--count", "1"], stdout=subprocess.PIPE, text=True)
            for _ in range(2)
        ]
        try:
            producer = client.Client((address.split(":")[0], int(address.split(":")[1])))
            done = threading.Event()
            # One record for each partition at a time, until each member has read one.
            while any(member.poll() is None for member in members) and not done.wait(0.5):
                producer.produce("orders", [(key.encode(), b"record") for key in keys])
            lines = [member.communicate(timeout=60)[0] for member in members]
        finally:
            for member in members:
                member.kill()
    assert all(line.split()[3] == "b'record'" for line in lines), lines


def test_the_mock_cluster_of_librdkafka() -> None:
    with mock_cluster() as addresses:
        # Its error 35 to ApiVersions 3 is in the schema of no version, and only the code is read.
        assert len(run(addresses[0], "topics").split()) == 5
        run(addresses[0], "produce", "words", "alice=one", "two")
        read = run(addresses[0], "consume", "words", "--group", "billing", "--count", "3")
    values = sorted(line.split(maxsplit=3)[3] for line in read.splitlines())
    assert values == ["b'from afar'", "b'one'", "b'two'"]
