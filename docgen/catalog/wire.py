"""Whether two layouts have the same bytes."""

from __future__ import annotations

import json
from typing import Any

from wirebook.specs.layout import Layout, LayoutField


def wire(layout: Layout) -> str:
    """The layout of the bytes as text, which changes if, and only if, bytes or their meaning to
    a reader change.

    Names are not on the wire and do not count; nor do structs as such: without a null marker or
    tagged section, a struct has the same bytes as its fields. Records are bytes. The default of
    a tagged field counts, because it is the value of an absent one. One layout does not show
    whether two fields of the same type swapped places or names: the rules compare a pair of
    messages.
    """
    parts = [layout.header_version, *_items(layout.fields, layout.flexible)]
    return json.dumps(parts, separators=(",", ":"), sort_keys=True)


def _items(fields: tuple[LayoutField, ...], flexible: bool) -> list[Any]:
    """The items in reading order, with structs that have no null marker or tagged section
    inlined."""
    items: list[Any] = []
    tagged: list[Any] = []
    for field in fields:
        steps = _steps(field, flexible)
        if field.tag is None:
            items += steps
        else:
            tagged.append([field.tag, field.default, steps])
    return [*items, ["tags", tagged]] if flexible else items


def _steps(field: LayoutField, flexible: bool) -> list[Any]:
    inner = [] if field.fields is None else _items(field.fields, flexible)
    if field.element is not None:
        return [[field.type, inner if field.fields is not None else [_bytes_alike(field.element)]]]
    if field.fields is None:
        return [_bytes_alike(field.type)]
    return [[field.type, inner]] if field.nullable else inner


def _bytes_alike(wire_type: str) -> str:
    return wire_type.replace("RECORDS", "BYTES")
