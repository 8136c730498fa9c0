"""`wirebook new`: creates a request and its response, or a message of another type."""

import argparse
from pathlib import Path

from wirebook.cli import exits
from wirebook.cli.arguments import Arguments
from wirebook.cli.terminal import print_safely
from wirebook.rules.authoring.new import new_specs

ARGUMENTS: Arguments = {
    "kind request|data": "request: with its response, and the next API key",
    "name NAME": "the name of the message, such as PlaceOrder",
}


def run(options: argparse.Namespace) -> int:
    """Write the specs and list them; returns the exit code. Raises InputError, OSError."""
    files, key = new_specs(options.kind, options.name, Path.cwd())
    for name in files:
        print_safely(f"wrote {name}{'' if key is None else f', API key {key}'}")
    print(
        "Next: replace the example field and its TODO, then run `wirebook check`. "
        "What no field can describe: `wirebook explain format`."
    )
    return exits.CLEAN
