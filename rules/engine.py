"""Judges what a change does: every rule on every part of it, and the breaks of released
versions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from wirebook.rules import breaks
from wirebook.rules.catalogue import named, rules_on
from wirebook.rules.change import short
from wirebook.rules.finding import Concerned, Finding, sort
from wirebook.rules.match import match_messages
from wirebook.rules.parts import (
    DeletedMessage,
    MessagePair,
    Part,
    ProtocolPair,
    Whole,
    apis,
    reserved_tags,
    walk,
    walk_fields,
    walk_structs,
)
from wirebook.rules.proof import Proofs
from wirebook.rules.released import (
    Baseline,
    Released,
    ReleasedSpec,
    first_release,
    released_of,
    unstable_tops,
)
from wirebook.rules.rule import Category, Hit, Rule, Severity
from wirebook.rules.tables import NO_TABLES, TablesPair
from wirebook.rules.validity.problems import unusable
from wirebook.rules.window import Window
from wirebook.specs.model import Message, Protocol
from wirebook.specs.printable import enumerated
from wirebook.specs.profile import HALVES
from wirebook.specs.versions import VersionSet, counted

# What the format requires today and earlier generators did not: what base has in another file is
# accepted.
CUSTOMARY = ("missing-key", "unknown-key", "unknown-listener", "bad-entity-type")
# Errors that leave a value without a meaning: what else is found on it follows from them.
_MEANINGLESS = (
    "bad-value",
    "missing-key",
    "unknown-key",
    "unknown-type",
)


def check(
    base: Protocol | None,
    head: Protocol,
    baselines: Sequence[Baseline] | Released = (),
    *,
    tables: TablesPair = NO_TABLES,
    everything: bool = False,
    deprecated_for: Window | None = None,
) -> list[Finding]:
    """Judge head by itself, against the releases, and against base if there is one.

    Without baselines, every stable version of base counts as released. `tables` are those of both
    sides and of the releases. Findings on single files or on all files together that base also had
    are left out unless `everything`. `deprecated_for` is how long a version stays deprecated before
    it is removed. The result is sorted by severity, then by place.
    """
    released = released_of(baselines, base)
    before = Protocol(()) if base is None else base
    protocols = ProtocolPair(before, head, tables, released, everything, deprecated_for)
    findings, pairs = _of_messages(protocols)
    if tables != NO_TABLES or any(each.lists_values for each in (*before, *head)):
        # Most protocols have no levels, and list no numbers.
        findings += judge(protocols) + _of_numbers(protocols)
    if everything:
        findings += judge_files(head, pairs) + judge_together(head)
    else:
        findings += _of_files(before, head, pairs)
    return sort(merged(findings))


class Scope(NamedTuple):
    """The message that findings are about, on both sides, and what decides their severity.

    `released` are the released versions, each with the first release that has it. `unstable` is the
    top version of base if it is marked unstable: what only it has is a note.
    """

    base: Message | None = None
    head: Message | None = None
    released: Mapping[int, str] = {}
    unstable: int | None = None


# That of what is judged in all messages together.
_EVERY_MESSAGE = Scope()


def _of_messages(protocols: ProtocolPair) -> tuple[list[Finding], list[MessagePair]]:
    """The findings on what changes from base to head, and the messages of both that differ."""
    released = protocols.released
    findings: list[Finding] = []
    pairs: list[MessagePair] = []
    tops = unstable_tops(protocols.base)
    matches = list(match_messages(protocols.base, protocols.head))
    matched = {head.identity for base, head in matches if base and head}
    for base, head in matches:
        if base is head:
            continue
        message = base or head
        assert message is not None
        identity = message.identity
        specs = released.specs(identity)
        versions = released.versions(identity)
        deprecated = released.deprecated(identity)
        unstable = tops.get(identity)
        scope = Scope(base, head, versions, unstable)
        if base is None:
            # A message that reuses the key of another one was never released under it.
            if identity not in matched:
                findings += _of_verdict(breaks.verdict_of(None, message, specs), scope)
        elif head is None:
            findings += judge(DeletedMessage(base, versions, deprecated, protocols), scope)
        else:
            pair = MessagePair(base, head, specs, versions, deprecated, unstable, protocols)
            findings += _of_pair(pair, scope)
            pairs.append(pair)
    return findings, pairs


def _of_pair(pair: MessagePair, scope: Scope) -> list[Finding]:
    """The findings on a message of both sides: its breaks, and every rule on every part of it."""
    base = pair.base
    head = pair.head
    if base == head and base.profile == head.profile:
        return []
    verdict = breaks.verdict_of(base, head, pair.specs)
    pair.alike = frozenset(verdict.alike)
    findings = [*_of_verdict(verdict, scope)]
    for part in walk(pair):
        findings += judge(part, scope)
    if base.name == head.name:
        return findings
    messages = tuple(Concerned(each.name, each.path) for each in (base, head))
    return [each._replace(others=(*each.others, *messages)) for each in findings]


def _of_numbers(protocols: ProtocolPair) -> list[Finding]:
    """The findings on numbers that change their meaning."""
    from wirebook.rules.values.numbers import number_pairs

    pairs = number_pairs(protocols)
    return [each for pair in pairs for each in judge(pair, Scope(head=pair.message))]


def _of_verdict(verdict: breaks.Verdict, scope: Scope) -> Iterator[Finding]:
    """The findings on what a patch breaks and restores."""
    proofs = Proofs()
    for broken in breaks.grouped(verdict.breaks):
        if not broken.releases:
            stable = broken.versions - {scope.unstable}
            broken = replace(broken, versions=stable or broken.versions)
        severity = Severity.ERROR if broken.releases else None
        rule = named(broken.rule)
        hit = next(rule.check(broken))
        hit = hit._replace(
            message=f"{hit.message}{broken.further}", versions=broken.versions, severity=severity
        )
        of_base = scope.base if broken.base_message is scope.base else None
        for finding in _of_hit(rule, hit, broken, scope._replace(base=of_base)):
            proof = proofs.of(broken) if finding.severity is Severity.ERROR else None
            yield finding._replace(releases=tuple(filter(None, broken.releases)), proof=proof)
    if verdict.restored and scope.head is not None:
        name = verdict.restored[min(verdict.restored)]
        hit = Hit(
            f"{counted(verdict.restored)} of {scope.head.name}: this restores what {name} had",
            "nothing to do: peers of these releases understand it again",
            verdict.restored,
            severity=Severity.INFO,
        )
        yield from _of_hit(
            named("layout-restored"), hit, Whole(scope.head), scope._replace(base=None)
        )


def _of_files(base: Protocol, head: Protocol, pairs: Sequence[MessagePair]) -> list[Finding]:
    """The findings on single files, and on all together, that base does not have."""
    unchanged = {id(message) for message in base}
    changed = Protocol(tuple(each for each in head if id(each) not in unchanged))
    names = {(message.type, message.name) for message in base}
    # Of two messages with one name or key, rules report the later one: the one that is added.
    added_last = tuple(sorted(head, key=lambda each: (each.type, each.name) not in names))
    findings = judge_files(changed, pairs)
    findings += judge_together(Protocol(added_last), changed)
    if not findings:
        return []
    of_base = judge_together(base)
    for pair in pairs:
        of_base += judge_file(pair.base, pair.specs)
    repeated = {(each.identity, each.message) for each in of_base}
    # Which of two keys counts, or where a spec ends, may be what the change of the file is about.
    findings = [
        each
        for each in findings
        if each.rule == "bad-json" or (each.identity, each.message) not in repeated
    ]
    if any(each.rule in CUSTOMARY for each in findings):
        # What other specs of base have was accepted by the generator of that time.
        of_base += judge_files(base)
    accepted = {
        (each.rule, each.discriminator)
        for each in of_base
        if each.rule in CUSTOMARY and each.severity is Severity.ERROR and each.discriminator
    }
    return [each for each in findings if (each.rule, each.discriminator) not in accepted]


def judge_files(messages: Iterable[Message], pairs: Sequence[MessagePair] = ()) -> list[Finding]:
    """The findings on each file by itself, some of them with their base and releases."""
    specs = {id(pair.head): pair.specs for pair in pairs}
    return [
        finding
        for message in messages
        for finding in judge_file(message, specs.get(id(message), ()))
    ]


def judge_file(message: Message, specs: Sequence[ReleasedSpec]) -> list[Finding]:
    """The findings on a file by itself; the tags that its released specs gave are reserved."""
    scope = Scope(head=message)
    findings = judge(message, scope)
    if unusable(message):
        # An unreadable value is one cause: the fields would be judged by missing values.
        return findings
    for part in (*walk_fields(message), *walk_structs(message, reserved_tags(specs))):
        findings += judge(part, scope)
    return findings


def judge_together(protocol: Protocol, changed: Protocol | None = None) -> list[Finding]:
    """The findings on all files together; only on APIs of which a half is among the changed
    messages."""
    findings = judge(protocol)
    among = protocol if changed is None else changed
    names = {(message.type, message.name) for message in among}
    for api in apis(protocol):
        halves = (api.request, api.response)
        if any((each.type, each.name) in names for each in halves):
            request = Concerned(api.request.name, api.request.path)
            for finding in judge(api, Scope(head=api.response)):
                findings.append(finding._replace(others=(*finding.others, request)))
    return findings


def judge(part: Part | Message | Protocol, scope: Scope = _EVERY_MESSAGE) -> list[Finding]:
    """The findings of all rules on one part of the comparison."""
    if isinstance(part, Part) and part.is_same:
        # Most pairs of a change consist of parts that it does not affect.
        return []
    judged = part if isinstance(part, Part) else Whole(part)
    rules: Sequence[Rule] = rules_on(type(part).__name__)
    if any(rule.keys for rule in rules):
        written = {key for node in judged.nodes if node is not None for key in node.keys}
        rules = [rule for rule in rules if not rule.keys or not written.isdisjoint(rule.keys)]
    hits = ((rule, hit) for rule in rules for hit in rule.check(part))
    return [finding for rule, hit in hits for finding in _of_hit(rule, hit, judged, scope)]


def _of_hit(rule: Rule, hit: Hit, part: Part, scope: Scope) -> Iterator[Finding]:
    """The finding for a hit, with the severity of its worst versions, and limited to these
    versions; none if it concerns no version."""
    versions = None if hit.versions is None else frozenset(hit.versions)
    frozen = scope.released.keys() if versions is None else versions & scope.released.keys()
    if versions == frozenset() or (rule.category is Category.SOURCE and not frozen):
        return
    severity = hit.severity or rule.severity
    if hit.severity is None and versions is not None:
        stable = versions - {scope.unstable}
        if not frozen:
            severity = severity.milder(Severity.WARNING if stable else Severity.INFO)
        versions = frozenset(frozen) or stable or versions
    base = scope.base
    head = hit.of or scope.head
    subject = head or base
    at, before = (Whole(hit.of) if hit.of and hit.key else part).places(hit.key)
    # What several specs share, or a profile says, is not edited for one of them.
    own = [message.path for message in (base, head) if message is not None]
    places = (hit.at or at, hit.previous or before)
    is_shared = any(place is not None and place.path not in own for place in places)
    yield Finding(
        rule=rule.name,
        severity=severity,
        category=rule.category,
        message=hit.message,
        fix=hit.fix,
        message_name=subject.name if subject else "",
        message_type=subject.type if subject else "",
        api_key=subject.api_key if subject else None,
        field=getattr(part, "path", "") if hit.path is None else hit.path,
        versions=VersionSet.NONE if versions is None else VersionSet.of(versions),
        released_in=hit.released_in or first_release(scope.released, versions or ()),
        location=hit.at or (at if head is not None else None),
        previous=hit.previous or (before if base is not None else None),
        discriminator=hit.discriminator,
        others=(Concerned(subject.name, subject.path),) if subject and is_shared else (),
        change=short(hit.change) if hit.change else part.change,
        meant=hit.meant,
    )


def merged(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, one for each rule at each place: the worst, with the other messages that it
    concerns.

    A place may be in a file that several messages share. Of both halves of an API, the request is
    reported.
    """
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for number, finding in enumerate(findings):
        per = named(finding.rule).per
        key: tuple[object, ...] = (number,)
        if per == "api" and finding.message_type in HALVES:
            key = finding.rule, finding.api_key, finding.versions
        elif per == "struct":
            key = finding.rule, finding.message_type, finding.message_name, finding.discriminator
        elif finding.location is not None or finding.previous is not None:
            key = finding.rule, finding.location, finding.previous, finding.discriminator
        groups.setdefault(key, []).append(finding)
    return [each[0] if len(each) == 1 else _merged(each) for each in groups.values()]


