"""`wirebook changes`: everything that changed between two sources, breaking or not."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from wirebook._version import __version__
from wirebook.cli import exits
from wirebook.cli.terminal import emit, target
from wirebook.rules.diff.kinds import EFFECTS
from wirebook.rules.diff.protocols import protocol_changes
from wirebook.rules.formats.changes import Changes, HeadingKey, heading, render
from wirebook.rules.project.workspace import Workspace
from wirebook.specs.load import SourceContents
from wirebook.specs.model import Protocol
from wirebook.specs.protocols import chosen
from wirebook.specs.selection import messages_named, unknown_name

NAMES = {"policy": "promise"}  # a category of the check: the effect of a change


@dataclass(frozen=True)
class ChangesRequest:
    """The older and the newer SOURCE, and which changes to list.

    `effects` are values of EFFECTS, `apis` names and keys of APIs and names of messages; empty means all.
    `protocol` selects one if a side has several.
    """

    old: str
    new: str
    effects: tuple[str, ...] = ()
    apis: tuple[str, ...] = ()
    protocol: str | None = None


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
    parser.add_argument("--protocol", metavar="NAME", help="the protocol, if the specs define several")
    parser.add_argument("--output", metavar="FILE", type=target, help="write to this file")


def run(options: argparse.Namespace) -> int:
    """Print the changes; returns 0 even if there are none.

    Raises InputError if a side cannot be read, OSError.
    """
    request = ChangesRequest(
        options.old, options.new, tuple(options.only or ()), tuple(options.api or ()), options.protocol
    )
    changes = compared(request)
    emit(render(changes, options.format), options.output)
    if options.output is not None:
        print(f"wirebook: {changes.counts()}; written to {options.output}", file=sys.stderr)
    return exits.CLEAN


def compared(request: ChangesRequest) -> Changes:
    """The selected changes between the two sources.

    Raises InputError if one cannot be read, or if neither has a requested API, OSError.
    """
    before, after = (Workspace.open(Path(), source).contents for source in (request.old, request.new))
    pairs = _pairs(before, after, request.protocol)
    changes = tuple(
        replace(change, protocol=name)
        for name, old, new in pairs
        for change in protocol_changes(old.protocol, new.protocol, old.registry, new.registry)
    )
    _, old, new = pairs[0]
    selection = changes
    if request.effects:
        selection = tuple(change for change in selection if change.effect in request.effects)
    if request.apis:
        words = f"{old.description} or {new.description}"
        apis = {key for name in request.apis for key in _headings(pairs, name, words)}
        selection = tuple(
            change for change in selection if heading(change.message, change.protocol)[0] in apis
        )
    left_out = len(changes) - len(selection)
    return Changes(old.description, new.description, selection, __version__, left_out)


class _Pair(NamedTuple):
    """The two sides of a protocol, and its name if others are compared, too."""

    name: str
    old: SourceContents
    new: SourceContents


def _headings(pairs: Sequence[_Pair], name: str, words: str) -> set[HeadingKey]:
    """The headings of what a name means in any of the protocols. Raises InputError if it means nothing in all
    of them; `words` describe these.
    """
    every = [(pair, Protocol.of((*pair.new.protocol, *pair.old.protocol))) for pair in pairs]
    headings = {
        heading(message, pair.name)[0] for pair, both in every for message in messages_named(both, name)
    }
    if not headings:
        raise unknown_name((message for _, both in every for message in both), name, words)
    return headings


def _pairs(old: Sequence[SourceContents], new: Sequence[SourceContents], name: str | None) -> list[_Pair]:
    """The protocols of two sources to compare: the named one, those with equal names, or the only ones.

    A source without [[protocol]] has one, which matches any name. Raises InputError if one side has several.
    """
    if name is None and len(old) > 1 and len(new) > 1:
        names = sorted({part.name for part in (*old, *new)})
        sides = [{part.name: part for part in side} for side in (old, new)]
        empty = [replace(side[0], protocol=Protocol(()), registry=None) for side in (old, new)]
        return [_Pair(each, sides[0].get(each, empty[0]), sides[1].get(each, empty[1])) for each in names]
    named = [
        chosen([(part.name, part) for part in side], name if side[0].name else None, side[0].description)
        for side in (old, new)
    ]
    return [_Pair("", named[0], named[1])]


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
