"""A change as its reviewer sees it: the one model from which every format of the report is made."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

from wirebook.rules.check.run import Compared, Judged
from wirebook.rules.diff.kinds import TEXT, ProtocolChange
from wirebook.rules.diff.protocols import protocol_changes
from wirebook.rules.finding import Category, Finding, Severity
from wirebook.rules.match import match_messages
from wirebook.rules.report.acts import SAID, Subject, acts, is_break, of_fields, union
from wirebook.rules.report.changes import change_to_json
from wirebook.rules.report.words import HeadingKey, heading, heading_of, of_half
from wirebook.rules.result import CheckResult, tally
from wirebook.specs.printable import enumerated, number_of
from wirebook.specs.versions import VersionSet

SCHEMA = "wirebook/report/1"
STRUCTS = ("struct-added", "struct-removed")  # what follows from the fields that use them


class State(StrEnum):
    """The verdict in a word, the worst first."""

    INCOMPLETE = "incomplete"
    BREAKING = "breaking"
    ACCEPTED = "accepted"
    WARNINGS = "warnings"
    SOUND = "sound"
    UNCHANGED = "unchanged"


@dataclass(frozen=True)
class Section:
    """What happens to an API, or to a message outside any API.

    `acts` are sentences on who must act, `fields` on what older peers make of new fields, and
    `changes` are those that neither they nor a finding name, without changes of text.
    """

    title: str
    acts: tuple[str, ...]
    fields: tuple[str, ...]
    changes: tuple[ProtocolChange, ...]

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """All of it: sentences, and changes as parts of one."""
        alike: dict[tuple[object, ...], list[ProtocolChange]] = {}
        for change in self.changes:
            values = of_half(change.message), str(change.old), str(change.new)
            alike.setdefault((change.kind, change.subject, change.versions, values), []).append(
                change
            )
        halves: dict[str, list[str]] = {}
        for several in alike.values():
            fields = enumerated([change.field for change in several])
            text = replace(several[0], field=fields).sentence
            halves.setdefault(text, []).append(of_half(several[0].message))
        changes = (f"{'' if both[1:] else both[0]}{text}" for text, both in halves.items())
        return (*self.acts, *self.fields, *changes)


@dataclass(frozen=True)
class Report:
    """A change as a reviewer sees it; every format is a function of this object only.

    `changes` are all changes. If not `is_compared`, there is no base. `has_removed` is whether
    somebody must act on versions that are removed. All strings may contain text of a spec: they are
    untrusted and plain.
    """

    result: CheckResult
    sections: tuple[Section, ...] = ()
    changes: tuple[ProtocolChange, ...] = ()
    is_compared: bool = True
    has_removed: bool = False

    @cached_property
    def state(self) -> State:
        """The verdict in a word. A break that a waiver accepts is still one."""
        result = self.result
        if result.unchecked:
            return State.INCOMPLETE
        if result.failed:
            return State.BREAKING
        if any(
            each.waived is not None and each.severity is Severity.ERROR for each in result.findings
        ):
            return State.ACCEPTED
        if result.summary["warning"]:
            return State.WARNINGS
        return State.SOUND if self.changes or not self.is_compared else State.UNCHANGED

    @property
    def headline(self) -> str:
        """The verdict in one line, with the number of findings."""
        found = tally(self.result)
        breaks = [each for each in self.result.findings if each.severity is Severity.ERROR]
        accepted = sum(each.waived is not None for each in breaks)
        by = "a waiver in this change" if self.result.accepted == accepted else "a waiver"
        accepting = (
            f"{number_of(accepted, 'break')} {'is' if accepted == 1 else 'are'} accepted by {by}"
        )
        standing = {each.category for each in breaks if each.waived is None}
        words = {
            State.INCOMPLETE: "Not everything could be checked: this is not a verdict",
            State.BREAKING: "The specs are not valid"
            if standing <= {Category.SPEC, Category.SET}
            else "This change breaks what was promised",
            State.ACCEPTED: accepting,
            State.WARNINGS: "Nothing that was released breaks",
            State.SOUND: self._sound,
            State.UNCHANGED: "The protocol does not change",
        }[self.state]
        more = f"; {accepting}" if accepted and self.state is not State.ACCEPTED else ""
        return f"{words}{f': {found}' if found else ''}{more}."

    @property
    def _sound(self) -> str:
        if not self.is_compared:
            return "There is no older protocol to compare with"
        if self.text_changes == len(self.changes):
            return "Only what people read changes"
        if self.has_removed:
            return "Nothing breaks, but versions are removed"
        return "Nothing that was released breaks"

    @property
    def empty(self) -> bool:
        """Whether there is nothing to review: only texts change, and nothing is found or
        unchecked."""
        result = self.result
        is_same = self.is_compared and self.text_changes == len(self.changes)
        return is_same and not (result.findings or result.unchecked or result.policy_changes)

    @cached_property
    def text_changes(self) -> int:
        """The number of changes that only affect what people read."""
        return sum(change.effect == TEXT for change in self.changes)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What needs a decision: errors and warnings, worst first, then what is waived."""
        return tuple(each for each in self.result.ordered if not _is_note(each))

    @cached_property
    def notes(self) -> tuple[Finding, ...]:
        """The unwaived findings for information: they require no action."""
        return tuple(filter(_is_note, self.result.ordered))

    def to_json(self) -> dict[str, Any]:
        """The report as wirebook/report/1: the findings as wirebook/findings/1 has them, and the
        rest."""
        return self.result.to_json() | {
            "schema": SCHEMA,
            "verdict": {"state": self.state.value, "words": self.headline},
            "apis": [
                {"about": section.title, "acts": list(section.acts), "fields": list(section.fields)}
                for section in self.sections
            ],
            "changes": [change_to_json(change) for change in self.changes],
        }


