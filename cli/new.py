"""`wirebook new`: creates a request and its response, or a message of another type."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from wirebook.cli import exits
from wirebook.cli.terminal import print_safely
from wirebook.rules.authoring.new import new_specs
from wirebook.rules.check.releases import released_keys


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    kinds = "request (with its response, and the next API key), data, or a type of the profile"
    parser.add_argument("kind", metavar="KIND", help=kinds)
    parser.add_argument("name", metavar="NAME", help="the name of the message, such as PlaceOrder")


def run(options: argparse.Namespace) -> int:
    """Write the specs and list them; returns the exit code. Raises InputError, OSError."""
    here = Path.cwd()
    files, key = new_specs(options.kind, options.name, here, partial(released_keys, here))
    lines = [f"wrote {name}{'' if key is None else f', API key {key}'}" for name in files]
    lines.append(
        "Next: replace the example field and its TODO, then run `wirebook check`. "
        "What no field can describe: `wirebook explain format`."
    )
    print_safely("\n".join([*lines, ""]))
    return exits.CLEAN
