"""Markdown for a comment on a pull request: tables that escape all markup in text of a spec."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wirebook.rules.finding import Finding
from wirebook.rules.formats.words import about, bytes_of, state, where
from wirebook.rules.result import CheckResult, counts
from wirebook.specs.printable import clip

ROWS = 50
LISTED = 60  # findings that follow from one
LETTERS = 60_000  # GitHub's limit for a comment is 65,536
# Markup, and what a runner of GitHub takes for a command at the start of a line of its log.
_MARKUP = re.compile(r"[&<>|`*_\[\]~\\#{}$]|(?<!\S):(?=:)")
# What a server turns into links and mentions after it renders the markup.
_LIVE = re.compile(r"@|&#35;(?=\d)|:(?=//)|(?<=www)\.|(?<=GH)-(?=\d)", re.IGNORECASE)
_ICONS = {"error": "🛑", "warning": "⚠️", "info": "ℹ️"}


def render(report: CheckResult) -> str:
    """The report, short enough for a comment: worst first, at most ROWS findings in each table."""
    lines = [f"### wirebook: {cell(counts(report))}", "", f"Compared: {cell(report.compared)}", ""]
    for mark, texts in (("**Could not be checked:** ", report.unchecked), ("", report.notices)):
        quotes = list(_fitting((f"> {mark}{cell(text)}\n" for text in texts), LETTERS // 3))
        lines += [*quotes, *_left(len(texts) - len(quotes))]
    room = LETTERS - sum(len(line) + 1 for line in lines) - 500
    accepted = [finding for finding in report.causes if finding.waived is not None]
    standing = [finding for finding in report.causes if finding.waived is None]
    if standing:
        lines += ["| | rule | what | where | instead |", "|---|---|---|---|---|"]
        share = room if not accepted else room * 2 // 3
        rows = list(_fitting((_row(report, finding) for finding in standing), share))
        room -= sum(len(row) for row in rows)
        lines += [*rows, "", *_left(len(standing) - len(rows))]
        lines += ["`wirebook explain RULE` explains the reason for a rule, and when a change is fine.", ""]
    if accepted:
        rows = list(_fitting((_accepted(report, finding) for finding in accepted), room))
        lines += [f"<details><summary>{len(accepted)} waived</summary>", ""]
        lines += ["| rule | what | reason |", "|---|---|---|", *rows, ""]
        lines += [*_left(len(accepted) - len(rows)), "</details>", ""]
    return "\n".join(lines)


def cell(text: str, longest: int = 600) -> str:
    """Text of a spec for a cell or a line: nothing in it becomes markup, a link or a mention."""
    escaped = _MARKUP.sub(lambda match: f"&#{ord(match[0])};", clip(text, longest))
    # A zero-width space after the first character keeps "@name" from mentioning anybody.
    return _LIVE.sub(r"\g<0>&#8203;", escaped)


def code_span(text: str) -> str:
    """Text to copy, on a line of its own: in a code span it is unchanged, even before rendering.

    Not for a table, where a pipe ends the cell even in code.
    """
    code = clip(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", code)), default=0))
    pad = " " if "`" in code[:1] + code[-1:] else ""
    return f"{fence}{pad}{code}{pad}{fence}"


def _row(report: CheckResult, finding: Finding) -> str:
    """A finding, with those that follow from it below."""
    at = _at(finding)
    if finding.location is not None and finding.previous is not None:
        at += f"<br>was {_code(f'{finding.previous.path}:{finding.previous.line}')}"
    what = f"**{cell(about(finding, 100))}**<br>{cell(finding.message)}"
    if finding.proof is not None:
        what += f"<br>Bytes: {cell(bytes_of(finding))}"
    below = report.following(finding)
    if below:
        what += f"<br>{following(below)}"
    icon = _ICONS[finding.severity.value]
    parts = (f"{icon} {finding.severity.value}", _code(finding.rule), what, at, cell(finding.fix))
    return f"| {' | '.join(parts)} |"


def following(below: Sequence[Finding]) -> str:
    """The findings that follow from one, on one line that is folded."""
    lines = (
        f"{state(finding)} {_code(finding.rule)} {cell(about(finding, 100))} {_at(finding)}"
        for finding in below
    )
    listed = "<br>".join(list(lines)[:LISTED])
    more = f"<br>and {len(below) - LISTED} more" if len(below) > LISTED else ""
    title = f"{len(below)} follow{'s' if len(below) == 1 else ''} from it"
    return f"<details><summary>{title}</summary>{listed}{more}</details>"


def _at(finding: Finding) -> str:
    place, new = where(finding)
    return "" if place is None else f"{'' if new else 'was '}{_code(f'{place.path}:{place.line}')}"


def _accepted(report: CheckResult, finding: Finding) -> str:
    what = f"**{cell(about(finding, 100))}**<br>{cell(finding.message)}"
    below = report.following(finding)
    if below:
        what += f"<br>{following(below)}"
    return f"| {_code(finding.rule)} | {what} | {cell(finding.waived or '')} |"


def _code(text: str) -> str:
    return f"<code>{cell(text, 200)}</code>"


def _fitting(rows: Iterator[str], room: int) -> Iterator[str]:
    for number, row in enumerate(rows):
        room -= len(row) + 1
        if number == ROWS or room < 0:
            return
        yield row


def _left(number: int) -> list[str]:
    return [f"… and {number} more.", ""] if number > 0 else []
