"""One cause, one finding: what follows from another finding, what and what repeats it.

A finding that exists only because of another one has that one as its `root`, and is folded below it: undoing
the root undoes it, too. This module alone decides that (`rooted`), what is left of it after waivers and
configured severities (`settled`), and what a rule finds at several places and reports once
(`without_repetitions`). It compares values: places, keys and versions. It never reads a sentence.

A finding follows from

1. an error that leaves a value without a meaning, if it is about that value, or about what its key declares;
2. an error for peers at the same place, or on the same field, if it says that the new value itself is wrong;
3. an error in the value at the same place, if it is only about generated code;
4. a finding that its rule names in `follows`: on a change of its message if its field did not change, on a
   change of its API, or at its place; a deleted response follows its request.

A root is never milder than what follows from it. Edits of a layout are no consequences of each other, even if
peers misread everything after the first one: each has to be undone by itself. Only their proof is one (see
`Finding.proven_by`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from wirebook.rules.change_forms import short
from wirebook.rules.finding import (
    Category,
    Concerned,
    Finding,
    FindingIdentity,
    Place,
    ReachedMessage,
    Severity,
)
from wirebook.rules.judging import LAYOUT_CHANGED
from wirebook.rules.pairs.kinds import ApiPair, FieldPair, LoneMessage
from wirebook.rules.pairs.walk import walk_fields
from wirebook.rules.rule import Per, declared
from wirebook.specs.model import Message, SourceNode
from wirebook.specs.printable import enumerated
from wirebook.specs.problems import Position
from wirebook.specs.versions import VersionSet

# Errors that leave a value without a meaning.
UNREADABLE = (
    "bad-version-range",
    "empty-value",
    "missing-key",
    "number-out-of-range",
    "unknown-entity-type",
    "unknown-key",
    "unknown-listener",
    "unknown-message-type",
    "unknown-struct",
    "unknown-type",
    "wrong-type",
)
# For these, the key is absent from its object, so that rules point at the object.
ABSENT = ("missing-key", "unknown-key")
# What follows, anywhere in the message or its API, from an unreadable or missing key.
_OF_KEY: Mapping[str, tuple[str, ...]] = {
    "apiKey": ("api-key-changed", "message-deleted", "missing-key", "missing-partner"),
    "commonStructs": ("unknown-struct",),
    "flexibleVersions": (
        "field-flexible-versions-outside",
        "flexible-versions-changed",
        "missing-key",
        "partner-versions-differ",
        "tagged-in-inflexible-version",
    ),
    "type": ("message-type-changed", "missing-partner"),
    "validVersions": ("highest-version-lowered", "lowest-version-raised", "partner-versions-differ"),
}
# The same, for keys of fields: what follows is on the field, or inside it.
_OF_FIELD_KEY: Mapping[str, tuple[str, ...]] = {
    "fields": ("definition-deleted", "empty-struct", "field-removed-from-released-version", "unknown-struct"),
    "nullableVersions": ("null-default-not-nullable",),
    "tag": ("tagged-versions-without-tag",),
    "taggedVersions": ("tag-without-tagged-versions",),
}
# Errors in a field itself, and the errors for peers that the same edit causes.
_OF_CHANGE: Mapping[str, tuple[str, ...]] = {
    "duplicate-field-name": ("field-added-to-released-version",),
    "tag-without-tagged-versions": ("tagging-changed",),
    "tagged-in-inflexible-version": ("field-versions-changed", "tagging-changed"),
    "tagged-versions-without-tag": ("tagging-changed",),
}
_FOR_PEERS = (Category.WIRE, Category.POLICY)

_Named = tuple[str, str]  # the type and the name of a message
_OnField = tuple[str, str, str, str]  # a rule or key, a message, and the path of a field


def rooted(
    findings: Sequence[Finding], new: Iterable[Message], pairs: Iterable[tuple[Message, Message]] = ()
) -> list[Finding]:
    """The findings, each that follows from another one with its `root`; roots that are there are kept.

    `new` are the messages of the new side, `pairs` those that both sides have.
    """
    if len(findings) < 2:
        return list(findings)
    causes = _Causes(findings, new, pairs)
    whole: list[Finding] = []
    for finding in findings:
        root = finding if finding.root is not None else causes.root(finding)
        whole.append(finding if root is finding else finding._replace(root=root.identity))
    return whole


def settled(findings: Sequence[Finding]) -> list[Finding]:
    """The findings after waivers and configured severities, without the roots that no longer explain them.

    A waiver of a root covers what follows from it, and not the reverse. A waiver that accepts a value of a
    spec says nothing about what the value does to peers: that stands by itself.
    """
    by_identity = {finding.identity: finding for finding in reversed(findings)}
    return [_settled(finding, by_identity) for finding in findings]


def _settled(finding: Finding, by_identity: Mapping[FindingIdentity, Finding]) -> Finding:
    if finding.proven_by is not None:
        prover = by_identity.get(finding.proven_by)
        if prover is None or (prover.waived is not None and finding.waived is None):
            finding = finding._replace(proven_by=None)
    if finding.root is None:
        return finding
    root = by_identity.get(finding.root)
    if root is None or root.severity.rank > finding.severity.rank:
        return finding._replace(root=None)
    if root.waived is None or finding.waived is not None:
        return finding
    is_covered = root.category in _FOR_PEERS or finding.category not in _FOR_PEERS
    return finding.waive(root.waived) if is_covered else finding._replace(root=None)


def consequences(findings: Iterable[Finding]) -> dict[FindingIdentity, list[Finding]]:
    """The findings that follow from others, by these, in their order."""
    below: dict[FindingIdentity, list[Finding]] = {}
    for finding in findings:
        if finding.root is not None:
            below.setdefault(finding.root, []).append(finding)
    return below


def without_repetitions(findings: Iterable[Finding]) -> list[Finding]:
    """The findings without repetitions (see `Rule.per`); those on a request concern its response, too.

    One on an entry of a list names the further messages that have it, and its change all other fields.
    """
    reported: dict[Hashable, Finding] = {}
    of_entries: dict[Hashable, list[Finding]] = {}
    for number, finding in enumerate(findings):
        rule = declared(finding.rule)
        per = Per.PLACE if rule is None else rule.per
        key: tuple[Hashable, ...] = (number,)
        if per is Per.STRUCT:
            key = finding.rule, finding.message_type, finding.message_name, finding.discriminator
        elif per is Per.ENTRY:
            key = finding.rule, finding.discriminator, finding.location, finding.previous
            of_entries.setdefault(key, []).append(finding)
        earlier = reported.setdefault(key, finding)
        if finding.severity.rank < earlier.severity.rank:
            reported[key] = finding
    for entry, alike in of_entries.items():
        one = reported[entry]
        further = {(each.message_type, each.message_name): each for each in reversed(alike)}
        further.pop((one.message_type, one.message_name), None)
        if further:
            one = one._replace(reached=tuple(map(_reached, reversed(further.values()))))
        # A list of values may be that of several fields: a waiver for one of them accepts no further one.
        others = sorted({_reached(each).words for each in alike if _where(each) != _where(one)})
        if others:
            one = one._replace(change=short("; ".join(filter(None, (one.change, f"in {', '.join(others)}")))))
        reported[entry] = one
    return list(_once_per_api(list(reported.values())))


def _where(finding: Finding) -> tuple[str, str, str]:
    return finding.message_type, finding.message_name, finding.field


def once_per_shared_struct(findings: Sequence[Finding], messages: Sequence[Message]) -> Sequence[Finding]:
    """The findings, each change of a struct that several messages import once, with all that it concerns, and
    so each change of their profile.

    `messages` are those of both sides. The worst finding of a place in a file of structs or in a profile is
    reported, and so is that of a struct which is missing there. Its change names the other messages, so that
    a waiver accepts no further one.
    """
    imports: dict[_Named, set[str]] = {}
    for message in messages:
        if message.imports:
            imports.setdefault((message.type, message.name), set()).update(message.imports)
    profiles = {message.profile.path for message in messages if message.profile.path}
    if not imports and not profiles:
        return findings
    files = {path for paths in imports.values() for path in paths}
    alike: dict[tuple[Hashable, ...], list[Finding]] = {}
    for number, finding in enumerate(findings):
        places = (finding.location, finding.previous)
        shared = tuple(place if place is not None and place.path in files else None for place in places)
        own = imports.get((finding.message_type, finding.message_name))
        key: tuple[Hashable, ...] = (number,)
        if finding.location is not None and finding.location.path in profiles:
            key = finding.rule, *places, finding.discriminator
        elif any(shared):
            key = finding.rule, *shared, finding.discriminator, finding.change
        elif finding.rule == "unknown-struct" and own is not None:
            key = finding.rule, frozenset(own), finding.change.replace("[]", "")
        alike.setdefault(key, []).append(finding)
    merged = {id(each[0]): _with_reached(each) for each in alike.values() if each[1:]}
    if not merged:
        return findings
    identities = {
        finding.identity: merged[id(each[0])].identity
        for each in alike.values()
        if each[1:]
        for finding in each
    }
    return [
        finding._replace(
            root=finding.root and identities.get(finding.root, finding.root),
            proven_by=finding.proven_by and identities.get(finding.proven_by, finding.proven_by),
        )
        for finding in (merged.get(id(each[0]), each[0]) for each in alike.values())
    ]


def _with_reached(findings: Sequence[Finding]) -> Finding:
    """The finding of several messages on a place in a struct that they share."""
    first, *others = sorted(findings, key=_by_message)
    reached = tuple(map(_reached, others))
    words = [each.words for each in reached]
    specs = [spec for each in (first, *others) for spec in each.others]
    return first._replace(
        message=f"{first.message}; this also applies to {enumerated(words)}",
        others=tuple(dict.fromkeys(specs)),
        reached=reached,
        change=short(f"{first.change}; in {', '.join(words)}"),
    )


def _reached(finding: Finding) -> ReachedMessage:
    return ReachedMessage(
        finding.message_name,
        finding.message_type,
        finding.api_key,
        finding.field,
        finding.versions,
        finding.released_in,
    )


def _by_message(finding: Finding) -> tuple[Hashable, ...]:
    key = finding.api_key
    is_caused = finding.root is not None
    return (
        finding.severity.rank,
        is_caused,
        key is None,
        key or 0,
        finding.message_type,
        finding.message_name,
        finding.field,
    )


def _once_per_api(findings: Sequence[Finding]) -> Iterator[Finding]:
    per_api = {
        rule.name
        for rule in map(declared, {finding.rule for finding in findings})
        if rule and rule.per is Per.API
    }
    requests: dict[tuple[str, int | None], VersionSet] = {
        (finding.rule, finding.api_key): finding.versions
        for finding in findings
        if finding.message_type == "request" and finding.rule in per_api and finding.api_key is not None
    }
    repeated: dict[tuple[str, int | None], list[Concerned]] = {}
    remaining: list[Finding] = []
    for finding in findings:
        key = (finding.rule, finding.api_key)
        reported = requests.get(key) if finding.message_type == "response" else None
        if reported is None or not reported.covers(finding.versions):
            remaining.append(finding)
        else:
            repeated.setdefault(key, []).extend(finding.specs)
    for finding in remaining:
        more = repeated.get((finding.rule, finding.api_key)) if finding.message_type == "request" else None
        yield finding if more is None else finding._replace(others=(*finding.others, *more))


class _Causes:
    """What explains findings, by place, key, field and API, which avoids comparing each with all others."""

    def __init__(
        self, findings: Sequence[Finding], new: Iterable[Message], pairs: Iterable[tuple[Message, Message]]
    ) -> None:
        self.pairs = pairs
        self.unchanged: dict[_Named, frozenset[str]] = {}
        errors = [finding for finding in findings if finding.severity is Severity.ERROR]
        unreadable = [
            finding for finding in errors if finding.category is Category.SPEC and finding.rule in UNREADABLE
        ]
        self.values = _Unreadable(unreadable, new)
        self.changes: dict[Place | None, Finding] = {}
        self.of_fields: dict[_OnField, Finding] = {}
        self.wrong: dict[Place | None, Finding] = {}
        for finding in errors:
            if self.values.cause(finding) is not None:
                continue
            if finding.category in _FOR_PEERS:
                self.changes.setdefault(_start(finding.location), finding)
                self.of_fields.setdefault(_on_field(finding, finding.rule), finding)
            elif finding.category is Category.SPEC:
                self.wrong.setdefault(_start(finding.location), finding)
        self.of_messages: dict[tuple[str, str, str], Finding] = {}
        self.of_apis: dict[tuple[str, int | None], Finding] = {}
        self.of_requests: dict[tuple[str, int], Finding] = {}
        self.of_places: dict[tuple[str, Place | None], Finding] = {}
        for finding in sorted(findings, key=lambda each: each.severity.rank):
            self.of_messages.setdefault((finding.rule, finding.message_type, finding.message_name), finding)
            self.of_apis.setdefault((finding.rule, finding.api_key), finding)
            self.of_places.setdefault((finding.rule, finding.location), finding)
            if finding.message_type == "request" and finding.api_key is not None:
                self.of_requests.setdefault((finding.rule, finding.api_key), finding)

    def root(self, finding: Finding) -> Finding:
        """The finding that a finding follows from in the end; itself if it follows from none."""
        passed = {finding.identity}
        while (cause := self.cause(finding)) is not None and cause.identity not in passed:
            passed.add(cause.identity)
            finding = cause
        return finding

    def cause(self, finding: Finding) -> Finding | None:
        """The finding that a finding follows from directly."""
        candidates = (self.values.cause(finding), self._beside(finding), self._followed(finding))
        return next((cause for cause in candidates if cause is not None and cause is not finding), None)

    def _beside(self, finding: Finding) -> Finding | None:
        """The error at the place of a finding, or on its field, that the same edit causes."""
        at = _start(finding.location)
        if finding.category is Category.SOURCE:
            return None if at is None else self.wrong.get(at)
        if finding.category is not Category.SPEC:
            return None
        named = (self.of_fields.get(_on_field(finding, rule)) for rule in _OF_CHANGE.get(finding.rule, ()))
        return (None if at is None else self.changes.get(at)) or next(filter(None, named), None)

    def _followed(self, finding: Finding) -> Finding | None:
        """The finding of a rule that the rule of a finding follows."""
        rule = declared(finding.rule)
        names = () if rule is None else rule.follows
        for name in names if finding.follows is None else finding.follows:
            cause: Finding | None
            if rule is not None and rule.on is ApiPair:
                cause = self.of_apis.get((name, finding.api_key))
            elif rule is not None and rule.on is LoneMessage:
                key = finding.api_key if finding.message_type == "response" else None
                cause = None if key is None else self.of_requests.get((name, key))
            elif rule is not None and rule.on is FieldPair:
                cause = self.of_places.get((name, finding.location))
            else:
                message = finding.message_type, finding.message_name
                cause = self.of_messages.get((name, *message))
                if cause is not None and finding.field not in self._unchanged(message):
                    cause = None
            if cause is not None and cause.severity.rank <= finding.severity.rank:
                return cause
        return None

    def _unchanged(self, message: _Named) -> frozenset[str]:
        """The paths of the fields of a message whose ranges are unchanged."""
        if message not in self.unchanged:
            self.unchanged[message] = frozenset(
                path
                for old, new in self.pairs
                if (new.type, new.name) == message
                for path in _of_same_ranges(old, new)
            )
        return self.unchanged[message]


class _Unreadable:
    """Errors that leave values without a meaning, by what they explain."""

    def __init__(self, causes: Iterable[Finding], new: Iterable[Message]) -> None:
        self.places: dict[Place, Finding] = {}
        self.keys: dict[tuple[str, str], list[Finding]] = {}
        self.unknown: dict[_OnField, Finding] = {}
        self.fields: dict[_OnField, list[Finding]] = {}
        self.messages: dict[_Named, Finding] = {}
        messages = {(message.type, message.name): message for message in new}
        objects: dict[_Named, dict[Position, Position]] = {}
        for cause in causes:
            key = cause.meant or cause.discriminator
            name = (cause.message_type, cause.message_name)
            self.messages.setdefault(name, cause)
            if cause.field:
                self.fields.setdefault(_on_field(cause, key), []).append(cause)
            else:
                self.keys.setdefault((cause.api, key), []).append(cause)
            if cause.rule == "unknown-key":
                self.unknown.setdefault(_on_field(cause, key), cause)
            at = _start(cause.location)
            if at is None:
                continue
            self.places.setdefault(at, cause)
            if cause.rule in ABSENT and name in messages:
                if name not in objects:
                    objects[name] = _objects(messages[name])
                holder = objects[name].get(Position(at.line, at.column))
                if holder is not None:
                    self.places.setdefault(Place(at.path, *holder), cause)

    def cause(self, finding: Finding) -> Finding | None:
        """The error that a finding follows from."""
        at = _start(finding.location)
        if finding.category is not Category.SPEC and at in self.places:
            return self.places[at]
        if finding.rule == LAYOUT_CHANGED:
            # No rule knows what the edit is: an unreadable value of the message does.
            return self.messages.get((finding.message_type, finding.message_name))
        is_missing = finding.rule == "missing-key"
        if (
            is_missing
            and (unknown := self.unknown.get(_on_field(finding, finding.discriminator))) is not None
        ):
            return unknown
        for key, rules in _OF_KEY.items():
            if finding.rule in rules and (not is_missing or finding.discriminator == key):
                of_key = self.keys.get((finding.api, key), ())
                other = next((cause for cause in of_key if cause.rule != finding.rule), None)
                if other is not None:
                    return other
        return next(
            (
                cause
                for key, rules in _OF_FIELD_KEY.items()
                if finding.rule in rules
                for field in _around(finding.field)
                for cause in self.fields.get((key, finding.message_type, finding.message_name, field), ())[:2]
                if cause is not finding
            ),
            None,
        )


def _on_field(finding: Finding, what: str) -> _OnField:
    return what, finding.message_type, finding.message_name, finding.field


def _around(field: str) -> Iterator[str]:
    """A field and all enclosing fields and structs."""
    while field:
        yield field
        field = field.rpartition(".")[0]


def _of_same_ranges(old: Message, new: Message) -> Iterator[str]:
    """The paths of the fields whose ranges are the same on both sides."""
    previous = {of.path: (of.field.versions, of.field.tagged_versions) for of in walk_fields(old)}
    for of in walk_fields(new):
        if previous.get(of.path) == (of.field.versions, of.field.tagged_versions):
            yield of.path


def _objects(message: Message) -> dict[Position, Position]:
    """Maps the place of each key in the file of a message to the place of its object."""
    objects: dict[Position, Position] = {}
    for node in _nodes(message):
        lines = node.lines
        if node.position.imported is not None:
            continue
        for offset in lines.object(node.order).keys_at.values():
            objects[lines.position(offset)] = node.position
    return objects


def _nodes(message: Message) -> Iterator[SourceNode]:
    yield message.written
    yield from (struct.written for struct in message.common_structs)
    yield from (member.field.written for member in walk_fields(message))


def _start(place: Place | None) -> Place | None:
    return None if place is None else Place(place.path, place.line, place.column)
