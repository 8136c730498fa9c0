"""`wirebook negotiate`: the versions that a client and brokers use, and what works with which broker."""

from __future__ import annotations

import argparse
import sys

from wirebook.cli import exits
from wirebook.cli.terminal import emit
from wirebook.specs.printable import to_json


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--broker",
        metavar="BROKER",
        action="append",
        required=True,
        help="a release (3.9), an ApiVersion by id (58) or name (4.0-IV3), HOST:PORT[,HOST:PORT…] to ask, "
        "a file of ranges, - for the standard input, or a SOURCE of specs; once for each broker",
    )
    parser.add_argument(
        "--client",
        metavar="CLIENT",
        help="kafka-python, kio, librdkafka, a release for its Java client, an ApiVersion, a file of ranges "
        "or a SOURCE of specs; without one, any version will do",
    )
    parser.add_argument(
        "--features", metavar="CLIENT", help="judge the features of this client or file too (librdkafka)"
    )
    parser.add_argument(
        "--require",
        metavar="NAME",
        action="append",
        default=[],
        help="an API or a feature that must work with every broker: exit 1 where one does not",
    )
    parser.add_argument("--api", metavar="NAME", action="append", default=[], help="show only this API")
    parser.add_argument(
        "--listener",
        choices=("zkBroker", "broker", "controller"),
        default="",
        help="which listener of a release answers; by default that of a broker, with ZooKeeper until 3.9",
    )
    parser.add_argument(
        "--source", metavar="SOURCE", help="the specs that mark versions and tell what an ApiVersion has"
    )
    parser.add_argument("--registry", metavar="FILE", help="the registry of ApiVersions that goes with them")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(options: argparse.Namespace) -> int:
    """Print the negotiation; returns 1 where a requirement is not met. Raises InputError, OSError."""
    from wirebook.live.negotiation.request import NegotiationRequest, negotiate
    from wirebook.live.negotiation.text import text

    result = negotiate(
        NegotiationRequest(
            brokers=tuple(options.broker),
            client=options.client,
            features=options.features,
            require=tuple(options.require),
            apis=tuple(options.api),
            listener=options.listener,
            source=options.source,
            registry=options.registry,
        )
    )
    if options.format == "json":
        emit(to_json(result.document))
    else:
        emit("\n".join(text(result.document)) + "\n")
    for line in result.unmet:
        print(f"wirebook: {line}", file=sys.stderr)
    return exits.FINDINGS if result.unmet else exits.CLEAN
