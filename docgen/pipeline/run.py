"""From the texts of snapshots to the finished catalog: plain functions over rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from wirebook._version import __version__
from wirebook.docgen.catalog import files as output
from wirebook.docgen.catalog import snapshots
from wirebook.docgen.catalog.addresses import slug_of
from wirebook.docgen.catalog.catalog import Manifest
from wirebook.docgen.catalog.documents import build_document
from wirebook.docgen.catalog.events import EventRow, error_events, in_table
from wirebook.docgen.catalog.history import ApiHistory, Context, Subject
from wirebook.docgen.catalog.order import CatalogSnapshot, SnapshotFile
from wirebook.docgen.catalog.protocol import level_records
from wirebook.docgen.catalog.records import ApiPresence, IndexRow, NewsItem, Snapshots, Tool
from wirebook.docgen.catalog.snapshots import news_of, snapshot_record
from wirebook.docgen.catalog.texts import (
    BrokenText,
    FieldRow,
    Text,
    VersionRow,
    field_rows,
    read_texts,
    version_rows,
)
from wirebook.docgen.pipeline.distribute import Distribute, in_process
from wirebook.docgen.pipeline.inputs import Inputs, judged
from wirebook.docgen.progress import SILENT, Progress


class Built(NamedTuple):
    """What a catalog has, in words, and which specs of releases were left out of it."""

    summary: str
    problems: Sequence[str]


def build(
    inputs: Inputs, folder: Path, distribute: Distribute = in_process, progress: Progress = SILENT
) -> Built:
    """Fill a folder with the catalog of `inputs`: the same bytes wherever the functions run.

    Without a history, the ApiVersions of the specs' own `history` are the snapshots.
    """
    progress.step("reading texts", len(inputs.texts))
    items = sorted(inputs.texts.values(), key=lambda text: text.digest)
    texts: list[Text | BrokenText] = []
    for text in distribute(partial(read_texts, inputs.profile, inputs.context.texts), items):
        texts.append(text)
        progress.advance()
    context = inputs.context
    usable, warnings, files = judged(inputs, texts)
    subjects = subjects_of(usable, files)
    progress.step("describing APIs and messages", len(subjects))
    described: list[_Described] = []
    errors = error_events(inputs.errors, context.snapshots)
    events = [*errors]
    (folder / "api").mkdir()
    for made in distribute(partial(_describe, context), subjects):
        (folder / "api" / f"{made.row.slug}.json").write_bytes(made.text)
        described.append(made)
        events += made.events
        progress.advance()
    output.write_json(folder / "index.json", snapshots.index(each.row for each in described))
    records = tuple(
        snapshot_record(
            each,
            None if each.predecessor is None else context.snapshots[each.predecessor],
            [(api.row.slug, api.presence[each.ordinal]) for api in described],
            [item for api in described for item in api.news.get(each.ordinal, ())],
            [row for row in errors if row.ordinal == each.ordinal],
        )
        for each in context.snapshots
    )
    output.write_json(folder / "snapshots.json", Snapshots(records))
    output.write_json(folder / "levels.json", level_records(context.registry, context.snapshots))
    output.write_json(folder / "protocol.json", inputs.protocol)
    for name, content in inputs.further.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    progress.step("writing tables")
    output.write_table(folder, "snapshots", CatalogSnapshot, context.snapshots)
    events.sort(key=in_table)
    output.write_table(folder, "changes", EventRow, events)
    output.write_table(folder, "messages", MessageRow, sorted(message_rows(usable, files)))
    output.write_table(folder, "versions", VersionRow, version_rows(usable.values()))
    output.write_table(folder, "fields", FieldRow, field_rows(usable.values()))
    manifest = Manifest(Tool("wirebook", __version__), tuple(warnings))
    output.write_json(folder / "manifest.json", manifest)
    summary = (
        f"catalog of {len(subjects)} APIs and messages, {len(context.snapshots)} snapshots, "
        f"{len(inputs.texts)} distinct texts"
    )
    return Built(summary, warnings)


# -- what is distributed --------------------------------------------------------------------------


class _Described(NamedTuple):
    """The document of a subject as a file, with what else is known of it; `news` are by ordinal."""

    text: bytes
    row: IndexRow
    presence: Sequence[ApiPresence]
    news: Mapping[int, Sequence[NewsItem]]
    events: Sequence[EventRow]


def _describe(context: Context, subjects: Iterable[Subject]) -> Iterator[_Described]:
    for subject in subjects:
        history = ApiHistory(subject, context)
        document, row = build_document(history)
        news = {}
        for ordinal, of_snapshot in groupby(history.events, key=lambda row: row.ordinal):
            snapshot = context.snapshots[ordinal]
            news[ordinal] = list(news_of(document, of_snapshot, snapshot, context.is_by_specs))
        text = output.encoded(document) + b"\n"
        yield _Described(text, row, document.presence, news, history.events)


# -- what is put together -------------------------------------------------------------------------


class MessageRow(NamedTuple):
    """A message in a snapshot, with the versions that existed there, in the table of messages."""

    ordinal: int
    subject: str
    type: str
    name: str
    api: str
    api_key: int | None
    path: str
    digest: str
    valid: tuple[int, ...]
    deprecated: tuple[int, ...]
    unstable: tuple[int, ...]


def message_rows(texts: Mapping[str, Text], files: Iterable[SnapshotFile]) -> Iterator[MessageRow]:
    """The rows of the table of messages."""
    for file in files:
        text = texts[file.digest]
        message = text.message
        named = (message.type, message.name, message.api, message.api_key)
        yield MessageRow(file.ordinal, text.subject, *named, file.path, file.digest, *file.offer)


def subjects_of(texts: Mapping[str, Text], files: Sequence[SnapshotFile]) -> list[Subject]:
    """The APIs and messages of snapshots, each with its files, in their order, and its texts. Its
    address is by its newest name, with the key or type where two would share it."""
    names = {texts[file.digest].subject: texts[file.digest].message.api for file in files}
    count = Counter(map(slug_of, names.values()))
    subjects: dict[str, Subject] = {}
    for subject, name in sorted(names.items()):
        more = f" {subject.replace(':', ' ')}" if count[slug_of(name)] > 1 else ""
        subjects[subject] = Subject(subject, slug_of(name + more), [], {})
    for text in texts.values():
        if text.subject in subjects:
            subjects[text.subject].texts[text.digest] = text
    for file in files:
        subjects[texts[file.digest].subject].files.append(file)
    return list(subjects.values())
