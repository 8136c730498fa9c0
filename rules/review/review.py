"""A change as its reviewer sees it: verdict, findings, what changed, what is missing, who must act."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from wirebook.rules.check.run import Compared
from wirebook.rules.diff.kinds import TEXT, ProtocolChange
from wirebook.rules.diff.protocols import protocol_changes, registry_changes
from wirebook.rules.finding import Category, Finding, Severity
from wirebook.rules.match import match_messages
from wirebook.rules.report.changes import by_api, heading
from wirebook.rules.result import CheckResult, tally
from wirebook.rules.review.consequences import Cause, Consequence, consequences
from wirebook.rules.review.layouts import LayoutDiff
from wirebook.rules.review.missing import Missing, Registries, missing
from wirebook.rules.review.overview import ApiOverview, overviews
from wirebook.rules.review.patterns import Pattern, patterns
from wirebook.rules.site_address import site_address
from wirebook.specs.model import Message, Protocol
from wirebook.specs.profile import HALVES


@dataclass(frozen=True, eq=False, repr=False)
class ReviewReport:
    """A change as a reviewer sees it; every format of the report is a function of this object only.

    `known` are the names of the APIs of the old side by their headings, `site` is the address of the site, ""
    for none. If not `is_compared`, there is no old side. All strings may contain text of a spec: they are
    untrusted and plain.
    """

    report: CheckResult
    changes: tuple[ProtocolChange, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    apis: tuple[ApiOverview, ...] = ()
    missing: tuple[Missing, ...] = ()
    consequences: tuple[Consequence, ...] = ()
    known: Mapping[str, str] = field(default_factory=dict)
    site: str = ""
    is_compared: bool = True

    @property
    def state(self) -> str:
        """The verdict in a word: "incomplete", "breaking", "warnings", "sound" or "unchanged"."""
        summary = self.report.summary
        if self.report.unchecked:
            return "incomplete"
        if summary["error"]:
            return "breaking"
        if summary["warning"]:
            return "warnings"
        return "sound" if self.changes or not self.is_compared else "unchanged"

    @property
    def verdict(self) -> str:
        """The verdict in a sentence."""
        found = tally(self.report)
        accepted = self.report.accepted
        words = {
            "incomplete": "Not everything could be checked: this is not a verdict.",
            "breaking": f"{self._broken}: {found}.",
            "warnings": f"Nothing that was released breaks: {found}.",
            "sound": self._sound,
            "unchanged": "The protocol does not change.",
        }[self.state]
        if not accepted:
            return words
        breaks = f"{number(accepted, 'break')} {'is' if accepted == 1 else 'are'}"
        by_waiver = f"{breaks} accepted by a waiver in this change."
        return by_waiver if self.state == "sound" else f"{words} {by_waiver}"

    @property
    def _broken(self) -> str:
        categories = {
            finding.category
            for finding in self.report.findings
            if finding.severity is Severity.ERROR and finding.waived is None
        }
        is_invalid = categories <= {Category.SPEC, Category.SET}
        return "The specs are not valid" if is_invalid else "This change breaks what was promised"

    @property
    def _sound(self) -> str:
        if not self.is_compared:
            return "There is no older protocol to compare with."
        if self.text_changes == len(self.changes):
            return "Only what people read changes."
        if any(consequence.cause is Cause.REMOVED for consequence in self.consequences):
            return "No errors, but versions are removed: see who must act."
        return "Nothing that was released breaks."

    @property
    def empty(self) -> bool:
        """Whether there is nothing to review: no change of specs or policy, nothing found or unchecked."""
        report = self.report
        is_same = self.is_compared and not self.changes
        return is_same and not (report.findings or report.unchecked or report.policy_changes)

    @property
    def counts(self) -> tuple[tuple[str, int], ...]:
        """The table of the verdict: a heading and a number each, of causes."""
        severities = (("errors", Severity.ERROR), ("warnings", Severity.WARNING), ("info", Severity.INFO))
        return (
            *((name, self.report.summary[severity.value]) for name, severity in severities),
            ("waived", self.report.summary["waived"]),
            ("not checked", len(self.report.unchecked)),
        )

    @cached_property
    def text_changes(self) -> int:
        """The number of changes that only affect what people read."""
        return sum(change.effect == TEXT for change in self.changes)

    @cached_property
    def other_apis(self) -> int:
        """The number of APIs that change only by patterns."""
        titles = {api.title for api in self.apis}
        return len({title for pattern in self.patterns for title in pattern.apis} - titles)

    @cached_property
    def added(self) -> tuple[LayoutDiff, ...]:
        """The added versions; for a message with many, the newest."""
        layouts = (diff for api in self.apis for message in api.messages for diff in message.layouts)
        return tuple(diff for diff in layouts if diff.added)

    @cached_property
    def notes(self) -> tuple[Finding, ...]:
        """The unwaived findings for information: they require no action."""
        return tuple(filter(_is_note, self.report.ordered))

    @property
    def waivable(self) -> bool:
        """Whether there is a finding that somebody may want to accept."""
        return any(finding.needs_waiver and finding.waived is None for finding in self.report.findings)

    @cached_property
    def by_message(self) -> list[tuple[str, list[tuple[Finding, str]]]]:
        """The findings except the notes, with fingerprints, by the name of their message, worst first."""
        by_title: dict[str, list[tuple[Finding, str]]] = {}
        for finding, mark in zip(self.report.ordered, self.report.fingerprints, strict=True):
            if not _is_note(finding):
                title = finding.message_name or "The files together"
                by_title.setdefault(title, []).append((finding, mark))
        return list(by_title.items())

    @cached_property
    def by_cause(self) -> list[tuple[Cause, list[Consequence]]]:
        """The consequences for others, by cause, the most urgent first."""
        groups: dict[Cause, list[Consequence]] = {}
        for consequence in self.consequences:
            groups.setdefault(consequence.cause, []).append(consequence)
        return list(groups.items())

    @cached_property
    def by_api(self) -> list[tuple[str, list[ProtocolChange]]]:
        """All changes under the headings of their APIs."""
        return by_api(self.changes)


def review(
    report: CheckResult,
    old: Protocol | None,
    new: Protocol,
    registries: Registries = (None, None),
    is_unreleased: bool = False,
) -> ReviewReport:
    """The review of what a check compared: `old` and `new` are the messages that differ.

    `is_unreleased` is whether the check knows that nothing is released yet.
    """
    if old is None:
        return ReviewReport(report, missing=missing(report.ordered, new, registries), is_compared=False)
    of_levels = registry_changes(*registries)
    changes = (*protocol_changes(old, new), *dict.fromkeys(of_levels))
    pairs = sorted(match_messages(old, new), key=lambda pair: _order(pair[1] or pair[0]))
    before = {id(after): one for one, after in pairs if after is not None}
    whom = consequences(
        changes,
        before,
        report.ordered,
        is_unreleased=is_unreleased,
    )
    alike = patterns(changes, {each.api for each in whom if each.cause is Cause.REMOVED})
    return ReviewReport(
        report,
        changes,
        alike,
        overviews(pairs, changes, alike),
        missing(report.ordered, new, registries),
        whom,
        {heading(message)[1]: message.api for message in old if message.type in HALVES},
        site_address(),
    )


def review_all(report: CheckResult, compared: Sequence[Compared]) -> ReviewReport:
    """The review of what a check compared, project by project."""
    each = [
        review(report, one.old, one.new, one.registries, is_unreleased=one.is_unreleased) for one in compared
    ]
    first = each[0]
    return replace(
        first,
        changes=tuple(change for one in each for change in one.changes),
        patterns=tuple(pattern for one in each for pattern in one.patterns),
        apis=tuple(api for one in each for api in one.apis),
        missing=tuple(dict.fromkeys(piece for one in each for piece in one.missing)),
        consequences=tuple(consequence for one in each for consequence in one.consequences),
        known={title: api for one in each for title, api in one.known.items()},
    )


def _is_note(finding: Finding) -> bool:
    return finding.severity is Severity.INFO and finding.waived is None


def _order(message: Message | None) -> tuple[bool, int, str, str]:
    assert message is not None
    key = message.api_key
    return (key is None, key or 0, message.type, message.name)


def number(count: int, word: str) -> str:
    """A number with its noun: "1 error", "2 errors"."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
