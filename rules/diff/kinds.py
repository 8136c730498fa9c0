"""One change between two protocols, as data and in words: its kind, what it touches, where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wirebook.rules.finding import Place
from wirebook.specs.model import Json, Message
from wirebook.specs.versions import VersionSet, counted

# What a change touches: the bytes that peers exchange and which of them may be sent; what is promised of
# them; names and marks in generated code; what only people read.
WIRE, PROMISE, CODE, TEXT = EFFECTS = ("wire", "promise", "code", "text")

_KINDS = {
    "message-added": (WIRE, "is new; its valid versions are {new}"),
    "message-removed": (WIRE, "is deleted; its valid versions were {old}"),
    "message-renamed": (CODE, "is now called {new}, no longer {old}"),
    "message-type-changed": (WIRE, "is now of type {new}, no longer {old}"),
    "api-key-changed": (WIRE, "has API key {new} instead of {old}"),
    "versions-added": (WIRE, "{word} {versions} {be} added"),
    "versions-removed": (WIRE, "{word} {versions} {be} no longer valid"),
    "flexible-versions-changed": (WIRE, "the flexible versions are {new} instead of {old}"),
    "versions-deprecated": (PROMISE, "{word} {versions} {be} deprecated"),
    "versions-undeprecated": (PROMISE, "{word} {versions} {be} no longer deprecated"),
    "version-made-unstable": (PROMISE, "version {versions} is marked as unstable"),
    "version-made-stable": (PROMISE, "version {versions} is declared stable"),
    "listener-added": (PROMISE, "is served on the {subject} listener too"),
    "listener-removed": (PROMISE, "is no longer served on the {subject} listener"),
    "history-added": (PROMISE, "the history tells of version {subject}: {new}"),
    "history-changed": (PROMISE, "the history of version {subject} says {new}; it said {old}"),
    "history-removed": (PROMISE, "the history no longer tells of version {subject}; it said {old}"),
    "struct-added": (CODE, "the common struct {subject} is added"),
    "struct-removed": (CODE, "the common struct {subject} is gone"),
    "struct-versions-changed": (CODE, "the versions of the struct {subject} are {new}, no longer {old}"),
    "struct-deprecation-changed": (
        CODE, "the deprecated versions of the struct {subject} are {new}, no longer {old}"
    ),
    "field-added": (WIRE, "{path} ({new}) is added"),
    "field-removed": (WIRE, "{path} ({old}) is gone"),
    "field-moved": (WIRE, "{path} moves from place {old} to place {new}"),
    "field-renamed": (CODE, "{path} was called {old}"),
    "struct-renamed": (CODE, "the struct of {path} is now called {new}, no longer {old}"),
    "type-changed": (WIRE, "{path} changes its type from {old} to {new}"),
    "field-versions-changed": (WIRE, "the versions of {path} are {new}, no longer {old}"),
    "nullability-changed": (WIRE, "the versions in which {path} may be null are {new}, no longer {old}"),
    "tagged-versions-changed": (WIRE, "the versions in which {path} is tagged are {new}, no longer {old}"),
    "tag-changed": (WIRE, "the tag of {path} is {new}, no longer {old}"),
    "field-flexible-versions-changed": (
        WIRE, "the versions in which {path} is written compactly are {new}, no longer {old}"
    ),
    "default-changed": (WIRE, "the default of {path} changes from {old} to {new}"),
    "ignorable-changed": (CODE, "ignorable of {path} is {new}, no longer {old}"),
    "entity-type-changed": (CODE, "the entity type of {path} is {new}, no longer {old}"),
    "map-key-changed": (CODE, "mapKey of {path} is {new}, no longer {old}"),
    "zero-copy-changed": (CODE, "zeroCopy of {path} is {new}, no longer {old}"),
    "about-changed": (TEXT, "what is said about {path} changes"),
    "comments-changed": (TEXT, "the comments of {what} change"),
    "key-added": (TEXT, "{what} gets the key {subject}: {new}"),
    "key-changed": (TEXT, "the key {subject} of {what} changes from {old} to {new}"),
    "key-removed": (TEXT, "{what} loses the key {subject}; it was {old}"),
    "api-version-added": (PROMISE, "the ApiVersion {subject} is added: {new}"),
    "api-version-removed": (PROMISE, "the ApiVersion {subject} is gone; it was {old}"),
    "api-version-changed": (PROMISE, "the ApiVersion {subject} is now {new}; it was {old}"),
}  # fmt: skip
KINDS = tuple(_KINDS)
# What is said of a range of versions: where no version that there is changes by it, it is but other words.
_OF_VERSIONS = {
    "flexible-versions-changed",
    "field-moved",
    "field-versions-changed",
    "nullability-changed",
    "tagged-versions-changed",
    "tag-changed",
    "field-flexible-versions-changed",
    "default-changed",
    "type-changed",
    "field-added",
    "field-removed",
}


@dataclass(frozen=True, slots=True)
class ProtocolChange:
    """One thing that changed: its `kind`, one of KINDS, the two values, and where it stands on both sides.

    `field` is the path of the field ("" for the message itself), on the new side where it is there.
    `versions` are those in which something differs, none where the change is of no version.
    `subject` names what else is meant: a listener, a struct, an ApiVersion, a key, a version of the
    history. A change of the registry has no message. All texts may hold text of a spec: untrusted, plain.
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

    @property
    def effect(self) -> str:
        """What it touches, one of EFFECTS."""
        if self.kind in _OF_VERSIONS and not self.versions:
            return TEXT
        return _KINDS[self.kind][0]

    def words(self) -> str:
        """The change as a sentence about its message, without the message's name; plain text, not escaped."""
        words = _KINDS[self.kind][1].format(
            path=self.field,
            what=self.field or (self.message.name if self.message else ""),
            old=_shown(self.old),
            new=_shown(self.new),
            subject=self.subject,
            versions=self.versions.text,
            word="version" if len(self.versions) == 1 else "versions",
            be="is" if len(self.versions) == 1 else "are",
        )
        if self.kind == "field-moved" and not self.versions:
            # Tagged fields, and fields that no version has together, have no order on the wire.
            places = f"place {_shown(self.new)} instead of {_shown(self.old)}"
            return f"{self.field} is declared in {places}; the order on the wire does not change"
        if self.kind in _OF_VERSIONS:
            where = f"in {counted(self.versions)}" if self.versions else "in no version that there is"
            return f"{words} ({where})"
        return words

    def to_json(self) -> dict[str, Any]:
        """The change as an item of wirebook/changes/1."""

        def place(at: Place | None) -> dict[str, Any] | None:
            return None if at is None else {"path": at.path, "line": at.line, "column": at.column}

        of = self.message
        return {
            "kind": self.kind,
            "effect": self.effect,
            "api": of.api if of else "",
            "api_key": of.api_key if of else None,
            "message_name": of.name if of else "",
            "message_type": of.type if of else "",
            "field": self.field,
            "subject": self.subject,
            "versions": self.versions.text,
            "old": self.old,
            "new": self.new,
            "words": self.words(),
            "location": place(self.location),
            "previous": place(self.previous),
        }


def _shown(value: Json) -> str:
    import json

    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if value == [] or value == {}:
        return "no elements" if isinstance(value, list) else "the defaults of its fields"
    if value == "":
        return "the empty text"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)
