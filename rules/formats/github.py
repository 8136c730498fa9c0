"""Workflow commands of GitHub: a note in the changed file for each finding, and a line that sums up."""

from __future__ import annotations

from wirebook.rules.finding import Finding, Place, Severity
from wirebook.rules.formats.words import about, clip, relative, where
from wirebook.rules.result import CheckResult, counts
from wirebook.specs.printable import quiet, visible

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(report: CheckResult) -> str:
    """A line for each finding, errors first: of each kind GitHub shows ten a step, the log shows them all.

    What could not be checked is an error without a place. The other lines are plain.
    """
    lines = [quiet(f"wirebook check: {clip(report.compared)}")]
    lines += [quiet(f"note: {clip(notice)}") for notice in report.notices]
    lines += [_command("error", {"title": "could not be checked"}, clip(why)) for why in report.unchecked]
    lines += [_finding(item, report) for item in report.ordered]
    lines.append(quiet(f"wirebook check: {counts(report)}"))
    return "\n".join(lines) + "\n"


def _finding(finding: Finding, report: CheckResult) -> str:
    place, new = where(finding)
    title = f"{finding.rule}: {about(finding, 100)}"
    text = [clip(finding.message)]
    if finding.waived is not None:
        title = f"waived, {title}"
        text = [f"Accepted: {clip(finding.waived)}", *text]
    else:
        text += [f"Instead: {clip(finding.fix)}"] if finding.fix else []
        text.append(f"Waive it: {clip(report.command)} --waive={finding.fingerprint}")
    if finding.location is not None and finding.previous is not None:
        was = finding.previous
        text.append(f"Was: {clip(was.path)}:{was.line}")
    properties = {"title": clip(title)}
    if place is not None:
        # A control character in a file name cannot be shown; without the file the note is still there.
        name = {"file": relative(place.path)} if visible(place.path) == place.path else {}
        spot = _spot(place) if new and name else {}
        properties = {**name, **spot, **properties}
    kind = "notice" if finding.waived is not None else _COMMANDS[finding.severity]
    return _command(kind, properties, "\n".join(text))


def _spot(place: Place) -> dict[str, str]:
    """What GitHub underlines: from a character to the one after the last."""
    end = {"endLine": place.end_line, "endColumn": place.end_column}
    known = {key: str(value) for key, value in end.items() if value is not None}
    return {"line": str(place.line), "col": str(place.column), **known}


def _command(kind: str, properties: dict[str, str], text: str) -> str:
    """One command, escaped as GitHub's own toolkit does it."""
    inside = ",".join(f"{key}={_data(value, ':,')}" for key, value in properties.items())
    return f"::{kind} {inside}::{_data(text)}"


def _data(text: str, more: str = "") -> str:
    for character in "%\r\n" + more:
        text = text.replace(character, f"%{ord(character):02X}")
    return text
