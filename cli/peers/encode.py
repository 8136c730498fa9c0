"""`wirebook encode`: JSON values to the bytes of a message."""

import argparse
import os
import sys

from wirebook.cli import exits
from wirebook.cli.peers import codec
from wirebook.cli.terminal import coloured
from wirebook.docgen.pages.terminal import explained
from wirebook.specs.codec import WireError
from wirebook.specs.lines import values
from wirebook.specs.problems import InputError


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    codec.declare(
        parser,
        data=("VALUE", "a JSON value"),
        message="",
        header='write the header too: the value is {"header": …, "body": …}, '
        "for example wirebook encode MESSAGE VERSION --header '{\"header\": {}}'",
        records="without MESSAGE, encode records only; with --explain, explain the bytes of "
        "records, too",
        batch='read JSON Lines, {"message": …, "version": …, "value": …}, and print {"hex": …} '
        "for each",
    )


def run(options: argparse.Namespace) -> int:
    """Print the bytes of each value; returns the exit code. Raises InputError, OSError."""
    if options.batch:
        return codec.run_batch(options)
    found = codec.words(options)
    of = codec.bare(options, found)
    if of is None and len(found) < 2:
        raise codec.unnamed("encode")
    wire = of or codec.named(options, *found[:2])
    data = found[-1] if len(found) in (1, 3) else None
    lines = []
    for line, value in values(b"".join(codec.lines_of(data))):
        try:
            encoded = wire.encode(value)
        except WireError as error:
            raise InputError(f"line {line}: {error}") from None
        if options.explain:
            reading = wire.read(encoded, described=True)
            lines.append(
                explained(reading, encoded, options.explain, coloured(sys.stdout, os.environ))
            )
        else:
            lines.append(encoded.hex())
    print("\n".join(lines))
    return exits.CLEAN
