"""`wirebook encode`: JSON values to the bytes of a message."""

import argparse

from wirebook.cli.peers import codec

run = codec.run

_HELP = codec.OptionHelp(
    header='write the header too: the value is {"header": …, "body": …}, '
    "for example echo '{\"header\": {}}' | wirebook encode MESSAGE VERSION --header",
    frame="write the length prefix of a connection in front",
    records="without MESSAGE, encode records only; with --explain, explain the bytes of records, too",
    batch='read JSON Lines, {"message": …, "version": …, "value": …}, and print {"hex": …} for each',
)


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments. The options that only `decode` has keep their defaults."""
    codec.declare(parser, _HELP)
    parser.set_defaults(binary=False, topic="")
