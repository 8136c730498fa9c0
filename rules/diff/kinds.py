"""One change between two protocols, as data and as a sentence: its kind, what it touches, and its
place on both sides."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from wirebook.specs.model import Field, Json, Message
from wirebook.specs.problems import Place
from wirebook.specs.versions import VersionSet, counted

# What a change affects: the bytes that peers exchange and which of them may be sent; promises about
# them; names and attributes in generated code; or only what people read.
WIRE, PROMISE, CODE, TEXT = EFFECTS = ("wire", "promise", "code", "text")

# The sentence of each kind of change about its message, by what it affects. With {where}, it is
# about versions: if it affects no existing one, only the notation changes.
_SENTENCES = {
    WIRE: {
        "message-added": "is new; its valid versions are {new}",
        "message-removed": "is deleted; its valid versions were {old}",
        "message-type-changed": "is of type {new} instead of {old}",
        "api-key-changed": "has API key {new} instead of {old}",
        "versions-added": "{these} added",
        "versions-removed": "{these} no longer valid",
        "flexible-versions-changed": "the flexible versions are {new} instead of {old}{where}",
        "header-versions-changed": "the header versions are {new} instead of {old}{where}",
        "field-added": "{path} ({new}) is added{where}",
        "field-removed": "{path} ({old}) is removed{where}",
        "field-moved": "{path} moves from place {old} to place {new}{where}",
        "type-changed": "{path} changes its type from {old} to {new}{where}",
        "field-versions-changed": "the versions of {path} are {new} instead of {old}{where}",
        "nullability-changed": (
            "the versions in which {path} may be null are {new} instead of {old}{where}"
        ),
        "tagged-versions-changed": (
            "the versions in which {path} is tagged are {new} instead of {old}{where}"
        ),
        "tag-changed": "the tag of {path} is {new} instead of {old}{where}",
        "field-flexible-versions-changed": (
            "the versions in which {path} has a compact length are {new} instead of {old}{where}"
        ),
        "default-changed": "the default of {path} changes from {old} to {new}{where}",
    },
    PROMISE: {
        "versions-deprecated": "{these} deprecated",
        "versions-undeprecated": "{these} no longer deprecated",
        "version-made-unstable": "version {versions} is marked as unstable",
        "version-made-stable": "version {versions} is declared stable",
        "listener-added": "is served on the {subject} listener too",
        "listener-removed": "is no longer served on the {subject} listener",
        "history-added": "the history gets an entry for version {subject}: {new}",
        "history-changed": "the entry of the history for version {subject} is {new}; it was {old}",
        "history-removed": "the history loses the entry for version {subject}; it was {old}",
        "api-version-added": "the protocol level {subject} is added: {new}",
        "api-version-removed": "the protocol level {subject} is removed; it was {old}",
        "api-version-changed": "the protocol level {subject} is now {new}; it was {old}",
    },
    CODE: {
        "message-renamed": "is renamed; it was called {old}",
        "field-renamed": "{path} is renamed; it was called {old}",
        "struct-renamed": "the struct of {path} is called {new} instead of {old}",
        "values-changed": "the values of {path} are {new} instead of {old}",
        "ignorable-changed": "ignorable of {path} is {new} instead of {old}",
        "entity-type-changed": "the entity type of {path} is {new} instead of {old}",
        "map-key-changed": "mapKey of {path} is {new} instead of {old}",
        "zero-copy-changed": "zeroCopy of {path} is {new} instead of {old}",
    },
    TEXT: {
        "about-changed": "the description of {path} changes",
        "comments-changed": "the comments of {what} change",
        "key-added": "{what} gets the key {subject}: {new}",
        "key-changed": "the key {subject} of {what} changes from {old} to {new}",
        "key-removed": "{what} loses the key {subject}; it was {old}",
    },
}
_EFFECTS = {kind: effect for effect, kinds in _SENTENCES.items() for kind in kinds}
KINDS = tuple(_EFFECTS)
Key = TypeVar("Key")
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class ProtocolChange:
    """A change: its `kind`, one of KINDS, the two values, and its positions on both sides.

    `field` is the path of the field ("" for the message itself), on the new side if it exists
    there. `versions` are those in which something differs, empty if the change concerns no version.
    `subject` names what else is concerned: a listener, a struct, a protocol level, a key, a version
    of the history. `declared` is the field, on the new side if it exists there, and `base` the
    message on the old side. A change of the registry has no message. All strings may contain text
    of a spec: untrusted, plain.
    """

    kind: str
    message: Message | None = None
    field: str = ""
    versions: VersionSet = VersionSet.NONE
    old: Json = None
    new: Json = None
    subject: str = ""
    location: Place | None = None
    previous: Place | None = None
    declared: Field | None = None
    base: Message | None = None

    @property
    def effect(self) -> str:
        """What the change affects, one of EFFECTS."""
        effect = _EFFECTS[self.kind]
        is_notation = not self.versions and "{where}" in _SENTENCES[effect][self.kind]
        return TEXT if is_notation else effect

    @property
    def sentence(self) -> str:
        """The change as a sentence about its message, without the message's name; not escaped."""
        versions = counted(self.versions)
        return _SENTENCES[_EFFECTS[self.kind]][self.kind].format(
            path=self.field,
            what=self.field or (self.message.name if self.message else ""),
            old=shown(self.old),
            new=shown(self.new),
            subject=self.subject,
            versions=self.versions,
            these=f"{versions} {'are' if len(self.versions) > 1 else 'is'}",
            where=f" (in {versions if self.versions else 'no valid version'})",
        )


def differing(
    old: Mapping[Key, Item], new: Mapping[Key, Item]
) -> Iterator[tuple[Key, str, Item | None, Item | None]]:
    """The names whose items differ, with whether each is added, removed or changed, and both
    items."""
    for name in {**new, **old}:
        if name not in old:
            yield name, "added", None, new[name]
        elif name not in new:
            yield name, "removed", old[name], None
        elif old[name] != new[name]:
            yield name, "changed", old[name], new[name]


def shown(value: Json) -> str:
    """A value in a sentence."""
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if value == [] or value == {}:
        return "no elements" if isinstance(value, list) else "the defaults of its fields"
    if value == "":
        return "the empty string"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)
