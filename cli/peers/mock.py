"""`wirebook mock`: a broker of any release, with any fault, for authors of clients to test against."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wirebook.cli import exits
from wirebook.live.mock.modes import MODES
from wirebook.live.mock.sasl import MECHANISMS
from wirebook.specs.model import Json

if TYPE_CHECKING:
    from wirebook.live.mock.request import MockRequest


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
    from wirebook.live.mock.request import serve

    log = _Log(options.log)
    serve(mock_request(options), log, log.stop_on)
    if log.closed:
        raise BrokenPipeError
    return exits.CLEAN


def mock_request(options: argparse.Namespace) -> MockRequest:
    """The request that the options make."""
    from wirebook.live.mock.conversation import Limits
    from wirebook.live.mock.request import MockRequest

    return MockRequest(
        release=options.release,
        api_version=options.api_version,
        listener=options.listener or "",
        mode=options.mode,
        host=options.host,
        port=options.port,
        brokers=options.brokers,
        advertise=options.advertise,
        topics=tuple(options.topic),
        tls=options.tls,
        mechanisms=tuple(options.sasl or ()),
        users=options.users,
        seconds=options.seconds,
        limits=Limits(options.connections, options.frame, idle=options.idle),
    )


class _Log:
    """Prints events until the reader closes standard output, which stops the broker."""

    def __init__(self, form: str) -> None:
        self.form = form
        self.closed = False
        self._stop: Callable[[], None] = lambda: None

    def stop_on(self, stop: Callable[[], None]) -> None:
        """Set the function to call when nobody reads the log any more."""
        self._stop = stop

    def __call__(self, event: dict[str, Json]) -> None:
        if self.closed or (self.form == "none" and event["event"] != "listening"):
            return
        from wirebook.live.mock.text import text

        try:
            print(json.dumps(event) if self.form != "text" else text(event), flush=True)
        except BrokenPipeError:
            self.closed = True
            self._stop()


def _with_lines(formatter: Any) -> Any:
    """The same formatter, but a text of several lines keeps them."""

    class Lines(formatter):  # type: ignore[misc]
        def _fill_text(self, text: str, width: int, indent: str) -> str:
            if "\n" in text:
                return text
            filled: str = super()._fill_text(text, width, indent)
            return filled

    return Lines
