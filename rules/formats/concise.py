"""One line per finding, in the form that compilers use and that editors and terminals turn into links."""

from __future__ import annotations

from wirebook.rules.finding import Finding
from wirebook.rules.formats.words import FORMER, relative, state, where
from wirebook.rules.result import CheckResult, counts
from wirebook.specs.printable import clip, quiet


def render(report: CheckResult) -> str:
    """`path:line:column: severity rule: message` for each finding, worst first, and a summary line.

    A place on the old side is marked, because the file may no longer exist.
    """
    lines = [_finding(finding) for finding in report.ordered]
    lines += [f"note: {clip(text)}" for text in report.notices]
    lines += [f"could not be checked: {clip(text)}" for text in report.unchecked]
    return "".join(f"{quiet(line)}\n" for line in [*lines, counts(report)])


def _finding(finding: Finding) -> str:
    location, new = where(finding)
    at = (
        "wirebook"
        if location is None
        else f"{clip(relative(location.path))}:{location.line}:{location.column}"
    )
    before = "" if location is None or new else FORMER
    root = "" if finding.root is None else f" (follows from {finding.root.rule})"
    return f"{at}: {state(finding)} {finding.rule}: {clip(finding.message)}{before}{root}"
