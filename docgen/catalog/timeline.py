"""When things came, changed and went: what the snapshots show, with what a `history` knows better."""

from __future__ import annotations

from dataclasses import replace

from wirebook.docgen.catalog.api_history import ApiHistory, EventRow
from wirebook.docgen.catalog.records import Event, Since


class Timeline:
    """The events of one API or other message, for its document."""

    def __init__(self, history: ApiHistory) -> None:
        self.history = history
        self._version_stories: dict[int, list[Event]] = {}

    def event(self, row: EventRow, words: str = "") -> Event:
        """A row as an event of the document."""
        if row.branch is not None:
            name = self.history.context.snapshots[row.ordinal].name
            branch = f"only in {name} and what follows it on its own branch"
            words = ". ".join(part for part in (words, branch) if part)
        return Event(row.event, self.since(row.ordinal, row.first), words)

    def since(self, ordinal: int, at_or_before: bool = False) -> Since:
        """The moment of a snapshot; `at_or_before` where it may have been earlier."""
        history = self.history
        snapshot = history.context.snapshots[ordinal]
        if snapshot.kind == "api_version":
            return Since(snapshot.name, snapshot.id, snapshot.release, at_or_before)
        if snapshot.kind == "source":
            return Since(None, None, None if at_or_before else snapshot.name, at_or_before)
        known = history.context.registry and history.context.registry.of_release(snapshot.name)
        if known:
            return Since(known.version, known.id, snapshot.name, at_or_before)
        return Since(None, None, snapshot.name, at_or_before)

    def of_level(self, value: str | None) -> Since | None:
        """The moment that a `history` names, by its ApiVersion."""
        registry = self.history.context.registry
        known = registry.by_version(value) if registry and value else None
        return Since(known.version, known.id, known.release, False) if known else None

    def version_events(self, version: int) -> list[Event]:
        """The story of one version: what the snapshots show, with what its `history` knows better."""
        if version not in self._version_stories:
            self._version_stories[version] = self._version_events(version)
        return self._version_stories[version]

    def _version_events(self, version: int) -> list[Event]:
        history = self.history
        found = [self.event(row) for row in history.events_of("version", version)]
        entry = history.source_history.get(version)
        if entry is None:
            return found
        by_level = history.context.snapshots[0].kind == "api_version"
        levels = {"added": entry.added, "deprecated": entry.deprecated, "removed": entry.removed,
                  "returned": entry.returned, "undeprecated": entry.undeprecated}  # fmt: skip
        for key, level in levels.items():
            known = self.of_level(level)
            if known is None:
                continue
            place = next((place for place, event in enumerate(found) if event.event == key), None)
            back = next((event for event in found if event.event == "returned"), None)
            if place is None:
                # A version that was removed and returned at one ApiVersion, in two releases, shows neither.
                if self._before_first(known) or by_level:
                    found.append(Event(key, known))
                elif key == "undeprecated" and back is not None:
                    # What returns without its mark loses it at that moment; no two snapshots show that.
                    found.append(Event(key, back.since))
                continue
            shown = found[place].since
            if key == "added" and self._before_first(known):
                # Releases before the first one here may have written the version under another number.
                found[place] = replace(found[place], since=known)
            elif shown.at_or_before or self._same_line(known, shown):
                release = known.release if shown.at_or_before else shown.release
                found[place] = replace(found[place], since=replace(known, release=release))
        keys = list(levels)

        def order(event: Event) -> tuple[tuple[bool, int], int]:
            return when(event.since), keys.index(event.event) if by_level and event.event in keys else 0

        return sorted(found, key=order)

    def api_events(self) -> list[Event]:
        """The story of the API: what its first snapshot has is as old as its lowest version that has it."""
        versions = [event.version for event in self.history.events if event.kind == "version"]
        lowest = min([*versions, *self.history.source_history], default=None)
        found: list[Event] = []
        for row in self.history.events_of("api"):
            since = int(row.new) if row.event == "flexible" and row.new else lowest
            found += self.refined([self.event(row)], since)
        return found

    def _before_first(self, known: Since) -> bool:
        first = self.since(0).api_version_id
        return (
            self.history.context.snapshots[0].kind == "release"
            and first is not None
            and known.api_version_id is not None
            and known.api_version_id <= first
        )

    def _same_line(self, known: Since, shown: Since) -> bool:
        registry = self.history.context.registry
        if registry is None or known.release is None or shown.release is None:
            return False
        ours, theirs = registry.of_release(known.release), registry.of_release(shown.release)
        return ours is not None and ours == theirs

    def refined(self, events: list[Event], lowest: int | None) -> list[Event]:
        """The events of a thing that the first snapshot has: as old as the lowest version that has it."""
        if lowest is None or not any(event.since.at_or_before for event in events):
            return events
        added = next((event for event in self.version_events(lowest) if event.event == "added"), None)
        if added is None or added.since.at_or_before:
            return events
        return [replace(event, since=added.since) if event.since.at_or_before else event for event in events]


def when(since: Since) -> tuple[bool, int]:
    """What events are sorted by."""
    number = since.api_version_id
    return (number is None, number or 0)
