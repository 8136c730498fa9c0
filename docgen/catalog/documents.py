"""The JSON documents of the catalog: one for each API or other message, built from its rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wirebook.docgen.catalog.bnf import bnf
from wirebook.docgen.catalog.fields import Fields
from wirebook.docgen.catalog.history import ApiHistory, byte_changes
from wirebook.docgen.catalog.order import Offer, is_unreleased
from wirebook.docgen.catalog.records import (
    API,
    ApiDocument,
    ApiPresence,
    IndexRow,
    LayoutOrigin,
    Lifecycle,
    MessageRecord,
    MessageVersion,
    ReturnedError,
    TextSource,
    Variant,
    VersionRecord,
)
from wirebook.docgen.catalog.timeline import Timeline
from wirebook.rules.diff.layouts import layout_changes
from wirebook.rules.report.sentences import layout_sentence
from wirebook.specs.reading.notes import purpose, version_notes
from wirebook.specs.reading.reader import plain
from wirebook.specs.subjects import part_of
from wirebook.specs.texts.model import ApiTexts
from wirebook.specs.versions import VersionSet
from wirebook.specs.wire.layout import Layout, LayoutField


def build_document(history: ApiHistory) -> tuple[ApiDocument, IndexRow]:
    """The document of one API or other message (wirebook/api/1), and its row of the index."""
    return _Builder(history).build()


@dataclass(slots=True)
class _Version:
    """One version of one message: its newest layout, where it is from, and the other layouts that it had."""

    main: Layout
    snapshot: str
    path: str
    others: list[tuple[Layout, list[str]]]
    is_of_source: bool

    def add_other(self, laid_out: Layout, snapshots: list[str]) -> None:
        """Add snapshots with a layout other than the newest."""
        for other, names in self.others:
            if _reads_alike(laid_out, other):
                names.extend(snapshots)
                return
        self.others.append((laid_out, snapshots))


class _Builder:
    def __init__(self, history: ApiHistory) -> None:
        self.slug = history.slug
        self.history = history
        self.timeline = Timeline(history)
        self.fields = Fields(history, self.timeline)

    def build(self) -> tuple[ApiDocument, IndexRow]:
        history = self.history
        presence = history.presence()
        last = len(history.context.snapshots) - 1
        now = presence.get(last, Offer())
        gone = not now.valid
        live = [state for _, state in sorted(presence.items()) if state.valid]
        last_state = live[-1] if live else Offer()
        stable = [version for version in last_state.valid if version not in last_state.unstable]
        messages = [self._message(part) for part in history.parts()]
        versions = self._versions(now, messages)
        current = history.newest
        # The end of a comment rarely states a purpose: it lists errors, or that a request was removed.
        commented = next(
            (text for part in history.parts() if (text := purpose(history.last_message(part)))), ""
        )
        written = history.written
        purposes = [written.purpose, *(purpose(message) for message in history.source), commented]
        listeners = list(
            dict.fromkeys(name for part in history.parts() for name in history.last_message(part).listeners)
        )
        kind = API if current.type in ("request", "response") else current.type
        names = [
            name
            for part in history.parts()[:1]
            for name in dict.fromkeys(
                history.model(entry.digest).api for entry in reversed(history.by_part.get(part, []))
            )
        ]
        document = ApiDocument(
            api=current.api,
            slug=self.slug,
            former_names=tuple(name for name in names if name != current.api),
            api_key=current.api_key,
            kind=kind,
            purpose=next((text for text in purposes if text), ""),
            listeners=tuple(listeners),
            gone=gone,
            lifecycle=Lifecycle(tuple(self.timeline.api_events())),
            newest_stable=stable[-1] if stable else None,
            presence=tuple(
                ApiPresence(
                    snapshot.name,
                    _text(state.valid),
                    unstable=_text(state.unstable),
                    deprecated=_text(state.deprecated),
                    unreleased=is_unreleased(snapshot),
                )
                for snapshot in history.context.snapshots
                for state in (presence.get(snapshot.ordinal, Offer()),)
            ),
            versions=tuple(versions),
            messages=tuple(messages),
            use=written.use,
            pitfalls=written.pitfalls,
            errors=tuple(ReturnedError.of(error) for error in written.errors),
            group=written.group,
            replaced_by=written.replaced_by,
            verified=history.verified,
            source=written.source,
            code=written.code,
            cited=_cited(written),
        )
        flexible = min((version.version for version in versions if version.flexible), default=None)
        row = IndexRow(
            slug=self.slug,
            api=document.api,
            former_names=document.former_names,
            api_key=document.api_key,
            kind=kind,
            purpose=document.purpose,
            versions=_text(now.valid),
            all_versions=_text(version.version for version in versions),
            newest_stable=document.newest_stable,
            unstable=_text(now.unstable),
            deprecated=_text(now.deprecated),
            flexible="none" if flexible is None else f"{flexible}+",
            lifecycle=document.lifecycle,
            listeners=document.listeners,
            gone=gone,
            group=document.group,
        )
        return document, row

    def _versions(self, now: Offer, messages: list[MessageRecord]) -> list[VersionRecord]:
        numbers = {version for message in messages for version in message.versions}
        records = []
        for version in sorted(numbers, reverse=True):
            state = "removed"
            if version in now.valid:
                state = (
                    "unstable"
                    if version in now.unstable
                    else "deprecated"
                    if version in now.deprecated
                    else "current"
                )
            events = self.timeline.version_events(version)
            if state == "removed" and any(event.event == "renumbered" for event in events):
                state = "renumbered"
            of_version = [message.versions[version] for message in messages if version in message.versions]
            entry = self.history.source_history.get(version)
            texts = self.history.written
            written = texts.versions.get(version, "")
            record = VersionRecord(
                version=version,
                flexible=any(each.layout.flexible for each in of_version),
                unstable=state == "unstable",
                state=state,
                events=tuple(events),
                about=written or (entry.about if entry is not None else ""),
                notes=tuple(dict.fromkeys(note for each in of_version for note in each.notes)),
                requires=texts.requires.get(version, ""),
            )
            records.append(record)
        return records

    def _message(self, part: str) -> MessageRecord:
        newest = self.history.last_message(part)
        by_version = self._message_versions(part)
        abouts = {
            entry.version: entry.about
            for message in self.history.source
            if part_of(message) == part
            for entry in message.history
        }
        versions: dict[int, MessageVersion] = {}
        before: Layout | None = None
        notes: dict[int, dict[int, list[str]]] = {}
        for version in sorted(by_version):
            newest_version = by_version[version]
            main = newest_version.main
            if id(main.message) not in notes:
                notes[id(main.message)] = version_notes(main.message)
            texts = notes[id(main.message)]
            changes = () if before is None else layout_changes(before, main)
            versions[version] = MessageVersion(
                layout=main.exported(),
                header_version=main.header_version,
                fingerprint=main.fingerprint,
                bnf=bnf(main),
                changes=tuple(layout_sentence(change) for change in changes),
                notes=tuple(texts.get(version, ())),
                about=abouts.get(version, ""),
                origin=self._origin(newest_version),
                variants=tuple(
                    Variant(
                        tuple(names),
                        other.fingerprint,
                        tuple(layout_sentence(change) for change in layout_changes(other, main)),
                    )
                    for other, names in newest_version.others
                ),
            )
            before = main
        return MessageRecord(
            name=newest.name,
            type=newest.type,
            versions=dict(sorted(versions.items(), reverse=True)),
            fields=tuple(
                self.fields.fields(
                    part, {version: newest_version.main for version, newest_version in by_version.items()}
                )
            ),
            tags=tuple(self.fields.tags(part)),
            unknown_keys={key: plain(value) for key, value in newest.written.unknown.items()},
            problems=tuple(str(problem) for problem in newest.problems),
        )

    def _origin(self, version: _Version) -> LayoutOrigin:
        main = version.main
        runs = self.history.context.origins.get(main.message.name, ()) if version.is_of_source else ()
        for run in runs:
            if main.version in run.versions:
                release, path, line = run.place
                return LayoutOrigin(version.snapshot, path, line, run.fields, release)
        line = main.message.written.position.line
        return LayoutOrigin(version.snapshot, version.path, line, tuple(map(_line, main.walk())))

    def _message_versions(self, part: str) -> dict[int, _Version]:
        """Each version of any snapshot, from the newest that has it; then those that only SOURCE has."""
        history = self.history
        versions: dict[int, _Version] = {}
        ordinals_of: dict[tuple[str, int], list[int]] = {}
        for entry in history.by_part.get(part, []):
            for version in history.offer(entry).valid:
                ordinals_of.setdefault((entry.digest, version), []).append(entry.ordinal)
        paths = {entry.digest: entry.path for entry in history.by_part.get(part, [])}
        for (digest, version), ordinals in sorted(ordinals_of.items(), key=lambda row: -row[1][-1]):
            laid_out = history.layout(digest, version)
            names = [history.context.snapshots[ordinal].name for ordinal in ordinals]
            described = versions.get(version)
            if described is None:
                is_of_source = digest in history.context.source_texts
                versions[version] = _Version(laid_out, names[-1], paths[digest], [], is_of_source)
            elif not _reads_alike(laid_out, described.main):
                described.add_other(laid_out, names)
        order = {snapshot.name: snapshot.ordinal for snapshot in history.context.snapshots}
        for described in versions.values():
            for _, names in described.others:
                names.sort(key=lambda name: order[name])
        for digest in sorted(history.texts.keys() & history.context.source_texts.keys()):
            message = history.model(digest)
            if part_of(message) != part:
                continue
            for version in message.valid_versions:
                # Not everything that SOURCE offers: where the snapshots have the facts, they are more exact.
                if version not in versions and self.timeline.version_events(version):
                    versions[version] = _Version(
                        history.layout(digest, version),
                        history.context.source_name,
                        message.path,
                        [],
                        is_of_source=True,
                    )
        return versions


def _reads_alike(one: Layout, other: Layout) -> bool:
    """Whether two layouts are one variant; the type of a record (data, or a specific one) makes no other."""
    return one.wire == other.wire and not byte_changes(one, other)


def _cited(written: ApiTexts) -> tuple[TextSource, ...]:
    return tuple(
        TextSource(each.text, each.source, each.code, each.is_of_field, bool(each.reason), each.reason)
        for each in written.cited
    )


def _text(numbers: Sequence[int] | Iterator[int]) -> str:
    return str(VersionSet.of(numbers))


def _line(field: LayoutField) -> int:
    """The line of a field in the spec of its message; 0 for that of an imported struct."""
    at = field.field.written.position
    return at.line if at.imported is None else 0
