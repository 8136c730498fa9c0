"""The bytes of a message for a terminal: one row per range, with its field, type and value."""

from __future__ import annotations

import json
from collections.abc import Sequence

from wirebook.specs.codec import Span
from wirebook.specs.envelope import MessageReading
from wirebook.specs.lines import compact_json
from wirebook.specs.model import Json
from wirebook.specs.printable import columns, quiet, visible

HEX = 24  # digits of a row
_WORDS = {
    "length": "length",
    "count": "elements",
    "null": "null",
    "marker": "present",
    "tag-count": "tagged fields",
    "tag": "tag",
    "tag-size": "size",
    "unknown": "unknown",
}
_COLOURS = {"value": "36", "null": "35", "unknown": "33"}


def words(span: Span) -> str:
    """The meaning of the bytes: "length 5", "null", or the value itself, with its name if it has
    one."""
    word = _WORDS.get(span.kind)
    if word is None:
        return f"{shown(span.value)} ({span.name})" if span.name else shown(span.value)
    if span.kind in ("null", "marker"):
        return word
    return f"{word} {shown(span.value)}"


def shown(value: Json) -> str:
    """A value in JSON, shortened."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}…"


def explained(reading: MessageReading, data: bytes, form: str, colour: bool) -> str:
    """Each byte of a message in a form, "table" or "json"."""
    if form == "json":
        return compact_json(reading.described(data))
    return "\n".join(map(quiet, table(reading.spans, data, colour).split("\n")))


def table(spans: Sequence[tuple[str, Span]], data: bytes, colour: bool = False) -> str:
    """The spans with the part that each belongs to, as lines of columns."""
    rows = [("bytes", "hex", "field", "type", "value")]
    kinds = [""]
    for part, span in spans:
        digits = data[span.start : span.end].hex()
        if len(digits) > HEX:
            digits = f"{digits[: HEX - 2]}…"
        last = span.end - 1
        offsets = str(span.start) if last == span.start else f"{span.start}-{last}"
        path = span.path if part == "body" else f"{part}: {span.path}".rstrip(": ")
        rows.append((offsets, digits, visible(path) or ".", span.type, visible(words(span))))
        kinds.append(span.kind)
    lines = [line.rstrip() for line in columns(rows)]
    if not colour:
        return "\n".join(lines)
    codes = [_COLOURS.get(kind, "2") if kind else "1" for kind in kinds]
    return "\n".join(f"\x1b[{code}m{line}\x1b[0m" for line, code in zip(lines, codes, strict=True))
