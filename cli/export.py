"""`wirebook export`: layouts as JSON Lines, for other programs."""

import argparse

from wirebook.cli import exits
from wirebook.cli.arguments import Arguments
from wirebook.cli.front_door import HELP, open_and_tell
from wirebook.cli.terminal import print_layouts
from wirebook.specs.kafka.texts import with_texts
from wirebook.specs.layout import layout, layouts
from wirebook.specs.problems import InputError

ARGUMENTS: Arguments = {
    "source SOURCE ?": HELP,
    "--api NAME": "only this API or message",
    "--version N": "only this version",
}


def run(options: argparse.Namespace) -> int:
    """Print layouts; returns the exit code. Raises InputError for an unknown API or version."""
    specs, version = open_and_tell(options.source), options.version
    chosen = specs.protocol.messages if options.api is None else specs.select(options.api)
    messages = list(map(with_texts, chosen))
    if version is None:
        print_layouts(each for message in messages for each in layouts(message))
        return exits.CLEAN
    # A named API without the version is refused, the other messages are passed over.
    if options.api is None:
        messages = [message for message in messages if version in message.valid_versions]
    if not messages:
        raise InputError(f"no message of {specs.where} has a version {version}")
    print_layouts([layout(message, version) for message in messages])
    return exits.CLEAN
