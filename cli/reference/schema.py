"""`wirebook schema`: the JSON Schemas of what wirebook reads and writes."""

from __future__ import annotations

import argparse
from pathlib import Path

import wirebook
from wirebook.cli import exits
from wirebook.cli.schemas import SCHEMAS
from wirebook.specs.problems import InputError


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the argument of the command."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="one of: " + ", ".join(SCHEMAS))


def run(options: argparse.Namespace) -> int:
    """Print the schema, or without a name what there is. Raises InputError for a name that is not known."""
    if options.name is None:
        print("\n".join(SCHEMAS))
        return exits.CLEAN
    if options.name not in SCHEMAS:
        raise InputError(f'there is no schema "{options.name}"; there are {", ".join(SCHEMAS)}')
    path = Path(wirebook.__file__).parent / SCHEMAS[options.name]
    print(path.read_text(encoding="utf-8"), end="")
    return exits.CLEAN
