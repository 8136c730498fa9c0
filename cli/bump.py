"""`wirebook bump`: opens the next version of a message."""

import argparse
from pathlib import Path

from wirebook.cli import exits
from wirebook.cli.arguments import Arguments
from wirebook.cli.terminal import print_safely
from wirebook.rules.authoring.bump import open_version

ARGUMENTS: Arguments = {"name NAME": "an API (both its halves get the version) or a message"}


def run(options: argparse.Namespace) -> int:
    """Write the version and list the files; returns the exit code. Raises InputError, OSError."""
    version, files = open_version(options.name, Path.cwd())
    for name in files:
        print_safely(f"version {version} in {name}")
    print(f'Next: add fields with "versions": "{version}+", then run `wirebook check`.')
    return exits.CLEAN
