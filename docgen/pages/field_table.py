"""The rows of a field table: the fields of a layout in wire order, with its tagged sections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wirebook.docgen.pages.hexview import Keys
from wirebook.docgen.pages.links import Ids, anchor
from wirebook.specs.layout import Layout, LayoutField
from wirebook.specs.model import NO_VALUES, FieldValues


@dataclass(frozen=True, slots=True)
class KnownField:
    """What a table shows of a field besides its layout: versions, first release, values."""

    versions: str = ""
    since: str = ""
    values: FieldValues = NO_VALUES


@dataclass(frozen=True, slots=True)
class TableRow:
    """A field at its depth, or the tagged section of the struct `parents`, with its tags in words.
    `key` joins it to the bytes and the grammar."""

    id: str
    key: str
    depth: int
    parents: str
    field: LayoutField | None
    known: KnownField = KnownField()
    section: str = ""
    values: FieldValues = NO_VALUES


def field_rows(
    layout: Layout, known: Mapping[str, KnownField], prefix: str, keys: Keys
) -> Iterator[TableRow]:
    """The rows of a layout in wire order; every flexible struct shows its tagged section."""

    ids = Ids()

    def level(fields: Sequence[LayoutField], depth: int, above: str) -> Iterator[TableRow]:
        for field in fields:
            if field.tag is None:
                yield from row(field, depth, above)
        if layout.flexible:
            tagged = [field for field in fields if field.tag is not None]
            row_id = f"{prefix}-{anchor(above)}-tags" if above else f"{prefix}-tags"
            section = ", ".join(f"{field.tag} {field.name}" for field in tagged)
            yield TableRow(
                ids.take(row_id), keys.key("body", f"{above}/"), depth, above, None, section=section
            )
            for field in tagged:
                yield from row(field, depth + 1, above)

    def row(field: LayoutField, depth: int, above: str) -> Iterator[TableRow]:
        row_id, key = ids.take(f"{prefix}-{anchor(field.path)}"), keys.key("body", field.path)
        about = known.get(field.path, KnownField())
        values = about.values.at(layout.version)
        yield TableRow(row_id, key, depth, above, field, about, values=values)
        yield from level(field.fields, depth + 1, field.path) if field.fields is not None else ()

    yield from level(layout.fields, 0, "")
