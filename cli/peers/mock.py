"""`wirebook mock`: a broker of any release, with any fault, for authors of clients to test against."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import re
import signal
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wirebook.cli import exits
from wirebook.live.mock.modes import MODES, BrokerProfile
from wirebook.live.mock.sasl import MECHANISMS, Users
from wirebook.specs.model import Json
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from wirebook.live.mock.broker import MockBroker
    from wirebook.live.mock.conversation import Setup
    from wirebook.specs.kafka.brokers import Broker

MAX_TOPICS, MAX_PARTITIONS = 1000, 10_000
_TOPIC = re.compile(r"([A-Za-z0-9._-]{1,249})(?::([0-9]{1,6}))?")


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command, and a line for each mode to its help."""
    parser.formatter_class = _with_lines(parser.formatter_class)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--release", metavar="NAME", help="a release of Kafka (default: the newest)")
    which.add_argument("--api-version", metavar="ID", help="an ApiVersion, by its id or its name")
    parser.add_argument(
        "--listener", choices=("zkBroker", "broker", "controller"), help="which of its listeners"
    )
    parser.add_argument(
        "--mode", metavar="MODE", choices=tuple(MODES), default="normal", help="how it behaves, see below"
    )
    parser.add_argument("--host", default="127.0.0.1", help="where it listens (default: %(default)s)")
    parser.add_argument("--port", type=int, default=0, help="default: one that is free")
    parser.add_argument(
        "--brokers", metavar="N", type=int, default=1, help="a cluster of so many, a port each"
    )
    parser.add_argument("--advertise", metavar="HOST", default="", help="the host that Metadata tells")
    parser.add_argument(
        "--topic",
        metavar="NAME[:N]",
        action="append",
        default=[],
        help="a topic with N partitions (default 1)",
    )
    parser.add_argument("--tls", metavar="CERT[,KEY]", help="speak TLS, with these files in PEM")
    parser.add_argument(
        "--sasl",
        metavar="MECHANISM",
        type=str.upper,
        action="append",
        choices=MECHANISMS,
        help="want this mechanism: plain, scram-sha-256 or scram-sha-512; more than one if repeated",
    )
    parser.add_argument(
        "--users", metavar="FILE", type=Path, help="who may log in: a line NAME:PASSWORD for each"
    )
    parser.add_argument(
        "--log", choices=("json", "text", "none"), default="json", help="default: %(default)s"
    )
    parser.add_argument("--seconds", metavar="S", type=float, help="stop after so long")
    parser.add_argument(
        "--connections", metavar="N", type=int, default=1000, help="at once (default: %(default)s)"
    )
    parser.add_argument(
        "--frame",
        metavar="BYTES",
        type=int,
        default=65_536,
        help="the largest request (default: %(default)s)",
    )
    parser.add_argument(
        "--idle",
        metavar="S",
        type=float,
        default=60.0,
        help="seconds for a request or an answer (default: 60)",
    )
    width = max(map(len, MODES))
    lines = [f"  {name:<{width}}  {mode.help}" for name, mode in MODES.items()]
    parser.epilog = "\n".join(["Modes:", *lines, "", parser.epilog or ""])


def run(options: argparse.Namespace) -> int:
    """Listen until stopped by SIGINT, SIGTERM or --seconds; returns 0. Raises InputError, OSError."""
    setup = setup_of(options)
    from wirebook.live.mock.broker import MAX_NODES, MockBroker

    if not 1 <= options.brokers <= MAX_NODES:
        raise InputError(f"--brokers is a number from 1 to {MAX_NODES}")
    if not 0 <= options.port <= 65_536 - options.brokers:
        raise InputError("--port is a number from 1 to 65535, or 0 for a free one")
    if options.seconds is not None and not options.seconds > 0:
        raise InputError("--seconds is a number above 0")
    log = _Log(options.log)
    asyncio.run(_listen(MockBroker(setup, log), log, options))
    if log.quiet:
        raise BrokenPipeError
    return exits.CLEAN


def setup_of(options: argparse.Namespace) -> Setup:
    """What the options say, in the form of the library. Raises InputError, OSError."""
    from wirebook.live.mock.conversation import Limits, Setup

    if options.connections < 1 or not 64 <= options.frame <= 1 << 24 or not options.idle > 0:
        raise InputError(
            "--connections is a number above 0, --frame one from 64 to 16777216, --idle one above 0"
        )
    if bool(options.sasl) != (options.users is not None):
        raise InputError("--sasl and --users go together: how clients log in, and who may")
    broker = _broker(options.release, options.api_version)
    if not broker.negotiates and options.mode != "normal":
        raise InputError(
            f"release {broker.release} does not know ApiVersions, so it has the mode normal alone"
        )
    return Setup(
        _plan(broker, options.listener or ""),
        options.mode,
        tuple(options.sasl or ()),
        Users({}) if options.users is None else Users.read(options.users),
        _topics(options.topic),
        options.advertise,
        None if options.tls is None else _tls(options.tls),
        Limits(options.connections, options.frame, idle=options.idle),
    )


