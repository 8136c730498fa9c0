"""A report as a comment on a pull request: harmless, and short enough to be read."""

from __future__ import annotations

from wirebook.rules.report.document import Bold, Code, Line, changes, details, verdicts
from wirebook.rules.report.markup import cell, code_span
from wirebook.rules.report.model import Report
from wirebook.specs.printable import number_of

LETTERS = 60_000  # GitHub accepts 65,536 in a comment
MARK = "<!-- wirebook report -->"  # by which a program finds its comment again
LISTED = 50  # findings
NAMES = 8  # in a list
_ICONS = {
    "incomplete": "❔",
    "breaking": "🛑",
    "accepted": "⚠️",
    "warnings": "⚠️",
    "sound": "✅",
    "unchanged": "✅",
}
_DETAILS, _END = "<details><summary>Details</summary>", "</details>"


def not_checked(reason: str) -> str:
    """The comment on a change that could not be checked at all."""
    head = "### ❔ wirebook: could not check this change"
    return f"{MARK}\n{head}\n\n> {cell(reason)}\n\nNothing was judged: this is not a verdict.\n"


def render(report: Report) -> str:
    """The report in Markdown, of at most LETTERS characters; what is left out is counted at its
    end."""
    found = [_item(line) for line in verdicts(report, NAMES)]
    left = len(found) - LISTED
    if left > 0:
        found[LISTED:] = [f"- and {left} more: `wirebook check` lists all"]
    changed = [_item(line) for line in changes(report, NAMES)]
    lines = [MARK, f"### {_ICONS[report.verdict[0]]} {cell(report.headline)}", ""]
    lines += [*found, ""] if found else []
    lines += ["**What changes, and who must act**", "", *changed, ""] if changed else []
    lines += [_DETAILS, "", *(_item(line) for line in details(report, NAMES)), "", _END]
    room = LETTERS - 200
    for number, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0:
            count = f"**{number_of(len(lines) - number, 'line')} left out for length**"
            closing = ["", _END] if _DETAILS in lines[:number] else []
            lines[number:] = [*closing, "", f"{count}: `wirebook report --format html` has all."]
            break
    return "\n".join(lines) + "\n"


def _item(line: Line) -> str:
    return "- " + "".join(map(_text, line))


def _text(text: str) -> str:
    if isinstance(text, Code):
        return code_span(text)
    return f"**{cell(text)}**" if isinstance(text, Bold) else cell(text)
