"""What a repository already practises: findings that its other specs speak against are dropped or lowered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from wirebook.rules.finding import Finding, Severity
from wirebook.rules.pairs.kinds import OneField
from wirebook.rules.pairs.walk import walk_fields
from wirebook.rules.rule import find
from wirebook.specs.model import Message, Protocol
from wirebook.specs.reading.reader import REQUIRED_KEYS

# Rules on what the format requires today, but earlier generators did not.
TOLERATED_BY_PRECEDENT = ("missing-key", "unknown-key", "unknown-listener", "unknown-entity-type")
# The severity of such findings depends on unchanged files.


def customary(finding: Finding) -> bool:
    """Whether an error concerns something that the format requires today but older specs lack.

    Keys that the reader needs to build a message are excluded.
    """
    return (
        finding.severity is Severity.ERROR
        and finding.rule in TOLERATED_BY_PRECEDENT
        and bool(finding.discriminator)
        and finding.discriminator not in REQUIRED_KEYS
    )


def by_precedent(
    findings: Iterable[Finding], old: Protocol, newest: Callable[[], Protocol] = lambda: Protocol(())
) -> Iterator[Finding]:
    """The findings without those about things that the old side or the newest release has elsewhere, too.

    These are requirements that other files also violate, and names that other files also use: the generator
    of that repository accepts them.
    """
    precedents: dict[str, set[str]] = {}
    for finding in findings:
        if customary(finding):
            if finding.rule not in precedents:
                both = (*old, *newest())
                precedents[finding.rule] = _discriminators(finding.rule, both)
            if finding.discriminator in precedents[finding.rule]:
                continue
        yield finding


def _discriminators(name: str, messages: Iterable[Message]) -> set[str]:
    """The discriminators of the findings of a rule on single files or fields anywhere in some messages."""
    rule = find(name)
    if rule is None:
        return set()
    fields = rule.on is OneField
    things: Iterable[object] = chain.from_iterable(map(walk_fields, messages)) if fields else messages
    return {hit.discriminator for thing in things for hit in rule.check(thing)}
