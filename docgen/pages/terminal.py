"""Layouts and bytes of messages as plain text; control characters are made visible."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Sequence

from wirebook.specs.defaults import ZERO_UUID
from wirebook.specs.layout import Layout, LayoutField
from wirebook.specs.lines import compact_json
from wirebook.specs.printable import columns, quiet, visible
from wirebook.specs.spans import MessageReading, Span

SCHEMA = "wirebook/bytes/1"
_HEADS = ("field", "type", "null", "default", "tag", "versions")
_HEX = 24  # digits of a row
_KINDS = {
    "length": "length",
    "count": "elements",
    "null": "null",
    "marker": "present",
    "tag-count": "tagged fields",
    "tag": "tag",
    "tag-size": "size",
    "unknown": "unknown",
}
_COLOURS = {"": "1", "value": "36", "null": "35", "unknown": "33"}


def default_word(field: LayoutField) -> str:
    """The default of a field in a word: 'null', '""', 'true', '-1', 'empty', 'zero', 'defaults'."""
    value = field.default
    if isinstance(value, dict):
        return "defaults"
    if isinstance(value, list) or (field.spec_type == "bytes" and value == ""):
        return "empty"
    if field.spec_type == "uuid" and isinstance(value, str):
        return "zero" if value == ZERO_UUID else value
    return json.dumps(value, ensure_ascii=False)


def layout_table(layout: Layout, width: int = 100) -> str:
    """One version as a table, one row per field, nested ones indented, with the full meaning below
    each.

    `width` is that of the terminal, in characters; at least 60 are used.
    """
    fields = list(layout.walk())
    head, rule, *rows = columns([_HEADS, *map(_row, fields)], rule=True)
    lines = [_title(layout), "", head.rstrip(), rule]
    for field, row in zip(fields, rows, strict=True):
        lines.append(row.rstrip())
        indent = "  " * (_depth(field) + 2)
        wrapper = textwrap.TextWrapper(
            max(width, 60), initial_indent=indent, subsequent_indent=indent
        )
        for text in _texts(field, layout.version):
            lines += wrapper.wrap(visible(text))
    if not fields:
        lines.append("(no fields)")
    return "\n".join(lines) + "\n"


def _depth(field: LayoutField) -> int:
    return field.path.count(".")


def _row(field: LayoutField) -> list[str]:
    cells = [
        field.name,
        f"{field.type} of {field.element}" if field.element else field.type,
        "yes" if field.nullable else "",
        default_word(field),
        "" if field.tag is None else str(field.tag),
        str(field.field.present),
    ]
    name, *facts = map(visible, cells)
    return ["  " * _depth(field) + name, *facts]


def _texts(field: LayoutField, version: int) -> Iterator[str]:
    """The meaning of a field, then its values or flags in a version."""
    yield field.about
    for value in field.values:
        deprecated = " (deprecated)" if version in value.deprecated else ""
        meaning = f": {value.meaning}" if value.meaning else ""
        yield f"{value.words} = {value.name}{deprecated}{meaning}"


def _title(layout: Layout) -> str:
    facts = [] if layout.api_key is None else [f"API key {layout.api_key}"]
    facts += [f"version {layout.version}", "flexible" if layout.flexible else "not flexible"]
    if layout.header_version is not None:
        facts.append(f"{layout.type} header {layout.header_version}")
    facts += ["unstable"] * layout.unstable + ["deprecated"] * layout.deprecated
    return f"{visible(layout.name)} ({', '.join(facts)})"


def explained(reading: MessageReading, data: bytes, form: str, colour: bool) -> str:
    """Each byte of a message in a form, "table" or "json"."""
    if form == "json":
        return compact_json(
            {
                "schema": SCHEMA,
                "message": reading.name,
                "version": reading.version,
                "hex": data.hex(),
                "spans": [{"part": part, **span.to_json()} for part, span in reading.spans],
            }
        )
    return "\n".join(map(quiet, _bytes_table(reading.spans, data, colour)))


def _bytes_table(spans: Sequence[tuple[str, Span]], data: bytes, colour: bool) -> Iterator[str]:
    """The spans with the part that each belongs to, as lines of columns."""
    rows = [("bytes", "hex", "field", "type", "value")]
    kinds = [""]
    for part, span in spans:
        digits = data[span.start : span.end].hex()
        if len(digits) > _HEX:
            digits = f"{digits[: _HEX - 2]}…"
        last = span.end - 1
        offsets = str(last) if last == span.start else f"{span.start}-{last}"
        path = span.path if part == "body" else f"{part}: {span.path}".rstrip(": ")
        rows.append((offsets, digits, visible(path) or ".", span.type, visible(_words(span))))
        kinds.append(span.kind)
    for kind, line in zip(kinds, map(str.rstrip, columns(rows)), strict=True):
        yield f"\x1b[{_COLOURS.get(kind, '2')}m{line}\x1b[0m" if colour else line


def _words(span: Span) -> str:
    """The meaning of the bytes: "length 5", "null", or the value with its name."""
    if span.kind in ("null", "marker"):
        return _KINDS[span.kind]
    value = json.dumps(span.value, ensure_ascii=False)
    if len(value) > 60:
        value = f"{value[:57]}…"
    if span.kind in _KINDS:
        return f"{_KINDS[span.kind]} {value}"
    return f"{value} ({span.name})" if span.name else value
