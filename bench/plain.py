"""The pipeline's work in one Python process, without Spark: what it is measured and checked against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]

from wirebook.docgen.catalog import errors, snapshot_summaries
from wirebook.docgen.catalog import files as output
from wirebook.docgen.catalog.api_history import EventRow, StateText
from wirebook.docgen.catalog.documents import build_document
from wirebook.docgen.catalog.events import HeldText, entries
from wirebook.docgen.catalog.protocol import level_records
from wirebook.docgen.catalog.records import IndexRow, ReleaseChanges, Snapshots
from wirebook.docgen.catalog.rows import TextRow, text_row
from wirebook.docgen.catalog.subject_texts import Text
from wirebook.docgen.pipeline.inputs import Inputs, judged, write_protocol
from wirebook.docgen.pipeline.run import addresses, manifest


def build(inputs: Inputs, folder: Path) -> None:
    """Fill `folder` with the catalog of `inputs`, the same bytes as docgen.pipeline.run.run."""
    rows = {
        digest: text_row(digest, path, text, inputs.levels, inputs.profile)
        for digest, (path, text) in sorted(inputs.texts.items())
    }
    texts = judged(inputs, rows.values())
    slugs = addresses(inputs, texts.usable)
    held = list(entries(texts.files, rows))
    happened = {errors.SUBJECT: errors.error_events(inputs.errors, inputs.snapshots)}
    summaries = _documents(inputs, rows, held, happened, slugs, folder)
    changes = sorted(
        ({"subject": subject, **row._asdict()} for subject, each in happened.items() for row in each),
        key=lambda row: [(row[name] is not None, row[name]) for name in ("ordinal", *_COLUMNS)],
    )
    with (
        output.JsonList(folder / "snapshots.json", Snapshots.SCHEMA, "snapshots") as snapshots,
        output.JsonList(folder / "changes.json", ReleaseChanges.SCHEMA, "pairs") as pairs,
    ):
        of_snapshot: dict[int, list[dict[str, Any]]] = {}
        for row in changes:
            of_snapshot.setdefault(row["ordinal"], []).append(row)
        for snapshot in inputs.snapshots:
            item, pair = summaries.summary(snapshot, of_snapshot.get(snapshot.ordinal, ()))
            snapshots.add(item)
            if pair is not None:
                pairs.add(pair)
    output.write_json(folder / "errors.json", errors.error_codes(inputs.errors, inputs.registry))
    _tables(inputs, rows, held, changes, folder / "tables")
    output.write_json(folder / "levels.json", level_records(inputs.registry, inputs.snapshots))
    write_protocol(inputs, folder)
    output.write_json(folder / output.MANIFEST, manifest(inputs, texts.warnings))


_COLUMNS = ("subject", "kind", "part", "version", "path", "event", "old", "new", "first", "branch", "kept")


def _documents(
    inputs: Inputs,
    rows: dict[str, TextRow],
    held: Sequence[HeldText],
    happened: dict[str, list[EventRow]],
    slugs: dict[str, str],
    folder: Path,
) -> snapshot_summaries.SnapshotSummaries:
    context = inputs.context()
    texts: dict[str, list[Text]] = {}
    for row in rows.values():
        if row.subject is not None and row.model is not None:
            texts.setdefault(row.subject, []).append(Text(row.digest, row.model, row.states or []))
    held_by: dict[str, list[StateText]] = {}
    for ordinal, subject, digest, path, state in held:
        held_by.setdefault(subject, []).append(StateText(ordinal, digest, path, state))
    index: list[IndexRow] = []
    apis: dict[str, snapshot_summaries.InSnapshots] = {}
    (folder / "api").mkdir()
    for subject, slug in slugs.items():
        contents = held_by.get(subject, [])
        document, row_of_index, happened[subject] = build_document(slug, contents, texts[subject], context)
        output.write_json(folder / "api" / f"{slug}.json", document)
        index.append(row_of_index)
        apis[slug] = snapshot_summaries.InSnapshots.of(document, is_by_specs=context.is_by_specs)
    output.write_json(folder / "index.json", snapshot_summaries.index(index))
    return snapshot_summaries.SnapshotSummaries(inputs.snapshots, index, apis, slugs)


def _tables(
    inputs: Inputs,
    rows: dict[str, TextRow],
    held: Sequence[HeldText],
    changes: Sequence[dict[str, Any]],
    folder: Path,
) -> None:
    """The same rows as the pipeline's tables, in one part each."""
    snapshots = [asdict(item) for item in inputs.snapshots]
    output.write_table(folder / "snapshots", 0, pa.Table.from_pylist(snapshots))
    output.write_table(folder / "changes", 0, pa.Table.from_pylist(list(changes)))
    messages, versions, fields = [], [], []
    for ordinal, subject, digest, path, state in held:
        row = rows[digest]
        stood = (row.states or [])[state]
        messages.append({
            "ordinal": ordinal,
            "subject": subject,
            "type": row.type,
            "name": row.message,
            "api": row.api,
            "api_key": row.api_key,
            "path": path,
            "digest": digest,
            "valid": stood.valid,
            "deprecated": stood.deprecated,
            "unstable": stood.unstable,
        })  # fmt: skip
    for row in rows.values():
        named = {"digest": row.digest, "subject": row.subject, "message": row.message}
        versions += [{**named, "type": row.type, **item._asdict()} for item in row.versions or ()]
        for item in row.fields or ():
            rest = item._asdict()
            for version, place in zip(rest.pop("versions"), rest.pop("places"), strict=True):
                fields.append({**named, "message_type": row.type, "version": version, "place": place, **rest})
    for name, made in (("messages", messages), ("versions", versions), ("fields", fields)):
        output.write_table(folder / name, 0, pa.Table.from_pylist(made))
