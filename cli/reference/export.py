"""`wirebook export`: layouts as JSON Lines, for other programs."""

from __future__ import annotations

import argparse

from wirebook.cli import exits
from wirebook.cli.terminal import print_layouts
from wirebook.specs.load import load, select
from wirebook.specs.problems import InputError
from wirebook.specs.wire.layout import layout, layouts


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("source", metavar="SOURCE", nargs="?", help="where the specs are")
    parser.add_argument("--api", metavar="NAME", help="only this API or message")
    parser.add_argument("--version", type=int, metavar="N", help="only this version")


def run(options: argparse.Namespace) -> int:
    """Print the layouts; returns the exit code. Raises InputError, OSError."""
    protocol, where = load(options.source)
    messages = protocol.messages if options.api is None else select(protocol, options.api, where)
    if options.version is None:
        found = [item for message in messages for item in layouts(message)]
    elif options.api is not None:
        found = [layout(message, options.version) for message in messages]
    else:
        found = [layout(item, options.version) for item in messages if options.version in item.valid_versions]
        if not found:
            raise InputError(f"no message of {where} has a version {options.version}")
    print_layouts(found)
    return exits.CLEAN
