"""`wirebook changes`: everything that changed between two sources, breaking or not."""

from __future__ import annotations

import argparse
from pathlib import Path

from wirebook._version import __version__
from wirebook.cli import exits
from wirebook.cli.terminal import emit
from wirebook.rules.diff.kinds import EFFECTS
from wirebook.rules.diff.protocols import protocol_changes
from wirebook.rules.opened import open_specs
from wirebook.rules.report.changes import FORMATS, Changes, render
from wirebook.rules.report.words import heading
from wirebook.specs.model import Protocol
from wirebook.specs.selection import select


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = parser.add_argument
    add("old", metavar="OLD", help="the older SOURCE")
    add("new", metavar="NEW", help="the newer SOURCE")
    add("--format", choices=FORMATS, default="text", help="default: text")
    effects = "only changes with this effect: wire, promise, code or text (repeatable)"
    add("--only", choices=EFFECTS, metavar="EFFECT", action="append", default=[], help=effects)
    apis = "only changes of this API or message (repeatable)"
    add("--api", metavar="NAME|KEY", action="append", default=[], help=apis)
    add("--output", metavar="FILE", type=Path, help="write to this file")


def run(options: argparse.Namespace) -> int:
    """Print the changes; returns 0 even if there are none.

    Raises InputError if a side cannot be read, or if neither has a requested API, OSError.
    """
    old, new = open_specs(options.old), open_specs(options.new)
    every = protocol_changes(old.protocol, new.protocol, old.registry, new.registry)
    chosen = tuple(change for change in every if not options.only or change.effect in options.only)
    if options.api:
        both, words = Protocol.of((*new.protocol, *old.protocol)), f"{old.where} or {new.where}"
        apis = {heading(each)[0] for name in options.api for each in select(both, name, words)}
        chosen = tuple(change for change in chosen if heading(change.message)[0] in apis)
    changes = Changes(old.where, new.where, chosen, __version__)
    emit(render(changes, options.format), options.output, changes.counts())
    return exits.CLEAN
