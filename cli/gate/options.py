"""The options that say what is compared, for every command that compares."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wirebook.rules.check.request import CheckRequest


def declare_sides(parser: argparse.ArgumentParser) -> None:
    """Declare the options that say what is compared, and by which configuration."""
    add = parser.add_argument
    add("files", metavar="FILES", nargs="*", help="judge only these files or folders")
    add("--against", metavar="SOURCE", help="the old side, or a range A..B or A...B (default: it is found)")
    add("--staged", action="store_true", help="judge what is staged, against HEAD or --against")
    add("--old", metavar="SOURCE", help="the old side, together with --new; no git needed")
    add("--new", metavar="SOURCE", help="the new side, together with --old")
    add("--released", metavar="GLOB|SOURCE", action="append", help="tags, or a source, that were released")
    add("--branch", metavar="NAME", help="the branch that changes go to (default: it is found)")
    add("--config", metavar="FILE", type=Path, help="default: wirebook.toml or pyproject.toml, found upwards")


def check_request(options: argparse.Namespace, *, everything: bool = False) -> CheckRequest:
    """The request that the options of `declare_sides` make."""
    from wirebook.rules.check.request import CheckRequest

    return CheckRequest(
        files=tuple(options.files),
        against=options.against,
        staged=options.staged,
        old=options.old,
        new=options.new,
        released=tuple(options.released or ()),
        branch=options.branch,
        config=options.config,
        everything=everything,
    )
