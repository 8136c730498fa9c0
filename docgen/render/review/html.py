"""A review as one page of HTML that needs nothing else: no script, no link to fetch, all text escaped."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from wirebook.docgen.render.review.markdown import default_of, line_at, type_of
from wirebook.rules.check.review import NewVersion, ReviewReport
from wirebook.rules.finding import Place
from wirebook.rules.formats.sentences import sentence
from wirebook.rules.formats.words import about, where
from wirebook.rules.grouping import Group
from wirebook.rules.result import CheckResult, counts
from wirebook.specs.printable import visible

_STYLE = """
:root { color-scheme: light dark; --line: #8886; --bad: #c62828; --warn: #b26a00; --good: #2e7d32; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.25rem; margin-top: 2rem; } h3 { font-size: 1.05rem; }
code, pre { font: 0.875rem/1.45 ui-monospace, monospace; }
pre { overflow-x: auto; overflow-wrap: normal; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: .25rem; }
table { border-collapse: collapse; overflow-wrap: normal; } th, td { border: 1px solid var(--line); padding: .15rem .5rem; text-align: left; }
.scroll { overflow-x: auto; } .finding { border-left: .25rem solid var(--line); padding-left: 1rem; }
.error { border-color: var(--bad); } .warning { border-color: var(--warn); } .waived { opacity: .75; }
.breaking, .incomplete, .error b.state, del { color: var(--bad); } .warnings, .warning b.state { color: var(--warn); }
.sound, .unchanged, ins { color: var(--good); } del, ins { text-decoration: none; }
.d1 { padding-left: 1.5rem; } .d2 { padding-left: 3rem; } .d3 { padding-left: 4.5rem; } .d4 { padding-left: 6rem; }
""".strip()  # noqa: E501
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def render(review: ReviewReport) -> str:
    """The review as a whole page."""
    return "\n".join(_page(review)) + "\n"


def _text(text: object) -> str:
    # A runner of GitHub takes "##[" anywhere in a line of its log for a command.
    return escape(visible(str(text))).replace("##[", "##&#91;")


def _page(review: ReviewReport) -> Iterator[str]:
    report = review.report
    yield "<!DOCTYPE html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>wirebook: {_text(review.verdict)}</title>"
    yield f"<style>{_STYLE}</style></head><body><main>"
    yield f'<h1 class="{review.state}">{_text(review.verdict)}</h1>'
    yield f"<p>Compared: {_text(report.compared)}. Found: {_text(counts(report))}.</p>"
    for text in report.unchecked:
        yield f'<p class="incomplete"><strong>Could not be checked:</strong> {_text(text)}</p>'
    for text in report.notices:
        yield f"<p>{_text(text)}</p>"
    if review.advice:
        yield "<h2>What clients and brokers have to do</h2>"
        for advice in review.advice:
            yield f"<h3>{_text(advice.title)}</h3>"
            yield f"<ul>{''.join(f'<li>{_text(words)}</li>' for words in advice.words)}</ul>"
    if review.by_message:
        yield "<h2>Findings</h2>"
        for name, findings in review.by_message:
            yield f"<h3>{_text(name)}</h3>"
            for group, mark in findings:
                yield from _finding(report, group, mark)
    if review.changes:
        yield f"<h2>All changes ({len(review.changes)})</h2>"
        for title, part in review.by_api:
            yield f"<details open><summary>{_text(title)} ({len(part)})</summary><ul>"
            for change in part:
                name = f"<b>{_text(change.message.name)}</b>: " if change.message else ""
                yield f"<li>{name}{_text(sentence(change))} <small>{_text(change.effect)}</small></li>"
            yield "</ul></details>"
    if review.versions:
        yield "<h2>Layouts of new versions</h2>"
        for version in review.versions:
            yield from _version(version)
    yield f"<p><small>wirebook {_text(report.tool_version)}</small></p>"
    yield "</main></body></html>"


def _finding(report: CheckResult, group: Group, mark: str) -> Iterator[str]:
    """A finding, and folded those of its group."""
    finding, *others = group
    state = "waived" if finding.waived is not None else finding.severity.value
    yield f'<section class="finding {state}">'
    yield f'<p><b class="state">{state}</b> <code>{_text(finding.rule)}</code> {_text(about(finding))}</p>'
    yield f"<p>{_text(finding.message)}</p>"
    if finding.previous is not None:
        yield from _frame(report, finding.previous, False)
    if finding.location is not None:
        yield from _frame(report, finding.location, True)
    if others:
        yield f"<details><summary>and {len(others)} more like it</summary><ul>"
        for other in others:
            place, _ = where(other)
            at = "" if place is None else f" <code>{_text(place.path)}:{place.line}:{place.column}</code>"
            yield f"<li>{_text(about(other))}{at}</li>"
        yield "</ul></details>"
    if finding.waived is not None:
        yield f"<p>Accepted: {_text(finding.waived)}</p>"
    else:
        if finding.fix:
            yield f"<p>Instead: {_text(finding.fix)}</p>"
        waive = (
            f" · waive: <code>{_text(report.command)} --waive={_text(mark)}</code>"
            if finding.waivable
            else ""
        )
        yield f"<p><small>why: <code>wirebook explain {_text(finding.rule)}</code>{waive}</small></p>"
    yield "</section>"


def _frame(report: CheckResult, place: Place, new: bool) -> Iterator[str]:
    element, sign = ("ins", "+") if new else ("del", "-")
    line = line_at(report, place, new)
    shown = "" if line is None else f"\n<{element}>{sign} {_text(line[:400])}</{element}>"
    yield f"<pre>{_text(place.path)}:{place.line}:{place.column}{shown}</pre>"


def _version(version: NewVersion) -> Iterator[str]:
    made = version.layout
    yield f"<details><summary>{_text(made.name)} version {made.version}</summary>"
    header = (
        "" if made.header_version is None else f", behind {_text(made.type)} header {made.header_version}"
    )
    yield f"<p>{'Flexible' if made.flexible else 'Not flexible'}{header}.</p>"
    if version.changes:
        yield f"<p>Against version {version.before}:</p>"
        yield f"<ul>{''.join(f'<li>{_text(words)}</li>' for words in version.changes)}</ul>"
    elif version.before is not None:
        yield f"<p>The same bytes as version {version.before}.</p>"
    yield '<div class="scroll"><table>'
    yield "<tr><th>field</th><th>type</th><th>null</th><th>tag</th><th>default</th><th>about</th></tr>"
    for field in made.walk():
        depth = min(field.path.count("."), 4)
        tag = "" if field.tag is None else field.tag
        cells = (type_of(field), "yes" if field.nullable else "", tag, default_of(field), field.about)
        rest = "".join(f"<td>{_text(cell)}</td>" for cell in cells)
        yield f'<tr><td class="d{depth}">{_text(field.name)}</td>{rest}</tr>'
    yield "</table></div></details>"
