"""Whether two layouts have the same bytes, and what of them changed."""

from __future__ import annotations

import json
from typing import Any

from wirebook.rules.diff.layouts import Change, layout_changes
from wirebook.specs.layout import Layout, LayoutField

# Changes of a layout that do not change its bytes, or that are events of the version itself.
_NOT_OF_BYTES = ("field-renamed", "became-flexible", "became-inflexible")


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


def byte_changes(old: Layout, new: Layout) -> list[Change]:
    """The changes between two layouts of one version after which peers do not read each other's
    bytes alike.

    Names are not on the wire, but they show whether two fields of the same type changed places.
    Readers skip tags that they do not have; an absent tag is its default.
    """
    if wire(old) == wire(new):
        if [each.path for each in old.walk()] == [each.path for each in new.walk()]:
            return []
        return [change for change in layout_changes(old, new) if change.kind == "field-moved"]
    tagged = {each.path for table in (old, new) for each in table.walk() if each.tag is not None}

    def is_of_bytes(change: Change) -> bool:
        if change.kind == "header-version":
            return old.flexible == new.flexible
        if change.kind == "type-changed":
            return {change.old, change.new} != {"bytes", "records"}
        if change.kind == "default-changed":
            return change.path in tagged
        if change.kind in ("field-added", "field-removed"):
            return change.path not in tagged
        return change.kind not in _NOT_OF_BYTES

    return list(filter(is_of_bytes, layout_changes(old, new)))
