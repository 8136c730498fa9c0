"""When things came, changed and went: what the snapshots show, with what a `history` knows better."""

from __future__ import annotations

from typing import Any

from wirebook.docgen.catalog.api_history import ApiHistory, EventRow

Doc = dict[str, Any]


class Timeline:
    """The events of one API or other message, for its document."""

    def __init__(self, history: ApiHistory) -> None:
        self.history = history
        self._version_stories: dict[int, list[Doc]] = {}

    def event(self, row: EventRow, words: str = "") -> Doc:
        """A row as an event of the document."""
        made: Doc = {"event": row.event, "since": self.since(row.ordinal, row.first)}
        if row.branch is not None:
            name = self.history.context.snapshots[row.ordinal].name
            words = ". ".join(
                part for part in (words, f"only in {name} and what follows it on its own branch") if part
            )
        if words:
            made["words"] = words
        return made

    def since(self, ordinal: int, at_or_before: bool = False) -> Doc:
        """The moment of a snapshot; `at_or_before` where it may have been earlier."""
        history = self.history
        snapshot = history.context.snapshots[ordinal]
        if snapshot.kind == "api_version":
            return _since(snapshot.name, snapshot.id, snapshot.release, at_or_before)
        if snapshot.kind == "source":
            return _since(None, None, None if at_or_before else snapshot.name, at_or_before)
        known = history.context.registry and history.context.registry.of_release(snapshot.name)
        if known:
            return _since(known.version, known.id, snapshot.name, at_or_before)
        return _since(None, None, snapshot.name, at_or_before)

    def told(self, value: str | None) -> Doc | None:
        """The moment that a `history` names, by its ApiVersion."""
        registry = self.history.context.registry
        known = registry.by_version(value) if registry and value else None
        return _since(known.version, known.id, known.release, False) if known else None

    def version_events(self, version: int) -> list[Doc]:
        """The story of one version: what the snapshots show, with what its `history` knows better."""
        if version not in self._version_stories:
            self._version_stories[version] = self._version_events(version)
        return self._version_stories[version]

    def _version_events(self, version: int) -> list[Doc]:
        history = self.history
        found = [self.event(row) for row in history.events_of("version", version)]
        entry = history.source_history.get(version)
        if entry is None:
            return found
        keys = ("added", "deprecated", "removed", "returned", "undeprecated")
        by_level = history.context.snapshots[0].kind == "api_version"
        words = {"added": entry.added, "deprecated": entry.deprecated, "undeprecated": entry.undeprecated,
                 "removed": entry.removed, "returned": entry.returned}  # fmt: skip
        for key in keys:
            told = self.told(words[key])
            if told is None:
                continue
            shown = next((event for event in found if event["event"] == key), None)
            back = next((event for event in found if event["event"] == "returned"), None)
            if shown is None:
                # A version that went and came back at one ApiVersion, in two releases, shows neither there.
                if self._before_first(told) or by_level:
                    found.append({"event": key, "since": told})
                elif key == "undeprecated" and back is not None:
                    # What comes back without its mark loses it in that moment; no two snapshots show that.
                    found.append({"event": key, "since": back["since"]})
            elif key == "added" and self._before_first(told):
                # Releases before the first one here may have written the version under another number.
                shown["since"] = told
            elif shown["since"]["at_or_before"] or self._same_line(told, shown["since"]):
                release = told["release"] if shown["since"]["at_or_before"] else shown["since"]["release"]
                shown["since"] = {**told, "release": release}

        def place(event: Doc) -> tuple[tuple[bool, int], int]:
            known = keys.index(event["event"]) if by_level and event["event"] in keys else 0
            return when(event["since"]), known

        return sorted(found, key=place)

    def api_events(self) -> list[Doc]:
        """The story of the API: what its first snapshot has is as old as its lowest version that has it."""
        versions = [event.version for event in self.history.events if event.kind == "version"]
        lowest = min([*versions, *self.history.source_history], default=None)
        found: list[Doc] = []
        for row in self.history.events_of("api"):
            since = int(row.new) if row.event == "flexible" and row.new else lowest
            found += self.refined([self.event(row)], since)
        return found

    def _before_first(self, told: Doc) -> bool:
        first = self.since(0)
        return (
            self.history.context.snapshots[0].kind == "release"
            and first["api_version_id"] is not None
            and told["api_version_id"] <= first["api_version_id"]
        )

    def _same_line(self, told: Doc, shown: Doc) -> bool:
        registry = self.history.context.registry
        if registry is None or shown["release"] is None:
            return False
        ours, theirs = registry.of_release(told["release"]), registry.of_release(shown["release"])
        return ours is not None and ours == theirs

    def refined(self, events: list[Doc], lowest: int | None) -> list[Doc]:
        """A field that the first snapshot has is as old as the lowest version that has it."""
        if lowest is None:
            return events
        for event in events:
            if event["since"]["at_or_before"]:
                told = next((e for e in self.version_events(lowest) if e["event"] == "added"), None)
                if told is not None and not told["since"]["at_or_before"]:
                    event["since"] = told["since"]
        return events


def _since(version: str | None, number: int | None, release: str | None, at_or_before: bool) -> Doc:
    return {
        "api_version": version,
        "api_version_id": number,
        "release": release,
        "at_or_before": at_or_before,
    }


def when(since: Doc) -> tuple[bool, int]:
    """What events are sorted by."""
    number = since["api_version_id"]
    return (number is None, number or 0)
