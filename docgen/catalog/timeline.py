"""The timeline of a message: its events by snapshots, or by its `history` where that is more exact."""

from __future__ import annotations

from dataclasses import replace
from math import inf

from wirebook.docgen.catalog.events import EventRow
from wirebook.docgen.catalog.history import ApiHistory
from wirebook.docgen.catalog.records import Event, Since
from wirebook.specs.model import STANDING

# What happened to a version at one level, in the order in which it is listed.
_ORDER = ("added", "unstable", "stable", "deprecated", "removed", "returned", "undeprecated")


class Timeline:
    """The events of one API or other message, for its document."""

    def __init__(self, history: ApiHistory) -> None:
        self.history = history
        self._version_stories: dict[int, list[Event]] = {}

    def event(self, row: EventRow, words: str = "") -> Event:
        """A row as an event of the document."""
        if row.branch is not None:
            name = self.history.context.snapshots[row.ordinal].name
            branch = f"only in {name} and later on its own branch"
            words = ". ".join(part for part in (words, branch) if part)
        return Event(row.event, self.since(row.ordinal, row.first), words)

    def version_event(self, row: EventRow) -> Event:
        """A row about a version as an event of the document.

        Kafka's coordinators number their records. That number was the version of the record's key until the
        specs of keys got a key of their own for it: what looks like another version is the same record.
        """
        event = self.event(row)
        number = self._record_number(row.ordinal)
        if number is None or row.event not in ("added", "returned", "removed"):
            return event
        if row.event == "removed" and row.version == number:
            return replace(
                event, event="renumbered", words=f"this is version 0 of record type {number} from then on"
            )
        if row.event != "removed" and row.version == 0:
            return replace(event, event="renumbered", words=f"this was version {number} before")
        return event

    def _record_number(self, ordinal: int) -> int | None:
        """The number of the record whose key this is, if a snapshot is the first to have it as its key."""
        entries = [entry for held in self.history.by_part.values() for entry in held]
        here = next((entry for entry in entries if entry.ordinal == ordinal), None)
        before = self.history.context.snapshots[ordinal].predecessor
        older = next((entry for entry in entries if entry.ordinal == before), None)
        if here is None or older is None:
            return None
        now, was = self.history.model(here.digest), self.history.model(older.digest)
        moved = now.type == "coordinator-key" and was.type != now.type
        number = now.api_key
        return number if moved and number is not None and number in was.valid_versions else None

    def since(self, ordinal: int, at_or_before: bool) -> Since:
        """The moment of a snapshot; `at_or_before` where it may have been earlier."""
        history = self.history
        snapshot = history.context.snapshots[ordinal]
        at_or_before = at_or_before and not history.context.is_complete
        if snapshot.kind == "source":
            return Since(None, None, snapshot.name, at_or_before)
        level = history.context.registry and history.context.registry.of_release(snapshot.name)
        return Since(None, level.id if level else None, snapshot.name, at_or_before)

    def of_level(self, value: str | None) -> Since | None:
        """The moment that a `history` names, by its ApiVersion or by the release that had it."""
        registry = self.history.context.registry
        moment = registry.moment(value) if registry and value else None
        if registry is None or moment is None:
            return None
        if moment.release:
            return Since(None, moment.level, moment.release, False)
        level = registry.api_versions[moment.level]
        return Since(level.version, level.id, level.release, False)

    def version_events(self, version: int) -> list[Event]:
        """The events of one version: from the snapshots, or from its `history` if it is more exact."""
        if version not in self._version_stories:
            self._version_stories[version] = self._version_events(version)
        return self._version_stories[version]

    def _version_events(self, version: int) -> list[Event]:
        history = self.history
        events = [self.version_event(row) for row in history.events_of("version", version)]
        entry = history.source_history.get(version)
        if entry is None:
            return events
        by_specs = history.context.is_by_specs
        for key in STANDING:
            named = self.of_level(getattr(entry, key))
            if named is None:
                continue
            position = next((position for position, event in enumerate(events) if event.event == key), None)
            back = next((event for event in events if event.event == "returned"), None)
            if position is None:
                # A version that was removed and returned in patch releases of one line shows neither.
                if self._before_first(named) or by_specs:
                    events.append(Event(key, named))
                elif key == "undeprecated" and back is not None:
                    # A version that returns without its mark loses it at that moment; no snapshots show that.
                    events.append(Event(key, back.since))
                continue
            since = events[position].since
            if key == "added" and self._before_first(named):
                # Releases before the first one here may have written the version under another number.
                events[position] = replace(events[position], since=named)
            elif by_specs:
                events[position] = replace(events[position], since=named)
            elif since.at_or_before or self._same_line(named, since):
                release = named.release if since.at_or_before else since.release
                events[position] = replace(events[position], since=replace(named, release=release))

        if by_specs:
            events.sort(key=lambda event: _ORDER.index(event.event))
        return sorted(events, key=lambda event: (when(event.since), self._patch(event.since)))

    def api_events(self) -> list[Event]:
        """The events of the API: what its first snapshot has is as old as its lowest version that has it."""
        versions = [event.version for event in self.history.events if event.kind == "version"]
        lowest = min([*versions, *self.history.source_history], default=None)
        events: list[Event] = []
        for row in self.history.events_of("api"):
            # Only an API that becomes flexible has a number: that of its first flexible version.
            since = int(row.new) if row.new else lowest
            events += self.refined([self.event(row)], since)
        return events

    def _before_first(self, since: Since) -> bool:
        context, registry = self.history.context, self.history.context.registry
        is_release = context.kind == "release"
        level = registry.of_release(context.snapshots[0].name) if registry and is_release else None
        return level is not None and when(since) <= level.id

    def _patch(self, since: Since) -> int:
        """Which patch release of its line a moment is, 0 for anything else."""
        registry = self.history.context.registry
        moment = registry.moment(since.release) if registry and since.release else None
        return moment.patch if moment is not None else 0

    def _same_line(self, since: Since, other: Since) -> bool:
        registry = self.history.context.registry
        if registry is None or since.release is None or other.release is None:
            return False
        ours, theirs = registry.of_release(since.release), registry.of_release(other.release)
        return ours is not None and ours == theirs

    def refined(self, events: list[Event], lowest: int | None) -> list[Event]:
        """The events of a thing, dated by its versions where they are more exact.

        What the first snapshot has is as old as the lowest version that has it; no version shows since when
        that is deprecated.
        """
        events = [replace(event, since=self._as_versions(event.since, lowest)) for event in events]
        if lowest is None:
            return events
        added = next((event for event in self.version_events(lowest) if event.event == "added"), None)
        if added is None or added.since.at_or_before:
            return events
        return [
            replace(event, since=added.since)
            if event.since.at_or_before and event.event != "deprecated"
            else event
            for event in events
        ]

    def _as_versions(self, since: Since, lowest: int | None) -> Since:
        """The release of a change that came with a version, as the specs date the version: by its level."""
        if not self.history.context.is_by_specs or lowest is None:
            return since
        moments = (event.since for event in self.version_events(lowest))
        return next((moment for moment in moments if self._same_line(moment, since)), since)


def when(since: Since) -> float:
    """What events are sorted by: the id of their level; what has none comes last."""
    return inf if since.api_version_id is None else since.api_version_id
