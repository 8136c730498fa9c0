"""`wirebook changes`: everything that changed between two sources, breaking or not."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wirebook.cli import exits
from wirebook.cli.terminal import emit, target

if TYPE_CHECKING:
    from wirebook.rules.formats.changes import Changes


@dataclass(frozen=True)
class ChangesRequest:
    """The older and the newer SOURCE."""

    old: str
    new: str


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("old", metavar="OLD", help="the older SOURCE")
    parser.add_argument("new", metavar="NEW", help="the newer SOURCE")
    parser.add_argument(
        "--format", choices=("text", "json", "markdown"), default="text", help="default: text"
    )
    parser.add_argument("--output", metavar="FILE", type=target, help="write to this file")


def run(options: argparse.Namespace) -> int:
    """Print the changes; returns 0 whether or not there are any.

    Raises InputError where a side cannot be read, OSError.
    """
    from wirebook.rules.formats.changes import render

    changes = compared(ChangesRequest(options.old, options.new))
    emit(render(changes, options.format), options.output)
    if options.output is not None:
        print(f"wirebook: {changes.counts()}; written to {options.output}", file=sys.stderr)
    return exits.CLEAN


def compared(request: ChangesRequest) -> Changes:
    """Every change between the two sources. Raises InputError where one cannot be read, OSError."""
    from wirebook import __version__
    from wirebook.rules.diff.protocols import protocol_changes
    from wirebook.rules.formats.changes import Changes
    from wirebook.specs.load import read_source

    old, new = read_source(request.old), read_source(request.new)
    changes = protocol_changes(old.protocol, new.protocol, old.registry, new.registry)
    return Changes(old.description, new.description, tuple(changes), __version__)
