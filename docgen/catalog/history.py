"""One API or other message in all snapshots: texts, what snapshots offer, events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from wirebook.docgen.catalog.events import EventRow, Held, events
from wirebook.docgen.catalog.order import CatalogSnapshot, Offer, SnapshotFile
from wirebook.docgen.catalog.texts import OTHER, Text
from wirebook.specs.kafka.origins import SpecRun
from wirebook.specs.kafka.texts import ApiTexts
from wirebook.specs.layout import Layout, LayoutField
from wirebook.specs.levels import Registry
from wirebook.specs.model import HistoryEntry, Message, TableValues

_PARTS = ("request", "response", OTHER)
# Fields by path, each in the versions that have it, newest first.
FieldsByPath = Mapping[str, Mapping[int, LayoutField]]


@dataclass(frozen=True, slots=True)
class Context:
    """What all documents of one run share.

    `registry` is empty if the protocol has no ApiVersions. `source_texts` are the digests and paths
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
    registry: Registry
    source_name: str
    source_texts: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, ApiTexts] = field(default_factory=dict)
    is_by_specs: bool = False
    is_complete: bool = False
    verified: str = ""
    origins: Mapping[str, Sequence[SpecRun]] = field(default_factory=dict)
    value_tables: Mapping[int, TableValues] = field(default_factory=dict)

    @property
    def first_read(self) -> int:
        """The first snapshot with specs of its own: earlier ones follow from lifecycles."""
        read = (each.ordinal for each in self.snapshots if each.commit is not None)
        return next(read, 0)


@dataclass(frozen=True, slots=True)
class Subject:
    """An API or other message: its address, its files in the order of snapshots, and their
    texts."""

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
        texts = sorted(self.texts.values(), key=lambda text: _PARTS.index(text.part))
        # Its messages: request before response, or the one that is neither. By identity, not name:
        # a renamed message is the same one.
        self.by_part: dict[str, list[SnapshotFile]] = {text.part: [] for text in texts}
        self.source = {text.part: text for text in texts if text.digest in context.source_texts}
        self.held: dict[int | None, Held] = {}
        self._fields: dict[tuple[str, Offer], FieldsByPath] = {}
        for ordinal, files in groupby(subject.files, key=lambda file: file.ordinal):
            of_snapshot = list(files)
            self.held[ordinal] = tuple(sorted((file.digest, file.offer) for file in of_snapshot))
            for file in of_snapshot:
                self.by_part[self.texts[file.digest].part].append(file)
        self.events = events(subject.name, self.held, self.texts, context.snapshots)
        # What SOURCE records about each version; the request takes precedence over the response.
        self.source_history: dict[int, HistoryEntry] = {}
        for text in self.source.values():
            for entry in text.message.history:
                self.source_history.setdefault(entry.version, entry)
        # The request has the name of the API if the newest snapshot has both.
        last = [files[-1] for files in self.by_part.values() if files]
        self.newest = self.model(max(last, key=lambda file: file.ordinal).digest)
        api = self.newest.api
        self.written = context.texts.get(api, ApiTexts(api, "", ""))

    def model(self, digest: str) -> Message:
        """The message of a text."""
        return self.texts[digest].message

    def layout(self, digest: str, version: int) -> Layout:
        """The layout of a version in a text."""
        return self.texts[digest].layouts[version]

    def fields(self, file: SnapshotFile) -> FieldsByPath:
        """The fields that a snapshot offers."""
        key = (file.digest, file.offer)
        if key not in self._fields:
            offered = reversed(file.offer.valid)
            self._fields[key] = fields_by_path(self.layout(file.digest, at) for at in offered)
        return self._fields[key]

    def last_message(self, part: str) -> Message:
        """The message in the newest snapshot that has it, or else in SOURCE."""
        files = self.by_part[part]
        return self.model(files[-1].digest) if files else self.source[part].message

    def entries_of(self, part: str) -> Sequence[HistoryEntry]:
        """The `history` of a message in SOURCE."""
        return self.source[part].message.history if part in self.source else ()

    def offer_in(self, snapshot: CatalogSnapshot) -> Offer:
        """The versions that are valid, deprecated and unstable in any of its messages."""
        return Offer.union(offer for _, offer in self.held.get(snapshot.ordinal, ()))

    def events_of(self, kind: str) -> list[EventRow]:
        """The events of the API ("api"), of its versions ("version") or of fields ("field")."""
        # What only a source has may have been added at any time: it has no events.
        if self.context.snapshots[0].kind == "source":
            return []
        return [row for row in self.events if row.kept and row.kind == kind]


def fields_by_path(layouts: Iterable[Layout]) -> FieldsByPath:
    """The fields of layouts, which are given newest first."""
    fields: dict[str, dict[int, LayoutField]] = {}
    for layout in layouts:
        for each in layout.walk():
            fields.setdefault(each.path, {})[layout.version] = each
    return fields
