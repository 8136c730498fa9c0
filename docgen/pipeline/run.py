"""From the texts of snapshots to the finished catalog: plain functions over rows."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from wirebook._version import __version__
from wirebook.docgen.catalog import files as output
from wirebook.docgen.catalog import snapshot_summaries, tables
from wirebook.docgen.catalog.api_history import Context, EventRow, StateText
from wirebook.docgen.catalog.catalog import Manifest
from wirebook.docgen.catalog.documents import build_document
from wirebook.docgen.catalog.errors import SUBJECT, error_codes, error_events
from wirebook.docgen.catalog.events import entries
from wirebook.docgen.catalog.protocol import level_records
from wirebook.docgen.catalog.records import IndexRow, ReleaseChanges, Snapshots, Tool
from wirebook.docgen.catalog.rows import CatalogLevels, TextRow, slug_of, text_row
from wirebook.docgen.catalog.snapshot_summaries import InSnapshots, SnapshotSummaries
from wirebook.docgen.catalog.subject_texts import Text
from wirebook.docgen.pipeline.distribute import Distribute, distribution, in_process
from wirebook.docgen.pipeline.inputs import Inputs, Usable, gather, judged, write_protocol
from wirebook.docgen.progress import SILENT, Progress
from wirebook.docgen.request import BuildRequest
from wirebook.specs.output import replaced
from wirebook.specs.profile import Profile


class Filled(NamedTuple):
    """What to print of a catalog: warnings, and a summary of it."""

    warnings: tuple[str, ...]
    summary: str


def build_catalog(
    request: BuildRequest,
    progress: Progress = SILENT,
    *,
    quiet: bool = False,
    distribute: Distribute | None = None,
) -> None:
    """Build the catalog of a request in its folder, on Spark unless `distribute` is given.

    Without a history, the ApiVersions of the specs' own `history` are the snapshots. An older catalog in the
    folder is replaced when the new one is complete. Raises InputError if it cannot finish; the folder is then
    unchanged.
    """
    with replaced(request.catalog) as folder:
        filled = fill_catalog(request, folder, progress, distribute)
    if not quiet:
        print("\n".join((*filled.warnings, filled.summary)), file=sys.stderr)


def fill_catalog(
    request: BuildRequest,
    folder: Path,
    progress: Progress = SILENT,
    distribute: Distribute | None = None,
) -> Filled:
    """As `build_catalog`, into an empty folder; returns what to print of it."""
    started = time.monotonic()
    progress.step("reading the specs")
    inputs = gather(request)
    with ExitStack() as stack:
        distribute = distribute or stack.enter_context(distribution(request.master, request.conf, progress))
        made = build(inputs, folder, distribute, progress)
    return Filled(
        tuple(f"wirebook: {warning}" for warning in made.problems),
        f"wirebook: catalog of {made.subjects} APIs and messages, {len(inputs.snapshots)} snapshots, "
        f"{len(inputs.texts)} distinct texts in {time.monotonic() - started:.1f} s",
    )


class Built(NamedTuple):
    """How many APIs and messages a catalog has, and which specs of releases could not be read."""

    subjects: int
    problems: Sequence[str]


def build(
    inputs: Inputs, folder: Path, distribute: Distribute = in_process, progress: Progress = SILENT
) -> Built:
    """Fill `folder` with the catalog of `inputs`: the same bytes wherever the functions run."""
    progress.step("reading texts", len(inputs.texts))
    texts = [(digest, *text) for digest, text in sorted(inputs.texts.items())]
    rows: dict[str, TextRow] = {}
    for row in distribute(_parsing(inputs.levels, inputs.profile), texts):
        rows[row.digest] = row
        progress.advance()
    usable, warnings, files = judged(inputs, rows.values())
    slugs = addresses(inputs, usable)
    held = list(entries(files, rows))
    held.sort(key=lambda each: (each[1].ordinal, str(each[0].subject), str(each[0].type), each[1].path))
    progress.step("describing APIs and messages", len(slugs))
    happened: dict[str, Sequence[EventRow]] = {SUBJECT: error_events(inputs.errors, inputs.snapshots)}
    index: list[IndexRow] = []
    presence: dict[str, InSnapshots] = {}
    (folder / "api").mkdir()
    for made in distribute(_describing(inputs.context()), list(_subjects(rows, held, slugs))):
        (folder / "api" / f"{made.row.slug}.json").write_bytes(made.text)
        index.append(made.row)
        presence[made.row.slug] = made.presence
        happened[made.subject] = made.events
        progress.advance()
    output.write_json(folder / "index.json", snapshot_summaries.index(index))
    progress.step("writing tables")
    changes = tables.changes(happened)
    _write_changes(inputs, SnapshotSummaries(inputs.snapshots, index, presence, slugs), changes, folder)
    output.write_table(folder, "snapshots", tables.SNAPSHOTS, map(asdict, inputs.snapshots))
    output.write_table(folder, "changes", tables.CHANGES, changes)
    output.write_table(folder, "messages", tables.MESSAGES, tables.messages(held))
    output.write_table(folder, "versions", tables.VERSIONS, tables.versions(rows.values()))
    output.write_table(folder, "fields", tables.FIELDS, tables.fields(rows.values()))
    output.write_json(folder / "errors.json", error_codes(inputs.errors, inputs.registry))
    output.write_json(folder / "levels.json", level_records(inputs.registry, inputs.snapshots))
    write_protocol(inputs, folder)
    output.write_json(folder / output.MANIFEST, manifest(inputs, warnings))
    return Built(len(slugs), warnings)


# -- what is distributed --------------------------------------------------------------------------


def _parsing(
    levels: CatalogLevels | None, profile: Profile
) -> Callable[[Iterable[tuple[str, str, bytes]]], Iterator[TextRow]]:
    """A function from (digest, path, text) to the rows of texts."""

    def parse(texts: Iterable[tuple[str, str, bytes]]) -> Iterator[TextRow]:
        for digest, path, text in texts:
            yield text_row(digest, path, text, levels, profile)

    return parse


class _Subject(NamedTuple):
    """An API or message, its address, what snapshots hold of it, and its distinct texts."""

    name: str
    slug: str
    contents: list[StateText]
    texts: list[Text]


class _Described(NamedTuple):
    """The document of a subject as a file, its row of the index, where it is present, and its events."""

    subject: str
    text: bytes
    row: IndexRow
    presence: InSnapshots
    events: Sequence[EventRow]


def _subjects(
    rows: Mapping[str, TextRow], held: Iterable[tuple[TextRow, StateText]], slugs: Mapping[str, str]
) -> Iterator[_Subject]:
    subjects = {name: _Subject(name, slug, [], []) for name, slug in slugs.items()}
    for row in rows.values():
        if row.subject in subjects and row.model is not None:
            subjects[row.subject].texts.append(Text(row.digest, row.model, row.states or []))
    for row, content in held:
        subjects[str(row.subject)].contents.append(content)
    return iter(subjects.values())


def _describing(context: Context) -> Callable[[Iterable[_Subject]], Iterator[_Described]]:
    """A function from subjects to their documents."""

    def describe(subjects: Iterable[_Subject]) -> Iterator[_Described]:
        for name, slug, contents, texts in subjects:
            document, index, happened = build_document(slug, contents, texts, context)
            presence = InSnapshots.of(document, is_by_specs=context.is_by_specs)
            yield _Described(name, output.encoded(document) + b"\n", index, presence, happened)

    return describe


# -- what is put together -------------------------------------------------------------------------


def _write_changes(
    inputs: Inputs, summaries: SnapshotSummaries, changes: Iterable[tables.Row], folder: Path
) -> None:
    """Write what is new in each snapshot, in lists and in words."""
    of_snapshot: dict[int, list[tables.Row]] = {}
    for row in changes:
        of_snapshot.setdefault(row["ordinal"], []).append(row)
    made = [summaries.summary(each, of_snapshot.get(each.ordinal, ())) for each in inputs.snapshots]
    snapshots, pairs = [one for one, _ in made], [pair for _, pair in made if pair is not None]
    output.write_list(folder / "snapshots.json", Snapshots.SCHEMA, "snapshots", snapshots)
    output.write_list(folder / "changes.json", ReleaseChanges.SCHEMA, "pairs", pairs)


def addresses(inputs: Inputs, usable: Mapping[str, Usable]) -> dict[str, str]:
    """An address for each subject: by its newest name, with the key or type where two would share it."""
    newest: dict[str, tuple[int, str]] = {}
    for file in inputs.files:
        if file.digest in usable:
            text = usable[file.digest]
            newest[text.subject] = max(newest.get(text.subject, (-1, "")), (file.ordinal, text.api))
    for digest in inputs.source_texts:
        text = usable[digest]
        newest.setdefault(text.subject, (-1, text.api))
    slugs = {subject: slug_of(api) for subject, (_, api) in newest.items()}
    count = Counter(slugs.values())
    return {
        subject: slug if count[slug] == 1 else f"{slug}-{slug_of(subject.replace(':', ' '))}"
        for subject, slug in sorted(slugs.items())
    }


def manifest(inputs: Inputs, warnings: Sequence[str]) -> Manifest:
    """What the catalog was built from and by which tool, without time or place."""
    return Manifest(
        tool=Tool("wirebook", __version__),
        inputs=inputs.described,
        snapshots=len(inputs.snapshots),
        specs=len(inputs.files),
        distinct_texts=len(inputs.texts),
        newest=inputs.snapshots[-1].name,
        problems=tuple(warnings),
    )
