"""One cause, one finding: what follows from another finding, what repeats it, and what is alike.

A finding that exists only because of another one has that one as its `root`, and is folded below it: undoing
the root undoes it, too. This module alone decides that (`rooted`), what is left of it after waivers and
configured severities (`settled`), what a rule finds at several places and reports once (`told_once`), and
which findings say the same of different fields, so that people read it once (`groups`). It compares values:
places, keys, versions and what a rule states (`Hit.values`). It never reads a sentence.

A finding follows from

1. an error that leaves a value without a meaning, if it is about that value, or about what its key declares;
2. an error for peers at the same place, or on the same field, if it says that the new value itself is wrong;
3. an error in the value at the same place, if it is only about generated code;
4. a finding that its rule names in `follows`: on a change of its message if its field did not change, on a
   change of its API, or at its place.

A root is never milder than what follows from it. Edits of a layout are no consequences of each other, even if
peers misread everything after the first one: each has to be undone by itself. Only their proof is one (see
`Finding.proven_by`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from wirebook.rules.finding import Category, Concerned, Finding, FindingIdentity, Place, Severity
from wirebook.rules.judging import LAYOUT_CHANGED
from wirebook.rules.pairs.kinds import ApiPair, FieldPair
from wirebook.rules.pairs.walk import walk_fields
from wirebook.rules.rule import Per, declared
from wirebook.specs.model import Message, SourceNode, api_name
from wirebook.specs.problems import Position

FEW = 3  # up to this number of similar findings are listed one by one

Group = tuple[Finding, ...]

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
    found: Sequence[Finding], new: Iterable[Message], pairs: Iterable[tuple[Message, Message]] = ()
) -> list[Finding]:
    """The findings, each that follows from another one with its `root`; roots that are there are kept.

    `new` are the messages of the new side, `pairs` those that both sides have.
    """
    if len(found) < 2:
        return list(found)
    causes = _Causes(found, new, pairs)
    whole: list[Finding] = []
    for item in found:
        root = item if item.root is not None else causes.root(item)
        whole.append(item if root is item else replace(item, root=root.identity))
    return whole


def settled(found: Sequence[Finding]) -> list[Finding]:
    """The findings after waivers and configured severities, without the roots that no longer explain them.

    A waiver of a root covers what follows from it, and not the reverse. A waiver that accepts a value of a
    spec says nothing about what the value does to peers: that stands by itself.
    """
    known = {item.identity: item for item in reversed(found)}
    return [_settled(item, known) for item in found]


def _settled(item: Finding, known: Mapping[FindingIdentity, Finding]) -> Finding:
    if item.proven_by is not None:
        shown = known.get(item.proven_by)
        if shown is None or (shown.waived is not None and item.waived is None):
            item = replace(item, proven_by=None)
    if item.root is None:
        return item
    root = known.get(item.root)
    if root is None or root.severity.rank > item.severity.rank:
        return replace(item, root=None)
    if root.waived is None or item.waived is not None:
        return item
    is_covered = root.category in _FOR_PEERS or item.category not in _FOR_PEERS
    return item.waive(root.waived) if is_covered else replace(item, root=None)


def consequences(found: Iterable[Finding]) -> dict[FindingIdentity, list[Finding]]:
    """The findings that follow from others, by these, in their order."""
    below: dict[FindingIdentity, list[Finding]] = {}
    for item in found:
        if item.root is not None:
            below.setdefault(item.root, []).append(item)
    return below


def told_once(found: Iterable[Finding]) -> list[Finding]:
    """The findings without repetitions (see `Rule.per`); those on a request concern its response, too."""
    kept: dict[Hashable, Finding] = {}
    for number, item in enumerate(found):
        rule = declared(item.rule)
        per = Per.PLACE if rule is None else rule.per
        key: tuple[Hashable, ...] = (number,)
        if per is Per.STRUCT:
            key = item.rule, item.message_type, item.message_name, item.discriminator
        elif per is Per.ENTRY:
            key = item.rule, item.discriminator, item.location, item.previous
        known = kept.setdefault(key, item)
        if item.severity.rank < known.severity.rank:
            kept[key] = item
    return list(_once_per_api(list(kept.values())))


def _once_per_api(findings: Sequence[Finding]) -> Iterator[Finding]:
    per_api = {
        rule.name for rule in map(declared, {item.rule for item in findings}) if rule and rule.per is Per.API
    }
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


def groups(findings: Iterable[Finding]) -> tuple[Group, ...]:
    """The findings in their order; more than FEW similar ones form a group in the place of the first.

    Findings are similar if they have the same rule, severity and values: their sentences then differ only in
    names and versions. A waived finding is never grouped, and neither is one of versions that clients of a
    fleet send, nor one of a rule that does not name its values.
    """
    ordered = tuple(findings)
    alike: dict[tuple[Hashable, ...], list[int]] = {}
    for number, item in enumerate(ordered):
        is_used = item.use is not None and item.use.cuts_off
        is_apart = item.waived is not None or is_used or item.values is None
        key: tuple[Hashable, ...] = (number,) if is_apart else (item.rule, item.severity, item.values)
        alike.setdefault(key, []).append(number)
    listed: list[list[int]] = []
    for numbers in alike.values():
        listed += [numbers] if len(numbers) > FEW else [[number] for number in numbers]
    return tuple(tuple(ordered[number] for number in numbers) for numbers in sorted(listed))


class _Causes:
    """What explains findings, by place, key, field and API, which avoids comparing each with all others."""

    def __init__(
        self, found: Sequence[Finding], new: Iterable[Message], pairs: Iterable[tuple[Message, Message]]
    ) -> None:
        self.pairs = pairs
        self.unchanged: dict[_Named, frozenset[str]] = {}
        errors = [item for item in found if item.severity is Severity.ERROR]
        unreadable = [item for item in errors if item.category is Category.SPEC and item.rule in UNREADABLE]
        self.values = _Unreadable(unreadable, new)
        self.changes: dict[Place | None, Finding] = {}
        self.of_fields: dict[_OnField, Finding] = {}
        self.wrong: dict[Place | None, Finding] = {}
        for item in errors:
            if self.values.cause(item) is not None:
                continue
            if item.category in _FOR_PEERS:
                self.changes.setdefault(_start(item.location), item)
                self.of_fields.setdefault(_on_field(item, item.rule), item)
            elif item.category is Category.SPEC:
                self.wrong.setdefault(_start(item.location), item)
        self.of_messages: dict[tuple[str, str, str], Finding] = {}
        self.of_apis: dict[tuple[str, int | None], Finding] = {}
        self.of_places: dict[tuple[str, Place | None], Finding] = {}
        for item in sorted(found, key=lambda each: each.severity.rank):
            self.of_messages.setdefault((item.rule, item.message_type, item.message_name), item)
            self.of_apis.setdefault((item.rule, item.api_key), item)
            self.of_places.setdefault((item.rule, item.location), item)

    def root(self, item: Finding) -> Finding:
        """The finding that a finding follows from in the end; itself if it follows from none."""
        passed = {item.identity}
        while (cause := self.cause(item)) is not None and cause.identity not in passed:
            passed.add(cause.identity)
            item = cause
        return item

    def cause(self, item: Finding) -> Finding | None:
        """The finding that a finding follows from directly."""
        candidates = (self.values.cause(item), self._beside(item), self._followed(item))
        return next((cause for cause in candidates if cause is not None and cause is not item), None)

    def _beside(self, item: Finding) -> Finding | None:
        """The error at the place of a finding, or on its field, that the same edit causes."""
        at = _start(item.location)
        if item.category is Category.SOURCE:
            return None if at is None else self.wrong.get(at)
        if item.category is not Category.SPEC:
            return None
        named = (self.of_fields.get(_on_field(item, rule)) for rule in _OF_CHANGE.get(item.rule, ()))
        return (None if at is None else self.changes.get(at)) or next(filter(None, named), None)

    def _followed(self, item: Finding) -> Finding | None:
        """The finding of a rule that the rule of a finding follows."""
        rule = declared(item.rule)
        names = () if rule is None else rule.follows
        for name in names if item.follows is None else item.follows:
            cause: Finding | None
            if rule is not None and rule.on is ApiPair:
                cause = self.of_apis.get((name, item.api_key))
            elif rule is not None and rule.on is FieldPair:
                cause = self.of_places.get((name, item.location))
            else:
                message = item.message_type, item.message_name
                cause = self.of_messages.get((name, *message))
                if cause is not None and item.field not in self._unchanged(message):
                    cause = None
            if cause is not None and cause.severity.rank <= item.severity.rank:
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
                self.keys.setdefault((_api(cause), key), []).append(cause)
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

    def cause(self, item: Finding) -> Finding | None:
        """The error that a finding follows from."""
        at = _start(item.location)
        if item.category is not Category.SPEC and at in self.places:
            return self.places[at]
        if item.rule == LAYOUT_CHANGED:
            # No rule knows what the edit is: an unreadable value of the message does.
            return self.messages.get((item.message_type, item.message_name))
        is_missing = item.rule == "missing-key"
        if is_missing and (unknown := self.unknown.get(_on_field(item, item.discriminator))) is not None:
            return unknown
        for key, rules in _OF_KEY.items():
            if item.rule in rules and (not is_missing or item.discriminator == key):
                of_key = self.keys.get((_api(item), key), ())
                other = next((cause for cause in of_key if cause.rule != item.rule), None)
                if other is not None:
                    return other
        return next(
            (
                cause
                for key, rules in _OF_FIELD_KEY.items()
                if item.rule in rules
                for field in _around(item.field)
                for cause in self.fields.get((key, item.message_type, item.message_name, field), ())[:2]
                if cause is not item
            ),
            None,
        )


def _on_field(item: Finding, what: str) -> _OnField:
    return what, item.message_type, item.message_name, item.field


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
    """Maps the place of each key of a message to the place of its object."""
    found: dict[Position, Position] = {}
    for node in _nodes(message):
        lines = node.lines
        for offset in lines.object(node.order).keys_at.values():
            found[lines.position(offset)] = node.position
    return found


def _nodes(message: Message) -> Iterator[SourceNode]:
    yield message.written
    yield from (struct.written for struct in message.common_structs)
    yield from (item.field.written for item in walk_fields(message))


def _start(place: Place | None) -> Place | None:
    return None if place is None else Place(place.path, place.line, place.column)


def _api(item: Finding) -> str:
    return api_name(item.message_name, item.message_type)
