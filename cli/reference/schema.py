"""`wirebook schema`: the JSON Schemas of what wirebook reads and writes."""

from __future__ import annotations

import argparse

from wirebook.cli import exits
from wirebook.docgen.schemas import SCHEMAS, bundled, strict
from wirebook.specs.problems import InputError


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="one of: " + ", ".join(SCHEMAS))
    parser.add_argument(
        "--strict", action="store_true", help="reject keys that the format does not have, for use in editors"
    )


def run(options: argparse.Namespace) -> int:
    """Print the schema, or the list of names if none is given. Raises InputError for an unknown name."""
    if options.name is None:
        print("\n".join(SCHEMAS))
        return exits.CLEAN
    if options.name not in SCHEMAS:
        raise InputError(f'there is no schema "{options.name}"; choose one of {", ".join(SCHEMAS)}')
    print(strict(bundled(options.name)) if options.strict else bundled(options.name), end="")
    return exits.CLEAN
