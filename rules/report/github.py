"""Workflow commands of GitHub: an annotation in the changed file for each finding, and a summary
line."""

from __future__ import annotations

from wirebook.rules.finding import Finding, Place
from wirebook.rules.report.words import about, in_head, plain, state
from wirebook.rules.result import CheckResult, counts
from wirebook.specs.printable import clip, quiet, visible
from wirebook.specs.problems import InputError

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice", "waived": "notice"}


def render(result: CheckResult) -> str:
    """A command for each finding and for what could not be checked, errors first, then a plain
    line."""
    lines = [f"wirebook check: {clip(result.compared)}"]
    lines += [f"note: {clip(notice)}" for notice in result.notices]
    lines = list(map(quiet, lines))
    lines += map(_unchecked, result.unchecked)
    lines += [_finding(finding, result.command) for finding in result.ordered]
    lines.append(quiet(f"wirebook check: {counts(result)}"))
    return "\n".join(lines) + "\n"


def failure(error: InputError) -> str:
    """The annotation for an error that stops the check before it starts."""
    return _unchecked(error) + "\n"


def _unchecked(error: InputError) -> str:
    # Without a line, the path may be a folder, such as the repository.
    at = Place(error.path, *error.position) if error.path and error.position else None
    return _command("error", "could not be checked", clip(str(error)), at)


def _finding(finding: Finding, command: str) -> str:
    """The command for a finding."""
    title = f"{finding.rule}: {about(finding, 100)}"
    parts = plain(finding)
    if finding.waived is not None:
        title = f"waived, {title}"
    elif finding.needs_waiver:
        parts.append(f"Waive it: {clip(command)} --waive={finding.fingerprint}")
    return _command(_COMMANDS[state(finding)], title, "\n".join(parts), in_head(finding))


def _command(kind: str, title: str, text: str, place: Place | None) -> str:
    """One command, escaped as in GitHub's toolkit; its range ends at the character after the
    last."""
    properties: dict[str, object] = {}
    # No annotation can name a file with a control character: it has no file then.
    if place is not None and visible(place.path) == place.path:
        properties = {"file": place.path, "line": place.line, "col": place.column}
        if place.end_column is not None:
            properties |= {"endLine": place.line, "endColumn": place.end_column}
    properties["title"] = clip(title)
    inside = ",".join(f"{key}={_data(str(value), ':,')}" for key, value in properties.items())
    return f"::{kind} {inside}::{_data(text)}"


def _data(text: str, more: str = "") -> str:
    """A text with the characters escaped that end a command, or a value in it."""
    return "".join(f"%{ord(each):02X}" if each in f"%\r\n{more}" else each for each in text)
