"""`wirebook encode`: JSON values to the bytes of a message."""

import argparse

from wirebook.cli import codec, exits
from wirebook.cli.arguments import Arguments
from wirebook.cli.terminal import coloured
from wirebook.docgen.pages.terminal import explained
from wirebook.specs.lines import values
from wirebook.specs.problems import InputError
from wirebook.specs.spans import WireError

ARGUMENTS: Arguments = {
    "message MESSAGE ?": "a message, such as FetchRequest",
    "version VERSION ?": "the version of the message",
    "data VALUE ?": "a JSON value (default: lines of standard input)",
    **codec.FORM,
    "--header": 'write the header too: the value is {"header": …, "body": …}, for example '
    "wirebook encode MESSAGE VERSION --header '{\"header\": {}}'",
    "--records": "without MESSAGE, encode records only; with --explain, explain their bytes, too",
    "--batch": 'read JSON Lines, {"message": …, "version": …, "value": …}, and print {"hex": …} '
    "for each",
}


def run(options: argparse.Namespace) -> int:
    """Print the bytes of each value; returns the exit code. Raises InputError, OSError."""
    if options.batch:
        return codec.run_batch(options)
    wire = codec.chosen(options)
    if wire is None:
        raise codec.unnamed("encode")
    lines = []
    for line, value in values(b"".join(codec.lines(options))):
        try:
            encoded = wire.encode(value)
        except WireError as error:
            raise InputError(f"line {line}: {error}") from None
        if options.explain:
            reading = wire.read(encoded, described=True)
            lines.append(explained(reading, encoded, options.explain, coloured()))
        else:
            lines.append(encoded.hex())
    if not lines:
        raise InputError("standard input is empty: a JSON value is expected")
    print("\n".join(lines))
    return exits.CLEAN
