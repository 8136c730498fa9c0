"""`wirebook mock`: a mock broker of any release, with faults on demand, to test clients."""

import argparse
import asyncio
import contextlib
import json
import re
import signal

from wirebook.cli import exits
from wirebook.cli.arguments import Arguments
from wirebook.peers.mock import FAULTS, MockBroker
from wirebook.specs.kafka.brokers import kafka_releases
from wirebook.specs.model import Json
from wirebook.specs.printable import quiet_json
from wirebook.specs.problems import InputError

MAX_PARTITIONS = 10_000
_TOPIC = re.compile(r"([A-Za-z0-9._-]{1,249})(?::([0-9]{1,5}))?")

ARGUMENTS: Arguments = {
    "--release NAME": "a release of Kafka (default: the newest)",
    "--listener": {
        "choices": ("zkBroker", "broker", "controller"),
        "default": "",
        "help": "the kind of listener",
    },
    "--fault FAULT": {
        "choices": tuple(FAULTS),
        "default": "",
        "help": "what goes wrong with ApiVersions: "
        + "; ".join(f"{name}: {what}" for name, what in FAULTS.items()),
    },
    "--host HOST": {
        "default": "127.0.0.1",
        "help": "the address to listen on (default: %(default)s)",
    },
    "--port N": {"default": 0, "help": "default: a free port"},
    "--advertise HOST": "the host name in Metadata responses",
    "--topic NAME[:N] *": "a topic with N partitions (default 1); repeatable",
    "--seconds S": "stop after this time",
}


def run(options: argparse.Namespace) -> int:
    """Listen until a signal or the end of --seconds; returns 0. Raises InputError, OSError."""
    releases = kafka_releases()
    newest = releases.released[-1].release
    mock = MockBroker(
        releases.broker(options.release or newest),
        options.listener,
        options.fault,
        dict(map(_topic, options.topic)),
        options.advertise or options.host,
    )
    asyncio.run(_serve(mock, options))
    return exits.CLEAN


async def _serve(mock: MockBroker, options: argparse.Namespace) -> None:
    """Listen until a signal or the end of the time. Raises BrokenPipeError if nobody reads."""
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    unread: list[BrokenPipeError] = []

    def log(event: dict[str, Json]) -> None:
        try:
            print(quiet_json(json.dumps(event)), flush=True)
        except BrokenPipeError as error:
            unread.append(error)
            stopped.set()

    mock.log = log
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, stopped.set)
    server = await mock.start(options.host, options.port)
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(stopped.wait(), options.seconds)
    server.close()
    if unread:
        raise unread[0]


def _topic(text: str) -> tuple[str, int]:
    match = _TOPIC.fullmatch(text)
    partitions = int(match[2] or 1) if match else 0
    if match is None or not 1 <= partitions <= MAX_PARTITIONS:
        form = f"write NAME, or NAME:N with 1 to {MAX_PARTITIONS:,} partitions"
        raise InputError(f'"{text[:60]}" is not a topic: {form}')
    return match[1], partitions
