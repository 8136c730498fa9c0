"""A change as its reviewer sees it: the one model from which every format of the report is made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from wirebook.rules.diff.kinds import TEXT, ProtocolChange
from wirebook.rules.diff.protocols import protocol_changes
from wirebook.rules.finding import Category, Finding, Severity
from wirebook.rules.match import match_messages
from wirebook.rules.released import released_of
from wirebook.rules.report.acts import Pair, Section, section_of
from wirebook.rules.report.changes import change_to_json
from wirebook.rules.report.words import grouped, heading, heading_of
from wirebook.rules.result import CheckResult, Judged, tally
from wirebook.specs.model import Protocol
from wirebook.specs.printable import number_of

SCHEMA = "wirebook/report/1"


@dataclass(frozen=True)
class Report:
    """A change as a reviewer sees it; every format is a function of this object only.

    `changes` are all changes. All strings may contain text of a spec: they are untrusted and plain.
    """

    result: CheckResult
    sections: tuple[Section, ...] = ()
    changes: tuple[ProtocolChange, ...] = ()

    @cached_property
    def verdict(self) -> tuple[str, str]:
        """The verdict in a word, one of those of rules/schema/report.json, and in a sentence.

        A break that a waiver accepts is still one.
        """
        result = self.result
        kinds = {change.kind for change in self.changes}
        if result.unchecked:
            return "incomplete", "Not everything could be checked: this is not a verdict"
        if result.failed:
            errors = [each for each in self.findings if each.severity is Severity.ERROR]
            failing = {each.category for each in errors if each.waived is None}
            is_invalid = failing <= {Category.SPEC, Category.SET}
            words = (
                "The specs are not valid" if is_invalid else "This change breaks what was promised"
            )
            return "breaking", words
        if self.accepting:
            return "accepted", self.accepting
        is_unreleased = all(project.released.is_nothing for project in result.projects)
        if kinds & {"versions-removed", "message-removed"} and not is_unreleased:
            return "warnings", "Nothing that was released is misread, but versions are removed"
        if result.summary["warning"]:
            return "warnings", "Nothing that was released breaks"
        if not self.is_compared:
            return "sound", "There is no older protocol to compare with"
        if not self.changes:
            return "unchanged", "The protocol does not change"
        if self.has_only_texts:
            return "sound", "Only what people read changes"
        return "sound", "Nothing that was released breaks"

    @property
    def accepting(self) -> str:
        """The number of breaks that waivers accept, in words; "" for none."""
        waived = [each for each in self.findings if each.waived is not None]
        count = sum(each.severity is Severity.ERROR for each in waived)
        by = "a waiver in this change" if self.result.accepted == count else "a waiver"
        are = "is" if count == 1 else "are"
        return f"{number_of(count, 'break')} {are} accepted by {by}" if count else ""

    @property
    def headline(self) -> str:
        """The verdict in one line, with the number of findings."""
        state, words = self.verdict
        findings = tally(self.result)
        is_more = self.accepting and state != "accepted"
        more = f"; {self.accepting}" if is_more else ""
        return f"{words}{f': {findings}' if findings else ''}{more}."

    @property
    def is_compared(self) -> bool:
        """Whether there is a base."""
        return any(each.base is not None for each in self.result.projects)

    @property
    def has_only_texts(self) -> bool:
        """Whether every change only affects what people read."""
        return all(change.effect == TEXT for change in self.changes)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to review: only texts change, and nothing is found or
        unchecked."""
        result = self.result
        is_said = result.findings or result.unchecked or result.policy_changes
        return self.is_compared and self.has_only_texts and not is_said

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What needs a decision: errors and warnings, worst first, then what is waived."""
        return tuple(each for each in self.result.ordered if not _is_note(each))

    @cached_property
    def notes(self) -> tuple[Finding, ...]:
        """The unwaived findings for information: they require no action."""
        return tuple(filter(_is_note, self.result.ordered))

    def to_json(self) -> dict[str, Any]:
        """The report as wirebook/report/1: wirebook/findings/1 with the verdict, the APIs and the
        changes."""
        return self.result.to_json() | {
            "schema": SCHEMA,
            "verdict": {"state": self.verdict[0], "words": self.headline},
            "apis": [
                {"about": section.title, "acts": list(section.acts), "fields": list(section.fields)}
                for section in self.sections
            ],
            "changes": [change_to_json(change) for change in self.changes],
        }


def report_of(result: CheckResult) -> Report:
    """The report on what a check compared, project by project."""
    sections: list[Section] = []
    every: list[ProtocolChange] = []
    for project in result.projects:
        if project.base is not None:
            old, new, _ = project.tables
            changes = protocol_changes(project.base, project.head, old.levels, new.levels)
            sections += _sections(project, project.base, changes)
            every += changes
    return Report(result, tuple(each for each in sections if each.texts), tuple(every))


def _sections(
    project: Judged, base: Protocol, changes: Sequence[ProtocolChange]
) -> Iterator[Section]:
    """The APIs, and the messages outside any API, that change or that findings concern."""
    changed = grouped(changes, lambda change: heading(change.message))
    concerned = grouped(
        [each for finding in project.findings for each in (finding, *finding.reached)],
        lambda each: heading_of(each.message_type, each.message_name, each.api_key),
    )
    # The request decides which version is sent: responses follow.
    pairs = sorted(match_messages(base, project.head), key=_type_of, reverse=True)
    deciding = {heading(new or old): (old, new) for old, new in pairs}
    released = released_of(project.released, base)
    for title in {**changed, **concerned}:
        yield section_of(
            title,
            deciding.get(title),
            changed.get(title, ()),
            concerned.get(title, ()),
            released,
        )


def _type_of(pair: Pair) -> str:
    message = pair[1] or pair[0]
    return message.type if message is not None else ""


def _is_note(finding: Finding) -> bool:
    return finding.severity is Severity.INFO and finding.waived is None
