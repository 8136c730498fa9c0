"""The pipeline's work in one Python process, without Spark: what it is measured and checked against."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]

from wirebook.docgen.catalog import files as output
from wirebook.docgen.catalog import snapshot_summaries
from wirebook.docgen.catalog.api_history import EventRow, StateText, Text
from wirebook.docgen.catalog.documents import build_document
from wirebook.docgen.catalog.errors import HeldText, error_codes, error_rows
from wirebook.docgen.catalog.order import ChainPlace, SnapshotFile, places
from wirebook.docgen.catalog.protocol import level_records
from wirebook.docgen.catalog.records import IndexRow, ReleaseChanges, Snapshots
from wirebook.docgen.catalog.rows import Fact, TextRow, text_row
from wirebook.docgen.pipeline.inputs import Inputs, judged, write_protocol
from wirebook.docgen.pipeline.run import addresses, manifest

Thing = tuple[str, str, str, int, str]
Part = tuple[str, int]
Event = dict[str, Any]

_WORDS = {
    "unstable": ("unstable", "stable"),
    "deprecated": ("deprecated", "undeprecated"),
    "flexible": ("flexible", "inflexible"),
    "nullable": ("nullable", "not_nullable"),
    "tagged": ("tagged", "untagged"),
}
_MERGED: dict[str, Callable[[list[Any]], Any]] = {
    "unstable": max, "deprecated": max, "flexible": min, "nullable": min, "tagged": min, "default": max,
}  # fmt: skip


def build(inputs: Inputs, folder: Path) -> None:
    """Fill `folder` with the catalog of `inputs`, the same bytes as docgen.pipeline.run.run."""
    rows = {
        digest: text_row(digest, path, text, inputs.levels, inputs.profile)
        for digest, (path, text) in sorted(inputs.texts.items())
    }
    texts = judged(inputs, rows.values())
    slugs = addresses(inputs, texts.usable)
    held = list(_entries(texts.files, rows))
    facts = {
        (row.subject, row.digest, state.state): state.facts
        for row in rows.values()
        if row.error is None
        for state in row.states or ()
    }
    codes = error_rows(inputs.errors, inputs.snapshots)
    facts |= {(row.subject, row.digest, row.state): row.facts for row in codes.facts}
    happened = sorted(
        events([*held, *codes.held], facts, places(inputs.snapshots)),
        key=lambda row: [(row[name] is not None, row[name]) for name in ("ordinal", *_COLUMNS)],
    )
    summaries = _documents(inputs, rows, held, happened, slugs, folder)
    with (
        output.JsonList(folder / "snapshots.json", Snapshots.SCHEMA, "snapshots") as snapshots,
        output.JsonList(folder / "changes.json", ReleaseChanges.SCHEMA, "pairs") as pairs,
    ):
        of_snapshot: dict[int, list[dict[str, Any]]] = {}
        for row in happened:
            of_snapshot.setdefault(row["ordinal"], []).append(row)
        for snapshot in inputs.snapshots:
            item, pair = summaries.summary(snapshot, of_snapshot.get(snapshot.ordinal, ()))
            snapshots.add(item)
            if pair is not None:
                pairs.add(pair)
    output.write_json(folder / "errors.json", error_codes(inputs.errors, inputs.registry))
    _tables(inputs, rows, held, happened, folder / "tables")
    output.write_json(folder / "levels.json", level_records(inputs.registry, inputs.snapshots))
    write_protocol(inputs, folder)
    output.write_json(folder / output.MANIFEST, manifest(inputs, texts.warnings))


_COLUMNS = ("subject", "kind", "part", "version", "path", "event", "old", "new", "first", "branch", "kept")


def _entries(files: Iterable[SnapshotFile], rows: dict[str, TextRow]) -> Iterator[HeldText]:
    for ordinal, path, digest in files:
        row = rows[digest]
        if row.error is None:
            for at, state in row.states_at or ():
                if at is None or at == ordinal:
                    yield HeldText(ordinal, str(row.subject), str(row.part), digest, path, state)


def events(
    held: Iterable[HeldText],
    facts: dict[tuple[str | None, str, int], list[Fact]],
    chains: Sequence[ChainPlace],
) -> list[Event]:
    """The rows of docgen.pipeline.lifecycle.events, by walking the chains."""
    texts: dict[str, dict[int, list[Part]]] = {}
    for ordinal, subject, _, digest, _, state in held:
        texts.setdefault(subject, {}).setdefault(ordinal, []).append((digest, state))
    raw: dict[tuple[Thing, str], list[Event]] = {}
    for subject, by_ordinal in texts.items():
        before: list[Part] = []
        for place in chains:
            after = sorted(by_ordinal.get(place.ordinal, []))
            base = place.chain > 0 and place.position == 0
            if place.position == 0:
                before = []
            if not base and before != after:
                old, new = _merged(subject, before, facts), _merged(subject, after, facts)
                for thing in sorted(old.keys() | new.keys()):
                    for about, event in _changes(thing, old.get(thing), new.get(thing)):
                        row = {"place": place, **event}
                        raw.setdefault((thing, about), []).append(row)
            before = after
    return [row for (thing, _), rows in raw.items() for row in _story(thing, rows)]


def _merged(
    subject: str, parts: Iterable[Part], facts: dict[tuple[str | None, str, int], list[Fact]]
) -> dict[Thing, Fact]:
    """By thing: its facts, those of several messages taken together."""
    found: dict[Thing, Fact] = {}
    for digest, state in parts:
        for fact in facts[subject, digest, state]:
            thing = (subject, fact.kind, fact.part, fact.version, fact.path)
            known = found.get(thing)
            if known is not None:
                both: dict[str, Any] = {}
                for name, merge in _MERGED.items():
                    values = [v for v in (getattr(known, name), getattr(fact, name)) if v is not None]
                    both[name] = merge(values) if values else None
                fact = known._replace(**both)
            found[thing] = fact
    return found


def _changes(thing: Thing, old: Fact | None, new: Fact | None) -> Iterator[tuple[str, Event]]:
    kind = thing[1]
    if new is None:
        yield "presence", {"event": "removed", "old": None, "new": None}
        return
    if old is None:
        yield "presence", {"event": "added", "old": None, "new": None}
    for name, words in _WORDS.items():
        was, now = getattr(old, name, None), getattr(new, name)
        # Version 0 is one; False is the absence of a mark.
        before, after = (value is not None and value is not False for value in (was, now))
        if before == after:
            continue
        of_field = name in ("nullable", "tagged")
        if of_field != (kind == "field") or kind == "error":
            continue
        if name == "flexible" and old is None and kind != "api":
            continue
        shown = name in ("flexible", "nullable", "tagged")
        yield (
            name,
            {
                "event": words[0 if after else 1],
                "old": str(was) if shown and was is not None else None,
                "new": str(now) if shown and now is not None else None,
            },
        )
    if kind == "field" and old is not None and old.default != new.default:
        yield "default", {"event": "default", "old": old.default, "new": new.default}


def _story(thing: Thing, rows: list[Event]) -> Iterator[Event]:
    """Tell once what several branches have, and call a second coming a return."""
    trunk = {(row["event"], row["new"], row["place"].ordinal) for row in rows if row["place"].chain == 0}
    last: dict[int | None, tuple[str, str | None]] = {}
    gone = False
    for row in sorted(rows, key=lambda row: (row["place"].ordinal, row["place"].chain)):
        place: ChainPlace = row["place"]
        alone = (
            place.chain > 0
            and place.next_trunk is not None
            and (row["event"], row["new"], place.next_trunk) not in trunk
        )
        branch = place.chain if alone else None
        value = (row["event"], row["new"])
        yield {
            **dict(zip(("subject", "kind", "part", "version", "path"), thing, strict=True)),
            "event": "returned" if row["event"] == "added" and gone else row["event"],
            "ordinal": place.ordinal,
            "old": row["old"],
            "new": row["new"],
            "first": place.chain == 0 and place.position == 0,
            "branch": branch,
            "kept": last.get(branch) != value,
        }
        last[branch] = value
        gone = gone or row["event"] == "removed"


def _documents(
    inputs: Inputs,
    rows: dict[str, TextRow],
    held: Sequence[HeldText],
    happened: Sequence[Event],
    slugs: dict[str, str],
    folder: Path,
) -> snapshot_summaries.SnapshotSummaries:
    context = inputs.context()
    texts: dict[str, list[Text]] = {}
    for row in rows.values():
        if row.subject is not None and row.model is not None:
            texts.setdefault(row.subject, []).append(Text(row.digest, row.model, row.states or []))
    entries: dict[str, list[StateText]] = {}
    for ordinal, subject, _, digest, path, state in held:
        entries.setdefault(subject, []).append(StateText(ordinal, digest, path, state))
    stories: dict[str, list[EventRow]] = {}
    for event in happened:
        values = {name: event[name] for name in EventRow._fields}
        stories.setdefault(event["subject"], []).append(EventRow(**values))
    index: list[IndexRow] = []
    apis: dict[str, snapshot_summaries.InSnapshots] = {}
    (folder / "api").mkdir()
    for subject, slug in slugs.items():
        document, row_of_index = build_document(
            slug, entries.get(subject, []), texts[subject], stories.get(subject, []), context
        )
        output.write_json(folder / "api" / f"{slug}.json", document)
        index.append(row_of_index)
        apis[slug] = snapshot_summaries.InSnapshots.of(document, is_by_specs=context.is_by_specs)
    output.write_json(folder / "index.json", snapshot_summaries.index(index))
    return snapshot_summaries.SnapshotSummaries(inputs.snapshots, index, apis, slugs)


def _tables(
    inputs: Inputs,
    rows: dict[str, TextRow],
    held: Sequence[HeldText],
    happened: Sequence[Event],
    folder: Path,
) -> None:
    """The same rows as the pipeline's tables, in one part each."""
    snapshots = [asdict(item) for item in inputs.snapshots]
    output.write_table(folder / "snapshots", 0, pa.Table.from_pylist(snapshots))
    output.write_table(folder / "changes", 0, pa.Table.from_pylist(list(happened)))
    messages, versions, fields = [], [], []
    for ordinal, subject, _, digest, path, state in held:
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
