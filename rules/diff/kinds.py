"""One change between two protocols, as data: its kind, what it touches, and its place on both
sides."""

from __future__ import annotations

from dataclasses import dataclass

from wirebook.rules.severity import Place
from wirebook.specs.model import Json, Message
from wirebook.specs.versions import VersionSet

# What a change affects: the bytes that peers exchange and which of them may be sent; promises about
# them; names and attributes in generated code; or only what people read.
WIRE, PROMISE, CODE, TEXT = EFFECTS = ("wire", "promise", "code", "text")

# Every kind of change, with what it affects.
_EFFECTS = {
    "message-added": WIRE,
    "message-removed": WIRE,
    "message-renamed": CODE,
    "message-type-changed": WIRE,
    "api-key-changed": WIRE,
    "versions-added": WIRE,
    "versions-removed": WIRE,
    "flexible-versions-changed": WIRE,
    "header-versions-changed": WIRE,
    "versions-deprecated": PROMISE,
    "versions-undeprecated": PROMISE,
    "version-made-unstable": PROMISE,
    "version-made-stable": PROMISE,
    "listener-added": PROMISE,
    "listener-removed": PROMISE,
    "history-added": PROMISE,
    "history-changed": PROMISE,
    "history-removed": PROMISE,
    "struct-added": CODE,
    "struct-removed": CODE,
    "struct-versions-changed": CODE,
    "struct-deprecation-changed": CODE,
    "field-added": WIRE,
    "field-removed": WIRE,
    "field-moved": WIRE,
    "field-renamed": CODE,
    "struct-renamed": CODE,
    "type-changed": WIRE,
    "field-versions-changed": WIRE,
    "nullability-changed": WIRE,
    "tagged-versions-changed": WIRE,
    "tag-changed": WIRE,
    "field-flexible-versions-changed": WIRE,
    "default-changed": WIRE,
    "values-changed": CODE,
    "ignorable-changed": CODE,
    "entity-type-changed": CODE,
    "map-key-changed": CODE,
    "zero-copy-changed": CODE,
    "about-changed": TEXT,
    "comments-changed": TEXT,
    "key-added": TEXT,
    "key-changed": TEXT,
    "key-removed": TEXT,
    "api-version-added": PROMISE,
    "api-version-removed": PROMISE,
    "api-version-changed": PROMISE,
}
KINDS = tuple(_EFFECTS)
# Changes of a version range: if they affect no existing version, only the notation changes.
OF_VERSIONS = {
    "flexible-versions-changed",
    "header-versions-changed",
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
    """A change: its `kind`, one of KINDS, the two values, and its positions on both sides.

    `field` is the path of the field ("" for the message itself), on the new side if it exists
    there. `versions` are those in which something differs, empty if the change concerns no version.
    `subject` names what else is concerned: a listener, a struct, a protocol level, a key, a version
    of the history. A change of the registry has no message. All strings may contain text of a spec:
    untrusted, plain.
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
        """What the change affects, one of EFFECTS."""
        if not self.versions and (self.kind in OF_VERSIONS or self.kind == "versions-undeprecated"):
            return TEXT
        return _EFFECTS[self.kind]
