"""A review as one self-contained page of HTML: no script, nothing to fetch, all text escaped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from html import escape
from pathlib import Path

from wirebook.docgen.render.kit.links import Ids, anchor
from wirebook.docgen.render.review import wording
from wirebook.docgen.render.review.markdown import line_at
from wirebook.docgen.render.review.pages import pages_of
from wirebook.docgen.render.review.sides import SidesRow, default_of, sides, type_of
from wirebook.rules.agreement import proof_words
from wirebook.rules.agreement.proof_words import Proof
from wirebook.rules.diff.kinds import ProtocolChange
from wirebook.rules.finding import Finding, Place
from wirebook.rules.report.sentences import sentence
from wirebook.rules.report.words import about, state
from wirebook.rules.result import CheckResult, counts
from wirebook.rules.review.consequences import TITLES, Cause, Consequence
from wirebook.rules.review.layouts import LayoutDiff
from wirebook.rules.review.overview import ApiOverview
from wirebook.rules.review.review import ReviewReport
from wirebook.specs.printable import visible

OPEN = 5  # as many APIs are shown unfolded
LISTED = 12  # as many entries of a section are listed in the contents; more are folded
WIDE = 40  # longer cells are broken into lines
NAMED = 5  # as many APIs are named in a line; more are folded
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"

Contents = dict[str, tuple[str, list[tuple[str, str]]]]  # by the id of a section: its title, its entries


def render(review: ReviewReport) -> str:
    """The review as a whole page."""
    return "\n".join(_Page(review).lines()) + "\n"


def _text(text: object) -> str:
    # A runner of GitHub treats "##[" anywhere in a line of its log as a command.
    return escape(visible(str(text))).replace("##[", "##&#91;")


def _words(text: str) -> str:
    """Words of ours with code between backticks."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", _text(text))


