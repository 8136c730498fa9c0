"""The fields and tags of a message in all snapshots, removed and renamed ones included."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from wirebook.docgen.catalog.events import EventRow
from wirebook.docgen.catalog.history import ApiHistory
from wirebook.docgen.catalog.listed_values import ListedValues, PlacedField, walk_fields
from wirebook.docgen.catalog.records import Event, FieldRecord, TagRecord
from wirebook.docgen.catalog.sentences import field_event_text
from wirebook.docgen.catalog.timeline import Timeline, when
from wirebook.rules.match import LayoutMatch, match_layouts
from wirebook.specs.reading.reader import plain
from wirebook.specs.subjects import part_of
from wirebook.specs.texts.model import NO_VALUES, FieldValues
from wirebook.specs.versions import Versions, VersionSet
from wirebook.specs.wire.layout import Layout, LayoutField


def anchor_of(path: str) -> str:
    """A field's part of an anchor: "Topics.Partitions" is "topics-partitions"."""
    return re.sub(r"[^a-z0-9]+", "-", path.lower()).strip("-")


class Fields:
    """The fields and tags of one API or other message, for its document."""

    def __init__(self, history: ApiHistory, timeline: Timeline) -> None:
        self.history = history
        self.timeline = timeline

    def fields(self, part: str, layouts: Mapping[int, Layout]) -> list[FieldRecord]:
        """Every field that any snapshot had: those of the newest one in its order, then removed ones.

        `layouts` are those of the versions that the document shows.
        """
        history = self.history
        entries = history.by_part.get(part, [])
        last = len(history.context.snapshots) - 1
        places_by_name: dict[str, tuple[int, list[PlacedField]]] = {}
        last_at: dict[str, tuple[str, int]] = {}
        newest_at = {(entry.digest, history.offer(entry).valid): entry.ordinal for entry in entries}
        for (digest, valid), ordinal in sorted(newest_at.items(), key=lambda item: -item[1]):
            message = history.model(digest)
            for path, written in walk_fields(message):
                present = [version for version in valid if any(version in one.present for one in written)]
                if path not in places_by_name and present:
                    places_by_name[path] = (ordinal, written)
                    last_at[path] = (digest, max(present))
        for digest in sorted(history.texts.keys() & history.context.source_texts.keys()):
            message = history.model(digest)
            if part_of(message) == part and not entries:
                for path, written in walk_fields(message):
                    places_by_name.setdefault(path, (-1, written))
        rows = self._rows(part)
        renames = self._renames(part, rows)
        at: dict[str, LayoutField] = {}
        for version in sorted(layouts):
            at |= {field.path: field for field in layouts[version].walk()}
        texts = history.last_message(part).texts
        described: Mapping[str, FieldValues] = {} if texts is None else texts.values
        values = ListedValues(history, part)
        records = []
        for path, (ordinal, written) in places_by_name.items():
            ascending = sorted((each for each in written if each.present), key=_lowest) or written
            newest = ascending[-1].field
            tagged = next((each.field for each in reversed(ascending) if each.field.tag is not None), newest)
            laid_out = at.get(path) or self._laid_out(path, last_at.get(path))
            gone = ordinal != last
            lowest = min((each.stated.lowest for each in written if each.stated), default=None)
            story = [
                event
                for row, words in self._story(path, rows, renames)
                for event in self.timeline.refined([self.timeline.event(row, words)], _since(row, lowest))
            ]
            record = FieldRecord(
                path=path,
                anchor=anchor_of(path),
                former_names=tuple(self._former_names(path, renames)),
                type=laid_out.type if laid_out else None,
                element=laid_out.element if laid_out else None,
                spec_type=newest.type,
                versions=_ranges(each.stated for each in written),
                nullable_versions=_ranges(each.field.nullable_versions & each.stated for each in written),
                tag=tagged.tag,
                tagged_versions=_ranges(each.field.tagged_versions & each.stated for each in written),
                default=laid_out.default if laid_out else plain(newest.default),
                ignorable=newest.ignorable,
                entity_type=newest.entity_type,
                map_key=newest.map_key,
                about=(texts.newest(path) if texts is not None else "") or newest.about,
                notes=tuple(newest.written.comments),
                gone=gone,
                last_seen=history.context.snapshots[ordinal].name if gone and ordinal >= 0 else None,
                events=(
                    *self._joined(part, path, story),
                    *self._ended(written, layouts),
                ),
                values=values.of(path) or described.get(path, NO_VALUES),
                replaced_by=texts.replaced_by.get(path, "") if texts is not None else "",
            )
            records.append(record)
        return records

    def _rows(self, part: str) -> dict[str, list[EventRow]]:
        rows: dict[str, list[EventRow]] = {}
        for event in self.history.events_of("field"):
            if event.part == part:
                rows.setdefault(event.path, []).append(event)
        return rows

    def _joined(self, part: str, path: str, events: list[Event]) -> list[Event]:
        """A field that was added to an existing version is as old as its spec states, and so are those inside
        it.

        Releases show this date themselves.
        """
        if not self.history.context.is_by_specs:
            return events
        late = [
            version
            for message in self.history.source
            if part_of(message) == part
            for entry in message.history
            for name, version in entry.fields.items()
            if path == name or path.startswith(f"{name}.")
        ]
        for since in filter(None, map(self.timeline.of_level, late)):
            events = [
                replace(event, since=since) if when(event.since) < when(since) else event for event in events
            ]
        return events

    def _ended(self, written: Sequence[PlacedField], layouts: Mapping[int, Layout]) -> Iterator[Event]:
        """The event that newer versions lack a field, dated by the first one; no spec has to state it."""
        versions = VersionSet.union(*(each.stated for each in written))
        later = [version for version in layouts if version not in versions]
        holding = [version for version in layouts if version in versions]
        after = max(holding) + 1 if holding else None
        if after not in later or any(version in versions for version in layouts if version > after):
            return
        added = next((event for event in self.timeline.version_events(after) if event.event == "added"), None)
        if added is not None:
            yield Event("ended", added.since, f"not in version {after} and later")

    def _laid_out(self, path: str, where: tuple[str, int] | None) -> LayoutField | None:
        """A removed field, as in the last text that had it."""
        if where is None:
            return None
        return next((field for field in self.history.layout(*where).walk() if field.path == path), None)

    def _renames(self, part: str, rows: Mapping[str, list[EventRow]]) -> dict[str, tuple[int, str]]:
        """By path: the snapshot in which a field replaced another one in its place, and the path of that one.

        A name is not on the wire: what a client reads there is the same field.
        """
        history = self.history
        gone = {row.ordinal for of_path in rows.values() for row in of_path if row.event == "removed"}
        came = {
            row.ordinal
            for of_path in rows.values()
            for row in of_path
            if row.event == "added" and not row.first and row.branch is None
        }
        entries = {entry.ordinal: entry for entry in history.by_part.get(part, [])}
        renames: dict[str, tuple[int, str]] = {}
        for ordinal in sorted(gone & came):
            before = history.context.snapshots[ordinal].predecessor
            if before is None or before not in entries or ordinal not in entries:
                continue
            old, new = entries[before], entries[ordinal]
            common = set(history.offer(old).valid) & set(history.offer(new).valid)
            for version in sorted(common, reverse=True):
                matches = match_layouts(
                    history.layout(old.digest, version), history.layout(new.digest, version)
                )
                for was, path in _renamed(matches):
                    if any(row.ordinal == ordinal and row.event == "added" for row in rows.get(path, [])):
                        renames.setdefault(path, (ordinal, was))
        return renames

    def _story(
        self, path: str, rows: Mapping[str, list[EventRow]], renames: Mapping[str, tuple[int, str]]
    ) -> list[tuple[EventRow, str]]:
        """The events of a field with their words; a renamed one continues the history of its old name."""
        own = [(row, field_event_text(row.event, row.old, row.new)) for row in rows.get(path, [])]
        later = {(ordinal, was): name for name, (ordinal, was) in renames.items()}
        for position, (row, _) in enumerate(own):
            if row.event == "removed" and (row.ordinal, path) in later:
                own[position] = (row, f"is called {later[row.ordinal, path]} from then on")
        renamed = renames.get(path)
        if renamed is None:
            return own
        ordinal, was = renamed
        before = [pair for pair in self._story(was, rows, renames) if pair[0].ordinal < ordinal]
        kinds = {row.event for row, _ in before}
        after = []
        for row, words in own:
            if row.ordinal == ordinal and row.event == "added":
                after.append((row._replace(event="renamed"), f"was called {was} before"))
            elif row.ordinal != ordinal or row.event not in kinds:
                after.append((row, words))
        return before + after

    def _former_names(self, path: str, renames: Mapping[str, tuple[int, str]]) -> list[str]:
        names: list[str] = []
        while path in renames and len(names) < len(renames):
            path = renames[path][1]
            names.append(path)
        return names

    def tags(self, part: str) -> list[TagRecord]:
        """Every tag that any snapshot has assigned, with reserved ones, which must never be reused."""
        entries = self.history.by_part.get(part, [])
        last = len(self.history.context.snapshots) - 1
        newest = (entry for entry in entries if entry.ordinal == last)
        valid = {entry.digest: self.history.offer(entry).valid for entry in newest}
        tags: dict[tuple[str, int, str], tuple[list[PlacedField], bool]] = {}
        for digest in dict.fromkeys(entry.digest for entry in reversed(entries)):
            for path, written in walk_fields(self.history.model(digest)):
                struct, _, name = path.rpartition(".")
                by_tag: dict[int, list[PlacedField]] = {}
                for one in written:
                    if one.field.tag is not None and one.field.tagged_versions & one.scope:
                        by_tag.setdefault(one.field.tag, []).append(one)
                for tag, same in by_tag.items():
                    tagged = VersionSet.union(*(each.field.tagged_versions & each.scope for each in same))
                    is_in_use = any(version in tagged for version in valid.get(digest, ()))
                    tags.setdefault((struct, tag, name), (same, not is_in_use))
        rows = self._rows(part)
        now = {was: path for path, (_, was) in self._renames(part, rows).items()}
        in_use = {(struct, tag) for (struct, tag, _), (_, burnt) in tags.items() if not burnt}
        records: list[TagRecord] = []
        for (struct, tag, name), (same, burnt) in sorted(tags.items(), key=lambda item: item[0]):
            if burnt and (_follow(now, struct), tag) in in_use:
                # The same tag of the same struct under an older name of either.
                continue
            versions = _ranges(each.field.tagged_versions & each.scope for each in same)
            kind = max(same, key=_lowest).field.type
            records.append(TagRecord(struct or "(top level)", tag, name, kind, versions, burnt))
        return records


def _follow(now: Mapping[str, str], path: str) -> str:
    """The current name of a path after every rename; a cycle of names ends where it began."""
    seen = {path}
    while path in now and now[path] not in seen:
        path = now[path]
        seen.add(path)
    return path


def _renamed(matches: Iterable[LayoutMatch]) -> Iterator[tuple[str, str]]:
    """The paths, old and new, of fields that are the same under another name, at every depth."""
    for match in matches:
        if match.old is not None and match.new is not None:
            if match.old.path != match.new.path:
                yield match.old.path, match.new.path
            yield from _renamed(match.inner)


def _since(row: EventRow, lowest: int | None) -> int | None:
    """The lowest version that an event of a field is about; `lowest` is that of the field."""
    return int(row.new) if row.event in ("nullable", "tagged") and row.new else lowest


def _lowest(each: PlacedField) -> int:
    return each.present.lowest


def _ranges(parts: Iterator[Versions]) -> str:
    return str(VersionSet.union(*parts))
