"""The JSON documents of the catalog: one for each API or other message."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from wirebook.docgen.catalog.fields import Fields
from wirebook.docgen.catalog.history import ApiHistory
from wirebook.docgen.catalog.order import Offer
from wirebook.docgen.catalog.records import (
    API,
    ApiDocument,
    ApiPresence,
    IndexRow,
    LayoutOrigin,
    MessageRecord,
    MessageVersion,
    Variant,
    VersionRecord,
)
from wirebook.docgen.catalog.timeline import Timeline
from wirebook.docgen.catalog.wire import byte_changes, wire
from wirebook.rules.diff.layouts import layout_changes
from wirebook.specs.layout import Layout
from wirebook.specs.notes import purpose, version_notes
from wirebook.specs.profile import HALVES
from wirebook.specs.versions import VersionSet

# What a document has of the descriptions as it is.
_WRITTEN = ("use", "pitfalls", "errors", "group", "replaced_by", "source", "cited")


def build_document(history: ApiHistory) -> tuple[ApiDocument, IndexRow]:
    """The document of one API or other message (wirebook/api/1), and its row of the index."""
    timeline, context = Timeline(history), history.context
    offers = [history.offer_in(snapshot) for snapshot in context.snapshots]
    now = offers[-1]
    last = next((offer for offer in reversed(offers) if offer.valid), now)
    messages = [_message(history, timeline, part) for part in history.by_part]
    numbers = {version for message in messages for version in message.versions}
    versions = [
        _version(history, timeline, version, now, messages)
        for version in sorted(numbers, reverse=True)
    ]
    current, written = history.newest, history.written
    newest = [history.last_message(part) for part in history.by_part]
    # The end of a comment rarely states a purpose: it lists errors, or that a request was removed.
    described = [*(text.message for text in history.source.values()), *newest]
    files = next(iter(history.by_part.values()))
    names = dict.fromkeys(history.model(file.digest).api for file in reversed(files))
    document = ApiDocument(
        api=current.api,
        slug=history.slug,
        former_names=tuple(name for name in names if name != current.api),
        api_key=current.api_key,
        kind=API if current.type in HALVES else current.type,
        purpose=next(filter(None, [written.purpose, *map(purpose, described)]), ""),
        listeners=tuple(dict.fromkeys(name for message in newest for name in message.listeners)),
        removed=not now.valid,
        lifecycle=tuple(timeline.api_events()),
        newest_stable=max({*last.valid} - {*last.unstable}, default=None),
        presence=tuple(
            ApiPresence(snapshot.name, *map(_text, (offer.valid, offer.unstable, offer.deprecated)))
            for snapshot, offer in zip(context.snapshots, offers, strict=True)
        ),
        versions=tuple(versions),
        messages=tuple(messages),
        verified=context.verified if current.api in context.texts else "",
        **{name: getattr(written, name) for name in _WRITTEN},
    )
    shared: dict[str, Any] = {
        each.name: getattr(document, each.name, None) for each in fields(IndexRow)
    }
    shared["versions"], shared["unstable"] = _text(now.valid), _text(now.unstable)
    return document, IndexRow(**shared)


def _version(
    history: ApiHistory,
    timeline: Timeline,
    version: int,
    now: Offer,
    messages: Iterable[MessageRecord],
) -> VersionRecord:
    events = timeline.version_events(version)
    states = {
        "unstable": version in now.unstable,
        "deprecated": version in now.deprecated,
        "current": version in now.valid,
        "renumbered": any(event.event == "renumbered" for event in events),
        "removed": True,
    }
    of_version = [message.versions[version] for message in messages if version in message.versions]
    texts, entry = history.written, history.source_history.get(version)
    return VersionRecord(
        version=version,
        flexible=any(each.layout.flexible for each in of_version),
        state=next(state for state, holds in states.items() if holds),
        events=tuple(events),
        about=texts.versions.get(version, "") or (entry.about if entry is not None else ""),
        notes=tuple(dict.fromkeys(note for each in of_version for note in each.notes)),
        requires=texts.requires.get(version, ""),
    )


@dataclass(slots=True)
class _Form:
    """A layout that a version had, the newest file that has it, and the names of the snapshots."""

    layout: Layout
    path: str
    is_of_source: bool
    snapshots: list[str]


def _message(history: ApiHistory, timeline: Timeline, part: str) -> MessageRecord:
    newest = history.last_message(part)
    abouts = {entry.version: entry.about for entry in history.entries_of(part)}
    versions: dict[int, MessageVersion] = {}
    before: Layout | None = None
    for version, forms in sorted(_forms(history, timeline, part).items()):
        main = forms[0].layout
        versions[version] = MessageVersion(
            layout=main,
            header_version=main.header_version,
            changes=() if before is None else _sentences(before, main),
            notes=tuple(version_notes(main.message).get(version, ())),
            about=abouts.get(version, ""),
            origin=_origin(history, forms[0]),
            variants=tuple(
                Variant(tuple(form.snapshots), _sentences(form.layout, main)) for form in forms[1:]
            ),
        )
        before = main
    versions = dict(sorted(versions.items(), reverse=True))
    of_fields = Fields(history, timeline, part, [each.layout for each in versions.values()])
    return MessageRecord(
        name=newest.name,
        type=newest.type,
        versions=versions,
        fields=tuple(of_fields.records()),
        tags=tuple(of_fields.tags()),
    )


def _forms(history: ApiHistory, timeline: Timeline, part: str) -> dict[int, list[_Form]]:
    """The layouts of each version, the newest first; then the versions that only SOURCE has."""
    context = history.context
    forms: dict[int, list[_Form]] = {}
    of_texts: dict[tuple[str, int], _Form] = {}
    for file in reversed(history.by_part[part]):
        is_of_source = file.digest in context.source_texts
        for version in file.offer.valid:
            key = (file.digest, version)
            if key not in of_texts:
                layout, others = history.layout(*key), forms.setdefault(version, [])
                alike = (form for form in others if _reads_alike(layout, form.layout))
                form = next(alike, None)
                if form is None:
                    form = _Form(layout, file.path, is_of_source, [])
                    others.append(form)
                of_texts[key] = form
            of_texts[key].snapshots.insert(0, context.snapshots[file.ordinal].name)
    if part in history.source:
        text = history.source[part]
        for version, layout in text.layouts.items():
            # Not everything that SOURCE offers: where the snapshots have the facts, they are more
            # exact.
            if version not in forms and timeline.version_events(version):
                forms[version] = [_Form(layout, text.path, True, [context.source_name])]
    return forms


def _origin(history: ApiHistory, form: _Form) -> LayoutOrigin:
    message, snapshot = form.layout.message, form.snapshots[-1]
    if form.is_of_source:
        for run in history.context.origins.get(message.name, ()):
            if form.layout.version in run.versions:
                release, path, line = run.place
                return LayoutOrigin(snapshot, path, line, release)
    return LayoutOrigin(snapshot, form.path, message.written.at().line)


def _sentences(old: Layout, new: Layout) -> tuple[str, ...]:
    return tuple(change.sentence for change in layout_changes(old, new))


def _reads_alike(one: Layout, other: Layout) -> bool:
    """Whether two layouts are one variant; the type of a record makes no other."""
    return wire(one) == wire(other) and not byte_changes(one, other)


def _text(numbers: Iterable[int]) -> str:
    return str(VersionSet.of(numbers))
