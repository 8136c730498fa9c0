"""`wirebook mock`: a mock broker of any release, with faults on demand, to test clients."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import Any

from wirebook.cli import exits
from wirebook.cli.peers.own_specs import check_kafka, declare_kafka_only
from wirebook.live.mock.faults import MODES
from wirebook.live.mock.request import MockRequest, serve
from wirebook.specs.model import Json
from wirebook.specs.printable import quiet_json


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command, and a line for each mode to its help."""
    parser.formatter_class = _with_lines(parser.formatter_class)
    declare_kafka_only(parser)
    parser.add_argument("--release", metavar="NAME", help="a release of Kafka (default: the newest)")
    parser.add_argument(
        "--listener", choices=("zkBroker", "broker", "controller"), help="the kind of listener"
    )
    parser.add_argument(
        "--mode",
        metavar="MODE",
        choices=tuple(MODES),
        default="normal",
        help="how the broker behaves (see below)",
    )
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=int, default=0, help="default: a free port")
    parser.add_argument(
        "--brokers", metavar="N", type=int, default=1, help="the number of brokers, each on its own port"
    )
    parser.add_argument("--advertise", metavar="HOST", default="", help="the host name in Metadata responses")
    parser.add_argument(
        "--topic",
        metavar="NAME[:N]",
        action="append",
        default=[],
        help="a topic with N partitions (default 1)",
    )
    parser.add_argument("--log", choices=("json", "none"), default="json", help="default: %(default)s")
    parser.add_argument("--seconds", metavar="S", type=float, help="stop after this time")
    width = max(map(len, MODES))
    lines = [f"  {name:<{width}}  {mode.help}" for name, mode in MODES.items()]
    parser.epilog = "\n".join(["Modes:", *lines, "", parser.epilog or ""])


def run(options: argparse.Namespace) -> int:
    """Listen until stopped by SIGINT, SIGTERM or --seconds; returns 0. Raises InputError, OSError."""
    check_kafka(options)
    log = _Log(options.log)
    serve(mock_request(options), log, log.stop_on)
    if log.closed:
        raise BrokenPipeError
    return exits.CLEAN


def mock_request(options: argparse.Namespace) -> MockRequest:
    """The request described by the options."""
    return MockRequest(
        release=options.release,
        listener=options.listener or "",
        mode=options.mode,
        host=options.host,
        port=options.port,
        brokers=options.brokers,
        advertise=options.advertise,
        topics=tuple(options.topic),
        seconds=options.seconds,
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
        try:
            print(quiet_json(json.dumps(event)), flush=True)
        except BrokenPipeError:
            self.closed = True
            self._stop()


def _with_lines(formatter: Any) -> Any:
    """A formatter that keeps the line breaks of multi-line texts."""

    class LineFormatter(formatter):  # type: ignore[misc]
        def _fill_text(self, text: str, width: int, indent: str) -> str:
            if "\n" in text:
                return text
            filled: str = super()._fill_text(text, width, indent)
            return filled

    return LineFormatter
