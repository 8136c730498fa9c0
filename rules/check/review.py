"""What a reviewer has to know of a change: verdict, findings, changes, new layouts, what clients must do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from wirebook.rules.diff.kinds import CODE, TEXT, ProtocolChange
from wirebook.rules.diff.layouts import layout_changes
from wirebook.rules.diff.protocols import protocol_changes
from wirebook.rules.finding import Category, Finding, Severity
from wirebook.rules.formats.changes import by_api, change_to_json
from wirebook.rules.formats.sentences import layout_sentence
from wirebook.rules.grouping import Group
from wirebook.rules.pairs.match import match_messages
from wirebook.rules.result import CheckResult
from wirebook.specs.levels import Registry
from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions, VersionSet, counted
from wirebook.specs.wire.layout import MAX_VERSIONS, Layout, layout

SCHEMA = "wirebook/report/1"
TABLES = 3  # new versions of one message that are laid out; of more, the newest


@dataclass(frozen=True)
class NewVersion:
    """A version that the change brings: its layout, and in words how it differs from the version before."""

    layout: Layout
    before: int | None
    changes: tuple[str, ...]


@dataclass(frozen=True)
class Advice:
    """What those who write clients and brokers have to do about one API, a sentence each."""

    title: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class ReviewReport:
    """A change as a reviewer sees it; every format of the report is a function of this alone.

    All texts in it may hold text of a spec: they are untrusted and plain.
    """

    report: CheckResult
    changes: tuple[ProtocolChange, ...]
    versions: tuple[NewVersion, ...]
    advice: tuple[Advice, ...]

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
        return "sound" if self.changes else "unchanged"

    @property
    def verdict(self) -> str:
        """The verdict in a sentence."""
        errors, warnings = self.report.summary["error"], self.report.summary["warning"]
        words = all(change.effect == TEXT for change in self.changes)
        return {
            "incomplete": "Not everything could be checked: this is no verdict.",
            "breaking": f"This change breaks what was promised: {_number(errors, 'error')}.",
            "warnings": f"Nothing that was released breaks; {_number(warnings, 'warning')} to look at.",
            "sound": "Only what people read changes." if words else "Nothing that was released breaks.",
            "unchanged": "The protocol does not change.",
        }[self.state]

    @property
    def empty(self) -> bool:
        """Whether there is nothing to review: no change, no finding, and nothing that was not checked."""
        return not (self.changes or self.report.findings or self.report.unchecked)

    @cached_property
    def by_message(self) -> list[tuple[str, list[tuple[Group, str]]]]:
        """The findings with their fingerprints, under the name of their message, worst first.

        A group of findings that are alike has a heading of its own, and the fingerprint of the first.
        """
        found: dict[str, list[tuple[Group, str]]] = {}
        # A group is in the place of its first finding, and equal findings are one group.
        marks = dict(zip(map(id, self.report.ordered), self.report.fingerprints, strict=True))
        for group in self.report.groups:
            first = group[0]
            title = first.message_name or "The files together"
            if len(group) > 1:
                names = len({item.message_name for item in group})
                title = f"{first.rule}: {len(group)} findings in {_number(names, 'message')}"
            found.setdefault(title, []).append((group, marks[id(first)]))
        return list(found.items())

    @cached_property
    def by_api(self) -> list[tuple[str, list[ProtocolChange]]]:
        """The changes under the headings of their APIs."""
        return by_api(self.changes)

    def to_json(self) -> dict[str, Any]:
        """The review as wirebook/report/1: the findings as wirebook/findings/1 has them, and the rest."""
        return {
            **self.report.to_json(),
            "schema": SCHEMA,
            "verdict": {"state": self.state, "words": self.verdict},
            "changes": [change_to_json(change) for change in self.changes],
            "new_versions": [
                {"layout": item.layout.to_json(), "before": item.before, "changes": list(item.changes)}
                for item in self.versions
            ],
            "advice": [{"about": item.title, "words": list(item.words)} for item in self.advice],
        }


def review(
    report: CheckResult,
    old: Protocol | None,
    new: Protocol,
    registries: tuple[Registry | None, Registry | None] = (None, None),
) -> ReviewReport:
    """The review of what a check compared: `old` and `new` are the messages that differ."""
    if old is None:
        return ReviewReport(report, (), (), ())
    changes = protocol_changes(old, new, *registries)
    pairs = list(match_messages(old, new))
    pairs.sort(key=lambda pair: _order(pair[1] or pair[0]))
    versions = [item for before, after in pairs for item in _new_versions(before, after)]
    told = {id(after): before for before, after in pairs if after is not None}
    advice = tuple(
        Advice(title, tuple(dict.fromkeys(words)))
        for title, part in by_api(changes)
        if (words := list(_advice(part, told, report.ordered)))
    )
    return ReviewReport(report, tuple(changes), tuple(versions), advice)


def _order(message: Message | None) -> tuple[bool, int, str, str]:
    assert message is not None
    key = message.api_key
    return (key is None, key or 0, message.type, message.name)


def _new_versions(old: Message | None, new: Message | None) -> Iterator[NewVersion]:
    if new is None or len(new.valid_versions) > MAX_VERSIONS:
        return
    was = Versions.NONE if old is None else old.valid_versions
    added = [version for version in new.valid_versions if version not in was]
    for version in added[-TABLES:]:
        try:
            made = layout(new, version)
            before = layout(new, version - 1) if version - 1 in new.valid_versions else None
        except InputError:
            # The spec has no layout there: a finding says why.
            continue
        words = [] if before is None else [layout_sentence(change) for change in layout_changes(before, made)]
        yield NewVersion(made, None if before is None else version - 1, tuple(words))


def _advice(
    changes: Sequence[ProtocolChange], told: dict[int, Message | None], findings: Sequence[Finding]
) -> Iterator[str]:
    """What follows from the changes of one API for others."""
    names = {change.message.name for change in changes if change.message}
    broken = [
        item
        for item in findings
        if item.message_name in names
        and item.severity is Severity.ERROR
        and item.category is Category.WIRE
        and item.waived is None
    ]
    if broken:
        versions = VersionSet.union(*(part for item in broken for part in item.versions.ranges))
        which = f" that speak {counted(versions)}" if versions else ""
        yield f"Peers{which} cannot follow this change: the findings say what to do instead."
    for change in changes:
        message = change.message
        if message is None:
            continue
        words = _told(change, message, told.get(id(message)))
        if words:
            yield words
    effects = {change.effect for change in changes}
    if CODE in effects:
        yield "Names or marks change: who generates code from the specs has to follow; the bytes stay."


def _told(change: ProtocolChange, message: Message, old: Message | None) -> str:
    """What one change asks of those on the other side of the wire; "" where nothing."""
    versions, kind = change.versions, change.kind
    many = len(versions) > 1
    shown = counted(versions).capitalize()
    request = message.type == "request"
    if kind == "message-added" and request:
        return f"A new API: before sending it, ask ApiVersions whether a broker has key {message.api_key}."
    if kind == "message-removed" and (request or message.type == "response"):
        return f"{message.name} is no longer described: nobody can rely on what it meant."
    if kind == "versions-added" and request:
        if message.latest_version_unstable and [*versions] == [message.valid_versions.highest]:
            return f"{shown} is new and not stable yet: do not rely on it."
        known = old is not None and bool(old.valid_versions)
        stay = f"; clients may go on with version {old.valid_versions.highest}" if old and known else ""
        return f"{shown} may be used where ApiVersions lists {'them' if many else 'it'}{stay}."
    if kind == "versions-removed" and request:
        left = message.valid_versions
        to = f"speak version {left.lowest} or a newer one" if left else "do without the API"
        return f"{shown} {'go' if many else 'goes'}: clients have to {to} before they meet such a broker."
    if kind == "versions-deprecated" and request:
        newer = message.valid_versions - message.deprecated_versions
        to = f"move to {counted(newer)}" if newer else "find another API"
        return f"{shown} {'are' if many else 'is'} going to be removed: {to} in time."
    if kind == "version-made-unstable":
        if old is None or message.valid_versions.highest not in old.valid_versions:
            return ""
        return f"{shown} may change from now on: do not rely on it."
    if kind == "version-made-stable":
        if not versions & VersionSet.union(message.valid_versions):
            return ""
        return f"{shown} does not change any more: it may be relied on."
    if kind == "listener-removed":
        return f"It is no longer answered on the {change.subject} listener."
    if kind == "flexible-versions-changed" and versions and message.valid_versions:
        return (
            f"{shown} of {message.name} {'change' if many else 'changes'} in how lengths are written and "
            "whether tagged fields follow, and so may the header."
        )
    if kind == "field-added" and versions and "tag " in str(change.new):
        return (
            f"{change.field} of {message.name} is tagged: readers that do not know it step over it; nothing "
            "to do."
        )
    return ""


def _number(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
