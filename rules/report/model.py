"""A change as its reviewer sees it: the one model from which every format of the report is made."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple

from wirebook.rules.diff.kinds import TEXT, ProtocolChange
from wirebook.rules.diff.protocols import protocol_changes
from wirebook.rules.finding import Category, Finding, Severity
from wirebook.rules.match import match_messages
from wirebook.rules.report.acts import SAID, Subject, acts, fate, is_break, union
from wirebook.rules.report.changes import change_to_json
from wirebook.rules.report.words import HeadingKey, grouped, heading, heading_of, of_half
from wirebook.rules.result import CheckResult, Judged, tally
from wirebook.specs.printable import enumerated, number_of
from wirebook.specs.versions import VersionSet

SCHEMA = "wirebook/report/1"
_FIELDS = "\0"  # in a text, where the fields that it is about are named


class State(StrEnum):
    """The verdict in a word, the worst first."""

    INCOMPLETE = "incomplete"
    BREAKING = "breaking"
    ACCEPTED = "accepted"
    WARNINGS = "warnings"
    SOUND = "sound"
    UNCHANGED = "unchanged"


class Section(NamedTuple):
    """What happens to an API, or to a message outside any API, in sentences.

    `acts` are about who must act, `fields` about what older peers make of new fields, and `changes`
    about what neither they nor a finding names, without changes of text.
    """

    title: str
    acts: tuple[str, ...]
    fields: tuple[str, ...]
    changes: tuple[str, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """All of it."""
        return (*self.acts, *self.fields, *self.changes)


@dataclass(frozen=True)
class Report:
    """A change as a reviewer sees it; every format is a function of this object only.

    `changes` are all changes. All strings may contain text of a spec: they are untrusted and plain.
    """

    result: CheckResult
    sections: tuple[Section, ...] = ()
    changes: tuple[ProtocolChange, ...] = ()

    @property
    def is_compared(self) -> bool:
        """Whether there is a base."""
        return any(each.base is not None for each in self.result.projects)

    @cached_property
    def state(self) -> State:
        """The verdict in a word. A break that a waiver accepts is still one."""
        result = self.result
        if result.unchecked:
            return State.INCOMPLETE
        if result.failed:
            return State.BREAKING
        if any(each.severity is Severity.ERROR for each in result.findings):
            return State.ACCEPTED
        if result.summary["warning"]:
            return State.WARNINGS
        return State.SOUND if self.changes or not self.is_compared else State.UNCHANGED

    @property
    def headline(self) -> str:
        """The verdict in one line, with the number of findings."""
        breaks = [each for each in self.result.findings if each.severity is Severity.ERROR]
        accepted = sum(each.waived is not None for each in breaks)
        by = "a waiver in this change" if self.result.accepted == accepted else "a waiver"
        are = "is" if accepted == 1 else "are"
        accepting = f"{number_of(accepted, 'break')} {are} accepted by {by}"
        words = {
            State.INCOMPLETE: "Not everything could be checked: this is not a verdict",
            State.BREAKING: "This change breaks what was promised",
            State.ACCEPTED: accepting,
            State.WARNINGS: "Nothing that was released breaks",
            State.SOUND: self._sound(),
            State.UNCHANGED: "The protocol does not change",
        }[self.state]
        failing = {each.category for each in breaks if each.waived is None}
        if self.state is State.BREAKING and failing <= {Category.SPEC, Category.SET}:
            words = "The specs are not valid"
        found = tally(self.result)
        more = f"; {accepting}" if accepted and self.state is not State.ACCEPTED else ""
        return f"{words}{f': {found}' if found else ''}{more}."

    def _sound(self) -> str:
        if not self.is_compared:
            return "There is no older protocol to compare with"
        if self.has_only_texts:
            return "Only what people read changes"
        kinds = {change.kind for change in self.changes}
        if kinds & {"versions-removed", "message-removed"}:
            return "Nothing breaks, but versions are removed"
        return "Nothing that was released breaks"

    @property
    def empty(self) -> bool:
        """Whether there is nothing to review: only texts change, and nothing is found or
        unchecked."""
        result = self.result
        is_said = result.findings or result.unchecked or result.policy_changes
        return self.is_compared and self.has_only_texts and not is_said

    @property
    def has_only_texts(self) -> bool:
        """Whether every change only affects what people read."""
        return all(change.effect == TEXT for change in self.changes)

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


def report_of(result: CheckResult) -> Report:
    """The report on what a check compared, project by project."""
    sections: list[Section] = []
    changes: list[ProtocolChange] = []
    for project in result.projects:
        for subject in _subjects(project):
            changes += subject.changes
            section = _section(subject, is_unreleased=project.is_unreleased)
            if section.texts:
                sections.append(section)
    return Report(result, tuple(sections), tuple(changes))


def _subjects(project: Judged) -> Iterable[Subject]:
    """The APIs, and the messages outside any API, that change or that findings concern."""
    if project.base is None:
        return ()
    subjects: dict[HeadingKey, Subject] = {}
    for change in protocol_changes(project.base, project.head, *project.registries):
        key, title = heading(change.message)
        subjects.setdefault(key, Subject(title)).changes.append(change)
    for finding in project.findings:
        for key, title, versions in _concerned(finding):
            subject = subjects.setdefault(key, Subject(title))
            subject.findings.append(finding)
            if is_break(finding):
                subject.broken.append(versions)
    for old, new in match_messages(project.base, project.head):
        key, _ = heading(new or old)
        if key in subjects:
            subjects[key].pairs.append((old, new))
    return subjects.values()


def _concerned(finding: Finding) -> Iterator[tuple[HeadingKey, str, VersionSet]]:
    """The APIs and messages that a finding concerns, with the versions."""
    if finding.message_name:
        own = heading_of(finding.message_type, finding.message_name, finding.api_key, finding.api)
        yield *own, finding.versions
        for each in finding.reached:
            yield *heading_of(each.type, each.name, each.api_key, each.name), each.versions


def _section(subject: Subject, *, is_unreleased: bool) -> Section:
    """The sentences about a subject: each change is in one of them, unless a finding names it."""
    places = [(each.location, each.previous) for each in subject.findings]
    at = {place for both in places for place in both if place is not None}
    named = {(each.message_name, each.field) for each in subject.findings if each.field}
    removed = union([each.versions for each in subject.changes if each.kind == "versions-removed"])
    broken = union(subject.broken)
    fates: list[tuple[str, str, str]] = []
    others: list[tuple[str, str, str]] = []
    for change in subject.changes:
        half = of_half(change.message)
        is_found = _is_named(change, named) or at & {change.location, change.previous}
        # What only removed versions had ends with them.
        is_implied = change.versions and removed.covers(change.versions)
        if words := fate(subject, change, broken):
            fields = f"{change.field} ({change.new or change.old})"
            fates.append((half, fields, f"{_FIELDS}, {words}."))
        elif not (change.effect == TEXT or change.kind in SAID or is_found or is_implied):
            text = replace(change, field=_FIELDS if change.field else "").sentence
            others.append((half, change.field, f"{text}."))
    said = acts(subject, is_unreleased=is_unreleased)
    return Section(subject.title, tuple(said), _together(fates), _together(others))


def _is_named(change: ProtocolChange, named: Collection[tuple[str, str]]) -> bool:
    return change.message is not None and (change.message.name, change.field) in named


def _together(items: Iterable[tuple[str, str, str]]) -> tuple[str, ...]:
    """Sentences, each about all fields for which it is true; its half of an API is named if it is
    not about both.

    An item is a half, a field, and a text with _FIELDS where the fields are named.
    """
    sentences: list[tuple[str, str]] = []
    for (half, text), some in grouped(items, lambda item: (item[0], item[2])).items():
        names = enumerated([field for _, field, _ in some])
        sentences.append((half, text.replace(_FIELDS, names)))
    halves = grouped(sentences, lambda pair: pair[1])
    texts = [f"{'' if both[1:] else both[0][0]}{text}" for text, both in halves.items()]
    return tuple(f"{text[0].upper()}{text[1:]}" for text in texts)


def _is_note(finding: Finding) -> bool:
    return finding.severity is Severity.INFO and finding.waived is None
