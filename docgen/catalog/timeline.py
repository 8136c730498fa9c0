"""The timeline of a message: by snapshots, or by its `history` if that is more exact."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from math import inf

from wirebook.docgen.catalog.events import EventRow
from wirebook.docgen.catalog.history import ApiHistory
from wirebook.docgen.catalog.records import Event, Since
from wirebook.specs.model import STANDING, HistoryEntry

# What happened to a version at one level, in the order in which it is listed.
_ORDER = ("added", "unstable", "stable", "deprecated", "removed", "returned", "undeprecated")


class Timeline:
    """The events of one API or other message, for its document."""

    def __init__(self, history: ApiHistory) -> None:
        self.history = history
        self.context = history.context
        self.registry = history.context.registry
        self.is_by_specs = history.context.is_by_specs
        # Without a lifecycle, nothing is known of it before the first release that was read.
        self.first_known = 0 if history.source_history else self.context.first_read
        numbers = dict(self._renumberings())
        self._of_versions: dict[int, list[Event]] = {}
        for row in history.events_of("version"):
            event = self._version_event(row, numbers.get(row.ordinal))
            self._of_versions.setdefault(row.version, []).append(event)
        for version, entry in history.source_history.items():
            self._of_versions[version] = self._dated(self.version_events(version), entry)

    def version_events(self, version: int) -> list[Event]:
        """The events of one version: by snapshots, or by its `history` if that is more exact."""
        return self._of_versions.get(version, [])

    def api_events(self) -> list[Event]:
        """The events of the API; what its first snapshot has is as old as its lowest version."""
        lowest = min(self._of_versions, default=-1)
        # Only an API that becomes flexible has a number: that of its first flexible version.
        return [self.event(row, int(row.new or lowest)) for row in self.history.events_of("api")]

    def event(self, row: EventRow, lowest: int, words: str = "") -> Event:
        """What happened to an API or a field, dated by its versions where they are more exact.

        What the first snapshot has is as old as the lowest version that has it; no version shows
        since when that is deprecated.
        """
        since = self._since(row)
        moments = self.version_events(lowest)
        if self.is_by_specs:
            # A change that came with a version has the level of the version.
            since = next((each.since for each in moments if since.is_of_line(each.since)), since)
        if since.at_or_before and row.event != "deprecated":
            since = next((each.since for each in moments if each.event == "added"), since)
        return Event(row.event, since, words)

    def of_level(self, value: str | None) -> Since | None:
        """The moment that a `history` names, by its ApiVersion or by the release that had it."""
        moment = self.registry.moment(value or "")
        if moment is None:
            return None
        if moment.release:
            return Since(None, moment.level, moment.release, False)
        level = self.registry.api_versions[moment.level]
        return Since(level.version, level.id, level.release, False)

    def _since(self, row: EventRow) -> Since:
        """The moment of a snapshot; what the first one has may be older."""
        snapshot = self.context.snapshots[row.ordinal]
        is_release = snapshot.kind == "release"
        level = self.registry.of_release(snapshot.name) if is_release else None
        is_older = row.ordinal in (0, self.first_known) and not self.context.is_complete
        return Since(None, level.id if level else None, snapshot.name, is_older)

    def _version_event(self, row: EventRow, number: int | None) -> Event:
        """What happened to a version; `number` is that of a record which was renumbered then.

        Kafka's coordinators number their records. That number was the version of the record's key
        until the specs of keys got a key of their own for it: what looks like another version is
        the same record.
        """
        since = self._since(row)
        if number is not None and (row.event, row.version) == ("removed", number):
            words = f"this is version 0 of record type {number} from then on"
            return Event("renumbered", since, words)
        if number is not None and row.event in ("added", "returned") and row.version == 0:
            return Event("renumbered", since, f"this was version {number} before")
        return Event(row.event, since)

    def _renumberings(self) -> Iterator[tuple[int, int]]:
        """The snapshots that are the first to have the key of a record as its key, each with the
        number of the record."""
        for files in self.history.by_part.values():
            for before, after in pairwise(files):
                was, now = (self.history.model(file.digest) for file in (before, after))
                number = -1 if now.api_key is None else now.api_key
                if was.type != now.type == "coordinator-key" and number in was.valid_versions:
                    yield after.ordinal, number

    def _dated(self, events: list[Event], entry: HistoryEntry) -> list[Event]:
        """The events of a version, at the moments that its `history` names if more exact."""
        for key in STANDING:
            named = self.of_level(getattr(entry, key))
            if named is None:
                continue
            event = next((event for event in events if event.event == key), None)
            is_before = self._is_before_first(named)
            if event is None:
                # A version that was removed and returned in patch releases of one line shows
                # neither.
                if self.is_by_specs or is_before:
                    events.append(Event(key, named))
                continue
            since = event.since
            # Releases before the first one here may have written the version under another number.
            is_older = since.at_or_before or (key == "added" and is_before)
            if self.is_by_specs or is_older:
                since = named
            elif since.is_of_line(named):
                since = replace(named, release=since.release)
            events[events.index(event)] = replace(event, since=since)
        if self.is_by_specs:
            events.sort(key=lambda event: _ORDER.index(event.event))
        return sorted(events, key=lambda event: (when(event.since), self._patch(event.since)))

    def _is_before_first(self, since: Since) -> bool:
        first = self.context.snapshots[0]
        level = self.registry.of_release(first.name) if first.kind == "release" else None
        return level is not None and when(since) <= level.id

    def _patch(self, since: Since) -> int:
        """Which patch release of its line a moment is, 0 for anything else."""
        moment = self.registry.moment(since.release or "")
        return 0 if moment is None else moment.patch


def when(since: Since) -> float:
    """What events are sorted by: the id of their level; what has none comes last."""
    return inf if since.api_version_id is None else since.api_version_id
