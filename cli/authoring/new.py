"""`wirebook new`: begins a request with its response, or a record of type data."""

from __future__ import annotations

import argparse
from pathlib import Path

from wirebook.cli import exits
from wirebook.cli.terminal import print_safely

KINDS = ("request", "data")


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "kind", metavar="KIND", choices=KINDS, help="request (with its response and the next API key) or data"
    )
    parser.add_argument("name", metavar="NAME", help="such as PlaceOrder")
    parser.add_argument("--protocol", metavar="NAME", help="of specs of several protocols, this one")


def run(options: argparse.Namespace) -> int:
    """Write the specs and list them; returns the exit code. Raises InputError, OSError."""
    from wirebook.rules.authoring.beginning import BeginRequest, begin

    begun = begin(BeginRequest(options.kind, options.name, Path.cwd(), options.protocol))
    key = "" if begun.api_key is None else f", API key {begun.api_key}"
    lines = [f"wrote {name}{key}" for name in begun.files]
    lines.append("Next: replace the field and its TODO, then run `wirebook check`.")
    print_safely("\n".join([*lines, ""]))
    return exits.CLEAN
