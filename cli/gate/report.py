"""`wirebook report`: a change as its reviewer needs to see it."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from wirebook.cli import exits
from wirebook.cli.gate.options import check_request, declare_sides
from wirebook.cli.terminal import emit, target

if TYPE_CHECKING:
    from wirebook.rules.check.review import ReviewReport

FORMATS = ("markdown", "html", "json")


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command; those that select what is compared are the check's."""
    declare_sides(parser)
    add = parser.add_argument
    add("--format", choices=FORMATS, default="markdown", help="default: markdown")
    add("--output", metavar="FILE", type=target, help="write to this file")


def run(options: argparse.Namespace) -> int:
    """Print the report; returns 0, or 2 if something could not be checked. The gate is `wirebook check`.

    Raises InputError if it cannot start, OSError.
    """
    from wirebook.rules.check.review import review
    from wirebook.rules.check.run import judge

    found = judge(check_request(options))
    made = review(found.report, found.old, found.new, found.registries)
    emit(_rendered(made, options.format), options.output)
    if options.output is not None:
        print(f"wirebook: {made.verdict} Written to {options.output}", file=sys.stderr)
    return exits.UNUSABLE if found.report.unchecked else exits.CLEAN


def _rendered(made: ReviewReport, form: str) -> str:
    if form == "json":
        from wirebook.specs.printable import to_json

        return to_json(made.to_json())
    if form == "html":
        from wirebook.docgen.render.review import html as review_html

        return review_html.render(made)
    from wirebook.docgen.render.review import markdown as review_markdown

    return review_markdown.render(made)
