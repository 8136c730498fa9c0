"""`wirebook fmt`: formats specs."""

from __future__ import annotations

import argparse
from pathlib import Path

from wirebook.cli import exits
from wirebook.cli.terminal import print_safely
from wirebook.rules.authoring.layout import LayoutRequest, lay_out


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "files", metavar="FILES", nargs="*", type=Path, help="files or folders (default: all specs here)"
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 if a file is not formatted"
    )


def run(options: argparse.Namespace) -> int:
    """Format and list what changed; returns the exit code. Raises InputError, OSError."""
    done = lay_out(LayoutRequest(tuple(options.files), Path.cwd(), options.check))
    done_to, summary = ("would format", "would change") if options.check else ("formatted", "changed")
    lines = [f"{done_to} {name}" for name in done.changed]
    specs = "spec" if done.count == 1 else "specs"
    print_safely("\n".join([*lines, f"{len(done.changed)} of {done.count} {specs} {summary}", ""]))
    return exits.FINDINGS if options.check and done.changed else exits.CLEAN
