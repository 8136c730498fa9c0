"""A review as a comment on a pull request: folded, harmless, and short enough to be posted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wirebook.rules.check.review import NewVersion, ReviewReport
from wirebook.rules.finding import Finding, Place
from wirebook.rules.formats.changes import items
from wirebook.rules.formats.markdown import cell, likewise
from wirebook.rules.formats.words import about, clip
from wirebook.rules.grouping import Group
from wirebook.rules.result import CheckResult, counts
from wirebook.specs.wire.layout import LayoutField

LETTERS = 60_000  # GitHub takes 65,536 in a comment
SUMMARY = 250_000  # and a mebibyte in the summary of a job, where a character has up to four bytes
MARK = "<!-- wirebook report -->"  # by which a program finds its comment again
ICONS = {
    "incomplete": "❔",
    "breaking": "🛑",
    "warnings": "⚠️",
    "sound": "✅",
    "unchanged": "✅",
    "error": "🛑",
    "warning": "⚠️",
    "info": "ℹ️",
}
ADVICE = "What clients and brokers have to do"
FOLDED = 12  # lines of advice from which on they are folded
_FRAME = 160


def not_checked(reason: str) -> str:
    """The comment on a change that could not be checked at all."""
    head = f"### {ICONS['incomplete']} wirebook: could not check this change"
    return f"{MARK}\n{head}\n\n> {cell(reason)}\n\nNothing was judged: this is no verdict.\n"


def render(review: ReviewReport, letters: int = LETTERS, notes: Iterable[str] = ()) -> str:
    """The review in Markdown, of at most `letters` characters; what is left out is counted at the end.

    `notes` are sentences on where the review is shown.
    """
    report = review.report
    writer = _Writer(letters - 600)
    writer.add(MARK, f"### {ICONS[review.state]} wirebook: {cell(review.verdict)}", "")
    writer.add(f"Compared: {cell(report.compared)}. Found: {cell(counts(report))}.", "")
    for text in notes:
        writer.add(f"> {cell(text)}", "", what="notes")
    for text in report.unchecked:
        writer.add(f"> **Could not be checked:** {cell(text)}", "", what="reasons")
    for text in report.notices:
        writer.add(f"> {cell(text)}", "", what="notices")
    advice = [
        f"- **{cell(advice.title, 100)}**: {cell(words)}"
        for advice in review.advice
        for words in advice.words
    ]
    if len(advice) > FOLDED:
        writer.fold(f"{ADVICE} ({len(advice)})", ([line] for line in advice), "lines of advice", room=12_000)
    elif advice:
        writer.add(f"#### {ADVICE}", "", *advice, "", what="lists of advice")
    for name, findings in review.by_message:
        head = [f"#### {cell(name, 100)}", ""]
        for group, mark in findings:
            if writer.add(*head, *_finding(report, group, mark), what="findings", number=len(group)):
                head = []
    if review.changes:
        title = f"All changes ({len(review.changes)})"
        parts = ([f"**{cell(head)}**", "", *items(part), ""] for head, part in review.by_api)
        writer.fold(title, parts, "APIs with changes", review.state == "sound" and len(review.changes) <= 10)
    for version in review.versions:
        writer.fold(_title(version), [list(_table(version))], "tables")
    return writer.text()


class _Writer:
    """Collects blocks as long as there is room, and counts those for which there is none."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.lines: list[str] = []
        self.cut: dict[str, int] = {}

    def add(self, *lines: str, what: str = "lines", number: int = 1) -> bool:
        size = sum(len(line) + 1 for line in lines)
        if size > self.room:
            self.cut[what] = self.cut.get(what, 0) + number
            return False
        self.room -= size
        self.lines += lines
        return True

    def fold(
        self, title: str, parts: Iterable[list[str]], what: str, opened: bool = False, room: int = SUMMARY
    ) -> None:
        """A folded section that holds as many of its parts as fit; none is begun that cannot be closed."""
        head = [f"<details{' open' if opened else ''}><summary>{cell(title)}</summary>", ""]
        foot = ["</details>", ""]
        frame = sum(len(line) + 1 for line in (*head, *foot))
        inside = _Writer(min(room, self.room - frame - 1))
        for part in parts:
            inside.add(*part, what=what)
        if inside.lines:
            inside.lines += [] if inside.lines[-1] == "" else [""]
            self.add(*head, *inside.lines, *foot)
        for key, number in inside.cut.items():
            self.cut[key] = self.cut.get(key, 0) + number

    def text(self) -> str:
        lines = list(self.lines)
        if self.cut:
            left = ", ".join(f"{number} {what}" for what, number in self.cut.items())
            lines += [f"> **Cut to fit a comment:** {left}. `wirebook report --format html` has all.", ""]
        lines.append("<sub>`wirebook explain RULE` says why a rule is there and when a change is fine.</sub>")
        return "\n".join(lines) + "\n"


