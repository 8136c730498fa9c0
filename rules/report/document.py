"""A report as lists of sentences, in the words that its comment and its page have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from wirebook.rules.finding import Finding
from wirebook.rules.report.model import Report
from wirebook.rules.report.words import about, grouped, state, versions_of
from wirebook.specs.printable import clip, enumerated

FEW = 3  # what more APIs or messages have in common is shown once
_MARKS = {"error": "🛑", "warning": "⚠️", "waived": "☑️"}


class Style(NamedTuple):
    """How a format writes texts, which are untrusted, code, and strong words; how many names it has
    in a list, and how many notes of a rule.
    """

    text: Callable[[str], str]
    code: Callable[[str], str]
    strong: str
    names: int
    notes: int

    def bold(self, words: str) -> str:
        """Words of a report, or escaped ones, in bold."""
        return self.strong.format(words)

    def few(self, names: Sequence[str]) -> str:
        """Some names as a sentence lists them; only the first of many."""
        distinct = [self.text(clip(name, 100)) for name in dict.fromkeys(names)]
        left = len(distinct) - self.names
        return enumerated([*distinct[: self.names], f"{left} more"] if left > 0 else distinct)


def verdicts(report: Report, style: Style) -> list[str]:
    """What could not be checked, what changes in the settings, and the findings."""
    result = report.result
    head = f"❔ {style.bold('Could not be checked:')}"
    unchecked = [f"{head} {style.text(str(reason))}" for reason in result.unchecked]
    policy = [f"⚙️ {style.text(change)}" for change in result.policy_changes]
    return [*unchecked, *policy, *_findings(report, style)]


def _findings(report: Report, style: Style) -> Iterator[str]:
    """A line for each finding, or for more than FEW that say the same of their messages."""
    policy = "\n".join(report.result.policy_changes)
    fixes: set[str] = set()
    for (mark, rule, sentence, fix, reason), several in grouped(report.findings, _said).items():
        code = style.code(rule)
        wheres = [(f"{_where(each, style)}{code}", each.message) for each in several]
        if len(several) > FEW:
            names = style.few([each.message_name for each in several])
            wheres = [(f"{len(several)} messages ({names}), {code}", sentence)]
        for where, text in wheres:
            line = f"{_MARKS[mark]} {where}: {style.text(text)}"
            if mark == "waived" and reason not in policy:
                line += f". {style.bold('Accepted:')} {style.text(reason)}"
            elif mark != "waived" and fix:
                words = "as above" if fix in fixes else style.text(fix)
                line += f". {style.bold('Instead:')} {words}"
                fixes.add(fix)
            yield line


def _said(finding: Finding) -> tuple[str, str, str, str, str]:
    """What a line says of a finding. A sentence that begins with the name of its message is one
    about several messages."""
    rest = finding.message.removeprefix(f"{finding.message_name} ")
    is_common = finding.message_name and rest != finding.message
    sentence = f"each {rest}" if is_common else finding.message
    return state(finding), finding.rule, sentence, finding.fix, finding.waived or ""


def _where(finding: Finding, style: Style) -> str:
    """The line of a finding and its versions."""
    place = finding.location or finding.previous
    file = "" if place is None else place.path.rpartition("/")[2]
    name = "" if file.partition(".")[0] == finding.message_name else finding.message_name
    line = "" if place is None else style.code(f"{file}:{place.line}")
    was = "" if finding.location is not None or place is None else "was "
    parts = style.text(clip(name, 100)), f"{was}{line}", style.text(versions_of(finding))
    return "".join(f"{part}, " for part in parts if part)


def changes(report: Report, style: Style) -> Iterator[str]:
    """A line for each API, or for those with the same changes."""
    for texts, sections in grouped(report.sections, lambda section: section.texts).items():
        titles = [style.bold(style.text(clip(each.title, 100))) for each in sections]
        about = ", ".join(titles)
        if len(sections) > FEW:
            what = "APIs" if "(API key" in sections[0].title else "messages"
            names = style.few([each.title.partition(" (")[0] for each in sections])
            about = f"{style.bold(f'{len(sections)} {what}')} ({names})"
        yield f"{about}: {' '.join(map(style.text, texts))}"


def details(report: Report, style: Style) -> Iterator[str]:
    """What was compared, notices, bytes, notes, and what a reader can do."""
    result = report.result
    yield f"Compared: {style.code(clip(result.compared, 300))}"
    for notice in result.notices:
        if notice not in result.policy_changes:
            yield style.text(notice)
    proven: dict[str, str] = {}
    for finding in report.findings:
        if finding.proof is not None:
            # Peers misread a message from one place on.
            proven.setdefault(finding.message_name, finding.proof.sentence)
    for name in list(proven)[: style.names]:
        yield f"Bytes of {style.text(clip(name, 100))}: {style.text(proven[name])}"
    for rule, notes in grouped(report.notes, lambda note: note.rule).items():
        if len(notes) > style.notes:
            yield f"{len(notes)} notes of {style.code(rule)}"
            continue
        for note in notes:
            on = f" {style.text(about(note))}" if about(note) else ""
            yield f"{style.code(rule)}{on}: {style.text(note.message)}"
    if any(each.needs_waiver and each.waived is None for each in report.findings):
        command = style.code(f"{clip(result.command, 300)} --waive=FINGERPRINT")
        rule = style.code("wirebook explain RULE")
        yield f"{rule} has the reason for a rule, and when a change is fine"
        yield f"To accept a finding of the check, append the output of {command} to waivers.toml"
