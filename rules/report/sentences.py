"""Changes as English sentences, and the headings above them; no other module words them."""

from __future__ import annotations

import json

from wirebook.rules.diff.kinds import OF_VERSIONS, ProtocolChange
from wirebook.rules.diff.layouts import Change
from wirebook.specs.model import Json, Message
from wirebook.specs.profile import HALVES

_PROTOCOL = {
    "message-added": "is new; its valid versions are {new}",
    "message-removed": "is deleted; its valid versions were {old}",
    "message-renamed": "is renamed; it was called {old}",
    "message-type-changed": "is of type {new} instead of {old}",
    "api-key-changed": "has API key {new} instead of {old}",
    "versions-added": "{word} {versions} {be} added",
    "versions-removed": "{word} {versions} {be} no longer valid",
    "flexible-versions-changed": "the flexible versions are {new} instead of {old}",
    "header-versions-changed": "the header versions are {new} instead of {old}",
    "versions-deprecated": "{word} {versions} {be} deprecated",
    "versions-undeprecated": "{word} {versions} {be} no longer deprecated",
    "version-made-unstable": "version {versions} is marked as unstable",
    "version-made-stable": "version {versions} is declared stable",
    "listener-added": "is served on the {subject} listener too",
    "listener-removed": "is no longer served on the {subject} listener",
    "history-added": "the history gets an entry for version {subject}: {new}",
    "history-changed": "the entry of the history for version {subject} is {new}; it was {old}",
    "history-removed": "the history loses the entry for version {subject}; it was {old}",
    "struct-added": "the common struct {subject} is added",
    "struct-removed": "the common struct {subject} is removed",
    "struct-versions-changed": "the versions of the struct {subject} are {new} instead of {old}",
    "struct-deprecation-changed": (
        "the deprecated versions of the struct {subject} are {new} instead of {old}"
    ),
    "field-added": "{path} ({new}) is added",
    "field-removed": "{path} ({old}) is removed",
    "field-moved": "{path} moves from place {old} to place {new}",
    "field-renamed": "{path} is renamed; it was called {old}",
    "struct-renamed": "the struct of {path} is called {new} instead of {old}",
    "type-changed": "{path} changes its type from {old} to {new}",
    "field-versions-changed": "the versions of {path} are {new} instead of {old}",
    "nullability-changed": "the versions in which {path} may be null are {new} instead of {old}",
    "tagged-versions-changed": "the versions in which {path} is tagged are {new} instead of {old}",
    "tag-changed": "the tag of {path} is {new} instead of {old}",
    "field-flexible-versions-changed": (
        "the versions in which {path} has a compact length are {new} instead of {old}"
    ),
    "default-changed": "the default of {path} changes from {old} to {new}",
    "ignorable-changed": "ignorable of {path} is {new} instead of {old}",
    "entity-type-changed": "the entity type of {path} is {new} instead of {old}",
    "map-key-changed": "mapKey of {path} is {new} instead of {old}",
    "zero-copy-changed": "zeroCopy of {path} is {new} instead of {old}",
    "values-changed": "the values of {path} are {new} instead of {old}",
    "about-changed": "the description of {path} changes",
    "comments-changed": "the comments of {what} change",
    "key-added": "{what} gets the key {subject}: {new}",
    "key-changed": "the key {subject} of {what} changes from {old} to {new}",
    "key-removed": "{what} loses the key {subject}; it was {old}",
    "api-version-added": "the protocol level {subject} is added: {new}",
    "api-version-removed": "the protocol level {subject} is removed; it was {old}",
    "api-version-changed": "the protocol level {subject} is now {new}; it was {old}",
}
_LAYOUT = {
    "became-flexible": "becomes flexible: compact lengths, and a tagged section after every struct",
    "became-inflexible": "is no longer flexible",
    "header-version": "uses header version {new} instead of {old}",
    "field-added": "{path} ({new}) is added",
    "field-removed": "{path} ({old}) is removed",
    "field-renamed": "{path} is now called {new}",
    "field-moved": "{path} moves from place {old} to place {new}",
    "type-changed": "{path} changes its type from {old} to {new}",
    "became-nullable": "{path} may be null",
    "became-not-nullable": "{path} may no longer be null",
    "became-tagged": "{path} becomes a tagged field, tag {new}",
    "became-untagged": "{path} is no longer tagged (it was tag {old})",
    "tag-changed": "the tag of {path} changes from {old} to {new}",
    "length-changed": "the length of {path} is now written as in {new}, no longer as in {old}",
    "length-kept": "the length of {path} is still written as in {new}",
    "default-changed": "the default of {path} changes from {old} to {new}",
}


HeadingKey = tuple[str, object]  # the kind, and what distinguishes it among these


def heading(message: Message | None) -> tuple[HeadingKey, str]:
    """The heading of what is about a message, a key and a title; None is the registry."""
    if message is None:
        return ("registry", ""), "Protocol levels of the registry"
    return heading_of(message.type, message.name, message.api_key, message.api)


def heading_of(kind: str, name: str, api_key: int | None, api: str) -> tuple[HeadingKey, str]:
    """The heading of what is about a message with a type, a name, an API key and the name of an
    API."""
    if kind in HALVES and api_key is not None:
        return ("api", api_key), f"{api} (API key {api_key})"
    return (kind, name), f"{name} ({kind})"


def of_half(message: Message | None) -> str:
    """The beginning of a sentence about one half of an API; "" for other messages."""
    return (
        f"{message.type.capitalize()}: " if message is not None and message.type in HALVES else ""
    )


def sentence(change: ProtocolChange) -> str:
    """A change as a sentence about its message, without the message's name; plain text, not
    escaped."""
    if change.kind == "field-moved" and not change.versions:
        # Tagged fields, and fields that no version has together, have no order on the wire.
        places = f"place {_shown(change.new)} instead of {_shown(change.old)}"
        return f"{change.field} is declared in {places}; the order on the wire does not change"
    if change.kind == "versions-undeprecated" and not change.versions:
        return (
            f"the deprecated versions are {change.new} instead of {change.old} (in no valid "
            "version)"
        )
    word = "version" if len(change.versions) == 1 else "versions"
    text = _PROTOCOL[change.kind].format(
        path=change.field,
        what=change.field or (change.message.name if change.message else ""),
        old=_shown(change.old),
        new=_shown(change.new),
        subject=change.subject,
        versions=change.versions.text,
        word=word,
        be="are" if word == "versions" else "is",
    )
    if change.kind == "message-added" and change.message and change.message.latest_version_unstable:
        return f"{text}, the highest of which is unstable"
    if change.kind not in OF_VERSIONS:
        return text
    where = f"in {word} {change.versions}" if change.versions else "in no valid version"
    return f"{text} ({where})"


def layout_sentence(change: Change) -> str:
    """A change of a layout as the rest of a sentence about a version; plain text, not escaped."""
    return _LAYOUT[change.kind].format(
        path=change.path, old=_shown(change.old), new=_shown(change.new)
    )


def _shown(value: Json) -> str:
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if value == [] or value == {}:
        return "no elements" if isinstance(value, list) else "the defaults of its fields"
    if value == "":
        return "the empty string"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)
