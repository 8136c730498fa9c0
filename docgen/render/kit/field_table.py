"""The rows of a field table: the fields of a layout in wire order, with its tagged sections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wirebook.docgen.render.kit.links import Ids, anchor
from wirebook.specs.texts.model import NO_VALUES, FieldValues
from wirebook.specs.wire.exported import ExportedField, ExportedLayout


@dataclass
class TableRow:
    """A row of a field table: a field at its depth, or the tagged section of a struct."""

    id: str
    depth: int
    parents: str
    field: ExportedField | None
    versions: str = ""
    since: str = ""
    section: str = ""
    line: int = 0
    values: FieldValues = NO_VALUES


@dataclass(frozen=True, slots=True)
class KnownField:
    """What a table shows of a field besides its layout: its versions, the release that added it, the line of
    its spec, 0 where that is unknown, and what its numbers mean."""

    versions: str
    since: str = ""
    line: int = 0
    values: FieldValues = NO_VALUES


def field_rows(
    layout: ExportedLayout, texts: Mapping[str, KnownField], prefix: str, ids: Ids
) -> Iterator[TableRow]:
    """The rows of a layout in wire order; every flexible struct shows its tagged section."""

    def level(fields: Sequence[ExportedField], depth: int, above: str) -> Iterator[TableRow]:
        plain = [field for field in fields if field.tag is None]
        tagged = [field for field in fields if field.tag is not None]
        for field in plain:
            yield from row(field, depth, above)
        if layout.flexible:
            row_id = f"{prefix}-{anchor(above)}-tags" if above else f"{prefix}-tags"
            section = ", ".join(f"{field.tag} {field.name}" for field in tagged)
            yield TableRow(ids.take(row_id), depth, above, None, section=section)
            for field in tagged:
                yield from row(field, depth + 1, above)

    def row(field: ExportedField, depth: int, above: str) -> Iterator[TableRow]:
        about = texts.get(field.path)
        yield TableRow(
            ids.take(f"{prefix}-{anchor(field.path)}"),
            depth,
            above,
            field,
            versions=about.versions if about else "",
            since=about.since if about else "",
            line=about.line if about else 0,
            values=about.values if about else NO_VALUES,
        )
        if field.fields is not None:
            yield from level(field.fields, depth + 1, field.path)

    yield from level(layout.fields, 0, "")
