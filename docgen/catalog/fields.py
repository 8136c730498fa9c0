"""The fields and tags of a message in all snapshots, removed and renamed ones included."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from wirebook.docgen.catalog.events import EventRow
from wirebook.docgen.catalog.history import ApiHistory
from wirebook.docgen.catalog.listed_values import listed_in_snapshots
from wirebook.docgen.catalog.order import SnapshotFile
from wirebook.docgen.catalog.records import Event, FieldRecord, TagRecord
from wirebook.docgen.catalog.sentences import field_event_text
from wirebook.docgen.catalog.timeline import Timeline, when
from wirebook.rules.match import LayoutMatch, match_layouts
from wirebook.specs.layout import Layout, LayoutField
from wirebook.specs.model import MessageTexts, part_of
from wirebook.specs.numbers import NO_VALUES, FieldValues
from wirebook.specs.versions import VersionSet

# A field in each version that has it.
_ByVersion = dict[int, LayoutField]


class _Rename(NamedTuple):
    """The snapshot in which a field replaced another one in its place, and the path of that one."""

    ordinal: int
    was: str


class Fields:
    """The fields and tags of one message; `layouts` are those that its document shows."""

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
        self.texts = history.last_message(part).texts or MessageTexts({})
        of_source = [message for message in history.source if part_of(message) == part]
        entries = [entry for message in of_source for entry in message.history]
        self.levels = [level for entry in entries for level in entry.fields.items()]

    def records(self) -> list[FieldRecord]:
        """Every field of any snapshot: those of the newest version in its order, then others."""
        shown: dict[str, _ByVersion] = {}
        for version, layout in sorted(self.layouts.items(), reverse=True):
            for field in layout.walk():
                shown.setdefault(field.path, {})[version] = field
        last: dict[str, int] = {}
        for file, fields in self._of_texts():
            for path, by_version in fields.items():
                last.setdefault(path, file.ordinal)
                shown.setdefault(path, by_version)
        values = listed_in_snapshots(self.history, self.part)
        return [
            self._record(path, by_version, last.get(path), values.get(path))
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
        self, path: str, by_version: _ByVersion, last: int | None, values: FieldValues | None
    ) -> FieldRecord:
        """A field, as its newest version has it; `last` is the newest snapshot that has it."""
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
            events=(*self._events(path, min(by_version)), *self._ended(path)),
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
        for name, level in self.levels if self.history.context.is_by_specs else ():
            since = self.timeline.of_level(level)
            if since is not None and f"{path}.".startswith(f"{name}."):
                events = [
                    replace(event, since=max(event.since, since, key=when)) for event in events
                ]
        return events

    def _ended(self, path: str) -> Iterator[Event]:
        """The event that newer versions lack a field, dated by the first one."""
        versions = sorted(self.layouts)
        having = [
            at for at in versions if any(each.path == path for each in self.layouts[at].walk())
        ]
        after = having[-1] + 1 if having else -1
        if after in self.layouts:
            events = self.timeline.version_events(after)
            for added in [event for event in events if event.event == "added"][:1]:
                yield Event("ended", added.since, f"not in version {after} and later")

    def _renames(self) -> dict[str, _Rename]:
        """The renamed fields by their new paths: a name is not on the wire."""
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
            common = {*old.offer.valid} & {*new.offer.valid}
            for version in sorted(common, reverse=True):
                layouts = (history.layout(file.digest, version) for file in (old, new))
                for was, path in _renamed(match_layouts(*layouts)):
                    events = self.rows.get(path, [])
                    if any(row.ordinal == ordinal and row.event == "added" for row in events):
                        renames.setdefault(path, _Rename(ordinal, was))
        return renames

    def _story(self, path: str) -> list[tuple[EventRow, str]]:
        """The events of a field in words; a renamed one continues the history of its old name."""
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
        """Every tag of any snapshot, with reserved ones, which must never be reused."""
        last = len(self.history.context.snapshots) - 1
        tags: dict[tuple[str, int, str], TagRecord] = {}
        for file, fields in self._of_texts():
            for path, by_version in fields.items():
                struct, _, name = path.rpartition(".")
                for tag in {each.tag for each in by_version.values() if each.tag is not None}:
                    versions = [at for at, each in by_version.items() if each.tag == tag]
                    kind, reserved = by_version[max(versions)].spec_type, file.ordinal != last
                    record = TagRecord(
                        struct or "(top level)",
                        tag,
                        name,
                        kind,
                        self._ranges(versions),
                        reserved,
                    )
                    tags.setdefault((struct, tag, name), record)
        now = {rename.was: path for path, rename in self.renames.items()}
        in_use = {(struct, tag) for (struct, tag, _), each in tags.items() if not each.reserved}
        for (struct, tag, _), record in sorted(tags.items(), key=lambda item: item[0]):
            # Not the same tag of the same struct under an older name of either.
            if not record.reserved or (_follow(now, struct), tag) not in in_use:
                yield record


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
        if match.base is not None and match.head is not None:
            if match.base.path != match.head.path:
                yield match.base.path, match.head.path
            yield from _renamed(match.inner)
