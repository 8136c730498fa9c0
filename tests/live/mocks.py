"""Mock brokers for tests, each in a thread, so that any client can query them, and what they reported."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from wirebook.live.mock.broker import MockBroker
from wirebook.live.mock.conversation import Setup
from wirebook.live.mock.faults import BrokerProfile
from wirebook.specs.kafka.brokers import broker_named


class Loop:
    """An event loop in a thread; mock brokers live there."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    def run(self, coroutine: Any) -> Any:
        """What a coroutine returns, run over there."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(60)

    def close(self) -> None:
        """End the thread."""
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
        self.loop.close()


class Mocked:
    """A mock broker that listens; `log` is what it told so far."""

    def __init__(self, broker: MockBroker, log: list[dict[str, Any]]) -> None:
        self.broker = broker
        self.log = log

    @property
    def port(self) -> int:
        """The port of its first node."""
        return self.broker.nodes[0][1]

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The requests in its log."""
        return [event for event in self.log if event["event"] == "request"]

    @property
    def ends(self) -> list[str]:
        """Why its connections ended."""
        return [event["why"] for event in self.log if event["event"] == "closed"]


@contextlib.contextmanager
def mocks() -> Iterator[Loop]:
    """A place for mock brokers while the block runs."""
    loop = Loop()
    try:
        yield loop
    finally:
        loop.close()


def setup(release: str = "3.9", mode: str = "normal", **more: Any) -> Setup:
    """The setup of a release."""
    return Setup(BrokerProfile.of(broker_named(release)), mode, **more)


@contextlib.contextmanager
def mocked(loop: Loop, given: Setup, nodes: int = 1) -> Iterator[Mocked]:
    """A mock broker while the block runs."""
    log: list[dict[str, Any]] = []
    broker = MockBroker(given, log.append)
    loop.run(broker.start(nodes=nodes))
    try:
        yield Mocked(broker, log)
    finally:
        loop.run(broker.close())
