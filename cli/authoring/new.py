"""`wirebook new`: creates a request and its response, or a message of another type."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from wirebook.cli import exits
from wirebook.cli.terminal import print_safely
from wirebook.rules.authoring.beginning import HEADER, BeginRequest, begin
from wirebook.rules.authoring.second import second_protocol
from wirebook.rules.check.baselines import released_keys
from wirebook.rules.check.request import CheckRequest
from wirebook.rules.project.workspace import Workspace

_EXAMPLE = "replace the example field and its TODO"


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "kind",
        metavar="KIND",
        help="request (with its response, and the next API key), data, header, or a type of the profile",
    )
    parser.add_argument("name", metavar="NAME", help="the name of the message, such as PlaceOrder")
    parser.add_argument("--protocol", metavar="NAME", help="the protocol, if the specs define several")


def run(options: argparse.Namespace) -> int:
    """Write the specs and list them; returns the exit code. Raises InputError, OSError."""
    second = second_protocol(Workspace.here(Path.cwd(), options.protocol))
    keys = partial(released_keys, CheckRequest(cwd=Path.cwd()))
    begun = begin(BeginRequest(options.kind, options.name, Path.cwd(), options.protocol, keys))
    key = "" if begun.api_key is None else f", API key {begun.api_key}"
    lines = [f"wrote {name}{key}" for name in begun.files]
    fields = "see that the fields are those of your headers" if options.kind == HEADER else _EXAMPLE
    lines.append(
        f"Next: {fields}, then run `wirebook check`. What no field can describe: `wirebook explain format`."
    )
    if second and options.protocol is None:
        lines.append("For another protocol, in the current folder, delete the new files, and run:")
        lines += [f"  {line}" for line in second]
    print_safely("\n".join([*lines, ""]))
    return exits.CLEAN
