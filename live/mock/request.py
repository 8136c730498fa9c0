"""The function behind `wirebook mock`: from options to a running broker."""

from __future__ import annotations

import asyncio
import contextlib
import re
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wirebook.live.mock.broker import MAX_NODES, LogSink, MockBroker
from wirebook.live.mock.conversation import Setup
from wirebook.live.mock.faults import BrokerProfile
from wirebook.specs.kafka.brokers import Broker, broker_named, released_brokers
from wirebook.specs.problems import InputError

MAX_TOPICS, MAX_PARTITIONS = 1000, 10_000
StopOn = Callable[[Callable[[], None]], None]

_TOPIC = re.compile(r"([A-Za-z0-9._-]{1,249})(?::([0-9]{1,6}))?")


@dataclass(frozen=True)
class MockRequest:
    """The options of the mock broker: what it is, where it listens and for how long.

    `release` names what it serves (default: the newest release); `topics` are NAME[:N],
    and without `seconds`, it serves until it is stopped.
    """

    release: str | None = None
    listener: str = ""
    mode: str = "normal"
    host: str = "127.0.0.1"
    port: int = 0
    brokers: int = 1
    advertise: str = ""
    topics: tuple[str, ...] = ()
    seconds: float | None = None


def setup_of(request: MockRequest) -> Setup:
    """Build the configuration of the brokers. Raises InputError, OSError."""
    broker = _broker(request.release)
    if not broker.negotiates and request.mode != "normal":
        raise InputError(f"release {broker.release} does not have ApiVersions, so its only mode is normal")
    return Setup(
        _profile(broker, request.listener),
        request.mode,
        _topics(request.topics),
        request.advertise,
    )


def serve(request: MockRequest, log: LogSink, stop_on: StopOn | None = None) -> None:
    """Listen until SIGINT, SIGTERM or the time limit. Raises InputError, OSError.

    `stop_on` receives a function that stops the broker as well.
    """
    setup = setup_of(request)
    if not 1 <= request.brokers <= MAX_NODES:
        raise InputError(f"--brokers must be a number from 1 to {MAX_NODES}")
    if not 0 <= request.port <= 65_536 - request.brokers:
        raise InputError("--port must be a number from 1 to 65535, or 0 for a free one")
    if request.seconds is not None and not request.seconds > 0:
        raise InputError("--seconds must be above 0")
    asyncio.run(_serve(MockBroker(setup, log), request, stop_on))


async def _serve(broker: MockBroker, request: MockRequest, stop_on: StopOn | None) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    if stop_on is not None:
        stop_on(stopped.set)
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, stopped.set)
    await broker.start(request.host, request.port, request.brokers)
    try:
        async with asyncio.timeout(request.seconds):
            await stopped.wait()
    except TimeoutError:
        pass
    finally:
        await broker.close()


def _broker(release: str | None) -> Broker:
    if release is not None:
        return broker_named(release)
    return released_brokers()[-1]


def _profile(broker: Broker, listener: str) -> BrokerProfile:
    if listener and listener not in broker.listeners:
        raise InputError(
            f"release {broker.release} has no listener {listener}, only {' and '.join(broker.listeners)}"
        )
    return BrokerProfile.of(broker, listener)


def _topics(texts: Sequence[str]) -> dict[str, int]:
    topics = {}
    for text in texts:
        match = _TOPIC.fullmatch(text)
        partitions = int(match[2] or 1) if match else 0
        if match is None or not 1 <= partitions <= MAX_PARTITIONS:
            raise InputError(
                f'"{text[:60]}" is not a topic: a name of letters, digits, ".", "_" and "-", then '
                f"optionally a colon and the number of partitions, 1 to {MAX_PARTITIONS:,}"
            )
        topics[match[1]] = partitions
    if len(topics) > MAX_TOPICS or sum(topics.values()) > MAX_PARTITIONS:
        raise InputError(f"{MAX_TOPICS:,} topics and {MAX_PARTITIONS:,} partitions are the maximum")
    return topics
