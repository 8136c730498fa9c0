"""The options of `wirebook check`, by themselves: its help and completions need nothing of the check."""

from __future__ import annotations

import argparse
from pathlib import Path

from docgen.emit import target

FORMATS = ("text", "json", "sarif", "github", "gitlab", "junit", "markdown")


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `wirebook check`."""
    declare_sides(parser)
    add = parser.add_argument
    add("--format", choices=FORMATS, default="text", help="default: text")
    add("--output", metavar="FILE", type=target, help="write there instead of printing")
    add("--all", action="store_true", help="judge every spec, and tell what the old side had too")
    add("--show-config", action="store_true", help="print each setting with its origin, and leave")
    add("--waive", metavar="FINGERPRINT", nargs="?", const="", help="print waivers to paste, and leave")


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


def run(options: argparse.Namespace) -> int:
    """Run the check; returns its exit code. Raises InputError for what stops it at once, OSError."""
    from docgen.check import run_check
    from docgen.version import version

    return run_check(options, version())
