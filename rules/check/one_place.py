"""One cause, one finding: what follows from another finding at the same place of a spec is left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from wirebook.rules.finding import Category, Finding, Place, Severity
from wirebook.rules.pairs.walk import walk_fields
from wirebook.specs.model import Message, SourceNode, api_name

# Errors that leave a value without a meaning: what else is reported of the value compares nothing.
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
# Of these the key is absent from its object, so that rules point at the object.
ABSENT = ("missing-key", "unknown-key")
# What else follows, anywhere in the message or its API, from a key that cannot be read or is not there.
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
# What is wrong with a field in itself, and the errors for peers that the same edit of it leads to.
_OF_CHANGE: Mapping[str, tuple[str, ...]] = {
    "duplicate-field-name": ("field-added-to-released-version",),
    "tag-without-tagged-versions": ("tagging-changed",),
    "tagged-in-inflexible-version": ("field-versions-changed", "tagging-changed"),
    "tagged-versions-without-tag": ("tagging-changed",),
}


def of_one_place(found: Sequence[Finding], new: Iterable[Message]) -> list[Finding]:
    """The findings less those that follow from another one; both are there if that one is waived or lowered.

    Where a value cannot be read, that is reported, and no change that seems to come of it. Where it can, and
    a change of it is an error for peers, that is reported, and not that the new value is wrong in itself.
    """
    errors = [item for item in found if item.severity is Severity.ERROR and item.waived is None]
    specs = [item for item in errors if item.category is Category.SPEC]
    if not specs or len(found) == 1:
        return list(found)
    messages = {(message.type, message.name): message for message in new}
    unreadable = [item for item in specs if item.rule in UNREADABLE]
    starts: dict[Place, Finding] = {}
    for item in unreadable:
        message = messages.get((item.message_type, item.message_name))
        for place in _places(item, message):
            starts.setdefault(place, item)
    kept = [item for item in found if not _follows(item, starts, unreadable)]
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


def _follows(item: Finding, starts: Mapping[Place, Finding], causes: Sequence[Finding]) -> bool:
    """Whether a finding is of a cause, and not one itself."""
    at = _start(item.location)
    if item.category is not Category.SPEC and at in starts:
        return True
    for cause in causes:
        if cause is item:
            continue
        key = _key(cause)
        if _api(cause) == _api(item) and cause.field == "":
            missing = item.rule != "missing-key" or item.discriminator == key
            if item.rule in _OF_KEY.get(key, ()) and missing and cause.rule != item.rule:
                return True
        if not _same_message(cause, item):
            continue
        if cause.rule == "unknown-key" and item.rule == "missing-key" and item.field == cause.field:
            if item.discriminator == key:
                return True
        elif cause.field:
            inside = item.field == cause.field or item.field.startswith(f"{cause.field}.")
            if inside and item.rule in _OF_FIELD_KEY.get(key, ()):
                return True
    return False


def _key(cause: Finding) -> str:
    """The key that an error is on: of an unknown one, the one that it resembles."""
    if cause.rule == "unknown-key":
        return cause.message.rpartition('did you mean "')[2].partition('"')[0]
    return cause.discriminator


def _places(cause: Finding, message: Message | None) -> Iterator[Place]:
    """Where findings are that follow from an error: at the value, or at the object that lacks a key."""
    at = _start(cause.location)
    if at is None:
        return
    yield at
    if message is None or cause.rule not in ABSENT:
        return
    for node in _nodes(message):
        lines = node.lines
        written = lines.object(node.order)
        if any(lines.position(offset) == (at.line, at.column) for offset in written.keys_at.values()):
            yield Place(at.path, *node.position)


def _nodes(message: Message) -> Iterator[SourceNode]:
    yield message.written
    yield from (struct.written for struct in message.common_structs)
    yield from (item.field.written for item in walk_fields(message))


def _start(place: Place | None) -> Place | None:
    return None if place is None else Place(place.path, place.line, place.column)


def _api(item: Finding) -> str:
    return api_name(item.message_name, item.message_type)


def _same_message(one: Finding, other: Finding) -> bool:
    return (one.message_type, one.message_name) == (other.message_type, other.message_name)
