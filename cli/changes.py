"""`wirebook changes`: everything that changed between two sources, breaking or not."""

import argparse

from wirebook._version import __version__
from wirebook.cli import exits
from wirebook.cli.arguments import Arguments
from wirebook.cli.terminal import emit
from wirebook.rules.diff.kinds import EFFECTS
from wirebook.rules.diff.protocols import protocol_changes
from wirebook.rules.opened import open_specs
from wirebook.rules.report.changes import Changes, render
from wirebook.rules.report.words import heading
from wirebook.specs.model import Protocol
from wirebook.specs.selection import select

ARGUMENTS: Arguments = {
    "old OLD": "the older SOURCE",
    "new NEW": "the newer SOURCE",
    "--format text|json": "default: text",
    "--only EFFECT *": {
        "choices": EFFECTS,
        "help": "only changes with this effect: wire, promise, code or text (repeatable)",
    },
    "--api NAME *": "only changes of this API or message (repeatable)",
    "--output FILE": "write to this file",
}


def run(options: argparse.Namespace) -> int:
    """Print the changes; returns 0 even if there are none.

    Raises InputError if a side cannot be read, or if neither has a requested API, OSError.
    """
    old, new = open_specs(options.old), open_specs(options.new)
    chosen = protocol_changes(old.protocol, new.protocol, old.registry, new.registry)
    if options.only:
        chosen = [change for change in chosen if change.effect in options.only]
    if options.api:
        both = Protocol.of((*new.protocol, *old.protocol))
        apis = set()
        for name in options.api:
            for message in select(both, name, f"{old.where} or {new.where}"):
                apis.add(heading(message))
        chosen = [change for change in chosen if heading(change.message) in apis]
    changes = Changes(old.where, new.where, tuple(chosen), __version__)
    emit(render(changes, options.format), options.output, changes.counts())
    return exits.CLEAN