class _Page:
    """One page; sections are rendered first, so that the contents can list them."""

    def __init__(self, review: ReviewReport) -> None:
        self.review = review
        self.ids = Ids()
        self.labels = Ids()
        self.contents: Contents = {}

    def lines(self) -> Iterator[str]:
        review, report = self.review, self.review.report
        body = [
            *self._section("findings", wording.FINDINGS, self._findings),
            *self._section("changed", wording.CHANGED, self._changed),
            *self._section("missing", wording.MISSING, self._missing),
            *self._section("who", wording.WHO, self._who),
            *self._section("pages", wording.PAGES, self._pages),
        ]
        yield "<!DOCTYPE html>"
        yield '<html lang="en"><head><meta charset="utf-8">'
        yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
        yield f"<title>wirebook: {_text(review.verdict)}</title>"
        style = Path(__file__).with_name("review.css").read_text(encoding="utf-8")
        yield f"<style>{style}</style></head><body>"
        yield f'<header><h1 class="{review.state}">{_text(review.verdict)}</h1>'
        yield f"<p>Compared: {_text(report.compared)}. Found: {_text(counts(report))}.</p>"
        for text in report.unchecked:
            yield f'<p class="incomplete"><strong>Could not be checked:</strong> {_text(text)}</p>'
        for text in report.notices:
            yield f"<p>{_text(text)}</p>"
        yield '</header><div class="page">'
        yield from self._contents()
        yield "<main>"
        heads = [name for name, _ in review.counts]
        yield f'<div class="verdict">{_table(heads, [[_text(count) for _, count in review.counts]])}</div>'
        yield from body
        yield f"<p><small>wirebook {_text(report.tool_version)}</small></p>"
        yield "</main></div></body></html>"

    def _contents(self) -> Iterator[str]:
        yield '<nav aria-label="Contents"><ul>'
        for name, (title, entries) in self.contents.items():
            inner = "".join(f'<li><a href="#{at}">{_text(text)}</a></li>' for at, text in entries)
            if len(entries) > LISTED:
                inner = f"<details><summary>{len(entries)} entries</summary><ul>{inner}</ul></details>"
            elif entries:
                inner = f"<ul>{inner}</ul>"
            yield f'<li><a href="#{name}">{title}</a>{inner}</li>'
        yield "</ul></nav>"

    def _section(self, name: str, title: str, write: Callable[[str], Iterator[str]]) -> list[str]:
        at = self.ids.take(name)
        self.contents[at] = (title, [])
        lines = list(write(at))
        if not lines:
            del self.contents[at]
            return []
        return [f'<h2 id="{at}">{title}</h2>', *lines]

    def _entry(self, section: str, title: str) -> str:
        at = self.ids.take(f"{section}-{anchor(title)[:60]}")
        self.contents[section][1].append((at, title))
        return at

    def _scroll(self, label: str, table: str) -> str:
        """A table that may be wider than the page: it can be scrolled with the keyboard."""
        unique = label if (name := self.labels.take(label)) == label else name
        return f'<div class="scroll" tabindex="0" role="region" aria-label="{_text(unique)}">{table}</div>'

    # Findings

    def _findings(self, section: str) -> Iterator[str]:
        for name, findings in self.review.by_message:
            yield f'<h3 id="{self._entry(section, name)}">{_text(name)}</h3>'
            for finding, mark in findings:
                yield from _finding(self.review.report, finding, mark, self._scroll)
        if self.review.waivable:
            command = f"<code>{_text(self.review.report.command)}</code>"
            yield f"<p><small>{wording.WAIVING} {command}</small></p>"
        notes = self.review.notes
        if notes:
            title = wording.notes_title(self.review)
            at, opened = self._entry(section, title), " open" if len(notes) <= OPEN else ""
            yield f'<details id="{at}"{opened}><summary><h3>{title}</h3></summary><ul>'
            for note in notes:
                words = f"{_text(about(note))}: {_text(note.message)}"
                yield f"<li><code>{_text(note.rule)}</code> {words}{_at(note)}</li>"
            yield "</ul></details>"

    # What changed

    def _changed(self, section: str) -> Iterator[str]:
        review = self.review
        lines = [
            f"<li>{_effect(pattern.changes[0])} {_with_apis(pattern.words, pattern.apis)}</li>"
            for pattern in review.patterns
        ]
        lines += [f"<li>{_words(text)}</li>" for text in wording.others_of(review)]
        if lines:
            yield f"<ul>{''.join(lines)}</ul>"
        opened = " open" if len(review.apis) <= OPEN else ""
        for api in review.apis:
            at = self._entry(section, api.title)
            yield f'<details id="{at}"{opened}><summary><h3>{_text(api.title)}</h3></summary>'
            yield from self._api(api)
            yield "</details>"

    def _api(self, api: ApiOverview) -> Iterator[str]:
        if api.messages:
            rows = [[_text(cell) for cell in wording.message_row(message)] for message in api.messages]
            yield self._scroll(f"Messages of {api.title}", _table(wording.HEADS, rows, headed=True))
        lines = []
        for change in api.changes:
            name = f"<b>{_text(change.message.name)}</b>: " if change.message else ""
            lines.append(f"<li>{_effect(change)} {name}{_text(sentence(change))}</li>")
        implied = wording.implied_of(api)
        lines += [f"<li>{_text(implied)}</li>"] if implied else []
        yield f"<ul>{''.join(lines)}</ul>"
        for message in api.messages:
            for layout in message.layouts:
                yield from self._layout(layout)

    def _layout(self, layout: LayoutDiff) -> Iterator[str]:
        title = wording.layout_title(layout)
        yield f"<h4>{_text(title)}</h4>"
        if layout.old is None:
            yield f"<p>{_text(wording.nature_of(layout))}</p>"
            if layout.new.fields:
                yield self._scroll(title, _fields(layout))
            return
        if not layout.words:
            yield f"<p>The same layout as version {layout.old.version}.</p>"
            return
        rows = sides(layout.old, layout.new)
        if not rows:
            # What the grammar does not show, such as another default.
            yield f"<ul>{''.join(f'<li>{_text(words)}</li>' for words in layout.words)}</ul>"
        else:
            heads = ("before", "after")
            if layout.added:
                heads = (f"version {layout.old.version}", f"version {layout.new.version}")
            cells = [f'<div class="head twice">{head}</div>' for head in heads]
            cells += [cell for row in rows for cell in _side_by_side(row)]
            yield f'<div class="sides">{"".join(cells)}</div>'

    # What is missing, who must act, pages

    def _missing(self, section: str) -> Iterator[str]:
        for gap in self.review.missing:
            at = f"{gap.path}:{gap.line}" if gap.line is not None else gap.path
            yield f"<p><code>{_text(at)}</code>: {_text(gap.words)}</p><pre>{_text(gap.text)}</pre>"

    def _who(self, section: str) -> Iterator[str]:
        for cause, consequences in self.review.by_cause:
            yield f'<h3 id="{self._entry(section, TITLES[cause])}">{TITLES[cause]}</h3>'
            yield self._cause(cause, consequences)

    def _cause(self, cause: Cause, consequences: list[Consequence]) -> str:
        table = wording.table_of(cause, consequences)
        if table is not None:
            rows = [[_text(cell) for cell in row] for row in table.rows]
            return self._scroll(TITLES[cause], _table(table.heads, rows, headed=True))
        lines = (f"<li>{_with_apis(words, apis)}</li>" for words, apis in wording.sentences_of(consequences))
        return f"<ul>{''.join(lines)}</ul>"

    def _pages(self, section: str) -> Iterator[str]:
        pages = pages_of(self.review)
        if pages:
            links = (f'<li><a href="{_text(address)}">{_text(title)}</a></li>' for title, address in pages)
            yield f"<ul>{''.join(links)}</ul>"


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]], headed: bool = False) -> str:
    """A table of cells that are escaped; `headed` if the first cell of a row names it."""
    head = "".join(f'<th scope="col">{_text(name)}</th>' for name in heads)
    body = []
    for row in rows:
        first, *rest = row
        start = f'<th scope="row">{first}</th>' if headed else _cell(first)
        body.append(f"<tr>{start}{''.join(map(_cell, rest))}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def _cell(cell: str) -> str:
    return f'<td class="words">{cell}</td>' if len(cell) > WIDE else f"<td>{cell}</td>"


def _fields(layout: LayoutDiff) -> str:
    heads = "".join(
        f'<th scope="col">{name}</th>' for name in ("field", "type", "null", "tag", "default", "about")
    )
    rows = []
    for field in layout.new.walk():
        depth = min(field.path.count("."), 4)
        tag = "" if field.tag is None else field.tag
        cells = (type_of(field), "yes" if field.nullable else "", tag, default_of(field), field.about)
        rest = "".join(_cell(_text(cell)) for cell in cells)
        rows.append(f'<tr><th scope="row" class="d{depth}">{_text(field.name)}</th>{rest}</tr>')
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _finding(
    report: CheckResult, finding: Finding, mark: str, scroll: Callable[[str, str], str]
) -> Iterator[str]:
    """A finding; `scroll` puts a table under a label."""
    word = state(finding)
    yield f'<div class="finding {word}">'
    yield f'<p><b class="state">{word}</b> <code>{_text(finding.rule)}</code> {_text(about(finding))}</p>'
    yield f"<p>{_text(finding.message)}</p>"
    if finding.previous is not None:
        yield _frame(report, finding.previous, False)
    if finding.location is not None:
        yield _frame(report, finding.location, True)
    if finding.waived is not None:
        yield f"<p>Accepted: {_text(finding.waived)}</p>"
    else:
        if finding.fix:
            yield f"<p><b>Instead:</b> {_text(finding.fix)}</p>"
        waive = f" · waive: <code>--waive={_text(mark)}</code>" if finding.needs_waiver else ""
        yield f"<p><small>why: <code>wirebook explain {_text(finding.rule)}</code>{waive}</small></p>"
    if finding.proof is not None:
        yield from _proof(finding.proof, f"Bytes of {finding.rule} {about(finding)}", scroll)
    yield "</div>"


def _proof(proof: Proof, label: str, scroll: Callable[[str, str], str]) -> Iterator[str]:
    """The bytes that show a finding, folded below what the reader makes of them."""
    yield f"<details><summary>Bytes: {_text(proof_words.outcome(proof))}</summary>"
    yield f"<p>{_text(proof_words.sending(proof))}:</p><pre>{_text(proof_words.message(proof))}</pre>"
    rows = [[f"<code>{_text(cell)}</code>" for cell in row] for row in proof_words.rows(proof)]
    if rows:
        yield f'<div class="bytes">{scroll(label, _table(proof_words.HEADS, rows))}</div>'
    yield "</details>"


def _at(finding: Finding) -> str:
    location = finding.location or finding.previous
    if location is None:
        return ""
    was = "" if finding.location is not None else "was "
    return f" {was}<code>{_text(location.path)}:{location.line}:{location.column}</code>"


def _effect(change: ProtocolChange) -> str:
    return f'<code class="effect">{change.effect}</code>'


def _frame(report: CheckResult, place: Place, new: bool) -> str:
    element, sign = ("ins", "+") if new else ("del", "-")
    line = line_at(report, place, new)
    code = "" if line is None else f"<code><{element}>{sign} {_text(line[:400])}</{element}></code>"
    return (
        f'<div class="frame"><p><code>{_text(place.path)}:{place.line}:{place.column}</code></p>{code}</div>'
    )


def _side_by_side(row: SidesRow) -> Iterator[str]:
    if row.old is None and row.new is None:
        yield '<div class="gap">…</div><div class="gap twice">…</div>'
    elif row.same:
        yield f'<div>  {_text(row.old)}</div><div class="twice">  {_text(row.new)}</div>'
    else:
        yield f"<del>- {_text(row.old)}</del>" if row.old is not None else '<div class="empty"></div>'
        yield f"<ins>+ {_text(row.new)}</ins>" if row.new is not None else '<div class="empty"></div>'


def _with_apis(words: str, apis: tuple[str, ...]) -> str:
    """A sentence with the APIs that it is about: few in front of it, many folded behind."""
    if len(apis) <= NAMED:
        return f"<b>{', '.join(map(_text, apis))}</b>: {_text(words)}"
    listed = ", ".join(map(_text, apis))
    folded = f"<details><summary>the {len(apis)} APIs</summary>{listed}</details>"
    return f"<b>{len(apis)} APIs</b>: {_text(words)} {folded}"
