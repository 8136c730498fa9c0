"""The fields and tags of a message in all snapshots, removed and renamed ones included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter

from wirebook.docgen.catalog.events import EventRow
from wirebook.docgen.catalog.history import ApiHistory, fields_by_path
from wirebook.docgen.catalog.records import Event, FieldRecord, TagRecord
from wirebook.docgen.catalog.snapshots import field_event_text
from wirebook.docgen.catalog.timeline import Timeline, when
from wirebook.docgen.catalog.values import listed_in_snapshots
from wirebook.rules.match import match_layouts
from wirebook.specs.layout import Layout, LayoutField
from wirebook.specs.model import NO_VALUES, FieldValues, MessageTexts
from wirebook.specs.versions import MAX_VERSION, Versions, VersionSet

_TOP = "(top level)"  # what the message itself is called among its structs


class Fields:
    """The fields and tags of one message; `layouts` are those that its document shows, newest
    first."""

    def __init__(
        self, history: ApiHistory, timeline: Timeline, part: str, layouts: Sequence[Layout]
    ) -> None:
        self.history = history
        self.timeline = timeline
        self.part = part
        self.versions = [layout.version for layout in layouts]
        self.shown = fields_by_path(layouts)
        self.last = len(history.context.snapshots) - 1
        self.texts = history.last_message(part).texts or MessageTexts({})
        rows = [row for row in history.events_of("field") if row.part == part]
        # By the new path of a field: the snapshot that renamed it, and its old path.
        self.renames: dict[str, tuple[int, str]] = {}
        self._find_renames(rows)
        self.newer_paths = {rename: path for path, rename in self.renames.items()}
        self.stories = self._stories(rows)

    def _offered(self) -> Iterator[tuple[int, str, Mapping[int, LayoutField]]]:
        """The fields of each text, by path, with the newest snapshot that has it; newest first."""
        newest = {(file.digest, file.offer): file for file in self.history.by_part[self.part]}
        for file in sorted(newest.values(), reverse=True):
            for path, by_version in self.history.fields(file).items():
                yield file.ordinal, path, by_version

    def records(self) -> list[FieldRecord]:
        """Every field of any snapshot: those of the newest version in its order, then others."""
        fields = dict(self.shown)
        last: dict[str, int] = {}
        for ordinal, path, by_version in self._offered():
            fields.setdefault(path, by_version)
            last.setdefault(path, ordinal)
        values = listed_in_snapshots(self.history, self.part)
        return [
            self._record(path, by_version, last.get(path, -1), values.get(path))
            for path, by_version in fields.items()
        ]

    def _record(
        self,
        path: str,
        by_version: Mapping[int, LayoutField],
        last: int,
        values: FieldValues | None,
    ) -> FieldRecord:
        """A field, as its newest version has it. `last` is the newest snapshot with it, -1 if there
        is none."""
        field, texts = next(iter(by_version.values())), self.texts
        tags = (each.tag for each in by_version.values() if each.tag is not None)
        is_removed = last != self.last
        events, newer = self._events(path, min(by_version)), max(by_version) + 1
        if path in self.shown and newer in self.versions:
            events += self._ended(newer)
        return FieldRecord(
            path=path,
            former_names=tuple(self._former_names(path)),
            spec_type=field.spec_type,
            versions=self._ranges(by_version),
            tag=next(tags, None),
            about=texts.newest(path) or field.about,
            removed=is_removed,
            last_seen=self.history.context.snapshots[last].name
            if is_removed and last >= 0
            else None,
            events=tuple(events),
            values=values or texts.values.get(path, NO_VALUES),
            replaced_by=texts.replaced_by.get(path, ""),
        )

    def _ranges(self, versions: Iterable[int]) -> str:
        """Versions as a text, open to later ones if the newest is among them."""
        ranges = VersionSet.of(versions)
        newest = self.versions[0]
        if newest in ranges:
            ranges |= VersionSet((Versions(newest, MAX_VERSION),))
        return ranges.text

    def _events(self, path: str, lowest: int) -> list[Event]:
        """The events of a field, dated by the versions that have it, or by its spec."""
        events: list[Event] = []
        for row in self.stories.get(path, ()):
            # That it may be null or tagged came with a version of its own.
            is_of_version = row.event in ("nullable", "tagged")
            version = int(row.new or lowest) if is_of_version else lowest
            events.append(self.timeline.event(row, version, self._words(row)))
        # A field that was added to an existing version is as old as its spec states, and so are
        # those inside it. Releases show this date themselves.
        for name, level in self._levels():
            since = self.timeline.of_level(level)
            if since is not None and f"{path}.".startswith(f"{name}."):
                events = [
                    replace(event, since=max(event.since, since, key=when)) for event in events
                ]
        return events

    def _levels(self) -> Iterator[tuple[str, str]]:
        """The levels of fields that the `history` of the message names."""
        if self.history.context.is_by_specs:
            for entry in self.history.entries_of(self.part):
                yield from entry.fields.items()

    def _ended(self, version: int) -> Iterator[Event]:
        """The event that newer versions lack a field, dated by the first one."""
        for event in self.timeline.version_events(version):
            if event.event == "added":
                yield Event("ended", event.since, f"not in version {version} and later")
                return

    def _find_renames(self, rows: Iterable[EventRow]) -> None:
        """Find the renamed fields, in the order of snapshots: a name is not on the wire."""
        history = self.history
        files = {file.ordinal: file for file in history.by_part[self.part]}
        added = {(row.ordinal, row.path) for row in rows if row.event == "added"}
        removing = {row.ordinal for row in rows if row.event == "removed"}
        for ordinal in sorted(removing & {at for at, _ in added}):
            predecessor = history.context.snapshots[ordinal].predecessor or 0
            old, new = files[predecessor], files[ordinal]
            for version in sorted({*old.offer.valid} & {*new.offer.valid}, reverse=True):
                layouts = (history.layout(file.digest, version) for file in (old, new))
                for match in match_layouts(*layouts):
                    was, now = match.base, match.head
                    # One field under another name.
                    if was and now and was.path != now.path and (ordinal, now.path) in added:
                        self.renames.setdefault(now.path, (ordinal, was.path))

    def _stories(self, rows: Iterable[EventRow]) -> Mapping[str, Sequence[EventRow]]:
        """The events of each field; a renamed one continues the history of its old name."""
        stories: dict[str, list[EventRow]] = {}
        for row in rows:
            stories.setdefault(row.path, []).append(row)
        for path, (ordinal, older) in self.renames.items():
            story = [row for row in stories.get(older, ()) if row.ordinal < ordinal]
            known = {row.event for row in story}
            for row in stories[path]:
                if row.ordinal == ordinal and row.event == "added":
                    story.append(row._replace(event="renamed"))
                elif row.ordinal != ordinal or row.event not in known:
                    story.append(row)
            stories[path] = story
        return stories

    def _words(self, row: EventRow) -> str:
        """What explains an event."""
        if row.event == "renamed":
            return f"was called {self.renames[row.path][1]} before"
        newer = self.newer_paths.get((row.ordinal, row.path))
        if row.event == "removed" and newer is not None:
            return f"is called {newer} from then on"
        return field_event_text(row)

    def _former_names(self, path: str) -> Iterator[str]:
        # No cycle: a name that comes back is no renamed field.
        while path in self.renames:
            _, path = self.renames[path]
            yield path

    def tags(self) -> Iterator[TagRecord]:
        """Every tag of any snapshot, with reserved ones, which must never be reused."""
        tags: dict[tuple[str, int], TagRecord] = {}
        for ordinal, path, by_version in self._offered():
            struct, _, name = path.rpartition(".")
            versions: dict[int, list[int]] = {}
            for version, field in by_version.items():
                if field.tag is not None:
                    versions.setdefault(field.tag, []).append(version)
            for tag, having in versions.items():
                spec_type, ranges = by_version[having[0]].spec_type, self._ranges(having)
                is_reserved = ordinal != self.last
                record = TagRecord(struct or _TOP, tag, name, spec_type, ranges, is_reserved)
                tags.setdefault((path, tag), record)
        newer = {old: path for path, (_, old) in self.renames.items()}
        in_use = {(each.struct, each.tag) for each in tags.values() if not each.reserved}
        for record in sorted(tags.values(), key=attrgetter("struct", "tag", "field")):
            struct = record.struct
            while struct in newer:
                struct = newer[struct]
            # Not the same tag of the same struct under an older name of either.
            if not record.reserved or (struct, record.tag) not in in_use:
                yield record
