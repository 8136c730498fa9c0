"""A report as a comment on a pull request: harmless, and short enough to be read."""

from __future__ import annotations

from wirebook.rules.report.document import Bold, Code, Line, changes, details, verdicts
from wirebook.rules.report.markup import cell, code_span
from wirebook.rules.report.model import Report
from wirebook.specs.printable import number_of

LETTERS = 60_000  # GitHub accepts 65,536 in a comment
MARK = "<!-- wirebook report -->"  # by which a program finds its comment again
NAMES = 8  # in a list
_ICONS = {
    "incomplete": "❔",
    "breaking": "🛑",
    "accepted": "⚠️",
    "warnings": "⚠️",
    "sound": "✅",
    "unchanged": "✅",
}


def not_checked(reason: str) -> str:
    """The comment on a change that could not be checked at all."""
    head = "### ❔ wirebook: could not check this change"
    return f"{MARK}\n{head}\n\n> {cell(reason)}\n\nNothing was judged: this is not a verdict.\n"


def render(report: Report) -> str:
    """The report in Markdown, of at most LETTERS characters; what is left out is counted at its
    end."""
    findings = [*map(_item, verdicts(report, NAMES))]
    changed = [*map(_item, changes(report, NAMES))]
    lines = [MARK, f"### {_ICONS[report.verdict[0]]} {cell(report.headline)}", ""]
    lines += [*findings, ""] if findings else []
    lines += ["**What changes, and who must act**", "", *changed, ""] if changed else []
    more = ["<details><summary>Details</summary>", "", *map(_item, details(report, NAMES)), ""]
    text = "\n".join([*lines, *more, "</details>"])
    if len(text) > LETTERS:
        text = "\n".join(lines)
        short = text[: LETTERS - 200].rpartition("\n")[0]
        left = number_of(text.count("\n") - short.count("\n"), "line")
        text = (
            f"{short}\n\n**{left} left out for length**: `wirebook report --format html` has all."
        )
    return f"{text}\n"


def _item(line: Line) -> str:
    return "- " + "".join(map(_text, line))


def _text(text: str) -> str:
    if isinstance(text, Code):
        return code_span(text)
    return f"**{cell(text)}**" if isinstance(text, Bold) else cell(text)
