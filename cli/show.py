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
from wirebook.specs.layout import Layout, layout
from wirebook.specs.model import Protocol
from wirebook.specs.selection import newest

ARGUMENTS: Arguments = {
    "api API": "an API (Fetch, or its key 1) or a message (FetchRequest)",
    "--version N": "the version to show (default: the newest stable one)",
    "--source SOURCE": HELP,
    "--format table|bnf|json": "default: table",
}


def run(options: argparse.Namespace) -> int:
    """Print layouts; returns the exit code. Raises InputError for an unknown API or version."""
    specs = open_and_tell(options.source)
    messages = list(map(with_texts, specs.select(options.api)))
    if options.version is not None:
        layouts = [layout(each, options.version) for each in messages]
    else:
        # A message without versions is passed over if another half has one.
        stated = [each for each in messages if each.valid_versions] or messages[:1]
        layouts = [layout(each, newest(each)) for each in stated]
    if options.format == "json":
        print_layouts(layouts)
    elif options.format == "bnf":
        print_safely("\n".join(map(bnf, layouts)))
    else:
        width = shutil.get_terminal_size((100, 24)).columns
        known = (_with_known_header(each, specs.protocol) for each in layouts)
        print_safely("\n".join(layout_table(each, width) for each in known))
    return exits.CLEAN


def _with_known_header(of: Layout, protocol: Protocol) -> Layout:
    """A layout without the number of its header if the protocol has no spec of that."""
    is_known = of.message.profile.family or protocol.find(f"{of.type}Header")
    return of if is_known else of._replace(header_version=None)
