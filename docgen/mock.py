"""`wirebook mock`: a broker of any release, with any fault, for authors of clients to test against."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import signal
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from docgen import exits
from docgen.mock_modes import MODES
from specs.model import Json
from specs.problems import InputError

if TYPE_CHECKING:
    from docgen.mock_broker import Setup
    from specs.brokers import Broker

MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = parser.add_argument
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    width = max(map(len, MODES))
    modes = "\n".join(f"  {name:<{width}}  {words}" for name, words in MODES.items())
    parser.description = f"{parser.description}\n\nIts faults:\n{modes}"
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--release", metavar="NAME", help="a release of the broker (default: the newest)")
    which.add_argument("--api-version", metavar="ID", help="an ApiVersion, by its id or its name")
    add("--mode", metavar="MODE", choices=MODES, default="normal", help="its fault (default: normal)")
    add("--host", default="127.0.0.1", help="where it listens (default: 127.0.0.1)")
    add("--port", type=int, default=0, help="default: any that is free")
    add("--advertise", metavar="HOST:PORT", help="what Metadata says of it (default: where it listens)")
    add("--tls", metavar="FILE", type=Path, help="a PEM file with certificate and key: TLS is asked for")
    add("--sasl", metavar="MECHANISM", choices=MECHANISMS, action="append", help=", ".join(MECHANISMS))
    add("--users", metavar="FILE", type=Path, help="a line for each: name:password")
    add("--connections", type=int, default=1_000, metavar="N", help="at once (default: 1000)")
    add("--frame", type=int, default=65_536, metavar="BYTES", help="the largest request (default: 65536)")
    add("--idle", type=float, default=60, metavar="SECONDS", help="until a silent client goes (default: 60)")
    add("--seconds", type=float, metavar="SECONDS", help="stop after that time")


def run(options: argparse.Namespace) -> int:
    """Listen until stopped; returns the exit code. Raises InputError."""
    from docgen.mock_broker import Limits, Setup

    if options.connections < 1 or options.frame < 64 or not options.idle > 0:
        raise InputError("--connections, --frame (64 at least) and --idle are numbers above 0")
    if options.sasl and options.users is None:
        raise InputError("--sasl needs --users, a file with a line name:password for each")
    setup = Setup.of(
        _broker(options.release, options.api_version),
        options.mode,
        mechanisms=tuple(options.sasl or ()),
        users={} if options.users is None else _users(options.users),
        advertised=None if options.advertise is None else _address(options.advertise),
        limits=Limits(options.connections, options.frame, options.idle),
    )
    tls = None if options.tls is None else _tls(options.tls)

    def log(event: dict[str, Json]) -> None:
        print(json.dumps(event), flush=True)

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_listen(setup, log, tls, options))
    return exits.CLEAN


async def _listen(
    setup: Setup,
    log: Callable[[dict[str, Json]], None],
    tls: ssl.SSLContext | None,
    options: argparse.Namespace,
) -> None:
    from docgen.mock_broker import MockBroker

    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, stopped.set)
    broker = MockBroker(setup, log, tls)
    host, port = await broker.start(options.host, options.port)
    log(
        {
            "schema": "wirebook/mock/1",
            "event": "listening",
            "host": host,
            "port": port,
            "release": setup.release,
            "mode": setup.mode,
        }
    )
    try:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(options.seconds):
                await stopped.wait()
    finally:
        await broker.close()


def _broker(release: str | None, api_version: str | None) -> Broker:
    from specs.brokers import broker_named, load_brokers

    if api_version is not None:
        from specs.registry import load_registry

        registry = load_registry()
        found = registry.by_version(api_version)
        if found is None and api_version.isdecimal() and int(api_version) < len(registry.api_versions):
            found = registry.api_versions[int(api_version)]
        if found is None:
            raise InputError(f'there is no ApiVersion "{api_version}"')
        return broker_named(found.release)
    if release is not None:
        return broker_named(release)
    return [broker for broker in load_brokers() if not broker.release.endswith("-dev")][-1]


def _users(path: Path) -> dict[str, str]:
    found = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise InputError("this is no UTF-8", str(path)) from None
    for number, line in enumerate(lines, 1):
        name, colon, password = line.partition(":")
        if line.strip() and (not name or not colon):
            raise InputError(f"line {number}: a name, a colon and a password are expected", str(path))
        if line.strip():
            found[name] = password
    return found


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdecimal() or int(port) > 65_535:
        raise InputError(f'"{text}" is no HOST:PORT')
    return host.strip("[]"), int(port)


def _tls(path: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with path.open("rb"):
        pass
    try:
        context.load_cert_chain(path)
    except (ssl.SSLError, OSError) as error:
        raise InputError(f"no certificate with its key ({error.strerror or error})", str(path)) from None
    return context