def report_of(judged: Judged) -> Report:
    """The report on what a check compared, project by project."""
    sections: list[Section] = []
    changes: list[ProtocolChange] = []
    has_removed = False
    for compared in judged.compared:
        for subject in _subjects(compared):
            changes += subject.changes
            said = acts(subject, is_unreleased=compared.is_unreleased)
            has_removed |= not compared.is_unreleased and any(
                change.kind in ("versions-removed", "message-removed") for change in subject.changes
            )
            fields = of_fields(subject)
            others = _others(subject, {id(change) for part in fields.values() for change in part})
            section = Section(subject.title, said, tuple(fields), tuple(others))
            if section.acts or section.fields or section.changes:
                sections.append(section)
    is_compared = any(each.old is not None for each in judged.compared)
    return Report(judged.report, tuple(sections), tuple(changes), is_compared, has_removed)


def _subjects(compared: Compared) -> Iterable[Subject]:
    """The APIs, and the messages outside any API, that change or that findings concern."""
    if compared.old is None:
        return ()
    subjects: dict[HeadingKey, Subject] = {}
    for change in protocol_changes(compared.old, compared.new, *compared.registries):
        key, title = heading(change.message)
        subjects.setdefault(key, Subject(title)).changes.append(change)
    for finding in compared.findings:
        for key, title, versions in _concerned(finding):
            subject = subjects.setdefault(key, Subject(title))
            subject.findings.append(finding)
            if is_break(finding):
                subject.broken.append(versions)
    for old, new in match_messages(compared.old, compared.new):
        key, _ = heading(new or old)
        if key in subjects:
            subjects[key].pairs.append((old, new))
    return subjects.values()


def _concerned(finding: Finding) -> Iterator[tuple[HeadingKey, str, VersionSet]]:
    """The APIs and messages that a finding concerns, with the versions."""
    if not finding.message_name:
        return
    own = heading_of(finding.message_type, finding.message_name, finding.api_key, finding.api)
    yield *own, finding.versions
    for each in finding.reached:
        yield *heading_of(each.type, each.name, each.api_key, each.name), each.versions


def _others(subject: Subject, said: Collection[int]) -> Iterator[ProtocolChange]:
    """The changes that neither findings nor sentences name, without changes of text.

    `said` are the ids of those that are in sentences about fields.
    """
    at = {
        place
        for each in subject.findings
        for place in (each.location, each.previous)
        if place is not None
    }
    named = {(each.message_name, each.field) for each in subject.findings if each.field}
    removed = union(each.versions for each in subject.changes if each.kind == "versions-removed")
    for change in subject.changes:
        name = "" if change.message is None else change.message.name
        is_found = (name, change.field) in named or at & {change.location, change.previous}
        # What only removed versions had ends with them.
        is_implied = change.versions and removed.covers(change.versions)
        is_said = change.kind in SAID or id(change) in said
        is_shown = change.effect != TEXT and change.kind not in STRUCTS
        if is_shown and not (is_found or is_implied or is_said):
            yield change


def _is_note(finding: Finding) -> bool:
    return finding.severity is Severity.INFO and finding.waived is None
