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
    parents: str
    field: LayoutField | None
    use: FieldUse | None = None
    tagged: Sequence[LayoutField] = ()


def field_rows(
    layout: Layout, uses: Mapping[str, FieldUse], prefix: str, keys: Keys
) -> Iterator[TableRow]:
    """The rows of a layout in wire order; every flexible struct shows its tagged section."""
    ids = Ids()

    def rows(fields: Sequence[LayoutField], depth: int, above: str) -> Iterator[TableRow]:
        for field in fields:
            row_id, key = f"{prefix}-{anchor(field.path)}", keys.key("body", field.path)
            yield TableRow(ids.take(row_id), key, depth, above, field, uses[field.path])
            if field.fields is not None:
                yield from level(field.fields, depth + 1, field.path)

    def level(fields: Sequence[LayoutField], depth: int, above: str) -> Iterator[TableRow]:
        tagged = [field for field in fields if field.tag is not None]
        yield from rows([field for field in fields if field.tag is None], depth, above)
        if layout.flexible:
            row_id = f"{prefix}-{anchor(above)}-tags" if above else f"{prefix}-tags"
            key = keys.key("body", f"{above}/")
            yield TableRow(ids.take(row_id), key, depth, above, None, tagged=tagged)
            yield from rows(tagged, depth + 1, above)

    yield from level(layout.fields, 0, "")
