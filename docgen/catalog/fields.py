"""The fields and tags of a message in all snapshots, removed and renamed ones included."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from wirebook.docgen.catalog.events import EventRow
from wirebook.docgen.catalog.history import ApiHistory
from wirebook.docgen.catalog.order import SnapshotFile
from wirebook.docgen.catalog.records import Event, FieldRecord, TagRecord
from wirebook.docgen.catalog.snapshots import field_event_text
from wirebook.docgen.catalog.timeline import Timeline, when
from wirebook.rules.match import match_layouts
from wirebook.specs.layout import Layout, LayoutField
from wirebook.specs.model import NO_VALUES, Field, FieldValue, FieldValues, MessageTexts
from wirebook.specs.versions import VersionSet

# A field in each version that has it.
_ByVersion = dict[int, LayoutField]


class Fields:
    """The fields and tags of one message; `layouts` are those that its document shows."""

    def __init__(
        self, history: ApiHistory, timeline: Timeline, part: str, layouts: Mapping[int, Layout]
    ) -> None:
        self.history = history
        self.timeline = timeline
        self.part = part
        self.layouts = layouts
        self.files = history.by_part[part]
        self.rows: dict[str, list[EventRow]] = {}
        for event in history.events_of("field"):
            if event.part == part:
                self.rows.setdefault(event.path, []).append(event)
        is_by_specs = history.context.is_by_specs
        entries = history.entries_of(part) if is_by_specs else ()
        self.levels = [level for entry in entries for level in entry.fields.items()]
        # By the new path of a field: the snapshot that renamed it, and its old path.
        self.renames = self._renames()
        self.texts = history.last_message(part).texts or MessageTexts({})

    def records(self) -> list[FieldRecord]:
        """Every field of any snapshot: those of the newest version in its order, then others."""
        shown: dict[str, _ByVersion] = {}
        for version, layout in sorted(self.layouts.items(), reverse=True):
            for field in layout.walk():
                shown.setdefault(field.path, {})[version] = field
        newest = {path: max(by_version) for path, by_version in shown.items()}
        last: dict[str, int] = {}
        for file, fields in self._of_texts():
            for path, by_version in fields.items():
                last.setdefault(path, file.ordinal)
                shown.setdefault(path, by_version)
        values = listed_in_snapshots(self.history, self.part)
        return [
            self._record(path, by_version, newest.get(path), last.get(path), values.get(path))
            for path, by_version in shown.items()
        ]

    def _of_texts(self) -> Iterator[tuple[SnapshotFile, dict[str, _ByVersion]]]:
        """What snapshots offer of each text, by path, with its newest file; newest first."""
        newest = {(file.digest, file.offer): file for file in self.files}
        for file in sorted(newest.values(), key=lambda file: -file.ordinal):
            fields: dict[str, _ByVersion] = {}
            for version in reversed(file.offer.valid):
                for field in self.history.layout(file.digest, version).walk():
                    fields.setdefault(field.path, {})[version] = field
            yield file, fields

    def _record(
        self,
        path: str,
        by_version: _ByVersion,
        newest: int | None,
        last: int | None,
        values: FieldValues | None,
    ) -> FieldRecord:
        """A field, as its newest version has it. `newest` is the newest version of those shown that
        has it, and `last` the newest snapshot."""
        snapshots, texts = self.history.context.snapshots, self.texts
        field = by_version[max(by_version)]
        tags = [by_version[at].tag for at in sorted(by_version) if by_version[at].tag is not None]
        removed = last != len(snapshots) - 1
        return FieldRecord(
            path=path,
            former_names=tuple(self._former_names(path)),
            spec_type=field.spec_type,
            versions=self._ranges(by_version),
            tag=tags[-1] if tags else None,
            about=texts.newest(path) or field.about,
            removed=removed,
            last_seen=snapshots[last].name if removed and last is not None else None,
            events=(*self._events(path, min(by_version)), *self._ended(newest)),
            values=values or texts.values.get(path, NO_VALUES),
            replaced_by=texts.replaced_by.get(path, ""),
        )

    def _ranges(self, versions: Iterable[int]) -> str:
        """Versions as a text, open to later ones if the newest is among them."""
        every = sorted(versions)
        text = VersionSet.of(every).text
        return re.sub(r"(-\d+)?$", "+", text, count=1) if every[-1] == max(self.layouts) else text

    def _events(self, path: str, lowest: int) -> list[Event]:
        """The events of a field, dated by the versions that have it, or by its spec."""
        events: list[Event] = []
        for row, words in self._story(path):
            # That it may be null or tagged came with a version of its own.
            of_own = row.event in ("nullable", "tagged") and row.new
            version = int(row.new) if of_own and row.new else lowest
            events.append(self.timeline.refined(self.timeline.event(row, words), version))
        # A field that was added to an existing version is as old as its spec states, and so are
        # those inside it. Releases show this date themselves.
        for name, level in self.levels:
            since = self.timeline.of_level(level)
            if since is not None and f"{path}.".startswith(f"{name}."):
                events = [
                    replace(event, since=max(event.since, since, key=when)) for event in events
                ]
        return events

    def _ended(self, newest: int | None) -> Iterator[Event]:
        """The event that newer versions lack a field, dated by the first one."""
        if newest is not None and newest + 1 in self.layouts:
            events = self.timeline.version_events(newest + 1)
            for added in [event for event in events if event.event == "added"][:1]:
                yield Event("ended", added.since, f"not in version {newest + 1} and later")

    def _renames(self) -> dict[str, tuple[int, str]]:
        """The renamed fields: a name is not on the wire."""
        history, files = self.history, {file.ordinal: file for file in self.files}
        rows = [row for of_path in self.rows.values() for row in of_path]
        removed = {row.ordinal for row in rows if row.event == "removed"}
        added = {(row.ordinal, row.path) for row in rows if row.event == "added"}
        renames: dict[str, tuple[int, str]] = {}
        for ordinal in sorted(removed & {at for at, _ in added}):
            predecessor = history.context.snapshots[ordinal].predecessor
            if predecessor not in files or ordinal not in files:
                continue
            old, new = files[predecessor], files[ordinal]
            common = {*old.offer.valid} & {*new.offer.valid}
            for version in sorted(common, reverse=True):
                layouts = (history.layout(file.digest, version) for file in (old, new))
                for match in match_layouts(*layouts):
                    was, now = match.base, match.head
                    # One field under another name.
                    if was and now and was.path != now.path and (ordinal, now.path) in added:
                        renames.setdefault(now.path, (ordinal, was.path))
        return renames

    def _story(self, path: str) -> list[tuple[EventRow, str]]:
        """The events of a field in words; a renamed one continues the history of its old name."""
        later = {rename: name for name, rename in self.renames.items()}
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
        # No cycle: a name that comes back is no renamed field.
        while path in self.renames:
            _, path = self.renames[path]
            yield path

    def tags(self) -> Iterator[TagRecord]:
        """Every tag of any snapshot, with reserved ones, which must never be reused."""
        last = len(self.history.context.snapshots) - 1
        tags: dict[tuple[str, int, str], TagRecord] = {}
        for file, fields in self._of_texts():
            for path, by_version in fields.items():
                struct, _, name = path.rpartition(".")
                for tag in {each.tag for each in by_version.values() if each.tag is not None}:
                    versions = [at for at, each in by_version.items() if each.tag == tag]
                    kind, reserved = by_version[max(versions)].spec_type, file.ordinal != last
                    at = struct or "(top level)"
                    record = TagRecord(at, tag, name, kind, self._ranges(versions), reserved)
                    tags.setdefault((struct, tag, name), record)
        in_use = {(struct, tag) for (struct, tag, _), each in tags.items() if not each.reserved}
        for (struct, tag, _), record in sorted(tags.items(), key=lambda item: item[0]):
            # Not the same tag of the same struct under an older name of either.
            if not record.reserved or (self._current(struct), tag) not in in_use:
                yield record

    def _current(self, path: str) -> str:
        """The newest name of a field that may have been renamed."""
        newer = [name for name, (_, was) in self.renames.items() if was == path]
        return self._current(newer[-1]) if newer else path


# A snapshot, and the values that a field has there, by number.
_State = tuple[str, dict[int, list[FieldValue]]]


def listed_in_snapshots(history: ApiHistory, part: str) -> dict[str, FieldValues]:
    """The values of the fields of a message by path, with the snapshots that added, deprecated and
    removed them: those of the newest snapshot, then removed ones.
    """
    files, context = history.by_part[part], history.context
    if not context.value_tables and not any(
        history.model(file.digest).lists_values for file in files
    ):
        return {}
    states: dict[str, list[_State]] = {}
    others: dict[str, str] = {}
    for file in files:
        tables = context.value_tables.get(file.ordinal, {})
        in_table = tables.get(history.model(file.digest).name, {})
        # A path has several fields if versions divide it.
        fields: dict[str, dict[int, Field]] = {}
        for version in file.offer.valid:
            for each in history.layout(file.digest, version).walk():
                fields.setdefault(each.path, {})[id(each.field)] = each.field
        for path, at_path in fields.items():
            in_spec = [value for field in at_path.values() for value in field.values]
            of_table = in_table.get(path, NO_VALUES)
            values: dict[int, list[FieldValue]] = {}
            for value in in_spec or of_table.listed:
                values.setdefault(value.value, []).append(value)
            states.setdefault(path, []).append((context.snapshots[file.ordinal].name, values))
            others[path] = "" if in_spec else of_table.others
    every = {path: _with_history(each) for path, each in states.items()}
    return {path: FieldValues(values, others[path]) for path, values in every.items() if values}


def _with_history(states: Sequence[_State]) -> tuple[FieldValue, ...]:
    """The values of a field, each as the newest list with its number has it."""
    # A field may be older than its list of values, and older lists are unknown.
    first = next((at for at, (_, values) in enumerate(states) if values), len(states))
    names = ["", *(name for name, _ in states[first + 1 :]), ""]
    lists = [values for _, values in states[first:]]
    listed: dict[int, list[FieldValue]] = {}
    for newest, values in reversed([*enumerate(lists)]):
        for number in [number for number in values if number not in listed]:
            having = [at for at, each in enumerate(lists) if number in each]
            deprecating = [
                at for at in having if any(each.deprecated for each in lists[at][number])
            ]
            listed[number] = [
                replace(
                    value,
                    since=names[having[0]],
                    deprecated_since=names[deprecating[0]] if deprecating else "",
                    removed_in=names[newest + 1],
                )
                for value in values[number]
            ]
    return tuple(value for same in listed.values() for value in same)
