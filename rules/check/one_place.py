"""One cause, one finding: drops findings that follow from another finding at the same place of a spec."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from wirebook.rules.finding import Category, Finding, Place, Severity
from wirebook.rules.judging import LAYOUT_CHANGED
from wirebook.rules.pairs.walk import walk_fields
from wirebook.specs.model import Message, SourceNode, api_name
from wirebook.specs.problems import Position

# Errors that leave a value without a meaning, so that other findings on the value are meaningless.
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
# Other consequences, anywhere in the message or its API, of an unreadable or missing key.
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


def of_one_place(found: Sequence[Finding], new: Iterable[Message]) -> list[Finding]:
    """The findings without those that follow from another one; both are kept if that one is waived or
    lowered.

    For an unreadable value, only that is reported, and not the changes that seem to follow from it. If a
    readable value changes in a way that breaks peers, that is reported, and not that the new value itself is
    wrong.
    """
    errors = [item for item in found if item.severity is Severity.ERROR and item.waived is None]
    specs = [item for item in errors if item.category is Category.SPEC]
    if not specs or len(found) == 1:
        return list(found)
    unreadable = [item for item in specs if item.rule in UNREADABLE]
    starts = _places(unreadable, new)
    causes = _Causes(unreadable)
    kept = [
        item
        for item in found
        if not (item.category is not Category.SPEC and _start(item.location) in starts)
        and not causes.explain(item)
    ]
    accused = set(map(id, errors))
    for_peers = [
        item for item in kept if id(item) in accused and item.category in (Category.WIRE, Category.POLICY)
    ]
    changes = {_start(item.location) for item in for_peers} - {None}
    of_fields = {(item.rule, item.message_type, item.message_name, item.field) for item in for_peers}
    wrong = {
        _start(item.location) for item in kept if id(item) in accused and item.category is Category.SPEC
    } - {None}
    return [
        item
        for item in kept
        if not (item.category is Category.SPEC and _start(item.location) in changes)
        and not any(
            (rule, item.message_type, item.message_name, item.field) in of_fields
            for rule in _OF_CHANGE.get(item.rule, ())
        )
        and not (item.category is Category.SOURCE and _start(item.location) in wrong)
    ]


class _Causes:
    """The errors that explain others, indexed by place, which avoids comparing a finding with all of them."""

    def __init__(self, causes: Iterable[Finding]) -> None:
        self.rules: dict[tuple[str, str], set[str]] = {}
        self.unknown: set[tuple[str, str, str, str]] = set()
        self.fields: dict[tuple[str, str, str, str], list[Finding]] = {}
        self.messages = {(cause.message_type, cause.message_name) for cause in causes}
        for cause in causes:
            key = _key(cause)
            place = (cause.message_type, cause.message_name, cause.field, key)
            if cause.field:
                self.fields.setdefault(place, []).append(cause)
            else:
                self.rules.setdefault((_api(cause), key), set()).add(cause.rule)
            if cause.rule == "unknown-key":
                self.unknown.add(place)

    def explain(self, item: Finding) -> bool:
        """Whether a finding follows from another one of these errors."""
        if item.rule == LAYOUT_CHANGED:
            # No rule knows what the edit is: an unreadable value of the message does.
            return (item.message_type, item.message_name) in self.messages
        missing = item.rule == "missing-key"
        message = (item.message_type, item.message_name)
        if missing and (*message, item.field, item.discriminator) in self.unknown:
            return True
        for key, rules in _OF_KEY.items():
            if item.rule in rules and (not missing or item.discriminator == key):
                of_key = self.rules.get((_api(item), key))
                if of_key and of_key != {item.rule}:
                    return True
        return any(
            cause is not item
            for key, rules in _OF_FIELD_KEY.items()
            if item.rule in rules
            for field in _around(item.field)
            for cause in self.fields.get((*message, field, key), ())[:2]
        )


def _around(field: str) -> Iterator[str]:
    """A field and all enclosing fields and structs."""
    while field:
        yield field
        field = field.rpartition(".")[0]


def _key(cause: Finding) -> str:
    """The key that an error is about; for an unknown key, the one that it resembles."""
    if cause.rule == "unknown-key":
        return cause.message.rpartition('did you mean "')[2].partition('"')[0]
    return cause.discriminator


def _places(causes: Iterable[Finding], new: Iterable[Message]) -> set[Place]:
    """The places of findings that follow from an error: the value, or the object that lacks a key."""
    messages = {(message.type, message.name): message for message in new}
    objects: dict[tuple[str, str], dict[Position, Position]] = {}
    found: set[Place] = set()
    for cause in causes:
        at = _start(cause.location)
        if at is None:
            continue
        found.add(at)
        name = (cause.message_type, cause.message_name)
        if cause.rule not in ABSENT or name not in messages:
            continue
        if name not in objects:
            objects[name] = _objects(messages[name])
        holder = objects[name].get(Position(at.line, at.column))
        if holder is not None:
            found.add(Place(at.path, *holder))
    return found


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
