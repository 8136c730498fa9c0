"""The distinct texts of a subject: each is read once, and each layout is made once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from wirebook.docgen.catalog.rows import Fact, OfferedVersions
from wirebook.docgen.catalog.sentences import HALF_ADDED, HALF_REMOVED
from wirebook.rules.diff.layouts import Change, layout_changes
from wirebook.specs.kafka.texts import described
from wirebook.specs.model import Message
from wirebook.specs.subjects import part_of
from wirebook.specs.texts.model import ApiTexts
from wirebook.specs.wire.layout import Layout, layout

# Changes of a layout that do not change its bytes, or that are events of the version itself.
_NOT_OF_BYTES = ("field-renamed", "became-flexible", "became-inflexible")

StateOfText = tuple[str, int]


class Text(NamedTuple):
    """One distinct text of the subject: its message, and the states that it was in."""

    digest: str
    model: Message
    states: Sequence[OfferedVersions]


class Offer(NamedTuple):
    """The versions of one message, or of one API, in a snapshot."""

    valid: tuple[int, ...]
    deprecated: tuple[int, ...]
    unstable: tuple[int, ...]


class ByteChange(NamedTuple):
    """A change of the bytes of a version that both of two texts have; `part` is the message."""

    part: str
    version: int
    change: Change


class SubjectTexts:
    """The texts by digest; `written` are the descriptions apart from the specs, by API or message."""

    def __init__(self, texts: Sequence[Text], written: Mapping[str, ApiTexts]) -> None:
        self.by_digest = {text.digest: text for text in sorted(texts, key=lambda text: text.digest)}
        self.states = {
            (text.digest, each.state): Offer(tuple(each.valid), tuple(each.deprecated), tuple(each.unstable))
            for text in texts
            for each in text.states
        }
        self._written = written
        self._models: dict[str, Message] = {}
        self._layouts: dict[tuple[str, int], Layout] = {}

    def model(self, digest: str) -> Message:
        """The message of a text."""
        made = self._models.get(digest)
        if made is None:
            message = self.by_digest[digest].model
            made = self._models[digest] = described(message, self._written.get(message.api))
        return made

    def layout(self, digest: str, version: int) -> Layout:
        """The layout of a version in a text."""
        key = (digest, version)
        table = self._layouts.get(key)
        if table is None:
            table = self._layouts[key] = layout(self.model(digest), version)
        return table

    def facts(self) -> dict[StateOfText, list[Fact]]:
        """What each text states in each of its states."""
        return {
            (text.digest, each.state): each.facts for text in self.by_digest.values() for each in text.states
        }

    def byte_changes_between(
        self, before: Sequence[StateOfText], after: Sequence[StateOfText]
    ) -> Iterator[ByteChange]:
        """How the bytes of the versions that two snapshots have in common changed from one to the other.

        A version that only the request had, say, is a change when the response gains it.
        """
        older = {part_of(self.model(digest)): (digest, state) for digest, state in before}
        newer = {part_of(self.model(digest)): (digest, state) for digest, state in after}
        yield from self._halves(older, newer)
        for part, (digest, state) in newer.items():
            was = older.get(part)
            if was is None or was[0] == digest:
                continue
            for version in sorted({*self.states[was].valid} & {*self.states[digest, state].valid}):
                changes = byte_changes(self.layout(was[0], version), self.layout(digest, version))
                yield from (ByteChange(part, version, change) for change in changes)

    def _halves(
        self, older: Mapping[str, StateOfText], newer: Mapping[str, StateOfText]
    ) -> Iterator[ByteChange]:
        """The versions of an API in both snapshots that one of its messages gains or loses."""
        old, new = (
            {part: {*self.states[held].valid} for part, held in side.items()} for side in (older, newer)
        )
        in_both = set().union(*old.values()) & set().union(*new.values())
        for part in sorted({*old, *new}):
            was, now = old.get(part, set()) & in_both, new.get(part, set()) & in_both
            for kind, versions in ((HALF_ADDED, now - was), (HALF_REMOVED, was - now)):
                yield from (ByteChange(part, version, Change(kind, "")) for version in sorted(versions))


def byte_changes(old: Layout, new: Layout) -> list[Change]:
    """The changes between two layouts of one version after which peers do not read each other's bytes alike.

    Names are not on the wire, but they show whether two fields of the same type changed places. Readers skip
    tags that they do not have; an absent tag is its default.
    """
    if old.wire == new.wire:
        if [each.path for each in old.walk()] == [each.path for each in new.walk()]:
            return []
        return [change for change in layout_changes(old, new) if change.kind == "field-moved"]
    tagged = {each.path for table in (old, new) for each in table.walk() if each.tag is not None}

    def is_of_bytes(change: Change) -> bool:
        if change.kind == "header-version":
            return old.flexible == new.flexible
        if change.kind == "type-changed":
            return {change.old, change.new} != {"bytes", "records"}
        if change.kind == "default-changed":
            return change.path in tagged
        if change.kind in ("field-added", "field-removed"):
            return change.path not in tagged
        return change.kind not in _NOT_OF_BYTES

    return list(filter(is_of_bytes, layout_changes(old, new)))
