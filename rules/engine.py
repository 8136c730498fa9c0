"""Old, new and released baselines in, findings out: the one place that decides severity and repetition."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from wirebook.rules.finding import Category, Finding, Place, Severity
from wirebook.rules.pairs.kinds import (
    FieldPair,
    LoneField,
    LoneMessage,
    MessagePair,
    OneField,
    OneStruct,
    Pair,
    ProtocolPair,
    StructPair,
)
from wirebook.rules.pairs.match import match_messages
from wirebook.rules.pairs.walk import apis, walk, walk_fields, walk_structs
from wirebook.rules.reintroduced import regained, regained_tags
from wirebook.rules.released import Baseline, Elder, Released, elder_of, stable_versions
from wirebook.rules.rule import Hit, Rule, rules_on
from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import Position
from wirebook.specs.versions import Versions, counted, ranges_text

if TYPE_CHECKING:
    from wirebook.specs.levels import Registry

__all__ = [
    "LAYOUT_CHANGED",
    "Baseline",
    "alone",
    "by_custom",
    "check",
    "compare",
    "of_sets",
    "sort",
    "stable",
]

LAYOUT_CHANGED = "layout-changed"
CUSTOMS = ("missing-key", "unknown-listener")
# What makes fields faulty that a patch leaves alone, and what is then said of each of them.
FOLLOWS = {
    "tagged-in-inflexible-version": "flexible-versions-changed",
    "field-in-no-version": "highest-version-lowered",
}
# What makes a request and its response differ where only one of them is changed.
ALONE_CHANGED = (
    "flexible-versions-changed",
    "highest-version-lowered",
    "lowest-version-raised",
    "api-versions-deprecated",
)


def check(
    old: Protocol | None,
    new: Protocol,
    baselines: Sequence[Baseline] | Released = (),
    *,
    old_registry: Registry | None = None,
    new_registry: Registry | None = None,
    everything: bool = False,
    together: bool = True,
) -> list[Finding]:
    """Judge `new`: against `old` where there is one, and by itself.

    Without baselines every stable version of `old` counts as released. Findings of one file or of the set
    that the old side had too are left out unless `everything`; those of the set are not looked for unless
    `together`: then the files may be a part of a set, and `of_sets` judges the whole. Sorted by severity,
    then by place.
    """
    found: list[Finding] = []
    frozen = _Frozen(baselines if isinstance(baselines, Released) else Released.of(baselines), old)
    elders: dict[tuple[str, int | str], list[Elder]] = {}
    same: set[tuple[str, int | str]] = set()
    pairs: list[tuple[Message, Message]] = []
    if old is not None:
        for partner, message in match_messages(old, new):
            if message is None:
                assert partner is not None
                released = frozen.released(partner, partner)
                found += _judge(LoneMessage(partner, True, released), partner, partner)
            elif partner is None:
                found += _judge(LoneMessage(message, False, frozen.released(message)), message, message)
                found += _regained(frozen, None, message)
            else:
                pairs.append((partner, message))
                both = frozen.pair(partner, message)
                found += compare(both) + _regained(frozen, partner, message)
                elders[message.identity] = frozen.elders(partner)
                if not everything and _same_text(partner, message):
                    same.add(message.identity)
    if old_registry is not None or new_registry is not None:
        found += _judge(ProtocolPair(old or Protocol(()), new, old_registry, new_registry), None, None)
    fresh = alone(new, same, elders, together)
    if fresh and old is not None and not everything:
        # Only messages of the same names can have had the same findings.
        names = {(item.message_type, item.message_name) for item in fresh}
        fresh = _not_among(fresh, alone(old, same, together=together, names=names))
    fresh = list(_of_one_cause(fresh, found, pairs))
    found += fresh if old is None else by_custom(fresh, old)
    return sort(dict.fromkeys(found))


def of_sets(old: Protocol | None, new: Protocol, *, everything: bool = False) -> list[Finding]:
    """What the rules on all files together say of `new`, less what they said of `old`."""
    return _not_among(_judge(new, None, None), [] if old is None or everything else _judge(old, None, None))


def compare(pair: MessagePair) -> list[Finding]:
    """Judge one message against its older self: every rule on every pair inside, then the guard.

    What is the same object on both sides has not changed.
    """
    if pair.old is pair.new or (pair.old == pair.new and not pair.retired):
        return []
    found: list[Finding] = []
    added: list[LoneField] = []
    for part in walk(pair):
        found += _judge(part, pair.old, pair.new)
        if isinstance(part, LoneField) and not part.gone:
            added.append(part)
    for fields in regained_tags(pair, added):
        found += _unlike_all([field] for field in fields)
    return found + _guard(pair, found)


def _regained(frozen: _Frozen, old: Message | None, new: Message) -> list[Finding]:
    """What is said of released versions that only the new side has, beside those releases."""
    if not frozen.all.given:
        return []
    identity = (old or new).identity
    elders = partial(frozen.all.messages, identity)
    groups = regained(old, new, frozen.all.versions(identity), elders)
    return [item for pairs in groups for item in _unlike_all(walk(pair) for pair in pairs)]


def _unlike_all(releases: Iterable[Iterable[Pair]]) -> list[Finding]:
    """What peers feel of the difference from the newest of some releases; nothing where there is none from
    one of them. The lines of a release are not those of the old side, and are not shown.
    """
    found: list[list[Finding]] = []
    for parts in releases:
        told = [
            item for part in parts for item in _judge(part, *_sides(part)) if item.category is Category.WIRE
        ]
        if not told:
            return []
        found.append([replace(item, previous=None) for item in told])
    return found[0] if found else []


def _sides(part: Pair) -> tuple[Message, Message]:
    pair = part if isinstance(part, MessagePair) else part.messages
    return pair.old, pair.new


def alone(
    protocol: Protocol,
    known: Container[tuple[str, int | str]] = (),
    elders: Mapping[tuple[str, int | str], Iterable[Elder]] | None = None,
    together: bool = True,
    names: Container[tuple[str, str]] | None = None,
) -> list[Finding]:
    """What the rules say of each file by itself, and (`together`) of the files together.

    Files of messages in `known` (by identity) are passed over, and those whose type and name are not among
    `names`, where these are given; `elders` are released older selves of
    messages, whose tags are burnt.
    """
    found: list[Finding] = []
    for message in protocol:
        if message.identity in known or (names is not None and (message.type, message.name) not in names):
            continue
        found += _judge(message, None, message)
        if any(problem.severity == "unusable" for problem in message.problems):
            # What cannot be read is one cause; the fields would be judged by what they do not say.
            continue
        for item in walk_fields(message):
            found += _judge(item, None, message)
        for struct in walk_structs(message, (elders or {}).get(message.identity, ())):
            found += _judge(struct, None, message)
    for api in apis(protocol):
        fresh = [message for message in api if message.identity not in known]
        if fresh and (names is None or any((message.type, message.name) in names for message in api)):
            found += _judge(api, None, api.response)
    return found + (_judge(protocol, None, None) if together else [])


def sort(findings: Iterable[Finding]) -> list[Finding]:
    """Errors first; then by file, place and rule."""

    def order(item: Finding) -> tuple[Any, ...]:
        at = item.location or item.previous or Place("", 0, 0)
        return (item.severity.rank, at.path, at.line, at.column, item.rule, item.field, item.subject)

    return sorted(findings, key=order)


class _Frozen:
    """Which versions are released, and by which older selves: by baselines, or else by the old side."""

    def __init__(self, released: Released, old: Protocol | None) -> None:
        self.all = released
        self.unstable = {} if old is None else unstable_tops(old)

    def released(self, message: Message, old: Message | None = None) -> dict[int, str]:
        """The frozen versions of a message, each with the first release that had it stable."""
        if not self.all.given:
            if old is None:
                return {}
            top = self.unstable.get(old.identity)
            return {version: "" for version in old.valid_versions if version != top}
        return self.all.versions(message.identity)

    def elders(self, old: Message) -> list[Elder]:
        """The older selves of a message that were released: without baselines, the old side."""
        return self.all.elders(old.identity) if self.all.given else [elder_of(old)]

    def pair(self, old: Message, new: Message) -> MessagePair:
        """The pair with what is released; the old side itself is not among those retired."""
        others = self.all.elders(old.identity)
        known = elder_of(old) if others else None
        retired = tuple(elder for elder in others if elder != known)
        top = self.unstable.get(old.identity)
        texts = partial(self.all.messages, old.identity) if self.all.given else None
        return MessagePair(old, new, self.released(old, old), retired, top, texts)


def unstable_tops(protocol: Protocol) -> dict[tuple[str, int | str], int]:
    """The unstable top version of each message that has one, by identity.

    Kafka marks the request alone: the response of the same version is as unstable.
    """
    found: dict[tuple[str, int | str], int] = {}
    for message in protocol:
        if message.latest_version_unstable and message.valid_versions:
            found[message.identity] = message.valid_versions.highest
    for message in protocol:
        if message.type == "response" and message.api_key is not None and message.valid_versions:
            top = found.get(("request", message.api_key))
            if top == message.valid_versions.highest:
                found[message.identity] = top
    return found


def stable(message: Message) -> Versions:
    """The valid versions without the top one, where that is marked unstable."""
    return stable_versions(message.valid_versions, message.latest_version_unstable)


def _same_text(old: Message, new: Message) -> bool:
    """Whether the two were read from one text: what a rule says of the one it says of the other."""
    # A byte-order mark is no part of the text, but a problem of one.
    same = old.written.lines.text == new.written.lines.text and len(old.problems) == len(new.problems)
    return old is new or (same and old == new)


def _of_one_cause(
    fresh: Iterable[Finding], found: Iterable[Finding], pairs: Iterable[tuple[Message, Message]]
) -> Iterator[Finding]:
    """The findings of single files, where one change of the message made many fields faulty but the first."""
    causes = {
        (item.rule, item.message_type, item.message_name)
        for item in found
        if item.severity is Severity.ERROR and item.rule in FOLLOWS.values()
    }
    told: set[tuple[str, str, str]] = set()
    fresh = list(fresh)
    halves = {
        item.api_key
        for item in (*found, *fresh)
        if item.severity is Severity.ERROR and item.rule in ALONE_CHANGED
    }
    for item in fresh:
        if item.rule == "partner-versions-differ" and item.api_key in halves:
            continue
        cause = (FOLLOWS.get(item.rule, ""), item.message_type, item.message_name)
        if cause in causes and item.field in _left_alone(cause, pairs):
            if cause in told:
                continue
            told.add(cause)
        yield item


def _left_alone(message: tuple[str, str, str], pairs: Iterable[tuple[Message, Message]]) -> Iterator[str]:
    """The paths of the fields of a message whose ranges are as they were."""
    for old, new in pairs:
        if (new.type, new.name) == message[1:]:
            was = {item.path: (item.field.versions, item.field.tagged_versions) for item in walk_fields(old)}
            for item in walk_fields(new):
                if was.get(item.path) == (item.field.versions, item.field.tagged_versions):
                    yield item.path


def by_custom(found: Sequence[Finding], old: Protocol) -> Iterator[Finding]:
    """What the format asks for today, and other files of the old side go without too, is a warning: the
    generator of that repository lets it be.
    """
    custom: dict[str, set[str]] = {}
    for item in found:
        if item.rule in CUSTOMS and item.subject and item.severity is Severity.ERROR:
            if item.rule not in custom:
                rule = next(rule for rule in rules_on(Message) if rule.name == item.rule)
                hits = (hit for message in old for hit in rule.check(message))
                # A hit with a severity of its own is of a key that no reader can do without.
                custom[item.rule] = {hit.subject for hit in hits if hit.severity is None}
            if item.subject in custom[item.rule]:
                item = replace(item, severity=Severity.WARNING)
        yield item


def _judge(part: Hashable, old: Message | None, new: Message | None) -> list[Finding]:
    found: list[Finding] = []
    for rule in rules_on(part.__class__):
        for hit in rule.check(part):
            found += _findings(rule, hit, part, old, new)
    return found


def _findings(
    rule: Rule, hit: Hit, part: object, old: Message | None, new: Message | None
) -> Iterator[Finding]:
    """The findings of one hit: one, at the severity of its worst versions, for just those versions."""
    versions = None if hit.versions is None else frozenset(hit.versions)
    if versions is not None and not versions:
        return
    released = _released(part)
    severity, shown = rule.severity, versions
    if hit.severity is not None:
        severity = hit.severity
    elif versions is not None:
        frozen = versions & released.keys()
        if frozen and rule.category is Category.WIRE:
            frozen = _unlike_releases(part, frozen)
        loose = versions - _unstable(part)
        level = Severity.ERROR if frozen else Severity.WARNING if loose else Severity.INFO
        severity = max(severity, level, key=lambda item: item.rank)
        shown = frozen or loose or versions
    new = hit.of or new
    subject = new or old or _message(part)
    at, before = _where(part)
    yield Finding(
        rule=rule.name,
        severity=severity,
        category=rule.category,
        message=hit.message,
        fix=hit.fix,
        message_name=subject.name if subject else "",
        message_type=subject.type if subject else "",
        api_key=subject.api_key if subject else None,
        field=_path(part) if hit.path is None else hit.path,
        versions="" if shown is None else ranges_text(Versions.of(shown)),
        released_in=_first(released, shown),
        location=hit.place or _place(new, hit.at or at),
        previous=hit.was or _place(old, hit.before or before),
        subject=hit.subject,
    )


def _first(released: Mapping[int, str], versions: Iterable[int] | None) -> str | None:
    """The release that froze the lowest of the versions; None where none is named."""
    for version in sorted(versions or ()):
        if released.get(version):
            return released[version]
    return None


def _released(part: object) -> Mapping[int, str]:
    if isinstance(part, LoneMessage | MessagePair):
        return part.released
    if isinstance(part, StructPair | FieldPair | LoneField):
        return part.messages.released
    return {}


def _unstable(part: object) -> frozenset[int]:
    """The top version of the old side, where it was marked unstable."""
    messages = part if isinstance(part, MessagePair) else getattr(part, "messages", None)
    if isinstance(messages, MessagePair):
        top = messages.unstable_top
        return frozenset() if top is None else frozenset({top})
    old = _message(part)
    if old is None or not old.latest_version_unstable:
        return frozenset()
    return frozenset({old.valid_versions.highest})


def _unlike_releases(part: object, frozen: frozenset[int]) -> frozenset[int]:
    """The frozen versions less those whose bytes are, with this change, again those of every release."""
    messages = part if isinstance(part, MessagePair) else getattr(part, "messages", None)
    if not isinstance(messages, MessagePair):
        return frozen
    return frozenset(version for version in frozen if not messages.restored(version))


def _message(part: object) -> Message | None:
    if isinstance(part, Message):
        return part
    if isinstance(part, LoneMessage | OneField | OneStruct):
        return part.message
    return None


def _path(part: object) -> str:
    """The path of the field or struct that is judged; a message has a `path` too, but that is its file's."""
    return "" if isinstance(part, Message) else getattr(part, "path", "")


