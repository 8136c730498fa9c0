"""A review as a comment on a pull request: folded, harmless, and short enough to be posted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby

from wirebook.docgen.render.review import wording
from wirebook.docgen.render.review.pages import pages_of
from wirebook.docgen.render.review.sides import SidesRow, default_of, sides, type_of
from wirebook.docgen.render.review.writer import ReviewWriter, fenced
from wirebook.rules.agreement import proof_words
from wirebook.rules.agreement.proof_words import Proof
from wirebook.rules.finding import Finding, Place
from wirebook.rules.report.changes import items
from wirebook.rules.report.markdown import cell, code_span
from wirebook.rules.report.words import about
from wirebook.rules.result import CheckResult, counts
from wirebook.rules.review.consequences import TITLES, Cause, Consequence
from wirebook.rules.review.layouts import LayoutDiff
from wirebook.rules.review.overview import ApiOverview
from wirebook.rules.review.patterns import Pattern
from wirebook.rules.review.review import ReviewReport
from wirebook.specs.printable import clip
from wirebook.specs.wire.layout import LayoutField

LETTERS = 60_000  # GitHub accepts 65,536 in a comment
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
OPEN = 3  # as many APIs are shown unfolded
NAMED = 5  # as many APIs are named in a line; more are folded
_NAME, _FRAME = 100, 160  # letters of a name, and of a line of a file
# The largest share of the room for one section; what it leaves is for those after it.
_SHARES = {"missing": 0.1, "who": 0.2, "pages": 0.05, "findings": 0.7, "changed": 1.0}


def _name(text: str) -> str:
    return cell(text, _NAME)


def not_checked(reason: str) -> str:
    """The comment on a change that could not be checked at all."""
    head = f"### {ICONS['incomplete']} wirebook: could not check this change"
    return f"{MARK}\n{head}\n\n> {cell(reason)}\n\nNothing was judged: this is not a verdict.\n"


def render(review: ReviewReport, letters: int = LETTERS, notes: Iterable[str] = ()) -> str:
    """The review in Markdown, of at most `letters` characters; what is left out is counted at the end.

    `notes` are sentences on where the review is shown.
    """
    report = review.report
    head = ReviewWriter(letters - 600)
    head.add(MARK, f"### {ICONS[review.state]} wirebook: {cell(review.verdict)}", "")
    head.add(*_table([name for name, _ in review.counts], [tuple(str(n) for _, n in review.counts)], "--:"))
    head.add(f"Compared: {cell(report.compared)}. Found: {cell(counts(report))}.", "")
    for text in notes:
        head.add(f"> {cell(text)}", "", what="notes")
    for text in report.unchecked:
        head.add(f"> **Could not be checked:** {cell(text)}", "", what="reasons")
    for text in report.notices:
        head.add(f"> {cell(text)}", "", what="notices")
    parts: dict[str, Callable[[ReviewWriter, ReviewReport], None]] = {
        "missing": _missing,
        "who": _who,
        "pages": _pages,
        "findings": _findings,
        "changed": _changed,
    }
    writers: dict[str, ReviewWriter] = {}
    room = head.room
    for name, write in parts.items():
        writers[name] = ReviewWriter(int(room * _SHARES[name]))
        write(writers[name], review)
        room -= writers[name].used
    for name in ("findings", "changed", "missing", "who", "pages"):
        head.take(writers[name])
    return head.text()


# Findings


def _findings(writer: ReviewWriter, review: ReviewReport) -> None:
    # Proofs take what the findings leave.
    spare = ReviewWriter(writer.room)
    _listed(spare, review, ReviewWriter(0))
    tables = ReviewWriter(0 if spare.cut else spare.room)
    _listed(writer, review, tables)
    writer.cut |= tables.cut


def _listed(writer: ReviewWriter, review: ReviewReport, tables: ReviewWriter) -> None:
    """The findings, and below each its proof while there is room in `tables`."""
    title = [f"#### {wording.FINDINGS}", ""]
    for name, findings in review.by_message:
        head = [*title, f"##### {_name(name)}", ""]
        for finding, mark in findings:
            if writer.add(*head, *_finding(review.report, finding, mark), what="findings"):
                head, title = [], []
                block = list(_proof_of(finding))
                if tables.add(*block, what="tables of bytes"):
                    writer.add(*block)
    if review.waivable:
        writer.add(f"{wording.WAIVING} {code_span(clip(review.report.command, 300))}", "", what="commands")
    if review.notes:
        writer.add(*title)
        writer.fold(f"{ICONS['info']} {wording.notes_title(review)}", partial(_notes, review), "notes")


def _notes(review: ReviewReport, writer: ReviewWriter) -> None:
    for note in review.notes:
        words = f"<code>{_name(note.rule)}</code> {cell(about(note))}: {cell(note.message)}"
        writer.add(f"- {words}", what="notes")


def _finding(report: CheckResult, finding: Finding, mark: str) -> Iterator[str]:
    state = "waived" if finding.waived is not None else finding.severity.value
    icon = "☑️" if finding.waived is not None else ICONS[finding.severity.value]
    yield f"{icon} **{state}** <code>{_name(finding.rule)}</code> {cell(about(finding))}"
    yield ""
    yield cell(finding.message)
    yield ""
    frame = list(_frame(report, finding))
    if frame:
        yield from (*fenced(frame, "diff"), "")
    if finding.waived is not None:
        yield from (f"Accepted: {cell(finding.waived)}", "")
        return
    ends = [f"**Instead:** {cell(finding.fix)}"] if finding.fix else []
    ends += [f"waive: `--waive={mark}`"] if finding.needs_waiver else []
    if ends:
        yield from (" · ".join(ends), "")


def _proof_of(finding: Finding) -> Iterator[str]:
    if finding.proof is not None:
        yield from _proof(finding.proof)


def _proof(proof: Proof) -> Iterator[str]:
    """The bytes that show a finding, folded below what the reader makes of them."""
    yield f"<details><summary>Bytes: {cell(proof_words.outcome(proof))}</summary>"
    yield ""
    yield f"{cell(proof_words.sending(proof))}:"
    yield ""
    yield from fenced([proof_words.message(proof)], "json")
    yield ""
    table = list(proof_words.lines(proof))
    if table:
        yield from (*fenced(table, "text"), "")
    yield from ("</details>", "")


def _frame(report: CheckResult, finding: Finding) -> Iterator[str]:
    """Both places as they are in the files, as a diff."""
    for location, new, head, sign in (
        (finding.previous, False, "---", "-"),
        (finding.location, True, "+++", "+"),
    ):
        if location is None:
            continue
        yield f"{head} {clip(location.path, 200)}:{location.line}:{location.column}"
        text = line_at(report, location, new)
        if text is not None:
            yield f"{sign} {clip(text, _FRAME)}"


def line_at(report: CheckResult, place: Place, new: bool) -> str | None:
    """The line of a file at a place, without its indentation, and the next one if it is only a brace; None
    if the text is not available.
    """
    text = report.text(place, new)
    lines = [] if text is None else text.split("\n")
    if not 0 < place.line <= len(lines):
        return None
    first, *after = (line.strip() for line in lines[place.line - 1 : place.line + 1])
    return f"{first} {after[0]}" if first == "{" and after else first


# What changed


def _changed(writer: ReviewWriter, review: ReviewReport) -> None:
    if not review.changes:
        return
    writer.add(f"#### {wording.CHANGED}", "")
    lines = [line for pattern in review.patterns for line in _pattern(pattern)]
    lines += [f"- {text}" for text in wording.others_of(review)]
    if lines:
        writer.add(*lines, "", what="summaries")
    few = len(review.apis) <= OPEN
    for api in review.apis:
        if few:
            writer.add(f"##### {cell(api.title)}", "")
            _api(api, writer)
        else:
            writer.fold(f"{api.title}: {_summary(api)}", partial(_api, api), "APIs")


def _pattern(pattern: Pattern) -> Iterator[str]:
    yield f"- `{pattern.changes[0].effect}` {_with_apis(pattern.words, pattern.apis)}"


def _with_apis(words: str, apis: tuple[str, ...]) -> str:
    """A sentence with the APIs that it is about: few in front of it, many folded behind."""
    if len(apis) <= NAMED:
        return f"**{', '.join(_name(api) for api in apis)}**: {cell(words)}"
    listed = ", ".join(_name(api) for api in apis)
    folded = f"<details><summary>the {len(apis)} APIs</summary>{listed}</details>"
    return f"**{len(apis)} APIs**: {cell(words)} {folded}"


def _summary(api: ApiOverview) -> str:
    """What a folded API is about, in a few words."""
    ranges = dict.fromkeys(wording.versions_of(message.old, message.new) for message in api.messages)
    number = len(api.changes)
    return f"{', '.join(ranges)}; {number} {'change' if number == 1 else 'changes'}".removeprefix("; ")


def _api(api: ApiOverview, writer: ReviewWriter) -> None:
    if api.messages:
        rows = [wording.message_row(message) for message in api.messages]
        writer.add(*_table(wording.HEADS, rows), what="tables")
    for line in items(api.changes):
        writer.add(line, what="changes")
    implied = wording.implied_of(api)
    if implied:
        writer.add(f"- {implied}")
    writer.add("")
    for message in api.messages:
        for layout in message.layouts:
            writer.add(*_layout(layout), what="layouts")


def _layout(layout: LayoutDiff) -> Iterator[str]:
    yield f"**{cell(wording.layout_title(layout))}**"
    yield ""
    if layout.old is None:
        yield wording.nature_of(layout)
        yield ""
        rows = [_row(field) for field in layout.new.walk()]
        if rows:
            yield from _table(("field", "type", "null", "tag", "default"), rows, escaped=True)
        return
    if not layout.words:
        yield from (f"The same layout as version {layout.old.version}.", "")
        return
    lines = list(_lines(sides(layout.old, layout.new)))
    # What the grammar does not show, such as another default.
    yield from (*(fenced(lines, "diff") if lines else (f"- {cell(words)}" for words in layout.words)), "")


def _lines(rows: Iterable[SidesRow]) -> Iterator[str]:
    """Rows of both sides as a diff: lines that are removed before those in their place."""
    for is_equal, part in groupby(rows, lambda row: row.same or row == SidesRow(None, None)):
        some = list(part)
        if is_equal:
            yield from (f"  {clip(row.old)}" if row.old is not None else "@@ … @@" for row in some)
        else:
            yield from (f"- {clip(row.old)}" for row in some if row.old is not None)
            yield from (f"+ {clip(row.new)}" for row in some if row.new is not None)


def _row(field: LayoutField) -> tuple[str, ...]:
    depth = field.path.count(".")
    indent = "&nbsp;&nbsp;" * min(depth, 20)
    return (
        f"{indent}{_name(field.name)}",
        _name(type_of(field)),
        "yes" if field.nullable else "",
        "" if field.tag is None else str(field.tag),
        _name(default_of(field)),
    )


# What is missing, who must act, pages


def _missing(writer: ReviewWriter, review: ReviewReport) -> None:
    title = [f"#### {wording.MISSING}", ""]
    for gap in review.missing:
        at = f"{gap.path}:{gap.line}" if gap.line is not None else gap.path
        block = fenced([clip(gap.text)], "json")
        if writer.add(
            *title, f"<code>{cell(at, 200)}</code>: {cell(gap.words)}", "", *block, "", what="lines to paste"
        ):
            title = []


def _who(writer: ReviewWriter, review: ReviewReport) -> None:
    title = [f"#### {wording.WHO}", ""]
    for cause, consequences in review.by_cause:
        if writer.add(*title, *_cause(cause, consequences), what="causes to act"):
            title = []


def _cause(cause: Cause, consequences: list[Consequence]) -> Iterator[str]:
    yield f"**{TITLES[cause]}**"
    yield ""
    table = wording.table_of(cause, consequences)
    if table is not None:
        yield from _table(table.heads, table.rows)
    else:
        for words, apis in wording.sentences_of(consequences):
            yield f"- {_with_apis(words, apis)}"
        yield ""


def _pages(writer: ReviewWriter, review: ReviewReport) -> None:
    pages = pages_of(review)
    links = ", ".join(f"[{_name(title)}]({address})" for title, address in pages[:40])
    if links:
        writer.add(f"#### {wording.PAGES}", "", links, "", what="links")


def _table(
    heads: Iterable[str], rows: Iterable[tuple[str, ...]], line: str = "---", escaped: bool = False
) -> Iterator[str]:
    heads = list(heads)
    yield f"| {' | '.join(heads)} |"
    yield f"|{'|'.join(line for _ in heads)}|"
    for row in rows:
        yield f"| {' | '.join(row if escaped else map(cell, row))} |"
    yield ""
