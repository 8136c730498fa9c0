"""JUnit's XML: a test case for each finding, failed if it is an error."""

from __future__ import annotations

import re

from wirebook.rules.finding import Finding, Severity
from wirebook.rules.formats.words import FORMER, about, advice, bytes_of, where
from wirebook.rules.result import CheckResult
from wirebook.specs.printable import clip, visible


def render(report: CheckResult) -> str:
    """One test suite. Errors fail, waived findings are skipped, warnings pass with a message.

    Anything that could not be checked is a test case with an error; a check without findings is one that
    passes.
    """
    cases = [_unchecked(why) for why in report.unchecked]
    cases += [_case(finding) for finding in report.ordered]
    cases = cases or [f"    <testcase classname={_quoted('wirebook')} name={_quoted('check')}/>"]
    summary = report.summary
    numbers = {
        "tests": len(cases),
        "failures": summary["error"],
        "errors": len(report.unchecked),
        "skipped": summary["waived"],
    }
    counted = " ".join(f'{key}="{number}"' for key, number in numbers.items())
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    notices = _text("\n".join(clip(notice) for notice in report.notices))
    notes = [f"    <system-out>{notices}</system-out>"] if notices else []
    suite = [f"  <testsuite name={_quoted(f'wirebook: {clip(report.compared)}')} {counted}>", *cases, *notes]
    return "\n".join([head, f"<testsuites {counted}>", *suite, "  </testsuite>", "</testsuites>"]) + "\n"


def _case(finding: Finding) -> str:
    location, new = where(finding)
    at = f"{clip(location.path)}:{location.line}:{location.column}" if location is not None else ""
    at += "" if location is None or new else FORMER
    name = " ".join(part for part in (finding.rule, clip(finding.field, 200), finding.versions.text) if part)
    fix = f"fix: {clip(finding.fix)}" if finding.fix else ""
    lines = [clip(finding.message), at, fix if finding.root is None else advice(finding)]
    lines.append(f"bytes: {bytes_of(finding)}" if finding.proof is not None else "")
    body = "\n".join(filter(None, lines))
    if finding.waived is not None:
        inner = f"<skipped message={_quoted(clip(finding.waived))}>{_text(body)}</skipped>"
    elif finding.severity is Severity.ERROR:
        title = f"message={_quoted(clip(finding.message))} type={_quoted(finding.rule)}"
        inner = f"<failure {title}>{_text(body)}</failure>"
    else:
        text = f"{finding.severity.value}: {about(finding)}\n{body}"
        inner = f"<system-out>{_text(text)}</system-out>"
    head = f"classname={_quoted(clip(finding.message_name, 200) or 'wirebook')} name={_quoted(name)}"
    return f"    <testcase {head}>{inner}</testcase>"


def _unchecked(why: str) -> str:
    message = _quoted(clip(why))
    head = f"classname={_quoted('wirebook')} name={_quoted('could not be checked')}"
    return f'    <testcase {head}><error message={message} type="unchecked"/></testcase>'


def _text(text: str) -> str:
    """Character data: nothing that XML forbids, no markup, no end of a CDATA section, no workflow command."""
    safe = "\n".join(_escaped(visible(line)) for line in text.split("\n"))
    # A log shows this unchanged, and a GitHub runner executes commands in the log.
    return re.sub(r"^(\s*):", r"\1&#58;", safe, flags=re.MULTILINE).replace("##[", "##&#91;")


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _quoted(text: str) -> str:
    safe = _escaped(visible(text)).replace('"', "&quot;").replace("##[", "##&#91;")
    return f'"{safe}"'
