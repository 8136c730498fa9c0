"""The changes between two protocols on the wire, restricted to versions whose bytes differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from wirebook.rules.diff.kinds import OF_VERSIONS, WIRE, ProtocolChange
from wirebook.rules.match import match_messages
from wirebook.specs.model import Message, Protocol
from wirebook.specs.versions import MAX_VERSION, Versions, VersionSet
from wirebook.specs.wire.layout import layout

_SAME_BYTES = {"bytes", "records"}
# A field with a different version range: changes of its contents and encoding follow from that.
_ELSEWHERE = "field-versions-changed"
_VALID = ("versions-added", "versions-removed")


def wire_changes(changes: Iterable[ProtocolChange], old: Protocol, new: Protocol) -> Iterator[ProtocolChange]:
    """The changes between two protocols that affect the bytes that peers exchange.

    Used for a side that describes only bytes, and for versions that both sides may have. A change keeps the
    versions in which the bytes of its message differ, and is left out if there are none: records are bytes, a
    struct is its fields, and the default of a field that is always written is not on the wire. A different
    version range of a field is one change, not one for each field in it. Versions below the lowest valid one
    of a side are ignored: the end of support is not visible on the wire. Raises InputError for a message
    without a layout.
    """
    pairs = {
        id(after): _Pair(before, after)
        for before, after in match_messages(old, new)
        if before is not None and after is not None
    }
    for change in changes:
        if change.effect != WIRE or change.message is None:
            continue
        pair = pairs.get(id(change.message))
        if pair is None or change.kind not in (*OF_VERSIONS, *_VALID):
            yield change
        elif versions := pair.on_the_wire(change):
            yield replace(change, versions=versions)


def differing_versions(old: Message, new: Message) -> VersionSet:
    """The versions in which the bytes of both sides differ. Raises InputError if there is no layout."""
    both = old.valid_versions & new.valid_versions
    return VersionSet.of(
        version for version in both if layout(old, version).grammar != layout(new, version).grammar
    )


class _Pair:
    """A message on both sides: the versions whose bytes differ, and which fields are only in some of them."""

    def __init__(self, old: Message, new: Message) -> None:
        self.new = new
        self.differing = differing_versions(old, new)
        lowest = [side.valid_versions.lowest if side.valid_versions else MAX_VERSION for side in (old, new)]
        self.ended = VersionSet.union(Versions(0, max(lowest) - 1))
        self.elsewhere: dict[str, VersionSet] = {}

    def on_the_wire(self, change: ProtocolChange) -> VersionSet:
        """The versions in which a change alters bytes and no earlier change explains it."""
        if change.kind in _VALID:
            return change.versions - self.ended
        versions = change.versions & self.differing
        names = change.field.split(".")
        for depth in range(1, len(names) + 1):
            versions = versions - self.elsewhere.get(".".join(names[:depth]), VersionSet.NONE)
        if change.kind == _ELSEWHERE:
            self.elsewhere[change.field] = versions
        if change.kind == "default-changed":
            return VersionSet.of(version for version in versions if self.is_tagged(change.field, version))
        if change.kind == "type-changed" and {change.old, change.new} == _SAME_BYTES:
            return VersionSet.NONE
        return versions

    def is_tagged(self, path: str, version: int) -> bool:
        fields = (field for field in layout(self.new, version).walk() if field.path == path)
        return any(field.tag is not None for field in fields)
