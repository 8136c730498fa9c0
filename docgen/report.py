"""`wirebook report`: what a reviewer of a pull request has to know."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from docgen import exits
from docgen.emit import emit, target

if TYPE_CHECKING:
    from docgen.review import Review

FORMATS = ("markdown", "html", "json")


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command: those of the check that say what is compared."""
    from docgen.check_options import declare_sides

    declare_sides(parser)
    add = parser.add_argument
    add("--format", choices=FORMATS, default="markdown", help="default: markdown, for a comment")
    add("--output", metavar="FILE", type=target, help="write there instead of printing")
    parser.set_defaults(all=False, show_config=False, waive=None)


def run(options: argparse.Namespace) -> int:
    """Print the report; returns 0, or 2 where something could not be checked. The gate is `wirebook check`.

    Raises InputError for what stops it at once, OSError.
    """
    from docgen.check import judge
    from docgen.review import review
    from docgen.version import version

    found = judge(options, version())
    made = review(found.report, found.old, found.new, found.registries)
    emit(_rendered(made, options.format), options.output)
    if options.output is not None:
        print(f"wirebook: {made.verdict} Written to {options.output}", file=sys.stderr)
    return exits.UNUSABLE if found.report.unchecked else exits.CLEAN


def _rendered(made: Review, form: str) -> str:
    if form == "json":
        from rules.formats.words import to_json

        return to_json(made.to_json())
    if form == "html":
        from docgen.render import review_html

        return review_html.render(made)
    from docgen.render import review_markdown

    return review_markdown.render(made)
