"""Mock brokers for tests, in a thread, so that any client can query them, and what they log."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from wirebook.peers.mock import MockBroker
from wirebook.specs.kafka.brokers import kafka_releases


class Mocked:
    """A mock broker that listens."""

    def __init__(self, broker: MockBroker) -> None:
        self.broker = broker
        self.log: list[dict[str, Any]] = []
        broker.log = self.log.append

    @property
    def port(self) -> int:
        """Its port."""
        return self.broker.port

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The requests in its log."""
        return [event for event in self.log if event["event"] == "request"]

    @property
    def ends(self) -> list[str]:
        """Why its connections ended."""
        return [event["why"] for event in self.log if event["event"] == "closed"]


@contextlib.contextmanager
def mocked(release: str = "3.9", fault: str = "", **more: Any) -> Iterator[Mocked]:
    """A mock broker while the block runs."""
    mock = Mocked(MockBroker(kafka_releases().broker(release), fault=fault, **more))
    listening = threading.Event()
    loop = asyncio.new_event_loop()
    stopped = asyncio.Event()

    async def serve() -> None:
        server = await mock.broker.start("127.0.0.1", 0)
        listening.set()
        await stopped.wait()
        server.close()

    def run() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(serve())

    thread = threading.Thread(target=run)
    thread.start()
    assert listening.wait(60)
    try:
        yield mock
    finally:
        loop.call_soon_threadsafe(stopped.set)
        thread.join(60)
