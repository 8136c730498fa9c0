"""A report as lists of sentences, in the words that its comment and its page have in common.

A line is a list of texts, which are untrusted and plain; some are code or in bold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wirebook.rules.finding import Finding
from wirebook.rules.report.model import Report
from wirebook.rules.report.words import FEW, about, grouped, in_common, together, versions_of
from wirebook.specs.printable import clip, enumerated

_MARKS = {"error": "🛑", "warning": "⚠️", "waived": "☑️"}
_QUOTED = re.compile(r'("[^"]*"(?:: (?:"(?:[^"\\]|\\.)*"|[\w.+-]+))?)')  # "key", "key": value
Line = list[str]


class Code(str):
    """A text in the font of code."""


class Bold(str):
    """A text in bold."""


def _names(names: Sequence[str], most: int) -> str:
    """Names as a sentence lists them; only the first of many."""
    distinct = [clip(name, 100) for name in dict.fromkeys(names)]
    left = len(distinct) - most
    return enumerated([*distinct[:most], f"{left} more"] if left > 0 else distinct)


def verdicts(report: Report, most: int) -> Iterator[Line]:
    """What could not be checked, what changes in the settings, and the findings.

    A line is about one finding, or about more than FEW that say the same of their messages, of
    which it names at `most` some.
    """
    result = report.result
    for error in result.unchecked:
        yield ["❔ ", Bold("Could not be checked:"), f" {error}"]
    for change in result.policy_changes:
        yield [f"⚙️ {change}"]
    policy = "\n".join(result.policy_changes)
    fixes: set[str] = set()
    for alike in together(report.findings):
        mark, rule, text, fix, reason = in_common(alike[0])
        if len(alike) > 1:
            names = _names([each.message_name for each in alike], most)
            where = [f"{len(alike)} messages ({names}), "]
        else:
            text = alike[0].message
            where = list(_where(alike[0]))
        line = [f"{_MARKS[mark]} ", *where, Code(rule), f": {text}"]
        if mark == "waived":
            # A line on the settings has the reason of a waiver that this change adds.
            line += [] if reason in policy else [". ", Bold("Accepted:"), f" {reason}"]
        elif fix:
            advice = [" as above"] if fix in fixes else _advice(fix)
            line += [". ", Bold("Instead:"), *advice]
            fixes.add(fix)
        yield line


def _advice(fix: str) -> Line:
    """What to do, with keys and values as code, so that a person can copy them."""
    parts = _QUOTED.split(fix)
    return [" ", *(Code(part) if at % 2 else part for at, part in enumerate(parts))]


def _where(finding: Finding) -> Iterator[str]:
    """The line of a finding and its versions."""
    place = finding.location or finding.previous
    file = ""
    if place is not None:
        file = place.path.rpartition("/")[2]
    if finding.message_name and file.partition(".")[0] != finding.message_name:
        yield f"{clip(finding.message_name, 100)}, "
    if place is not None:
        was = "" if finding.location is not None else "was "
        yield from (was, Code(f"{file}:{place.line}"), ", ")
    if finding.versions:
        yield f"{versions_of(finding)}, "


def changes(report: Report, most: int) -> Iterator[Line]:
    """A line for each API, or for those with the same changes."""
    for texts, sections in grouped(report.sections, lambda section: section.texts).items():
        titles = [clip(each.title, 100) for each in sections]
        about: Line = [Bold(", ".join(titles))]
        if len(sections) > FEW:
            what = "APIs" if "(API key" in titles[0] else "messages"
            names = _names([title.partition(" (")[0] for title in titles], most)
            about = [Bold(f"{len(sections)} {what}"), f" ({names})"]
        yield [*about, ":", *(f" {text}" for text in texts)]


def details(report: Report, most: int) -> Iterator[Line]:
    """What was compared, notices, bytes, notes, and what a reader can do."""
    result = report.result
    yield ["Compared: ", Code(clip(result.compared, 300))]
    for notice in result.notices:
        if notice not in result.policy_changes:
            yield [notice]
    proofs: dict[str, str] = {}
    for finding in report.findings:
        if finding.proof is not None:
            # Peers misread a message from one place on: one proof is enough.
            proofs.setdefault(finding.message_name, finding.proof.sentence)
    for name, sentence in list(proofs.items())[:most]:
        yield [f"Bytes of {clip(name, 100)}: {sentence}"]
    for rule, notes in grouped(report.notes, lambda note: note.rule).items():
        if len(notes) > most // 2:
            yield [f"{len(notes)} notes of ", Code(rule)]
            continue
        for note in notes:
            yield [Code(rule), f" {about(note)}".rstrip(), f": {note.message}"]
    if any(each.needs_waiver and each.waived is None for each in report.findings):
        yield [Code("wirebook explain RULE"), " has the reason, and when a change is fine"]
        command = Code(f"{clip(result.command, 300)} --waive=FINGERPRINT")
        yield ["To accept a finding, append the output of ", command, " to waivers.toml"]
