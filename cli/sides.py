"""The options that select the sides of a comparison, for all commands that compare."""

from __future__ import annotations

import argparse
from pathlib import Path

from wirebook.rules.check.request import CheckRequest


def declare_sides(parser: argparse.ArgumentParser) -> None:
    """Declare the options that select the two sides and the configuration."""
    add = parser.add_argument
    add("files", metavar="FILES", nargs="*", help="check only these files or folders")
    add(
        "--against",
        metavar="SOURCE",
        help="the old side, or a range A..B or A...B (default: detected)",
    )
    add(
        "--staged",
        action="store_true",
        help="check the index, against where HEAD left the target branch",
    )
    add("--old", metavar="SOURCE", help="the old side, with --new; needs no git")
    add("--new", metavar="SOURCE", help="the new side, with --old")
    add("--released", metavar="GLOB", action="append", help="the tags of releases (repeatable)")
    add(
        "--branch",
        metavar="NAME",
        help="the branch that changes are merged into (default: detected)",
    )
    add(
        "--config",
        metavar="FILE",
        type=Path,
        help="the settings (default: the wirebook.toml of each project)",
    )


def check_request(options: argparse.Namespace, *, everything: bool = False) -> CheckRequest:
    """The request described by the options of `declare_sides`."""
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
