"""One API or other message in all snapshots: its parsed texts, layouts, states and events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from wirebook.docgen.catalog.order import CatalogSnapshot
from wirebook.docgen.catalog.subject_texts import Offer, SubjectTexts
from wirebook.specs.kafka.origins import SpecRun
from wirebook.specs.levels import Registry
from wirebook.specs.model import HistoryEntry, Message
from wirebook.specs.subjects import OTHER, part_of
from wirebook.specs.texts.model import ApiTexts, TableValues

# The values of fields that a table lists, by the name of the message and the path of the field.
_PARTS = ("request", "response", OTHER)


class StateText(NamedTuple):
    """A text in a snapshot, in one of its states."""

    ordinal: int
    digest: str
    path: str
    state: int


NOTHING = Offer((), (), ())


class EventRow(NamedTuple):
    """An event of a subject, as the table of changes has it.

    `kind`, `part`, `version` and `path` name what it happened to, as in `Fact`; of the kind "schema", the
    events are changes of the bytes of a version (rules.diff.layouts.KINDS; HALF_ADDED and HALF_REMOVED in
    docgen.catalog.sentences). `first` is whether the
    history began with it, `branch` the chain if only that branch has it, and `kept` whether it is part of the
    thing's own history, which lists an event of several branches once, by the earliest release.
    """

    kind: str
    part: str
    version: int
    path: str
    event: str
    ordinal: int
    old: str | None
    new: str | None
    first: bool
    branch: int | None
    kept: bool


@dataclass(frozen=True, slots=True)
class Context:
    """What all documents of one run share.

    `registry` is None if the protocol has no ApiVersions. `source_texts` are the digests and paths of the
    SOURCE, whose `history` adds what the snapshots do not show; in a history run it is not a snapshot itself.
    `texts` are the descriptions apart from the specs, by API or message, and `verified` is the newest release
    that they were compared with: read once, because Spark's executors have only the modules of the package.
    `is_by_specs` is whether the lifecycles in the specs are all that is known of releases: no texts of
    theirs were read. `is_complete` is whether no release precedes the first snapshot, so that what it has
    is no older. `origins` are the files of releases
    that define what a SOURCE of our own describes, by message. `value_tables` are the values of fields that a
    table of the profile lists, by snapshot.
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

    @property
    def first_read(self) -> int:
        """The ordinal of the first snapshot whose specs were read: older releases have lifecycles only."""
        read = (each.ordinal for each in self.snapshots if each.kind == "release" and each.commit is not None)
        return next(read, 0) if self.kind == "release" else 0


class ApiHistory:
    """What all views of one API or other message are built from."""

    def __init__(
        self,
        entries: Sequence[StateText],
        texts: SubjectTexts,
        events: Sequence[EventRow],
        context: Context,
    ) -> None:
        self.context = context
        self.entries = sorted(entries)
        self.texts, self.states = texts.by_digest, texts.states
        self.model, self.layout = texts.model, texts.layout
        self.events = sorted(
            events, key=lambda event: (event.ordinal, event.kind, event.version, event.path, event.event)
        )
        # By message identity, not name: a renamed message is the same one.
        self.by_part: dict[str, list[StateText]] = {}
        for entry in self.entries:
            self.by_part.setdefault(part_of(self.model(entry.digest)), []).append(entry)
        self.source = sorted(
            (self.model(digest) for digest in self.texts if digest in context.source_texts),
            key=lambda message: _PARTS.index(part_of(message)),
        )
        self.source_history = self._source_history()
        self.kept = self._kept()
        # The request has the name of the API if the newest snapshot has both.
        last = [each[-1] for part in _PARTS if (each := self.by_part.get(part))]
        newest = max(last, key=lambda entry: entry.ordinal, default=None)
        self.newest = self.model(newest.digest) if newest is not None else self.source[0]
        written = context.texts.get(self.newest.api)
        self.written = ApiTexts(self.newest.api, "", "") if written is None else written
        self.verified = "" if written is None else context.verified

    def _kept(self) -> dict[tuple[str, int], list[EventRow]]:
        """The events of its own history, by what they are about."""
        kept: dict[tuple[str, int], list[EventRow]] = {}
        # What only a source has may have been added at any time: it has no events.
        if self.context.kind == "source":
            return kept
        # Without a lifecycle, nothing is known of it before the first snapshot that was read.
        first_known = 0 if self.source_history else self.context.first_read
        for event in self.events:
            if event.kept:
                is_first = event.first or (event.branch is None and event.ordinal == first_known)
                kept.setdefault((event.kind, event.version), []).append(event._replace(first=is_first))
        return kept

    def _source_history(self) -> dict[int, HistoryEntry]:
        """What the SOURCE records about each version; the request takes precedence over the response."""
        entries: dict[int, HistoryEntry] = {}
        for message in self.source:
            for entry in message.history:
                entries.setdefault(entry.version, entry)
        return entries

    def parts(self) -> list[str]:
        """Its messages: request before response, or the one that is neither."""
        names = set(self.by_part) | {part_of(message) for message in self.source}
        return sorted(names, key=_PARTS.index)

    def last_message(self, part: str) -> Message:
        """The message in the newest snapshot that has it, or else in SOURCE."""
        entries = self.by_part.get(part)
        if entries:
            return self.model(entries[-1].digest)
        return next(message for message in self.source if part_of(message) == part)

    def presence(self) -> dict[int, Offer]:
        """By snapshot: the versions that are valid, deprecated and unstable in any of its messages."""
        sets: dict[int, tuple[set[int], set[int], set[int]]] = {}
        for entry in self.entries:
            mine = sets.setdefault(entry.ordinal, (set(), set(), set()))
            for ours, more in zip(mine, self.states[entry.digest, entry.state], strict=True):
                ours.update(more)
        return {
            ordinal: Offer(tuple(sorted(valid)), tuple(sorted(deprecated)), tuple(sorted(unstable)))
            for ordinal, (valid, deprecated, unstable) in sets.items()
        }

    def events_of(self, kind: str, version: int = -1) -> list[EventRow]:
        """The events of the API ("api"), of one version ("version") or of fields ("field")."""
        return self.kept.get((kind, version), [])
