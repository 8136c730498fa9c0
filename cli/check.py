"""`wirebook check`: findings on a change in any format, with an exit code for gates."""

import argparse
from dataclasses import replace

from wirebook.cli import exits
from wirebook.cli.arguments import Arguments
from wirebook.cli.hook import judge_hook
from wirebook.cli.sides import SIDES, check_request
from wirebook.cli.terminal import coloured, emit, print_safely
from wirebook.rules.check.run import judge
from wirebook.rules.report import FORMATS, failure, render, text
from wirebook.rules.result import CheckResult, counts
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError

ARGUMENTS: Arguments = {
    **SIDES,
    "--hook": "check what a hook of pre-commit is about: see the manual",
    "--format": {"choices": FORMATS, "default": "text", "help": "default: text"},
    "--output FILE": "write to this file",
    "--all": "check every spec, and also report findings that the base has",
    "--fail-on": {
        "choices": ("never", "error", "warning"),
        "default": "error",
        "help": "the least severity that exits with 1 (default: error)",
    },
    "--waive FINGERPRINT ?": {"const": "", "help": "print waivers to paste, and exit"},
}


def run(options: argparse.Namespace) -> int:
    """Run the check; returns its exit code. Raises InputError if it cannot start, OSError."""
    request = check_request(options, everything=options.all)
    for name in ("against", "staged", "old", "new") if options.hook else ():
        if getattr(options, name):
            raise InputError(f"--hook decides what to compare: omit --{name}")
    try:
        report = judge_hook(request) if options.hook else judge(request)
    except InputError as error:
        message = failure(error, options.format)
        if message:
            emit(message, options.output)
        raise
    if options.waive is not None:
        return _print_waivers(report, options.waive)
    is_silent = not (report.findings or report.notices or report.unchecked)
    if options.hook and is_silent and options.format == "text" and options.output is None:
        # pre-commit shows it among the lines of other hooks.
        print_safely(f"wirebook check: {report.compared}")
        return exits.CLEAN
    form = options.format
    if form == "text" and options.output is None and coloured():
        emit(text.coloured(text.render(report)))
    else:
        emit(render(report, form), options.output, counts(report))
    if report.unchecked:
        return exits.UNUSABLE
    return exits.FINDINGS if report.fails(options.fail_on) else exits.CLEAN


def _print_waivers(report: CheckResult, fingerprint: str) -> int:
    """Print the entry of waivers.toml for one finding, or for every error."""
    if fingerprint:
        chosen = report.with_fingerprint(fingerprint)
        refusal = f"the finding {fingerprint} is waived or about a waiver"
    else:
        chosen = tuple(each for each in report.ordered if each.severity == "error")
        refusal = "there is no error to waive"
    accepted = [finding for finding in chosen if finding.waived is None and finding.waivable]
    if not accepted:
        raise InputError(f"{refusal}; {visible(report.compared)}")
    print(render(replace(report, findings=tuple(accepted)), "waivers"), end="")
    return exits.UNUSABLE if report.unchecked else exits.CLEAN
