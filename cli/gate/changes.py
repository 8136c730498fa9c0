"""`wirebook changes`: everything that changed between two sources, breaking or not."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

from wirebook._version import __version__
from wirebook.cli import exits
from wirebook.cli.terminal import emit, target
from wirebook.rules.diff.kinds import EFFECTS
from wirebook.rules.diff.protocols import protocol_changes
from wirebook.rules.opened import open_specs
from wirebook.rules.report.changes import Changes, render
from wirebook.rules.report.sentences import heading
from wirebook.specs.model import Protocol
from wirebook.specs.selection import select

NAMES = {"policy": "promise"}  # a category of the check: the effect of a change


@dataclass(frozen=True)
class ChangesRequest:
    """The older and the newer SOURCE, and which changes to list.

    `effects` are values of EFFECTS, `apis` names and keys of APIs and names of messages; empty means all.
    """

    old: str
    new: str
    effects: tuple[str, ...] = ()
    apis: tuple[str, ...] = ()


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("old", metavar="OLD", help="the older SOURCE")
    parser.add_argument("new", metavar="NEW", help="the newer SOURCE")
    parser.add_argument(
        "--format", choices=("text", "json", "markdown"), default="text", help="default: text"
    )
    parser.add_argument(
        "--only",
        metavar="EFFECT,…",
        type=_effects,
        action="extend",
        help="only changes with this effect: wire, policy (promises), code or text",
    )
    parser.add_argument(
        "--api", metavar="NAME|KEY", action="append", help="only changes of this API or message (repeatable)"
    )
    parser.add_argument("--output", metavar="FILE", type=target, help="write to this file")


def run(options: argparse.Namespace) -> int:
    """Print the changes; returns 0 even if there are none.

    Raises InputError if a side cannot be read, OSError.
    """
    request = ChangesRequest(options.old, options.new, tuple(options.only or ()), tuple(options.api or ()))
    changes = compared(request)
    emit(render(changes, options.format), options.output)
    if options.output is not None:
        print(f"wirebook: {changes.counts()}; written to {options.output}", file=sys.stderr)
    return exits.CLEAN


def compared(request: ChangesRequest) -> Changes:
    """The selected changes between the two sources.

    Raises InputError if one cannot be read, or if neither has a requested API, OSError.
    """
    old, new = (open_specs(source) for source in (request.old, request.new))
    changes = tuple(protocol_changes(old.protocol, new.protocol, old.registry, new.registry))
    selection = changes
    if request.effects:
        selection = tuple(change for change in selection if change.effect in request.effects)
    if request.apis:
        both = Protocol.of((*new.protocol, *old.protocol))
        words = f"{old.where} or {new.where}"
        apis = {heading(each)[0] for name in request.apis for each in select(both, name, words)}
        selection = tuple(change for change in selection if heading(change.message)[0] in apis)
    left_out = len(changes) - len(selection)
    return Changes(old.where, new.where, selection, __version__, left_out)


def _effects(text: str) -> list[str]:
    """The effects in a comma-separated list. Raises ArgumentTypeError for an unknown one."""
    effects = []
    for word in text.split(","):
        name = word.strip().lower()
        effect = NAMES.get(name, name)
        if effect not in EFFECTS:
            choices = ", ".join((*EFFECTS, *NAMES))
            raise argparse.ArgumentTypeError(f"{word.strip()!r} is not one of {choices}")
        effects.append(effect)
    return effects
