"""Workflow commands of GitHub: an annotation in the changed file for each finding, and a summary line."""

from __future__ import annotations

from collections import Counter

from wirebook.rules.finding import Finding, Place, Severity
from wirebook.rules.formats.words import about, bytes_of, relative, state, where
from wirebook.rules.result import CheckResult, counts
from wirebook.specs.printable import clip, quiet, visible
from wirebook.specs.problems import InputError

SHOWN = 10  # annotations of each kind that GitHub shows for a step
_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(report: CheckResult) -> str:
    """A command for each cause and for what could not be checked, errors first, then plain lines.

    A cause names what follows from it. GitHub shows the first SHOWN of each kind; a plain line gives the
    number of the others.
    """
    lines = [quiet(f"wirebook check: {clip(report.compared)}")]
    lines += [quiet(f"note: {clip(notice)}") for notice in report.notices]
    lines += [_unchecked(why, report.unchecked_places.get(why)) for why in report.unchecked]
    lines += [_finding(finding, report) for finding in report.ordered if finding.root is None]
    if hidden := not_shown(report):
        lines.append(quiet(f"note: {hidden}"))
    lines.append(quiet(f"wirebook check: {counts(report)}"))
    return "\n".join(lines) + "\n"


def failure(error: InputError) -> str:
    """The annotation for an error that stops the check before it starts."""
    # Without a line, the path may be a folder, such as the repository.
    at = Place(error.path, *error.position) if error.path and error.position else None
    return _unchecked(str(error), at) + "\n"


def not_shown(report: CheckResult) -> str:
    """A sentence on the findings for which GitHub shows no annotation; "" if it shows all."""
    kinds = Counter(_kind(finding) for finding in report.findings if finding.root is None)
    kinds["error"] += len(report.unchecked)
    hidden = sum(max(0, number - SHOWN) for number in kinds.values())
    total = sum(kinds.values())
    if not hidden:
        return ""
    return (
        f"GitHub shows at most {SHOWN} annotations of a kind for a step: {total - hidden} of {total} "
        "are shown in the changed files; the log and the summary of the job have all"
    )


def _unchecked(why: str, place: Place | None) -> str:
    return _command("error", {**_at(place), "title": "could not be checked"}, clip(why))


def _kind(finding: Finding) -> str:
    return "notice" if finding.waived is not None else _COMMANDS[finding.severity]


def _finding(finding: Finding, report: CheckResult) -> str:
    place, new = where(finding)
    title = f"{finding.rule}: {about(finding, 100)}"
    text = [clip(finding.message)]
    if finding.waived is not None:
        title = f"waived, {title}"
        text = [f"Accepted: {clip(finding.waived)}", *text]
    else:
        text += [f"Instead: {clip(finding.fix)}"] if finding.fix else []
        if finding.needs_waiver:
            text.append(f"Waive it: {clip(report.command)} --waive={finding.fingerprint}")
    if finding.proof is not None:
        text.append(f"Bytes: {bytes_of(finding)}")
    below = report.following(finding)
    for consequence in below[:SHOWN]:
        text.append(f"From it follows: {state(consequence)} {consequence.rule}: {about(consequence, 100)}")
    if (rest := len(below) - SHOWN) > 0:
        text.append(f"and {rest} more that follow{'s' if rest == 1 else ''} from it")
    if finding.location is not None and finding.previous is not None:
        previous = finding.previous
        text.append(f"Was: {clip(previous.path)}:{previous.line}")
    properties = {**_at(place, new), "title": clip(title)}
    return _command(_kind(finding), properties, "\n".join(text))


def _at(place: Place | None, new: bool = True) -> dict[str, str]:
    """The file of an annotation, and the line where it is one of the new side."""
    # A control character in a file name cannot be shown; the annotation is still shown without the file.
    if place is None or visible(place.path) != place.path:
        return {}
    return {"file": relative(place.path), **(_spot(place) if new else {})}


def _spot(place: Place) -> dict[str, str]:
    """The range that GitHub underlines: from a character to the one after the last."""
    end = {"endLine": place.end_line, "endColumn": place.end_column}
    properties = {key: str(value) for key, value in end.items() if value is not None}
    return {"line": str(place.line), "col": str(place.column), **properties}


def _command(kind: str, properties: dict[str, str], text: str) -> str:
    """One command, escaped as in GitHub's toolkit."""
    inside = ",".join(f"{key}={_data(value, ':,')}" for key, value in properties.items())
    return f"::{kind} {inside}::{_data(text)}"


def _data(text: str, more: str = "") -> str:
    for character in "%\r\n" + more:
        text = text.replace(character, f"%{ord(character):02X}")
    return text
