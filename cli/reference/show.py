"""`wirebook show`: layouts in the terminal."""

from __future__ import annotations

import argparse
import shutil
from dataclasses import dataclass

from wirebook.cli import exits
from wirebook.cli.front_door import HELP, open_and_tell
from wirebook.cli.terminal import print_layouts, print_safely
from wirebook.docgen.catalog.bnf import bnf
from wirebook.docgen.render.terminal import table
from wirebook.specs.kafka.texts import with_texts
from wirebook.specs.selection import newest
from wirebook.specs.wire.layout import Layout, layout


@dataclass(frozen=True)
class ShowRequest:
    """Which layouts to show: of an API or a message, at a version (None: its newest stable one)."""

    api: str
    version: int | None = None
    source: str | None = None


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "api",
        metavar="API",
        help="an API (Fetch, or its key 1) or a message (FetchRequest)",
    )
    parser.add_argument(
        "--version", type=int, metavar="N", help="the version to show (default: the newest stable one)"
    )
    parser.add_argument("--source", metavar="SOURCE", help=HELP)
    parser.add_argument("--format", choices=("table", "bnf", "json"), default="table")


def run(options: argparse.Namespace) -> int:
    """Print the layouts; returns the exit code. Raises InputError, OSError."""
    shapes = selected(ShowRequest(options.api, options.version, options.source))
    if options.format == "json":
        print_layouts(shapes)
    elif options.format == "bnf":
        print_safely("\n".join(bnf(item) for item in shapes))
    else:
        width = shutil.get_terminal_size((100, 24)).columns
        print_safely("\n".join(table(item, width) for item in shapes))
    return exits.CLEAN


def selected(request: ShowRequest) -> list[Layout]:
    """The layouts of a request. Raises InputError if there is no such API or version, OSError."""
    messages = tuple(map(with_texts, open_and_tell(request.source).select(request.api)))
    if request.version is None and all(message.valid_versions.empty for message in messages):
        newest(messages[0])  # raises the error that reports it
    return [
        layout(message, newest(message) if request.version is None else request.version)
        for message in messages
    ]
