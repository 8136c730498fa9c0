"""`wirebook decode`: the bytes of a message to JSON values."""

import argparse

from wirebook.cli.peers import codec
from wirebook.specs.kafka.stored_records import STORED_TOPICS

run = codec.run

_HELP = codec.OptionHelp(
    header='the bytes begin with a header: the value is {"header": …, "body": …}. Requests, and other '
    "messages with an API key, then need no MESSAGE, which their header names",
    frame="the bytes begin with the length prefix of a connection",
    records="print records as batches, not as hex; without MESSAGE, decode records only",
    batch='read JSON Lines, {"message": …, "version": …, "hex": …}, and print {"value": …} for each',
)


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    codec.declare(parser, _HELP)
    add = parser.add_argument
    add(
        "--topic",
        choices=STORED_TOPICS,
        metavar="TOPIC",
        default="",
        help=f"with --records, also decode the keys and values of the records of {', '.join(STORED_TOPICS)}",
    )
    add("--binary", action="store_true", help="read raw bytes, such as those of a file, instead of hex")
