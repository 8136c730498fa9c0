"""`wirebook negotiate`: the versions that a client and brokers use, and what works with which broker."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping

from wirebook.cli import exits
from wirebook.cli.terminal import emit
from wirebook.live.negotiation.own_protocol import OwnProtocol, own_protocol
from wirebook.live.negotiation.request import NegotiationRequest, negotiate
from wirebook.live.negotiation.text import of_server, text
from wirebook.live.probe.probe import versions_of
from wirebook.rules.opened import open_specs
from wirebook.specs.printable import to_json
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--broker",
        metavar="BROKER",
        action="append",
        default=[],
        help=(
            "a release (3.9), a protocol level by id (58) or version (4.0-IV3), HOST:PORT[,HOST:PORT…] to "
            "query, a file of ranges, - for standard input, or a SOURCE of specs; repeatable"
        ),
    )
    parser.add_argument(
        "--client",
        metavar="CLIENT",
        help=(
            "kafka-python, aiokafka, kio, librdkafka, sarama, franz-go, a release for its Java client, a "
            "protocol level, a file of ranges, or a SOURCE of specs; without a client, any version is usable"
        ),
    )
    parser.add_argument(
        "--features",
        metavar="CLIENT",
        help="also report the features of this client or file (librdkafka)",
    )
    parser.add_argument(
        "--require",
        metavar="NAME",
        action="append",
        default=[],
        help="exit with 1 unless this API or feature works with every broker; repeatable",
    )
    parser.add_argument(
        "--api", metavar="NAME", action="append", default=[], help="show only this API; repeatable"
    )
    parser.add_argument(
        "--listener",
        metavar="NAME",
        default="",
        help=(
            "the listener of a release: zkBroker, broker, controller, or one of the profile (default: "
            "zkBroker up to 3.9, then broker)"
        ),
    )
    parser.add_argument(
        "--source",
        metavar="SOURCE",
        help=(
            "the specs that mark versions and define protocol levels (default: those here "
            "if their protocol is not Kafka's, otherwise kafka)"
        ),
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(options: argparse.Namespace) -> int:
    """Print the negotiation; returns 1 if a requirement is not met. Raises InputError, OSError."""
    own = _own(options.source)
    if not options.broker:
        raise InputError("name a peer to negotiate with: --broker")
    result = negotiate(
        NegotiationRequest(
            brokers=tuple(options.broker),
            client=options.client,
            features=options.features,
            require=tuple(options.require),
            apis=tuple(options.api),
            listener=options.listener,
            source=options.source,
            own=own,
        ),
        _probe,
    )
    server = own.table.server if own is not None else "broker"
    if options.format == "json":
        emit(to_json(result.negotiation.to_json()))
    else:
        emit("\n".join(text(result.negotiation, server)) + "\n")
    for line in (*result.notes, *result.unmet):
        print(f"wirebook: {of_server(line, server)}", file=sys.stderr)
    return exits.FINDINGS if result.unmet else exits.CLEAN


def _own(source: str | None) -> OwnProtocol | None:
    """The protocol of the named specs, or of those here, unless it is Kafka's."""
    specs = open_specs(source)
    return None if specs.is_embedded else own_protocol(specs)


def _probe(address: str) -> Mapping[int, Versions]:
    # Imported for the first address: most negotiations have no live brokers, and do not need ssl.
    return versions_of(address)
