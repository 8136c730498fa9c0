"""`wirebook show`: layouts in the terminal."""

from __future__ import annotations

import argparse
import shutil

from wirebook.cli import exits
from wirebook.cli.terminal import print_layouts, print_safely
from wirebook.specs.load import load, newest, select
from wirebook.specs.wire.layout import Layout, layout


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("api", metavar="API", help="an API (Fetch, or its key 1) or a message (FetchRequest)")
    parser.add_argument("--version", type=int, metavar="N", help="default: the newest stable version")
    parser.add_argument("--source", metavar="SOURCE", help="where the specs are")
    parser.add_argument("--format", choices=("table", "bnf", "json"), default="table")


def run(options: argparse.Namespace) -> int:
    """Print the layouts; returns the exit code. Raises InputError, OSError."""
    protocol, where = load(options.source)
    messages = select(protocol, options.api, where)
    if options.version is None and all(message.valid_versions.empty for message in messages):
        newest(messages[0])
    shown: list[Layout] = []
    for message in messages:
        shown.append(layout(message, newest(message) if options.version is None else options.version))
    if options.format == "json":
        print_layouts(shown)
    elif options.format == "bnf":
        from wirebook.docgen.catalog.bnf import bnf

        print_safely("\n".join(bnf(item) for item in shown))
    else:
        from wirebook.docgen.render.terminal import table

        width = shutil.get_terminal_size((100, 24)).columns
        print_safely("\n".join(table(item, width) for item in shown))
    return exits.CLEAN
