"""`wirebook show`: layouts in the terminal."""

import argparse
import shutil

from wirebook.cli import exits
from wirebook.cli.arguments import Arguments
from wirebook.cli.front_door import HELP, open_and_tell
from wirebook.cli.terminal import print_layouts, print_safely
from wirebook.docgen.pages.bnf import bnf
from wirebook.docgen.pages.terminal import layout_table
from wirebook.specs.kafka.texts import with_texts
from wirebook.specs.layout import layout
from wirebook.specs.selection import newest

ARGUMENTS: Arguments = {
    "api API": "an API (Fetch, or its key 1) or a message (FetchRequest)",
    "--version N": "the version to show (default: the newest stable one)",
    "--source SOURCE": HELP,
    "--format table|bnf|json": "default: table",
}


def run(options: argparse.Namespace) -> int:
    """Print layouts; returns the exit code. Raises InputError for an unknown API or version."""
    messages = list(map(with_texts, open_and_tell(options.source).select(options.api)))
    version = options.version
    # A message without versions is passed over if another half has one.
    having = [each for each in messages if each.valid_versions or version is not None]
    having = having or messages[:1]
    layouts = [layout(each, newest(each) if version is None else version) for each in having]
    if options.format == "json":
        print_layouts(layouts)
    elif options.format == "bnf":
        print_safely("\n".join(map(bnf, layouts)))
    else:
        width = shutil.get_terminal_size((100, 24)).columns
        print_safely("\n".join(layout_table(each, width) for each in layouts))
    return exits.CLEAN
