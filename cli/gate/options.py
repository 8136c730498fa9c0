"""The options that select the sides of a comparison, for all commands that compare."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from wirebook.rules.check.request import CheckRequest


def declare_sides(parser: argparse.ArgumentParser) -> None:
    """Declare the options that select the two sides and the configuration."""
    add = parser.add_argument
    add("files", metavar="FILES", nargs="*", help="check only these files or folders")
    add("--against", metavar="SOURCE", help="the old side, or a range A..B or A...B (default: detected)")
    add("--staged", action="store_true", help="check the staged changes, against HEAD or --against")
    add("--old", metavar="SOURCE", help="the old side, with --new; needs no git")
    add("--new", metavar="SOURCE", help="the new side, with --old")
    add("--released", metavar="GLOB|SOURCE", action="append", help="the released tags, or a released SOURCE")
    add("--branch", metavar="NAME", help="the branch that changes are merged into (default: detected)")
    declare_plugins(parser)
    add(
        "--policy",
        choices=("old", "new"),
        default="old",
        help="the side whose configuration applies (default: old)",
    )
    add("--config", metavar="FILE", type=Path, help="default: the nearest wirebook.toml or pyproject.toml")
    add("-v", "--verbose", action="store_true", help="also report releases without specs")


def declare_plugins(parser: argparse.ArgumentParser) -> None:
    """Declare the option that names custom rules."""
    parser.add_argument(
        "--plugins",
        metavar="FOLDER|PACKAGE",
        action="append",
        help="custom rules, in addition to the built-in ones",
    )


@contextmanager
def with_plugins(options: argparse.Namespace) -> Iterator[None]:
    """Declare the custom rules that the options name. Raises InputError if they cannot be loaded."""
    if not options.plugins:
        yield
        return
    from wirebook.rules.plugins import Plugin, loaded

    with loaded([Plugin.named(name, Path.cwd()) for name in options.plugins]) as custom:
        if custom.failures:
            raise InputError(custom.failures[0])
        yield


def check_request(options: argparse.Namespace, *, everything: bool = False) -> CheckRequest:
    """The request described by the options of `declare_sides`."""
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
        plugins=tuple(options.plugins or ()),
        policy=options.policy,
        verbose=options.verbose,
    )
