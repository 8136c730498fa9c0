"""The judgements of an audit, one after another, with the functions of `wirebook check`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wirebook.docgen.catalog.audit_records import AuditFinding
from wirebook.docgen.pipeline.commits import AuditStep, History
from wirebook.rules.engine import check, without_consequences
from wirebook.rules.finding import Category, Finding, Place, Severity
from wirebook.rules.released import Baseline
from wirebook.specs.discovery import SpecText
from wirebook.specs.json_records import from_json
from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.reader import read_message

UNREADABLE = "unreadable-spec"
_STEP = ("kind", "name", "commit", "date", "subject", "against")


class Judge:
    """Reads each text once, regardless of how many commits contain it, and judges steps."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.read: dict[tuple[str, str], Message | InputError] = {}
        self.protocols: dict[str, Protocol] = {}
        self.releases: dict[str, Baseline] = {}

    def judge(self, step: AuditStep) -> list[Finding]:
        """The findings of one step. A text that cannot be read at all is one, too."""
        after = self.history.specs[step.commit]
        before = () if step.old is None else self.history.specs[step.old]
        new = self.protocol(step.commit)
        old = None if step.old is None else self.protocol(step.old)
        # Before the first release nothing is frozen; no baselines at all would freeze base.
        baselines = [Baseline("", Protocol(())), *map(self.release, step.baselines)]
        judged = without_consequences(check(old, new, baselines))
        was_broken = {text.path for text in before if isinstance(self.message(text), InputError)}
        broken = [
            error
            for error in map(self.message, after)
            if isinstance(error, InputError) and error.path not in was_broken
        ]
        return [*map(_unreadable, broken), *judged]

    def protocol(self, commit: str) -> Protocol:
        """What can be read of the specs of a commit."""
        if commit not in self.protocols:
            read = map(self.message, self.history.specs[commit])
            self.protocols[commit] = Protocol.of(each for each in read if isinstance(each, Message))
        return self.protocols[commit]

    def release(self, name: str) -> Baseline:
        """What a release freezes."""
        if name not in self.releases:
            self.releases[name] = Baseline(name, self.protocol(self.history.releases[name]))
        return self.releases[name]

    def message(self, text: SpecText) -> Message | InputError:
        """The message of a text, or why it cannot be read."""
        key = (text.path, text.digest)
        if key not in self.read:
            profile = self.history.profile
            try:
                self.read[key] = read_message(text.text, text.path, strict=False, profile=profile)
            except InputError as error:
                self.read[key] = error
        return self.read[key]


def judge_steps(history: History, steps: Iterable[AuditStep]) -> Iterator[list[AuditFinding]]:
    """The findings of each step, as records."""
    judge = Judge(history)
    for step in steps:
        of_step = {name: getattr(step, name) for name in _STEP}
        yield [
            from_json(AuditFinding, {**finding.to_json(), **of_step})
            for finding in judge.judge(step)
        ]


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
