"""A message on both sides: its versions in eras, and the changes between two of its nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from wirebook.rules.agreement.forms import bounds
from wirebook.rules.diff.kinds import ProtocolChange
from wirebook.rules.severity import Place
from wirebook.specs.model import Json, Message, SourceNode
from wirebook.specs.problems import Position
from wirebook.specs.reading.reader import plain
from wirebook.specs.versions import Versions, VersionSet


class Sides:
    """A message on both sides, and the changes between its nodes.

    Versions are grouped into eras; at the borders something in one of the specs begins or ends. The lowest
    version of an era represents it.
    """

    def __init__(self, old: Message, new: Message) -> None:
        self.old = old
        self.new = new
        ends = bounds(old) | bounds(new)
        for ranges in (old.deprecated_versions, new.deprecated_versions):
            ends |= {ranges.lowest, ranges.highest + 1}
        for message in (old, new):
            if message.latest_version_unstable:
                ends.add(message.valid_versions.highest)
        valid = [message.valid_versions for message in (old, new) if message.valid_versions]
        lowest = min((versions.lowest for versions in valid), default=0)
        highest = max((versions.highest for versions in valid), default=-1)
        starts = sorted({lowest, *(end for end in ends if lowest <= end <= highest)})
        self.eras = {
            start: Versions(start, after - 1)
            for start, after in zip(starts, [*starts[1:], highest + 1], strict=True)
        }

    def among(self, holds: Callable[[int], bool], of: Iterable[int] | None = None) -> frozenset[int]:
        return frozenset(era for era in (self.eras if of is None else of) if holds(era))

    def versions_of(self, eras: Iterable[int]) -> VersionSet:
        """All versions of some eras."""
        return VersionSet.union(*(self.eras[era] for era in eras))

    def change(
        self,
        kind: str,
        key: str | None = None,
        field: str = "",
        versions: Iterable[int] = (),
        nodes: tuple[SourceNode | None, SourceNode | None] | None = None,
        subject: str = "",
        values: tuple[Json, Json] = (None, None),
    ) -> ProtocolChange:
        """A change at `key` of the two given nodes, by default of the messages themselves."""
        before, after = (self.old.written, self.new.written) if nodes is None else nodes

        def at(written: SourceNode) -> Position:
            return written.position if key is None else written.at(key)

        return ProtocolChange(
            kind,
            self.new,
            field,
            self.versions_of(versions),
            *values,
            subject,
            None if after is None else place_of(self.new, at(after)),
            None if before is None else place_of(self.old, at(before)),
        )

    def of_text(
        self,
        path: str,
        old: SourceNode,
        new: SourceNode,
        headers: tuple[tuple[str, ...], tuple[str, ...]] = ((), ()),
    ) -> Iterator[ProtocolChange]:
        """The changes of a node's unknown keys and comments."""
        values: tuple[Json, Json]
        for key in sorted(old.unknown.keys() | new.unknown.keys()):
            if key not in old.unknown:
                kind, values = "key-added", (None, _plain(new.unknown[key]))
            elif key not in new.unknown:
                kind, values = "key-removed", (_plain(old.unknown[key]), None)
            elif old.unknown[key] != new.unknown[key]:
                kind, values = "key-changed", (_plain(old.unknown[key]), _plain(new.unknown[key]))
            else:
                continue
            yield self.change(kind, key, path, nodes=(old, new), subject=key, values=values)
        before, after = (*headers[0], *old.comments), (*headers[1], *new.comments)
        if before != after:
            texts = "\n\n".join(before) or None, "\n\n".join(after) or None
            yield self.change("comments-changed", field=path, nodes=(old, new), values=texts)


def within(eras: Iterable[int], versions: Versions) -> frozenset[int]:
    """The eras whose versions are all in a range."""
    return frozenset(era for era in eras if era in versions)


def place_of(message: Message, at: Position) -> Place:
    """A position in the file of a message."""
    return Place.of(message.path, message.written.lines, at)


def _plain(value: Json) -> Json:
    """A value as plain JSON, without the reader's own types."""
    return plain(value)
