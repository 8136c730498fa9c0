"""`wirebook schema`: the JSON Schemas of what wirebook reads and writes."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from wirebook.cli import exits
from wirebook.cli.front_door import of_kafka
from wirebook.cli.worded import Worded
from wirebook.docgen.schemas import OF_ANY_PROTOCOL, SCHEMAS, bundled, strict
from wirebook.specs.problems import InputError


def _one_of(names: Iterable[str]) -> str:
    return "one of: " + ", ".join(names)


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "name", metavar="NAME", nargs="?", help=Worded(_one_of(SCHEMAS), _one_of(OF_ANY_PROTOCOL))
    )
    parser.add_argument(
        "--strict", action="store_true", help="reject keys that the format does not have, for use in editors"
    )


def run(options: argparse.Namespace) -> int:
    """Print the schema, or the list of names if none is given. Raises InputError for an unknown name."""
    if options.name is None:
        print("\n".join(SCHEMAS if of_kafka() else OF_ANY_PROTOCOL))
        return exits.CLEAN
    if options.name not in SCHEMAS:
        names = SCHEMAS if of_kafka() else OF_ANY_PROTOCOL
        raise InputError(f'there is no schema "{options.name}"; choose one of {", ".join(names)}')
    print(strict(bundled(options.name)) if options.strict else bundled(options.name), end="")
    return exits.CLEAN
