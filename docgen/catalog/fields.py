"""The fields and tags of a message in all snapshots, removed and renamed ones included."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from wirebook.docgen.catalog.events import EventRow
from wirebook.docgen.catalog.history import ApiHistory
from wirebook.docgen.catalog.listed_values import ListedValues, PlacedField, walk_fields
from wirebook.docgen.catalog.order import SnapshotFile
from wirebook.docgen.catalog.records import Event, FieldRecord, TagRecord
from wirebook.docgen.catalog.sentences import field_event_text
from wirebook.docgen.catalog.timeline import Timeline, when
from wirebook.rules.match import LayoutMatch, match_layouts
from wirebook.specs.layout import Layout, LayoutField
from wirebook.specs.model import part_of
from wirebook.specs.reading.reader import plain
from wirebook.specs.texts.model import NO_VALUES
from wirebook.specs.versions import Versions, VersionSet


class _Newest(NamedTuple):
    """A field in the newest snapshot that has it: -1 for what only SOURCE has."""

    ordinal: int
    written: list[PlacedField]
    digest: str
    versions: list[int]


class _Rename(NamedTuple):
    """The snapshot in which a field replaced another one in its place, and the path of that one."""

    ordinal: int
    was: str


class Fields:
    """The fields and tags of one message, for its document; `layouts` are those that the document
    shows."""

    def __init__(
        self, history: ApiHistory, timeline: Timeline, part: str, layouts: Mapping[int, Layout]
    ) -> None:
        self.history = history
        self.timeline = timeline
        self.part = part
        self.layouts = layouts
        self.files = history.by_part.get(part, [])
        self.rows: dict[str, list[EventRow]] = {}
        for event in history.events_of("field"):
            if event.part == part:
                self.rows.setdefault(event.path, []).append(event)
        self.renames = self._renames()

    def records(self) -> list[FieldRecord]:
        """Every field that any snapshot had: those of the newest one in its order, then removed
        ones."""
        shown: dict[str, LayoutField] = {}
        for version in sorted(self.layouts):
            shown |= {field.path: field for field in self.layouts[version].walk()}
        texts = self.history.last_message(self.part).texts
        values = ListedValues(self.history, self.part)
        records = []
        for path, newest in self._newest().items():
            record = self._record(path, newest, shown.get(path) or self._laid_out(path, newest))
            if texts is not None:
                record = replace(
                    record,
                    about=texts.newest(path) or record.about,
                    values=texts.values.get(path, NO_VALUES),
                    replaced_by=texts.replaced_by.get(path, ""),
                )
            records.append(replace(record, values=values.of(path) or record.values))
        return records

    def _newest(self) -> dict[str, _Newest]:
        """Each field by its path, in the newest snapshot that has it."""
        history = self.history
        newest: dict[str, _Newest] = {}
        last = {(file.digest, history.offer(file).valid): file.ordinal for file in self.files}
        for (digest, valid), ordinal in sorted(last.items(), key=lambda item: -item[1]):
            for path, written in walk_fields(history.model(digest)):
                present = [
                    version for version in valid if any(version in one.present for one in written)
                ]
                if present:
                    newest.setdefault(path, _Newest(ordinal, written, digest, present))
        for message in history.source if not self.files else ():
            if part_of(message) == self.part:
                for path, written in walk_fields(message):
                    newest.setdefault(path, _Newest(-1, written, "", []))
        return newest

    def _laid_out(self, path: str, newest: _Newest) -> LayoutField | None:
        """A removed field, as in the last text that had it."""
        if not newest.versions:
            return None
        layout = self.history.layout(newest.digest, max(newest.versions))
        return next((field for field in layout.walk() if field.path == path), None)

    def _record(self, path: str, newest: _Newest, laid_out: LayoutField | None) -> FieldRecord:
        written, snapshots = newest.written, self.history.context.snapshots
        ascending = sorted((each for each in written if each.present), key=_lowest) or written
        field = ascending[-1].field
        tagged = next(
            (each.field for each in reversed(ascending) if each.field.tag is not None), field
        )
        removed = newest.ordinal != len(snapshots) - 1
        return FieldRecord(
            path=path,
            anchor=re.sub(r"[^a-z0-9]+", "-", path.lower()).strip("-"),
            former_names=tuple(self._former_names(path)),
            type=laid_out.type if laid_out else None,
            element=laid_out.element if laid_out else None,
            spec_type=field.type,
            versions=_ranges(each.stated for each in written),
            nullable_versions=_ranges(
                each.field.nullable_versions & each.stated for each in written
            ),
            tag=tagged.tag,
            tagged_versions=_ranges(each.field.tagged_versions & each.stated for each in written),
            default=laid_out.default if laid_out else plain(field.default),
            ignorable=field.ignorable,
            entity_type=field.entity_type,
            map_key=field.map_key,
            about=field.about,
            notes=tuple(field.written.comments),
            removed=removed,
            last_seen=snapshots[newest.ordinal].name if removed and newest.ordinal >= 0 else None,
            events=(*self._events(path, written), *self._ended(written)),
        )

    def _events(self, path: str, written: list[PlacedField]) -> list[Event]:
        """The events of a field, dated by the versions that have it, or by its spec."""
        lowest = min((each.stated.lowest for each in written if each.stated), default=None)
        events: list[Event] = []
        for row, words in self._story(path):
            # That it may be null or tagged came with a version of its own.
            of_own = row.event in ("nullable", "tagged") and row.new
            since = int(row.new) if of_own and row.new else lowest
            events += self.timeline.refined([self.timeline.event(row, words)], since)
        if not self.history.context.is_by_specs:
            return events
        # A field that was added to an existing version is as old as its spec states, and so are
        # those inside it. Releases show this date themselves.
        for message in self.history.source:
            for entry in message.history if part_of(message) == self.part else ():
                for name, level in entry.fields.items():
                    since_level = self.timeline.of_level(level)
                    if since_level is not None and f"{path}.".startswith(f"{name}."):
                        events = [
                            replace(event, since=max(event.since, since_level, key=when))
                            for event in events
                        ]
        return events

    def _ended(self, written: Iterable[PlacedField]) -> Iterator[Event]:
        """The event that newer versions lack a field, dated by the first one; no spec has to state
        it."""
        versions = VersionSet.union(*(each.stated for each in written))
        holding = [version for version in self.layouts if version in versions]
        later = [version for version in self.layouts if holding and version > max(holding)]
        if later and min(later) == max(holding) + 1:
            events = self.timeline.version_events(min(later))
            for added in [event for event in events if event.event == "added"][:1]:
                yield Event("ended", added.since, f"not in version {min(later)} and later")

    def _renames(self) -> dict[str, _Rename]:
        """The renamed fields, by their new paths. A name is not on the wire: clients read the same
        field."""
        history = self.history
        rows = [row for of_path in self.rows.values() for row in of_path]
        removed = {row.ordinal for row in rows if row.event == "removed"}
        came = {row.ordinal for row in rows if row.event == "added" and not row.first}
        files: dict[int | None, SnapshotFile] = {file.ordinal: file for file in self.files}
        renames: dict[str, _Rename] = {}
        for ordinal in sorted(removed & came):
            old, new = files.get(history.context.snapshots[ordinal].predecessor), files.get(ordinal)
            if old is None or new is None:
                continue
            common = {*history.offer(old).valid} & {*history.offer(new).valid}
            for version in sorted(common, reverse=True):
                layouts = (history.layout(file.digest, version) for file in (old, new))
                for was, path in _renamed(match_layouts(*layouts)):
                    events = self.rows.get(path, [])
                    if any(row.ordinal == ordinal and row.event == "added" for row in events):
                        renames.setdefault(path, _Rename(ordinal, was))
        return renames

    def _story(self, path: str) -> list[tuple[EventRow, str]]:
        """The events of a field with their words; a renamed one continues the history of its old
        name."""
        later = {(rename.ordinal, rename.was): name for name, rename in self.renames.items()}
        own: list[tuple[EventRow, str]] = []
        for row in self.rows.get(path, []):
            words = field_event_text(row.event, row.old, row.new)
            if row.event == "removed" and (row.ordinal, path) in later:
                words = f"is called {later[row.ordinal, path]} from then on"
            own.append((row, words))
        if path not in self.renames:
            return own
        ordinal, was = self.renames[path]
        story = [pair for pair in self._story(was) if pair[0].ordinal < ordinal]
        known = {row.event for row, _ in story}
        for row, words in own:
            if row.ordinal == ordinal and row.event == "added":
                story.append((row._replace(event="renamed"), f"was called {was} before"))
            elif row.ordinal != ordinal or row.event not in known:
                story.append((row, words))
        return story

    def _former_names(self, path: str) -> Iterator[str]:
        for _ in self.renames:
            if path not in self.renames:
                return
            path = self.renames[path].was
            yield path

    def tags(self) -> Iterator[TagRecord]:
        """Every tag that any snapshot has assigned, with reserved ones, which must never be
        reused."""
        history = self.history
        last = len(history.context.snapshots) - 1
        valid = {
            file.digest: history.offer(file).valid for file in self.files if file.ordinal == last
        }
        tags: dict[tuple[str, int, str], tuple[list[PlacedField], bool]] = {}
        for digest in dict.fromkeys(file.digest for file in reversed(self.files)):
            for path, written in walk_fields(history.model(digest)):
                struct, _, name = path.rpartition(".")
                assigned = [each for each in written if each.tagged]
                for tag in {each.field.tag: None for each in assigned}:
                    same = [each for each in assigned if each.field.tag == tag]
                    versions = VersionSet.union(*(each.tagged for each in same))
                    reserved = not any(version in versions for version in valid.get(digest, ()))
                    tags.setdefault((struct, tag or 0, name), (same, reserved))
        now = {rename.was: path for path, rename in self.renames.items()}
        in_use = {(struct, tag) for (struct, tag, _), (_, reserved) in tags.items() if not reserved}
        for (struct, tag, name), (same, reserved) in sorted(tags.items(), key=lambda item: item[0]):
            # Not the same tag of the same struct under an older name of either.
            if not reserved or (_follow(now, struct), tag) not in in_use:
                versions = VersionSet.union(*(each.tagged for each in same))
                kind = max(same, key=_lowest).field.type
                yield TagRecord(struct or "(top level)", tag, name, kind, str(versions), reserved)


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


def _lowest(each: PlacedField) -> int:
    return each.present.lowest


def _ranges(parts: Iterable[Versions]) -> str:
    return str(VersionSet.union(*parts))
