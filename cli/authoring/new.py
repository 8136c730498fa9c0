"""`wirebook new`: creates a request and its response, or a message of another type."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from wirebook.cli import exits
from wirebook.cli.terminal import print_safely
from wirebook.rules.authoring.beginning import HEADER, BeginRequest, begin
from wirebook.rules.check.releases import released_keys

_EXAMPLE = "replace the example field and its TODO"


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "kind",
        metavar="KIND",
        help="request (with its response, and the next API key), data, header, or a type of the profile",
    )
    parser.add_argument("name", metavar="NAME", help="the name of the message, such as PlaceOrder")


def run(options: argparse.Namespace) -> int:
    """Write the specs and list them; returns the exit code. Raises InputError, OSError."""
    here = Path.cwd()
    request = BeginRequest(options.kind, options.name, here, partial(released_keys, here))
    begun = begin(request)
    key = "" if begun.api_key is None else f", API key {begun.api_key}"
    lines = [f"wrote {name}{key}" for name in begun.files]
    fields = "see that the fields are those of your headers" if options.kind == HEADER else _EXAMPLE
    lines.append(
        f"Next: {fields}, then run `wirebook check`. What no field can describe: `wirebook explain format`."
    )
    print_safely("\n".join([*lines, ""]))
    return exits.CLEAN