async def _listen(broker: MockBroker, log: _Log, options: argparse.Namespace) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    log.closed = stopped.set
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, stopped.set)
    await broker.start(options.host, options.port, options.brokers)
    try:
        async with asyncio.timeout(options.seconds):
            await stopped.wait()
    except TimeoutError:
        pass
    finally:
        await broker.close()


class _Log:
    """Prints events until nobody reads them any more."""

    def __init__(self, form: str) -> None:
        self.form = form
        self.quiet = False
        self.closed: Callable[[], object] = lambda: None  # what is to be done when the reader has gone

    def __call__(self, event: dict[str, Json]) -> None:
        if self.quiet or (self.form == "none" and event["event"] != "listening"):
            return
        try:
            print(json.dumps(event) if self.form != "text" else text(event), flush=True)
        except BrokenPipeError:
            self.quiet = True
            self.closed()


def text(event: dict[str, Json]) -> str:
    """An event as a line for people; the client's words in it are made visible."""
    from wirebook.specs.printable import visible

    if event["event"] == "listening":
        assert isinstance(event["brokers"], list)
        where = ", ".join(f"{one['host']}:{one['port']}" for one in event["brokers"] if isinstance(one, dict))
        return f"listening on {where}: release {event['release']}, mode {event['mode']}"
    head = f"{event['at']:>9.3f}  #{event['connection']}"
    if event["event"] == "closed":
        return visible(f"{head} closed: {event['why']}")
    if event["event"] == "token":
        return visible(f"{head} token for {event['mechanism']} -> {event['answer']}")
    api = event["api"] or f"API key {event['key']}"
    more = [str(event[key]) for key in ("client_id", "mechanism", "user") if event.get(key)]
    software = event.get("software")
    if isinstance(software, list):
        more.append(" ".join(map(str, software)))
    told = f" ({', '.join(more)})" if more else ""
    return visible(f"{head} {api} {event['version']}{told} -> {event['answer']}")


def _broker(release: str | None, api_version: str | None) -> Broker:
    from wirebook.specs.kafka.brokers import broker_named, load_brokers

    if api_version is not None:
        from wirebook.live.negotiation.peers import Documentation, broker_of

        documentation = Documentation.of(None, None)
        level = documentation.level(api_version) or documentation.registry.by_version(api_version)
        if level is None:
            raise InputError(
                f'there is no ApiVersion "{api_version}": name its id, or its version as 3.9-IV0'
            )
        return broker_of(level, documentation.registry)
    if release is not None:
        return broker_named(release)
    return [broker for broker in load_brokers() if not broker.release.endswith("-dev")][-1]


def _plan(broker: Broker, listener: str) -> BrokerProfile:
    if listener and listener not in broker.listeners:
        raise InputError(
            f"release {broker.release} has no listener {listener}, but {' and '.join(broker.listeners)}"
        )
    return BrokerProfile.of(broker, listener)


def _topics(texts: list[str]) -> dict[str, int]:
    found = {}
    for text_ in texts:
        match = _TOPIC.fullmatch(text_)
        partitions = int(match[2] or 1) if match else 0
        if match is None or not 1 <= partitions <= MAX_PARTITIONS:
            raise InputError(
                f'"{text_[:60]}" is no topic: a name of letters, digits, ".", "_" and "-", and after a colon '
                f"the number of its partitions, 1 to {MAX_PARTITIONS:,}"
            )
        found[match[1]] = partitions
    if len(found) > MAX_TOPICS or sum(found.values()) > MAX_PARTITIONS:
        raise InputError(f"{MAX_TOPICS:,} topics and {MAX_PARTITIONS:,} partitions are the most")
    return found


def _tls(text_: str) -> ssl.SSLContext:
    from wirebook.live.probe.tls import read_pem

    certificate, _, key = text_.partition(",")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)

    def no_password() -> str:
        raise InputError("the key has a password: decrypt it first", key or certificate)

    read_pem(
        certificate,
        "certificate with its key",
        lambda: context.load_cert_chain(certificate, key or None, no_password),
    )
    return context


def _with_lines(formatter: Any) -> Any:
    """The same formatter, but a text of several lines keeps them."""

    class Lines(formatter):  # type: ignore[misc]
        def _fill_text(self, text: str, width: int, indent: str) -> str:
            if "\n" in text:
                return text
            filled: str = super()._fill_text(text, width, indent)
            return filled

    return Lines
