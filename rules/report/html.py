"""A report as one self-contained page of HTML: no script, nothing to fetch, all text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from wirebook.rules.finding import Finding, Place
from wirebook.rules.report.model import Report
from wirebook.rules.report.words import about, state
from wirebook.rules.result import CheckResult
from wirebook.specs.printable import visible

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def render(report: Report) -> str:
    """The report as a whole page."""
    return "\n".join(_page(report)) + "\n"


def _text(text: object) -> str:
    # A runner of GitHub treats "##[" anywhere in a line of its log as a command.
    return escape(visible(str(text))).replace("##[", "##&#91;")


def _page(report: Report) -> Iterator[str]:
    result = report.result
    style = Path(__file__).with_name("report.css").read_text(encoding="utf-8")
    sections = {
        "findings": ("Findings", list(_findings(report))),
        "who": ("What changes, and who must act", list(_who(report))),
        "notes": ("For information", list(_notes(report.notes))),
    }
    shown = {name: (title, lines) for name, (title, lines) in sections.items() if lines}
    yield "<!DOCTYPE html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>wirebook: {_text(report.headline)}</title><style>{style}</style></head><body>"
    yield f'<header><h1 class="{report.state}">{_text(report.headline)}</h1>'
    yield f"<p>Compared: {_text(result.compared)}</p>"
    for reason in result.unchecked:
        yield f'<p class="incomplete"><strong>Could not be checked:</strong> {_text(reason)}</p>'
    yield from (f"<p>{_text(notice)}</p>" for notice in result.notices)
    links = (f'<li><a href="#{name}">{title}</a></li>' for name, (title, _) in shown.items())
    yield f'</header><nav aria-label="Contents"><ul>{"".join(links)}</ul></nav><main>'
    for name, (title, lines) in shown.items():
        yield f'<h2 id="{name}">{title}</h2>'
        yield from lines
    yield f"<p><small>wirebook {_text(result.tool_version)}</small></p></main></body></html>"


def _findings(report: Report) -> Iterator[str]:
    result = report.result
    for finding in report.findings:
        word = state(finding)
        yield f'<div class="finding {word}">'
        yield (
            f'<p><b class="state">{word}</b> <code>{_text(finding.rule)}</code> '
            f"{_text(about(finding))}</p>"
        )
        yield f"<p>{_text(finding.message)}</p>"
        yield from (_frame(result, at, new=False) for at in (finding.previous,) if at is not None)
        yield from (_frame(result, at, new=True) for at in (finding.location,) if at is not None)
        if finding.waived is not None:
            yield f"<p><b>Accepted:</b> {_text(finding.waived)}</p>"
        elif finding.fix:
            yield f"<p><b>Instead:</b> {_text(finding.fix)}</p>"
        if finding.needs_waiver and finding.waived is None:
            command = f"{result.command} --waive={finding.fingerprint}"
            yield f"<p><small>waive: <code>{_text(command)}</code></small></p>"
        if finding.proof is not None:
            yield f"<p>Bytes: {_text(finding.proof.sentence)}</p>"
        yield "</div>"


def _frame(result: CheckResult, place: Place, *, new: bool) -> str:
    """A line of a file, under its path and whether it is of base."""
    line = result.line(place, new).strip()[:400]
    at = f"{'' if new else 'was '}<code>{_text(place.path)}:{place.line}:{place.column}</code>"
    return f'<div class="frame"><p>{at}</p>{f"<code>{_text(line)}</code>" if line else ""}</div>'


def _who(report: Report) -> Iterator[str]:
    for section in report.sections:
        yield f"<h3>{_text(section.title)}</h3>{_list(map(_text, section.texts))}"


def _notes(notes: Iterable[Finding]) -> Iterator[str]:
    items = [
        f"<code>{_text(note.rule)}</code> {_text(about(note))}: {_text(note.message)}"
        for note in notes
    ]
    if items:
        yield f"<details><summary>{len(items)} for information</summary>{_list(items)}</details>"


def _list(items: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"
