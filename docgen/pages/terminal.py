"""Layouts and bytes of messages as plain text; control characters are made visible."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Sequence

from wirebook.specs.layout import Layout, LayoutField
from wirebook.specs.lines import compact_json
from wirebook.specs.model import Json
from wirebook.specs.printable import columns, quiet, visible
from wirebook.specs.spans import MessageReading, Span

SCHEMA = "wirebook/bytes/1"
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
    value, kind = field.default, field.spec_type
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "defaults"
    if isinstance(value, list) or (kind == "bytes" and value == ""):
        return "empty"
    if kind == "uuid" and isinstance(value, str):
        return "zero" if set(value) <= set("0-") else value
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)


def layout_table(layout: Layout, width: int = 100) -> str:
    """One version as a table, one row per field, nested ones indented, with the full meaning below
    each.

    `width` is that of the terminal, in characters; at least 60 are used.
    """
    width = max(width, 60)
    rows: list[tuple[str, ...]] = [("field", "type", "null", "default", "tag", "versions")]
    texts: list[list[str]] = []
    for field, depth in _nested(layout.fields, 0):
        type_ = f"{field.type} of {field.element}" if field.element else field.type
        tag, nullable = "" if field.tag is None else str(field.tag), "yes" if field.nullable else ""
        facts = (type_, nullable, default_word(field), tag, str(field.field.present))
        rows.append(("  " * depth + visible(field.name), *map(visible, facts)))
        texts.append([visible(text) for text in (field.about, *_values(field, layout.version))])
    head, rule, *lines = columns(rows, rule=True)
    shown = [_title(layout), "", head.rstrip(), rule]
    for line, of_row in zip(lines, texts, strict=True):
        shown.append(line.rstrip())
        indent = " " * (len(line) - len(line.lstrip()) + 4)
        for text in of_row:
            shown += textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=indent)
    if not lines:
        shown.append("(no fields)")
    return "\n".join(shown) + "\n"


def _values(field: LayoutField, version: int) -> Iterator[str]:
    """The values or flags of a field in a version, in a line each."""
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


def _nested(fields: Sequence[LayoutField], depth: int) -> Iterator[tuple[LayoutField, int]]:
    for field in fields:
        yield field, depth
        yield from _nested(field.fields or (), depth + 1)


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
    for part, span in spans:
        digits, last = data[span.start : span.end].hex(), span.end - 1
        if len(digits) > _HEX:
            digits = f"{digits[: _HEX - 2]}…"
        offsets = str(span.start) if last == span.start else f"{span.start}-{last}"
        path = span.path if part == "body" else f"{part}: {span.path}".rstrip(": ")
        rows.append((offsets, digits, visible(path) or ".", span.type, visible(_words(span))))
    kinds = ["", *(span.kind for _, span in spans)]
    for kind, line in zip(kinds, columns(rows), strict=True):
        text = line.rstrip()
        yield f"\x1b[{_COLOURS.get(kind, '2')}m{text}\x1b[0m" if colour else text


def _words(span: Span) -> str:
    """The meaning of the bytes: "length 5", "null", or the value with its name."""
    word, value = _KINDS.get(span.kind), _shown(span.value)
    if word is None:
        return f"{value} ({span.name})" if span.name else value
    return word if span.kind in ("null", "marker") else f"{word} {value}"


def _shown(value: Json) -> str:
    """A value in JSON, shortened."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}…"
