"""What executors do for an audit: one judgement after another, with the functions of `wirebook check`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wirebook.docgen.pipeline.commits import AuditStep, Listing
from wirebook.rules.agreement.patch import Comparisons
from wirebook.rules.engine import check, of_sets
from wirebook.rules.finding import Category, Finding, Place, Severity, sort
from wirebook.rules.precedents import by_precedent, customary
from wirebook.rules.released import Baseline
from wirebook.rules.roots import rooted, settled
from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.reading.reader import read_message

UNREADABLE = "unreadable-spec"
MANY = 10
TextNames = tuple[str, ...]
VerdictRow = dict[str, Any]


@dataclass(frozen=True, slots=True)
class StepBatch:
    """A run of judgements with all that they need: the specs of each commit and release, and the texts.

    The trees of releases hold only what the steps of this batch need from their baselines.
    """

    steps: Sequence[AuditStep]
    trees: Mapping[str, Listing]
    texts: Mapping[str, bytes]
    profile: Profile = NEUTRAL


def names_of(digest: str, path: str, text: bytes) -> tuple[str, TextNames]:
    """The digest, and the names of its message: type with API key, and type with name."""
    try:
        message = read_message(text, path, strict=False)
    except InputError:
        return digest, ()
    return digest, _names(message)


def read_names(texts: Iterable[tuple[str, str, bytes]]) -> Iterator[tuple[str, TextNames]]:
    """`names_of` every text."""
    for digest, path, text in texts:
        yield names_of(digest, path, text)


def touched(old: Listing, new: Listing, names: Mapping[str, TextNames]) -> set[str]:
    """The names of every message whose text differs between two trees, or is in only one of them."""
    return with_kin(name for entry in {*old} ^ {*new} for name in names[entry.digest])


def with_kin(names: Iterable[str]) -> set[str]:
    """These names, and those that the engine looks up in baselines for them: requests of responses, which
    declare whether those are stable, and plain data that became records of coordinators.
    """
    all_names = set(names)
    for kind, kin in (("response ", "request "), ("coordinator-value ", "data ")):
        all_names |= {f"{kin}{name.removeprefix(kind)}" for name in all_names if name.startswith(kind)}
    return all_names


class Judge:
    """Reads each text once, regardless of how many commits contain it, and judges steps."""

    def __init__(self, trees: Mapping[str, Listing], texts: Mapping[str, bytes], profile: Profile) -> None:
        self.trees = trees
        self.texts = texts
        self.profile = profile
        self.read: dict[tuple[str, str], Message | InputError] = {}
        self.comparisons = Comparisons()

    def judge(self, step: AuditStep) -> list[Finding]:
        """The findings of one step. A text that cannot be read at all is one, too."""
        new, broken = self.protocol(step.new, step.name)
        old = None
        if step.old is not None:
            old, before = self.protocol(step.old, step.against or "")
            broken_before = {error.path for error in before}
            broken = [error for error in broken if error.path not in broken_before]
        # Before the first release nothing is frozen; no baselines at all would freeze the old side.
        baselines = [Baseline("", Protocol(()))]
        baselines += [
            Baseline(name, self.protocol(f"{step.name} {name}", name)[0]) for name in step.baselines
        ]
        names = self.names(step)
        part_of_old = None if old is None else _part(old, names)
        findings = check(
            part_of_old, _part(new, names), baselines, together=False, comparisons=self.comparisons
        )
        # The practice of a project shows in all files, not only in those that changed.
        findings = list(_of_its_day(findings if old is None else by_precedent(findings, old)))
        judged = settled(rooted(sort([*findings, *of_sets(old, new)]), new))
        # An audit counts causes.
        return [*map(_unreadable, broken), *(item for item in judged if item.root is None)]

    def names(self, step: AuditStep) -> set[str]:
        """The names of the messages that a step touches, as far as they can be read."""
        old = () if step.old is None else self.trees[step.old]
        changed = {*old} ^ {*self.trees[step.new]}
        read = [self.message(entry.path, entry.digest) for entry in changed]
        return with_kin(name for message in read if isinstance(message, Message) for name in _names(message))

    def protocol(self, tree: str, name: str) -> tuple[Protocol, list[InputError]]:
        """What can be read of a tree, and what cannot."""
        read = [self.message(entry.path, entry.digest) for entry in self.trees[tree]]
        messages = [message for message in read if isinstance(message, Message)]
        return Protocol.of(messages, name), [message for message in read if isinstance(message, InputError)]

    def message(self, path: str, digest: str) -> Message | InputError:
        """The message of a text, or why it cannot be read."""
        message = self.read.get((path, digest))
        if message is None:
            try:
                message = read_message(self.texts[digest], path, strict=False, profile=self.profile)
            except InputError as error:
                message = error
            self.read[path, digest] = message
        return message


def judge_batches(batches: Iterable[StepBatch]) -> Iterator[list[VerdictRow]]:
    """The findings of every step as rows."""
    for batch in batches:
        judge = Judge(batch.trees, batch.texts, batch.profile)
        for step in batch.steps:
            yield [row(finding) for finding in judge.judge(step)]


def row(finding: Finding) -> VerdictRow:
    """A finding as its line in the output."""
    document = finding.to_json()
    del document["waived"]
    return document


def _names(message: Message) -> TextNames:
    kind, key = message.identity
    return (f"{kind} {key}", f"{kind} {message.name}")


def _part(protocol: Protocol, names: set[str]) -> Protocol:
    messages = tuple(message for message in protocol if not names.isdisjoint(_names(message)))
    return Protocol(messages, protocol.name)


def _of_its_day(judged: Iterable[Finding]) -> Iterator[Finding]:
    """What a whole set of files lacks and the format requires today is a warning: the generator of that
    time did not require it. A word that many files introduce at once was one of its own.
    """
    findings = list(judged)
    required_today = [finding for finding in findings if customary(finding)]
    files = Counter(
        (rule, subject)
        for rule, subject, _ in {(i.rule, i.discriminator, i.message_name) for i in required_today}
    )
    for finding in findings:
        if finding in required_today and files[finding.rule, finding.discriminator] >= MANY:
            finding = finding._replace(severity=Severity.WARNING)
        yield finding


def _unreadable(error: InputError) -> Finding:
    at = error.position
    return Finding(
        rule=UNREADABLE,
        severity=Severity.ERROR,
        category=Category.SPEC,
        message=f"the spec cannot be read: {error.message}",
        fix="write one JSON object, in the message format",
        message_name=(error.path or "").rsplit("/", 1)[-1].removesuffix(".json"),
        message_type="",
        location=Place(error.path or "", at.line if at else 1, at.column if at else 1),
    )
