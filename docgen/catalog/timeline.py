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
        self.registry = history.context.registry
        self.is_by_specs = history.context.is_by_specs
        # Without a lifecycle, nothing is known of it before the first release that was read.
        read = (each.ordinal for each in history.context.snapshots if each.commit is not None)
        self.first_known = 0 if history.source_history else next(read, 0)
        self._renumbered = dict(self._renumberings())
        by_version: dict[int, list[Event]] = {}
        for row in history.events_of("version"):
            by_version.setdefault(row.version, []).append(self._version_event(row))
        for version, entry in history.source_history.items():
            by_version[version] = self._dated(by_version.get(version, []), entry)
        self._of_versions = by_version

    def event(self, row: EventRow, words: str = "") -> Event:
        """A row as an event of the document."""
        return Event(row.event, self._since(row), words)

    def api_events(self) -> list[Event]:
        """The events of the API; what its first snapshot has is as old as its lowest version."""
        lowest = min(self._of_versions, default=None)
        events: list[Event] = []
        for row in self.history.events_of("api"):
            # Only an API that becomes flexible has a number: that of its first flexible version.
            since = int(row.new) if row.new else lowest
            events.append(self.refined(self.event(row), since))
        return events

    def version_events(self, version: int) -> list[Event]:
        """The events of one version: by snapshots, or by its `history` if that is more exact."""
        return self._of_versions.get(version, [])

    def refined(self, event: Event, lowest: int | None) -> Event:
        """An event of a thing, dated by its versions where they are more exact. What the first
        snapshot has is as old as the lowest version that has it; no version shows since when that
        is deprecated."""
        of_version = [] if lowest is None else self.version_events(lowest)
        since = event.since
        if self.is_by_specs:
            # A change that came with a version has the level of the version.
            moments = (each.since for each in of_version)
            since = next(filter(since.is_of_line, moments), since)
        if since.at_or_before and event.event != "deprecated":
            added = (each.since for each in of_version if each.event == "added")
            since = next(added, since)
        return replace(event, since=since)

    def of_level(self, value: str | None) -> Since | None:
        """The moment that a `history` names, by its ApiVersion or by the release that had it."""
        moment = self.registry.moment(value) if self.registry and value else None
        if self.registry is None or moment is None:
            return None
        if moment.release:
            return Since(None, moment.level, moment.release, False)
        level = self.registry.api_versions[moment.level]
        return Since(level.version, level.id, level.release, False)

    def _name(self, ordinal: int) -> str:
        return self.history.context.snapshots[ordinal].name

    def _since(self, row: EventRow) -> Since:
        """The moment of a snapshot; what the first one has may be older."""
        context, name = self.history.context, self._name(row.ordinal)
        is_source = context.snapshots[row.ordinal].kind == "source"
        level = None if is_source or self.registry is None else self.registry.of_release(name)
        is_older = row.ordinal in (0, self.first_known) and not context.is_complete
        return Since(None, level.id if level else None, name, is_older)

    def _version_event(self, row: EventRow) -> Event:
        """A row about a version as an event of the document.

        Kafka's coordinators number their records. That number was the version of the record's key
        until the specs of keys got a key of their own for it: what looks like another version is
        the same record.
        """
        event, number = self.event(row), self._renumbered.get(row.ordinal)
        if number is not None and (row.event, row.version) == ("removed", number):
            words = f"this is version 0 of record type {number} from then on"
        elif number is not None and row.event in ("added", "returned") and row.version == 0:
            words = f"this was version {number} before"
        else:
            return event
        return replace(event, event="renumbered", words=words)

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
            place = next((place for place, event in enumerate(events) if event.event == key), None)
            if place is None:
                # A version that was removed and returned in patch releases of one line shows
                # neither.
                if self.is_by_specs or self._is_before_first(named):
                    events.append(Event(key, named))
                continue
            since = events[place].since
            # Releases before the first one here may have written the version under another number.
            if self.is_by_specs or (key == "added" and self._is_before_first(named)):
                events[place] = replace(events[place], since=named)
            elif since.at_or_before or since.is_of_line(named):
                release = named.release if since.at_or_before else since.release
                events[place] = replace(events[place], since=replace(named, release=release))
        if self.is_by_specs:
            events.sort(key=lambda event: _ORDER.index(event.event))
        return sorted(events, key=lambda event: (when(event.since), self._patch(event.since)))

    def _is_before_first(self, since: Since) -> bool:
        is_release = self.history.context.kind == "release"
        level = self.registry.of_release(self._name(0)) if self.registry and is_release else None
        return level is not None and when(since) <= level.id

    def _patch(self, since: Since) -> int:
        """Which patch release of its line a moment is, 0 for anything else."""
        moment = self.registry.moment(since.release) if self.registry and since.release else None
        return moment.patch if moment is not None else 0


def when(since: Since) -> float:
    """What events are sorted by: the id of their level; what has none comes last."""
    return inf if since.api_version_id is None else since.api_version_id