def _finding(report: CheckResult, group: Group, mark: str) -> Iterator[str]:
    finding, *others = group
    state = "waived" if finding.waived is not None else finding.severity.value
    icon = "☑️" if finding.waived is not None else ICONS[finding.severity.value]
    yield f"{icon} **{state}** <code>{cell(finding.rule, 100)}</code> {cell(about(finding))}"
    yield ""
    yield cell(finding.message)
    yield ""
    frame = list(_frame(report, finding))
    if frame:
        ticks = "`" * max(3, _longest_run(frame) + 1)
        yield from (f"{ticks}diff", *frame, ticks, "")
    if others:
        yield from (likewise(others), "")
    if finding.waived is not None:
        yield f"Accepted: {cell(finding.waived)}"
    else:
        yield f"Instead: {cell(finding.fix)}"
    if finding.waived is None and finding.waivable:
        yield ""
        yield f"<sub>waive: <code>{cell(report.command, 300)} --waive={mark}</code></sub>"
    yield ""


def _frame(report: CheckResult, finding: Finding) -> Iterator[str]:
    """Both places as they stand in the files, as a diff."""
    for place, new, head, sign in (
        (finding.previous, False, "---", "-"),
        (finding.location, True, "+++", "+"),
    ):
        if place is None:
            continue
        yield f"{head} {clip(place.path, 200)}:{place.line}:{place.column}"
        text = line_at(report, place, new)
        if text is not None:
            # A runner of GitHub takes "##[" anywhere in a line of its log for a command.
            yield f"{sign} {clip(text, _FRAME).replace('##[', '##(')}"


def line_at(report: CheckResult, place: Place, new: bool) -> str | None:
    """The line of a file that a place is in, without what it is indented by, and the next where it is a lone
    brace; None where the text is not at hand.
    """
    text = report.text(place, new)
    lines = [] if text is None else text.split("\n")
    if not 0 < place.line <= len(lines):
        return None
    first, *after = (line.strip() for line in lines[place.line - 1 : place.line + 1])
    return f"{first} {after[0]}" if first == "{" and after else first


def _longest_run(lines: Iterable[str]) -> int:
    longest = 0
    for line in lines:
        run = 0
        for character in line:
            run = run + 1 if character == "`" else 0
            longest = max(longest, run)
    return longest


def _title(version: NewVersion) -> str:
    return f"Layout of {clip(version.layout.name, 100)} version {version.layout.version}"


def _table(version: NewVersion) -> Iterator[str]:
    made = version.layout
    header = "" if made.header_version is None else f", behind {made.type} header {made.header_version}"
    yield f"{'Flexible' if made.flexible else 'Not flexible'}{header}."
    yield ""
    if version.changes:
        yield f"Against version {version.before}:"
        yield ""
        yield from (f"- {cell(words)}" for words in version.changes)
        yield ""
    elif version.before is not None:
        yield f"The same bytes as version {version.before}."
        yield ""
    yield "| field | type | null | tag | default |"
    yield "|---|---|---|---|---|"
    for field in made.walk():
        yield f"| {' | '.join(row(field))} |"
    yield ""


def row(field: LayoutField) -> tuple[str, ...]:
    """The cells of a field in a table."""
    depth = field.path.count(".")
    indent = "&nbsp;&nbsp;" * min(depth, 20)
    return (
        f"{indent}{cell(field.name, 100)}",
        cell(type_of(field), 100),
        "yes" if field.nullable else "",
        "" if field.tag is None else str(field.tag),
        cell(default_of(field), 100),
    )


def type_of(field: LayoutField) -> str:
    """The wire type in words."""
    if field.element is None:
        return field.type
    return f"{field.type} of {field.struct if field.element == 'STRUCT' else field.element}"


def default_of(field: LayoutField) -> str:
    """The value that an absent field reads as, in words."""
    import json

    if field.default in ([], {}):
        return ""
    return json.dumps(field.default, ensure_ascii=False)
