"""`wirebook encode`: JSON values to the bytes of a message."""

import argparse

from wirebook.cli.peers import codec
from wirebook.cli.worded import Worded

run = codec.run


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments. What only `decode` accepts has the value that it has there by default."""
    codec.declare(parser)
    add = parser.add_argument
    add(
        "--header",
        action="store_true",
        help='write the header too: the value is {"header": …, "body": …}, '
        "for example echo '{\"header\": {}}' | wirebook encode MESSAGE VERSION --header",
    )
    add("--frame", action="store_true", help="write the length prefix of a connection in front")
    add(
        "--records",
        action="store_true",
        # Only the embedded protocol has records.
        help=Worded(
            "without MESSAGE, encode records only; with --explain, explain the bytes of records, too", own=""
        ),
    )
    add(
        "--batch",
        action="store_true",
        help='read JSON Lines, {"message": …, "version": …, "value": …}, and print {"hex": …} for each',
    )
    parser.set_defaults(binary=False, topic="")
