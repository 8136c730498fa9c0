"""A layout as plain text for a terminal, with control characters made visible."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator

from wirebook.specs.defaults import ZERO_UUID
from wirebook.specs.layout import Layout, LayoutField
from wirebook.specs.numbers import FieldValues
from wirebook.specs.printable import columns, visible


def default_text(field: LayoutField) -> str:
    """The default of a field in a word: 'null', '""', 'true', '-1', 'empty', 'zero uuid', 'all
    defaults'."""
    value = field.default
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "empty"
    if isinstance(value, dict):
        return "all defaults"
    if field.spec_type == "uuid":
        return "zero uuid" if value == ZERO_UUID else str(value)
    return f'"{value}"' if isinstance(value, str) else str(value)


def table(layout: Layout, width: int = 100) -> str:
    """One version as a table, one row per field, nested ones indented, with the full meaning below
    each.

    `width` is that of the terminal, in characters; at least 60 are used.
    """
    width = max(width, 60)
    rows: list[tuple[str, ...]] = []
    descriptions: list[list[str]] = []
    for field, depth in _nested(layout.fields, 0):
        field_type = f"{field.type} of {field.element}" if field.element else field.type
        tag = "" if field.tag is None else str(field.tag)
        nullable = "yes" if field.nullable else ""
        rows.append(
            (
                "  " * depth + visible(field.name),
                visible(field_type),
                nullable,
                visible(default_text(field)),
                tag,
                str(field.field.present),
            )
        )
        descriptions.append(
            [visible(text) for text in (field.about, *_values(field, layout.version))]
        )
    head = ("field", "type", "null", "default", "tag", "versions")
    head_line, rule_line, *row_lines = columns([head, *rows], rule=True)
    lines = [_title(layout), "", head_line.rstrip(), rule_line]
    for line, texts in zip(row_lines, descriptions, strict=True):
        lines.append(line.rstrip())
        indent = " " * (len(line) - len(line.lstrip()) + 4)
        for text in texts:
            lines += textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=indent)
    if not rows:
        lines.append("(no fields)")
    return "\n".join(lines) + "\n"


def _values(field: LayoutField, version: int) -> Iterator[str]:
    """The values or flags of a field in a version, in a line each."""
    for value in FieldValues(field.field.values).at(version).listed:
        deprecated = " (deprecated)" if version in value.deprecated else ""
        meaning = f": {value.meaning}" if value.meaning else ""
        yield f"{value.words} = {value.name}{deprecated}{meaning}"


def _title(layout: Layout) -> str:
    facts = [f"version {layout.version}", "flexible" if layout.flexible else "not flexible"]
    if layout.api_key is not None:
        facts.insert(0, f"API key {layout.api_key}")
    if layout.header_version is not None:
        facts.append(f"{layout.type} header {layout.header_version}")
    marks: list[tuple[str, Callable[[Layout], bool]]] = [
        ("unstable", lambda item: item.unstable),
        ("deprecated", lambda item: item.deprecated),
    ]
    facts += [word for word, holds in marks if holds(layout)]
    return f"{visible(layout.name)} ({', '.join(facts)})"


def _nested(fields: tuple[LayoutField, ...], depth: int) -> list[tuple[LayoutField, int]]:
    rows: list[tuple[LayoutField, int]] = []
    for field in fields:
        rows.append((field, depth))
        rows += _nested(field.fields or (), depth + 1)
    return rows
