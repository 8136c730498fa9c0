"""Drops or lowers findings that other findings explain: one cause, one finding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from wirebook.rules.finding import Concerned, Finding, Severity
from wirebook.rules.pairs.kinds import ApiPair, OneField
from wirebook.rules.pairs.walk import walk_fields
from wirebook.rules.rule import declared, find
from wirebook.specs.model import Message, Protocol
from wirebook.specs.reading.reader import REQUIRED_KEYS

# Rules on what the format requires today, but earlier generators did not.
TOLERATED_BY_PRECEDENT = ("missing-key", "unknown-key", "unknown-listener", "unknown-entity-type")
# The severity of such findings depends on unchanged files.
OF_ALL_FILES = (*TOLERATED_BY_PRECEDENT, "listener-withdrawn")


def of_one_cause(
    fresh: Sequence[Finding], found: Iterable[Finding], pairs: Iterable[tuple[Message, Message]]
) -> Iterator[Finding]:
    """The findings on single files without those that follow from another finding (see Rule.follows).

    If an erroneous change of the message makes unchanged fields wrong, only the first of these is reported.
    If a change of one half of an API is an error, the difference between the halves is not reported.
    """
    errors = [finding for finding in (*found, *fresh) if finding.severity is Severity.ERROR]
    of_messages = {(error.rule, error.message_type, error.message_name) for error in errors}
    of_apis = {(error.rule, error.api_key) for error in errors}
    reported: set[tuple[str, str, str]] = set()
    unchanged: dict[tuple[str, str, str], frozenset[str]] = {}
    for finding in fresh:
        rule = declared(finding.rule)
        follows = () if rule is None else rule.follows
        if rule is not None and rule.on is ApiPair:
            if any((name, finding.api_key) in of_apis for name in follows):
                continue
        else:
            causes = [(name, finding.message_type, finding.message_name) for name in follows]
            cause = next((cause for cause in causes if cause in of_messages), None)
            if cause is not None and cause not in unchanged:
                unchanged[cause] = frozenset(_unchanged_fields(cause, pairs))
            if cause is not None and finding.field in unchanged[cause]:
                if cause in reported:
                    continue
                reported.add(cause)
        yield finding


def once_per_struct(found: Iterable[Finding]) -> Iterator[Finding]:
    """The findings on changes without repeated reports that the same struct is renamed."""
    reported: set[tuple[str, str, str]] = set()
    for item in found:
        if item.rule == "struct-renamed":
            key = (item.message_type, item.message_name, item.discriminator)
            if key in reported:
                continue
            reported.add(key)
        yield item


def once_per_number(found: Iterable[Finding]) -> Iterator[Finding]:
    """The findings on tables, those on an entry that several fields share only once, the worst of them."""
    entries: dict[tuple[object, ...], Finding] = {}
    for item in found:
        key = (item.rule, item.discriminator, item.location, item.previous)
        known = entries.get(key)
        if known is None or item.severity.rank < known.severity.rank:
            entries[key] = item
    yield from entries.values()


def at_both(found: Iterable[Finding], moved: Iterable[tuple[Message, Message]]) -> Iterator[Finding]:
    """The findings, each with both specs if its message was moved or renamed."""
    pairs: dict[tuple[str, str], list[tuple[Concerned, Concerned]]] = {}
    for old, new in moved:
        both = Concerned(new.name, new.path), Concerned(old.name, old.path)
        pairs.setdefault((new.type, new.name), []).append(both)
    for item in found:
        here = item.location and item.location.path
        there = item.previous and item.previous.path
        more = [
            spec
            for new, old in pairs.get((item.message_type, item.message_name), ())
            if here == new.path or there == old.path or here is there is None
            for spec in (new, old)
        ]
        yield replace(item, others=(*item.others, *more)) if more else item


def once_per_api(found: Iterable[Finding]) -> Iterator[Finding]:
    """The findings on changes without those on responses that only repeat one on the request.

    The one on the request then concerns the response, too.
    """
    findings = list(found)
    per_api = {rule.name for rule in map(declared, {item.rule for item in findings}) if rule and rule.per_api}
    requests = {
        (item.rule, item.api_key): item.versions
        for item in findings
        if item.message_type == "request" and item.rule in per_api
    }
    repeated: dict[tuple[str, int | None], list[Concerned]] = {}
    kept: list[Finding] = []
    for item in findings:
        key = (item.rule, item.api_key)
        reported = requests.get(key) if item.message_type == "response" else None
        if reported is None or not reported.covers(item.versions):
            kept.append(item)
        else:
            repeated.setdefault(key, []).extend(item.specs)
    for item in kept:
        more = repeated.get((item.rule, item.api_key)) if item.message_type == "request" else None
        yield item if more is None else replace(item, others=(*item.others, *more))


def _unchanged_fields(cause: tuple[str, str, str], pairs: Iterable[tuple[Message, Message]]) -> Iterator[str]:
    """The paths of the fields of a message whose ranges are unchanged."""
    for old, new in pairs:
        if (new.type, new.name) == cause[1:]:
            previous = {of.path: (of.field.versions, of.field.tagged_versions) for of in walk_fields(old)}
            for of in walk_fields(new):
                if previous.get(of.path) == (of.field.versions, of.field.tagged_versions):
                    yield of.path


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
    found: Iterable[Finding], old: Protocol, newest: Callable[[], Protocol] = lambda: Protocol(())
) -> Iterator[Finding]:
    """The findings without those about things that the old side or the newest release has elsewhere, too.

    These are requirements that other files also violate, and names that other files also use: the generator
    of that repository accepts them.
    """
    precedents: dict[str, set[str]] = {}
    for finding in found:
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


def removed_listeners(found: Iterable[Finding], new: Protocol) -> Iterator[Finding]:
    """The findings, with those on a listener that no spec has any more lowered to notes.

    Such a listener is removed as a whole, unless it is one that the format defines today.
    """
    current = (word for message in new for word in message.profile.listeners or ())
    used = {*current, *(word for message in new for word in message.listeners)}
    for finding in found:
        if finding.rule == "listener-withdrawn" and used.isdisjoint(finding.discriminator.split()):
            finding = replace(finding, severity=Severity.INFO)
        yield finding
