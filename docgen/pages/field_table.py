"""The rows of a field table: the fields of a layout in wire order, with its tagged sections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wirebook.docgen.pages.fields import FieldUse
from wirebook.docgen.pages.hexview import Keys
from wirebook.docgen.pages.links import Ids, anchor
from wirebook.specs.layout import Layout, LayoutField


@dataclass(frozen=True, slots=True)
class TableRow:
    """A field at its depth, or the tagged section of the struct `parents`, with its `tagged`
    fields. `key` joins it to the bytes and the grammar."""

    id: str
    key: str
    depth: int
    field: LayoutField | None = None
    use: FieldUse | None = None
    parents: str = ""
    tagged: Sequence[LayoutField] = ()


def field_rows(
    layout: Layout, uses: Mapping[str, FieldUse], prefix: str, keys: Keys
) -> Iterator[TableRow]:
    """The rows of a layout in wire order; every flexible struct shows its tagged section."""
    ids = Ids()

    def of_field(field: LayoutField, depth: int) -> Iterator[TableRow]:
        row_id = f"{prefix}-{anchor(field.path)}"
        key = keys.key("body", field.path)
        yield TableRow(ids.take(row_id), key, depth, field, uses[field.path])
        if field.fields is not None:
            yield from of_struct(field.fields, depth + 1, field.path)

    def of_struct(fields: Sequence[LayoutField], depth: int, path: str) -> Iterator[TableRow]:
        for field in fields:
            if field.tag is None:
                yield from of_field(field, depth)
        if layout.flexible:
            tagged = [field for field in fields if field.tag is not None]
            row_id = f"{prefix}-{anchor(f'{path}.tags')}"
            key = keys.key("body", f"{path}/")
            yield TableRow(ids.take(row_id), key, depth, parents=path, tagged=tagged)
            for field in tagged:
                yield from of_field(field, depth + 1)

    return of_struct(layout.fields, 0, "")
