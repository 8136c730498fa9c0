"""Grades findings and deprecations by use: what clients of a fleet still send is more than a note."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wirebook.rules.finding import Category, Finding, Severity
from wirebook.rules.usage.model import FleetUse
from wirebook.rules.usage.reading import Usage
from wirebook.rules.usage.words import used
from wirebook.specs.model import Message, Protocol
from wirebook.specs.versions import VersionSet

REMOVALS = frozenset(
    ("lowest-version-raised", "highest-version-lowered", "removed-without-deprecation", "message-deleted")
)
"""The rules that report versions which clients can no longer send."""


@dataclass(frozen=True, slots=True)
class Deprecation:
    """Versions that a change deprecates, and who sends them."""

    message: Message
    versions: VersionSet
    use: FleetUse

    def to_json(self) -> dict[str, Any]:
        """The deprecation as wirebook/findings/1 has it."""
        return {
            "message_name": self.message.name,
            "api_key": self.message.api_key,
            "versions": self.versions.text,
            "use": self.use.to_json(),
        }


@dataclass(frozen=True, slots=True)
class FleetGrades:
    """What a check knows of the fleet in addition to the use of its findings.

    `others` are APIs whose keys belong to other APIs in the fleet: their use is unknown.
    """

    usage: Usage
    deprecations: tuple[Deprecation, ...]
    others: tuple[str, ...] = ()

    @property
    def notices(self) -> tuple[str, ...]:
        """Sentences on deprecated versions that are in use, and on what is unknown."""
        sentences = [
            f"{deprecation.message.name} deprecates versions {deprecation.versions}: {used(deprecation.use)}"
            for deprecation in self.deprecations
            if deprecation.use.cuts_off
        ]
        if self.others:
            names = ", ".join(self.others)
            sentences.append(
                f"the fleet has other APIs under the keys of {names}: they are not graded by use"
            )
        return (*sentences, *self.usage.notices)

    def to_json(self) -> dict[str, Any]:
        """The key `fleet` of wirebook/findings/1."""
        return {
            **self.usage.to_json(),
            "deprecations": [deprecation.to_json() for deprecation in self.deprecations],
        }


def grades(compared: Sequence[tuple[Protocol | None, Protocol]], usage: Usage) -> FleetGrades:
    """What a check reports about the fleet for some protocols, each with its old and its new side."""
    keyed = [entry for _, new in compared for entry in _requests(new.messages).items()]
    others = dict.fromkeys(message.api for key, message in keyed if usage.is_other(key, message.api))
    return FleetGrades(usage, tuple(_deprecations(compared, usage)), tuple(others))


def graded(findings: Iterable[Finding], usage: Usage) -> list[Finding]:
    """The findings with the use of the versions that they are about; identities do not change.

    A note about a removal that clients would notice becomes a warning. Nothing becomes milder: clusters
    outside the fleet may send what it does not.
    """
    return [_graded(finding, usage) for finding in findings]


def _graded(finding: Finding, usage: Usage) -> Finding:
    if finding.category not in (Category.WIRE, Category.POLICY) or not finding.versions:
        return finding
    if finding.message_type not in ("request", "response"):
        return finding
    use = usage.of(finding.api_key, finding.api, finding.versions)
    if use is None:
        return finding
    is_more = use.cuts_off and finding.rule in REMOVALS and finding.severity is Severity.INFO
    return finding._replace(use=use, severity=Severity.WARNING if is_more else finding.severity)


def _deprecations(
    compared: Iterable[tuple[Protocol | None, Protocol]], usage: Usage
) -> Iterator[Deprecation]:
    """The versions of requests that are deprecated on the new side only."""
    for old, new in compared:
        before = _requests(old.messages if old is not None else ())
        for key, message in _requests(new.messages).items():
            earlier = before.get(key)
            if earlier is None:
                continue
            old_versions = earlier.deprecated_versions
            marked = VersionSet.union(message.deprecated_versions) - VersionSet.union(old_versions)
            marked &= VersionSet.union(message.valid_versions)
            use = usage.of(key, message.api, marked) if marked else None
            if use is not None:
                yield Deprecation(message, marked, use)


def _requests(messages: Sequence[Message]) -> Mapping[int, Message]:
    return {
        message.api_key: message
        for message in messages
        if message.type == "request" and message.api_key is not None
    }