def _merged(alike: Sequence[Finding]) -> Finding:
    """The worst of several findings at one place, with the further messages that have it."""
    first, *others = sorted(
        alike,
        key=lambda each: (each.severity.rank, each.message_type != "request", each.api_key or 0),
    )
    specs = [spec for each in alike for spec in each.others]
    is_api = named(first.rule).per == "api"
    if is_api:
        specs += [spec for each in others for spec in each.specs]
    first = first._replace(others=tuple(dict.fromkeys(specs)))
    further = {(each.message_type, each.message_name): each for each in others}
    further.pop((first.message_type, first.message_name), None)
    if not further:
        return first
    words = [
        f"{each.message_name} {each.versions.text}".strip()
        + (f" ({each.field})" if each.field else "")
        for each in further.values()
    ]
    # A waiver for one message accepts no further one.
    change = [part for part in (first.change, f"in {', '.join(words)}") if part]
    first = first._replace(change=short("; ".join(change)))
    if is_api:
        return first
    return first._replace(
        message=f"{first.message}; this also applies to {enumerated(words)}",
        reached=tuple(further.values()),
    )


def without_consequences(findings: Sequence[Finding]) -> list[Finding]:
    """The findings without what an error brings about at its place.

    A value without a meaning is one cause: what else is found on its field, inside that, or, if it
    is a value of the message, in the message or its API, is not reported. The same goes for what a
    rule names in `follows`. A waiver of a value says nothing about what the value does to peers.
    """
    errors = [each for each in findings if each.severity is Severity.ERROR]
    explaining = {name for each in findings for name in named(each.rule).follows}
    causes = [each for each in errors if each.rule in _MEANINGLESS or each.rule in explaining]
    return [each for each in findings if not any(_follows(each, cause) for cause in causes)]


def _follows(finding: Finding, cause: Finding) -> bool:
    """Whether an error explains a finding."""
    of_peers = (Category.WIRE, Category.POLICY)
    is_milder = finding.category in of_peers and cause.category not in of_peers
    if finding is cause or (cause.waived is not None and is_milder):
        return False
    is_message = finding.identity[1:3] == cause.identity[1:3]
    is_api = finding.api_key is not None and finding.api_key == cause.api_key
    if cause.rule in named(finding.rule).follows:
        return (is_message or is_api) and cause.field in ("", finding.field)
    is_key = cause.rule == "unknown-key"
    has_field = finding.field == cause.field
    if cause.rule not in _MEANINGLESS or (is_key and not cause.meant):
        # A key that resembles no other one takes no meaning from it.
        return False
    if finding.rule in _MEANINGLESS and has_field and not is_key:
        return False
    if not is_message:
        return not cause.field and is_api and finding.category is Category.SET
    return not cause.field or has_field or finding.field.startswith(f"{cause.field}.")
