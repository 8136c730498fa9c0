"""One API or other message in all snapshots: texts, what snapshots offer, events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from wirebook.docgen.catalog.events import EventRow, events
from wirebook.docgen.catalog.order import CatalogSnapshot, Offer, SnapshotFile
from wirebook.docgen.catalog.texts import OTHER, Facts, Text, facts_of
from wirebook.docgen.catalog.wire import wire
from wirebook.rules.diff.layouts import Change, layout_changes
from wirebook.specs.kafka.origins import SpecRun
from wirebook.specs.kafka.texts import ApiTexts
from wirebook.specs.layout import Layout
from wirebook.specs.levels import Registry
from wirebook.specs.model import HistoryEntry, Message, TableValues

_PARTS = ("request", "response", OTHER)
# Changes of a layout that do not change its bytes, or that are events of the version itself.
_NOT_OF_BYTES = ("field-renamed", "became-flexible", "became-inflexible")
# The texts of a subject in a snapshot, by digest, each with what the snapshot offers of it.
Held = tuple[tuple[str, Offer], ...]


@dataclass(frozen=True, slots=True)
class Context:
    """What all documents of one run share.

    `registry` is None if the protocol has no ApiVersions. `source_texts` are the digests and paths
    of the SOURCE, whose `history` adds what the snapshots do not show; in a history run it is not a
    snapshot itself. `texts` are the descriptions apart from the specs, by API or message, and
    `verified` is the newest release that they were compared with: read once, because Spark's
    executors have only the modules of the package. `is_by_specs` is whether the lifecycles in the
    specs are all that is known of releases: no texts of theirs were read. `is_complete` is whether
    no release precedes the first snapshot, so that what it has is no older. `origins` are the files
    of releases that define what a SOURCE of our own describes, by message. `value_tables` are the
    values of fields that a table of the profile lists, by snapshot.
    """

    snapshots: tuple[CatalogSnapshot, ...]
    registry: Registry | None
    source_name: str
    source_texts: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, ApiTexts] = field(default_factory=dict)
    is_by_specs: bool = False
    is_complete: bool = False
    verified: str = ""
    origins: Mapping[str, Sequence[SpecRun]] = field(default_factory=dict)
    value_tables: Mapping[int, TableValues] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """What the snapshots are: that of the first, as only a source may follow releases."""
        return self.snapshots[0].kind


@dataclass(frozen=True, slots=True)
class Subject:
    """An API or other message: its address, its files in snapshots, and their texts."""

    name: str
    slug: str
    files: list[SnapshotFile]
    texts: dict[str, Text]


class ApiHistory:
    """What all views of one API or other message are built from."""

    def __init__(self, subject: Subject, context: Context) -> None:
        self.context = context
        self.slug = subject.slug
        self.texts = subject.texts
        held: dict[int, list[tuple[str, Offer]]] = {}
        # By message identity, not name: a renamed message is the same one.
        self.by_part: dict[str, list[SnapshotFile]] = {}
        for file in sorted(subject.files):
            held.setdefault(file.ordinal, []).append((file.digest, file.offer))
            self.by_part.setdefault(self.texts[file.digest].part, []).append(file)
        self.held: dict[int, Held] = {
            ordinal: tuple(sorted(each)) for ordinal, each in held.items()
        }
        self.events = events(
            subject.name, self.held, self._facts, context.snapshots, self._byte_changes
        )
        of_source = {
            text.part: text for text in self.texts.values() if text.digest in context.source_texts
        }
        self.source = {part: of_source[part].message for part in _PARTS if part in of_source}
        # What SOURCE records about each version; the request takes precedence over the response.
        self.source_history: dict[int, HistoryEntry] = {}
        for message in self.source.values():
            for entry in message.history:
                self.source_history.setdefault(entry.version, entry)
        self.kept = self._kept()
        # The request has the name of the API if the newest snapshot has both.
        last = [each[-1] for part in _PARTS if (each := self.by_part.get(part))]
        newest = max(last, key=lambda file: file.ordinal, default=None)
        messages = [*self.source.values()] if newest is None else [self.model(newest.digest)]
        self.newest = messages[0]
        written = context.texts.get(self.newest.api)
        self.written = ApiTexts(self.newest.api, "", "") if written is None else written
        self.verified = "" if written is None else context.verified

    def model(self, digest: str) -> Message:
        """The message of a text."""
        return self.texts[digest].message

    def layout(self, digest: str, version: int) -> Layout:
        """The layout of a version in a text."""
        return self.texts[digest].layouts[version]

    def _kept(self) -> dict[tuple[str, int], list[EventRow]]:
        """The events of its own history, by what they are about."""
        kept: dict[tuple[str, int], list[EventRow]] = {}
        # What only a source has may have been added at any time: it has no events.
        if self.context.kind == "source":
            return kept
        # Without a lifecycle, nothing is known of it before the first release that was read.
        read = (each.ordinal for each in self.context.snapshots if each.commit is not None)
        first_known = 0 if self.source_history else next(read, 0)
        for event in self.events:
            if event.kept:
                is_first = event.first or event.ordinal == first_known
                kept.setdefault((event.kind, event.version), []).append(
                    event._replace(first=is_first)
                )
        return kept

    def parts(self) -> list[str]:
        """Its messages: request before response, or the one that is neither."""
        return sorted({text.part for text in self.texts.values()}, key=_PARTS.index)

    def last_message(self, part: str) -> Message:
        """The message in the newest snapshot that has it, or else in SOURCE."""
        files = self.by_part.get(part)
        return self.model(files[-1].digest) if files else self.source[part]

    def entries_of(self, part: str) -> Sequence[HistoryEntry]:
        """The `history` of a message in SOURCE."""
        return self.source[part].history if part in self.source else ()

    def offer_in(self, snapshot: CatalogSnapshot) -> Offer:
        """The versions that are valid, deprecated and unstable in any of its messages."""
        offers = [offer for _, offer in self.held.get(snapshot.ordinal, ())]
        return Offer(
            _union(each.valid for each in offers),
            _union(each.deprecated for each in offers),
            _union(each.unstable for each in offers),
        )

    def events_of(self, kind: str, version: int = -1) -> list[EventRow]:
        """The events of the API ("api"), of one version ("version") or of fields ("field")."""
        return self.kept.get((kind, version), [])

    def _facts(self, held: Held) -> Facts:
        return facts_of((self.texts[digest], offer) for digest, offer in held)

    def _byte_changes(self, before: Held, after: Held) -> Iterator[tuple[str, int, Change]]:
        """How the bytes of the versions changed that two snapshots have in common."""
        older = {self.texts[digest].part: (digest, offer.valid) for digest, offer in before}
        for digest, offer in after:
            part = self.texts[digest].part
            was, versions = older.get(part, (digest, ()))
            if was != digest:
                for version in [version for version in offer.valid if version in versions]:
                    changes = byte_changes(self.layout(was, version), self.layout(digest, version))
                    yield from ((part, version, change) for change in changes)


def _union(numbers: Iterable[Iterable[int]]) -> tuple[int, ...]:
    return tuple(sorted(set().union(*numbers)))


def byte_changes(old: Layout, new: Layout) -> list[Change]:
    """The changes between two layouts of one version after which peers do not read each other's
    bytes alike.

    Names are not on the wire, but they show whether two fields of the same type changed places.
    Readers skip tags that they do not have; an absent tag is its default.
    """
    if wire(old) == wire(new):
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
