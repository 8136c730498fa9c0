"""Peers on a network: a client of the mock broker, and what answers a probe, without a network."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any, cast
from unittest import mock as patching

from wirebook.live.mock.broker import MockBroker, _Connection
from wirebook.live.mock.conversation import Conversation, MockCluster, Setup
from wirebook.live.mock.faults import MODES, BrokerProfile
from wirebook.live.mock.sasl import MECHANISMS, Users
from wirebook.live.negotiation.documentation import Documentation
from wirebook.live.probe import connection, versions
from wirebook.live.probe.address import Address
from wirebook.live.probe.comparison import report
from wirebook.live.probe.probe import probe_broker
from wirebook.live.probe.session import Login, Settings
from wirebook.live.probe.text import text
from wirebook.specs.kafka.brokers import broker_named, load_brokers

ADDRESS = Address.parse("127.0.0.1:9092")


class _Writer:
    """Where answers go; they are counted only."""

    def __init__(self) -> None:
        self.size = 0

    def write(self, data: bytes) -> None:
        """Count it."""
        self.size += len(data)

    async def drain(self) -> None:
        """Nothing waits."""


def mock(data: bytes) -> None:
    """The bytes of a client; the first one chooses the release, and whether the client has to log in."""
    setup = _setups()[(data or b"\0")[0] % len(_setups())]
    events: list[dict[str, Any]] = []
    broker = MockBroker(setup, events.append)
    broker.nodes.append(("127.0.0.1", 9092))
    reader = asyncio.StreamReader(limit=16_384, loop=_loop())
    reader.feed_data(data[1:])
    reader.feed_eof()
    cluster = MockCluster(setup, MODES["normal"], broker.nodes, broker.log_event)
    writer = _Writer()
    talk = _Connection(broker, Conversation(cluster, 1, setup.profile), reader, cast(Any, writer))
    assert isinstance(_loop().run_until_complete(talk.serve()), str)
    json.dumps(events).encode()
    assert broker.unread == 0
    # A topic has at most a few partitions here: an answer is not much larger than what it answers.
    assert writer.size <= 100_000 + 100 * len(data)


@cache
def _setups() -> list[Setup]:
    users = Users({"user": "password"})
    return [
        Setup(BrokerProfile.of(broker_named(release)), mechanisms=mechanisms, users=users, topics={"t": 3})
        for release in ("0.10.0", "2.4", load_brokers()[-1].release)
        for mechanisms in ((), MECHANISMS)
    ]


@cache
def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


class _Socket:
    """A connection to something that sends given bytes, in pieces, and then nothing more."""

    def __init__(self, data: Iterator[int]) -> None:
        self._data = data

    def settimeout(self, seconds: float) -> None:
        """Nothing waits."""

    def sendall(self, data: bytes) -> None:
        """Nobody reads it."""

    def recv(self, size: int) -> bytes:
        """Up to 1000 bytes."""
        return bytes(islice(self._data, min(size, 1000)))

    def close(self) -> None:
        """Nothing is held."""


def probe(data: bytes) -> None:
    """The bytes of a broker over all connections; the first one chooses how the probe logs in."""
    kind = (data or b"\0")[0] % (len(MECHANISMS) + 1)
    login = Login(MECHANISMS[kind - 1], "user", "password") if kind else None
    rest = iter(data[1:])
    with (
        patching.patch.object(connection, "connect", lambda *_: _Socket(rest)),
        patching.patch.object(versions, "speaks_tls", lambda *_: False),
    ):
        answer = probe_broker(ADDRESS, Settings(login=login, allow_plaintext=True))
    found = report([answer], Documentation.of(None, None))
    json.dumps(found.to_json()).encode()
    assert all(line.isprintable() for line in text(found))
