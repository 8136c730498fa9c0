"""A report as one self-contained page of HTML: no script, nothing to fetch, all text escaped."""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path

from wirebook.rules.report.document import Bold, Code, Line, changes, details, verdicts
from wirebook.rules.report.model import Report
from wirebook.specs.printable import visible

_PAGE = """\
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>wirebook: {headline}</title><style>{style}</style></head><body>
<main><h1 class="{state}">{headline}</h1>
{body}
<p><small>wirebook {version}</small></p></main></body></html>
"""


def render(report: Report) -> str:
    """The report as a whole page."""
    sections = {
        "Findings": verdicts(report, sys.maxsize),
        "What changes, and who must act": changes(report, sys.maxsize),
        "Details": details(report, sys.maxsize),
    }
    body = [_section(title, list(lines)) for title, lines in sections.items()]
    return _PAGE.format(
        headline=_text(report.headline),
        state=report.verdict[0],
        style=Path(__file__).with_name("report.css").read_text(encoding="utf-8"),
        body="\n".join(filter(None, body)),
        version=_text(report.result.tool_version),
    )


def _section(title: str, lines: list[Line]) -> str:
    items = "\n".join(f"<li>{''.join(map(_text, line))}</li>" for line in lines)
    return f"<h2>{title}</h2>\n<ul>\n{items}\n</ul>" if lines else ""


def _text(text: str) -> str:
    # A runner of GitHub treats "##[" anywhere in a line of its log as a command.
    escaped = escape(visible(text)).replace("##[", "##&#91;")
    tag = "code" if isinstance(text, Code) else "b" if isinstance(text, Bold) else ""
    return f"<{tag}>{escaped}</{tag}>" if tag else escaped
