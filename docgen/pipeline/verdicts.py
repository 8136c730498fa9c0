"""The judgements of an audit, one after another, with the functions of `wirebook check`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

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


def judge_steps(history: History, steps: Iterable[AuditStep]) -> Iterator[list[AuditFinding]]:
    """The findings of each step, as records. Each text is read once, regardless of how many commits
    contain it; one that cannot be read at all is a finding, too."""
    read: dict[tuple[str, str], Message | InputError] = {}

    def message(text: SpecText) -> Message | InputError:
        """The message of a text, or why it cannot be read."""
        key = (text.path, text.digest)
        if key not in read:
            try:
                read[key] = read_message(
                    text.text, text.path, strict=False, profile=history.profile
                )
            except InputError as error:
                read[key] = error
        return read[key]

    @cache
    def protocol(commit: str) -> Protocol:
        """What can be read of the specs of a commit."""
        messages = map(message, history.specs[commit])
        return Protocol.of(each for each in messages if isinstance(each, Message))

    @cache
    def baseline(release: str) -> Baseline:
        """What a release freezes."""
        return Baseline(release, protocol(history.releases[release]))

    def broken(commit: str | None) -> list[InputError]:
        texts = history.specs[commit] if commit is not None else ()
        return [error for error in map(message, texts) if isinstance(error, InputError)]

    for step in steps:
        old = None if step.old is None else protocol(step.old)
        # Before the first release nothing is frozen; no baselines at all would freeze base.
        baselines = [Baseline("", Protocol(())), *map(baseline, step.baselines)]
        judged = without_consequences(check(old, protocol(step.commit), baselines))
        was_broken = {error.path for error in broken(step.old)}
        errors = [error for error in broken(step.commit) if error.path not in was_broken]
        of_step = {name: getattr(step, name) for name in _STEP}
        yield [
            from_json(AuditFinding, {**finding.to_json(), **of_step})
            for finding in (*map(_unreadable, errors), *judged)
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
