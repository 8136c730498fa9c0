"""`wirebook report`: a change, described for its reviewer."""

import argparse

from wirebook.cli import exits
from wirebook.cli.arguments import Arguments
from wirebook.cli.sides import SIDES, check_request
from wirebook.cli.terminal import described, emit
from wirebook.rules.check.run import judge
from wirebook.rules.report import html, markdown
from wirebook.rules.report.model import report_of
from wirebook.specs.printable import to_json
from wirebook.specs.problems import InputError

ARGUMENTS: Arguments = {
    **SIDES,
    "--format markdown|html|json": "default: markdown",
    "--output FILE": "write to this file",
    "--for-comment": "write nothing if the protocol does not change; write the reason if the check "
    "cannot start",
}


def run(options: argparse.Namespace) -> int:
    """Print the report; returns 0, or 2 if something could not be checked.

    Raises InputError if it cannot start, OSError.
    """
    if options.for_comment and options.format != "markdown":
        raise InputError("--for-comment writes Markdown: omit --format")
    try:
        report = report_of(judge(check_request(options)))
    except Exception as error:
        if options.for_comment:
            # Also after a bug: a reviewer must not take silence, or the last comment, for a
            # verdict.
            emit(markdown.not_checked(described(error)), options.output)
        raise
    if options.format == "json":
        text = to_json(report.to_json())
    elif options.format == "html":
        text = html.render(report)
    else:
        text = "" if options.for_comment and report.empty else markdown.render(report)
    emit(text, options.output, report.headline.rstrip("."))
    return exits.UNUSABLE if report.result.unchecked else exits.CLEAN