def _where(part: object) -> tuple[Position | None, Position | None]:
    if isinstance(part, MessagePair | StructPair | FieldPair | LoneField | LoneMessage):
        return part.where
    if isinstance(part, OneField):
        return part.field.written.position, None
    if isinstance(part, OneStruct):
        return part.at, None
    if isinstance(part, Message):
        return part.written.at("name"), None
    return None, None


def _place(message: Message | None, at: Position | None) -> Place | None:
    return None if message is None or at is None else Place(message.path, at.line, at.column)


def _guard(pair: MessagePair, found: Sequence[Finding]) -> list[Finding]:
    """Where released bytes changed and no rule said so, that is itself a finding."""
    said = {item for text in {finding.versions for finding in found} for item in _numbers(text)}
    if any(finding.category is Category.WIRE and not finding.versions for finding in found):
        return []
    silent: set[int] = set()
    for version in sorted(pair.both & pair.released.keys() - said):
        # A side without a layout is what the rules on single files report.
        if pair.same_bytes(version) is False and not pair.restored(version):
            silent.add(version)
    if not silent:
        return []
    at, before = pair.where
    shown = ranges_text(Versions.of(silent))
    return [
        Finding(
            rule=LAYOUT_CHANGED,
            severity=Severity.ERROR,
            category=Category.WIRE,
            message=f"the bytes of released {counted(shown)} change, and no rule knows why",
            fix="compare `wirebook export` of both sides, and report it: a rule is missing",
            message_name=pair.new.name,
            message_type=pair.new.type,
            api_key=pair.new.api_key,
            versions=shown,
            released_in=_first(pair.released, silent),
            location=_place(pair.new, at),
            previous=_place(pair.old, before),
        )
    ]


def _numbers(text: str) -> Iterator[int]:
    for part in text.split(", "):
        if part and part != "none":
            yield from Versions.parse(part)


def _not_among(found: Iterable[Finding], known: Iterable[Finding]) -> list[Finding]:
    """The findings less those that the old side has too: the same by identity, and with the same to report.

    One of the same identity that reports something else (another wrong default in place of one) is new.
    """
    repeated = {(finding.identity, finding.message) for finding in known}
    return [finding for finding in found if (finding.identity, finding.message) not in repeated]
