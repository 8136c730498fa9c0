"""`wirebook freeze`: writes the released specs to one file, for checks without access to tags."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from wirebook.cli import exits
from wirebook.cli.terminal import emit, target
from wirebook.rules.check.baselines import frozen_baselines
from wirebook.rules.check.request import CheckRequest
from wirebook.specs.problems import InputError


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    add("--released", metavar="GLOB|SOURCE", action="append", help="the released tags, or a released SOURCE")
    add(
        "-o",
        "--output",
        metavar="FILE",
        type=target,
        required=True,
        help="the file to write, such as released.wirebook",
    )
    add(
        "--protocol",
        metavar="NAME",
        help="only this protocol, with its releases, if the settings define several",
    )
    add("--config", metavar="FILE", type=Path, help="default: the nearest wirebook.toml or pyproject.toml")


def run(options: argparse.Namespace) -> int:
    """Write the file; returns the exit code. Raises InputError, OSError."""
    request = CheckRequest(released=tuple(options.released or ()), config=options.config)
    text, names = frozen_baselines(request, options.protocol)
    if not names:
        raise InputError('name the releases: --released GLOB, or "released" in wirebook.toml')
    emit(text.decode(), options.output)
    if options.output is not None:
        span = names[0] if len(names) == 1 else f"{len(names)} releases ({names[0]} to {names[-1]})"
        print(f"wirebook: {span} in {options.output}, {len(text):,} bytes", file=sys.stderr)
    return exits.CLEAN
