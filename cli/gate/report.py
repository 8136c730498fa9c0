"""`wirebook report`: a change, described for its reviewer."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from wirebook.cli import exits
from wirebook.cli.gate.options import check_request, declare_sides
from wirebook.cli.terminal import described, emit, target
from wirebook.docgen.render.review import html, markdown
from wirebook.docgen.render.review.markdown import not_checked
from wirebook.rules.check.run import judge
from wirebook.rules.review.document import to_document
from wirebook.rules.review.review import ReviewReport, review_all
from wirebook.specs.printable import to_json
from wirebook.specs.problems import InputError

FORMATS = ("markdown", "html", "json")


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command; those that select the sides are the same as for `check`."""
    declare_sides(parser)
    add = parser.add_argument
    add("--format", choices=FORMATS, default="markdown", help="default: markdown")
    add("--output", metavar="FILE", type=target, help="write to this file")
    add(
        "--for-comment",
        action="store_true",
        help="write nothing if the protocol does not change; write the reason if the check cannot start",
    )
    add(
        "--summary",
        metavar="FILE",
        type=Path,
        help="also write a longer version, for the job summary on GitHub",
    )


def run(options: argparse.Namespace) -> int:
    """Print the report; returns 0, or 2 if something could not be checked. The gate is `wirebook check`.

    Raises InputError if it cannot start, OSError.
    """
    if (options.for_comment or options.summary is not None) and options.format != "markdown":
        raise InputError("--for-comment and --summary write Markdown: omit --format")
    if not options.for_comment:
        return _report(options)
    try:
        return _report(options)
    except Exception as error:
        # Also after a bug in wirebook: a reviewer must not take silence, or the last comment, for a verdict.
        text = not_checked(described(error))
        _write(options, text, text)
        raise


def _report(options: argparse.Namespace) -> int:
    verdict = judge(check_request(options))
    review = review_all(verdict.report, verdict.compared)
    if options.for_comment and review.empty:
        _write(options, "", "")
    else:
        _write(options, _rendered(review, options.format), _summary(review) if options.summary else "")
    if options.output is not None:
        print(f"wirebook: {review.verdict} Written to {options.output}", file=sys.stderr)
    return exits.UNUSABLE if verdict.report.unchecked else exits.CLEAN


def _write(options: argparse.Namespace, text: str, summary: str) -> None:
    emit(text, options.output)
    if options.summary is not None:
        emit(summary, options.summary)


def _summary(review: ReviewReport) -> str:
    return markdown.render(review, markdown.SUMMARY)


def _rendered(review: ReviewReport, form: str) -> str:
    if form == "json":
        return to_json(to_document(review))
    if form == "html":
        return html.render(review)
    return markdown.render(review)
