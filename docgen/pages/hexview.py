"""Bytes in hex beside their meaning: ranges, grammar and fields, linked by the key of their field.

Everything is readable without scripts; docgen/site/theme/assets/bytes.js links elements with the
same `data-f`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup, escape

from wirebook.docgen.catalog.bnf import Token
from wirebook.docgen.pages.environment import breakable
from wirebook.specs.codec import Span, WireError, some_bytes
from wirebook.specs.model import Json
from wirebook.specs.printable import visible

_WORDS = {
    "length": "length, {}", "count": "count, {}", "null": "null, {}", "marker": "present, {}",
    "tag-count": "number of tagged fields", "tag": "tag", "tag-size": "size of the tagged field",
    "unknown": "an unknown tag", "value": "{}",
}  # fmt: skip
_NUMBERS = re.compile(r"U?INT\d+|UNSIGNED_.*|VAR.*")
_LONGEST = 16  # bytes of a range that its row repeats; all are in the block above it


@dataclass(slots=True)
class Keys:
    """Short names for fields, the same for each field wherever it is shown in one part of a
    page."""

    prefix: str
    _known: dict[tuple[str, str], str] = field(default_factory=dict)

    def key(self, part: str, path: str) -> str:
        """The key of a field of a part ("header", "body"); of a tagged section with "/" after its
        path."""
        return self._known.setdefault((part, path), f"{self.prefix}{len(self._known)}")


@dataclass(frozen=True, slots=True)
class HexPart:
    """A part of a message, with the meaning of its bytes; `name` determines the keys of its
    fields."""

    name: str
    title: str
    data: bytes
    spans: Sequence[Span]


# The type of the length before a request or response, by its number of bytes.
FRAMES = {1: "INT8", 2: "INT16", 4: "INT32", 8: "INT64"}


def frame_part(length: int, size: int = 4) -> HexPart:
    """The bytes before a request or a response: how many follow, in `size` bytes.

    Raises WireError if the number is too large for them.
    """
    if length >= 1 << (8 * size - 1):
        raise WireError(
            f"a frame length of {size} byte{'s' if size > 1 else ''} cannot hold {length}"
        )
    data = length.to_bytes(size, "big")
    return HexPart("frame", "Frame", data, [Span(0, size, "length", "value", FRAMES[size], length)])


def hex_block(parts: Sequence[HexPart], prefix: str, keys: Keys) -> Markup:
    """The bytes, each range a link to its row; beside them the offset of each line's first byte."""
    size = sum(len(part.data) for part in parts)
    lines = ['<div class="wb-hex">']
    for width in (16, 8):
        places = "\n".join(f"{offset:04x}" for offset in range(0, size, width))
        lines.append(f'<span class="wb-at wb-by{width}" aria-hidden="true">{places}</span>')
    lines.append('<span class="wb-run">')
    for number, (part, span) in enumerate(_ranges(parts)):
        text = part.data[span.start : span.end].hex(" ")
        kind = "" if span.kind in ("value", "unknown") else " wb-s"
        lines.append(
            f'<a href="#{prefix}-{number}" data-f="{_key(keys, part, span)}" '
            f'class="wb-p-{part.name}{kind}">{text}</a> '
        )
    lines.append("</span></div>")
    return Markup("".join(lines))


def range_table(parts: Sequence[HexPart], prefix: str, keys: Keys, caption: str) -> Markup:
    """What each range is: its offset, bytes, field, part of the encoding and value, one row per
    range."""
    lines = [
        '<div class="wb-scroll wb-ranges" tabindex="0" role="region" '
        f'aria-label="{escape(caption)}">'
        f'<table class="wb-table wb-bytes"><caption>{escape(caption)}</caption><thead><tr>'
        '<th scope="col">At</th><th scope="col">Bytes</th><th scope="col">Field</th>'
        '<th scope="col">What it is</th><th scope="col">Value</th></tr></thead>'
    ]
    offset, number = 0, 0
    for part in parts:
        lines.append(
            '<tbody><tr class="wb-part"><th colspan="5" '
            f'scope="rowgroup">{escape(part.title)}</th></tr>'
        )
        if not part.spans:
            lines.append('<tr><td colspan="5">No bytes.</td></tr>')
        for span in part.spans:
            lines.append(
                f'<tr id="{prefix}-{number}" data-f="{_key(keys, part, span)}">'
                f"<td>{offset + span.start}</td>"
                f"<td><code>{_cut(part.data[span.start : span.end])}</code></td>"
                f"<td>{_path(span)}</td><td>{breakable(what(span))}</td><td>{_value(span)}</td></tr>"
            )
            number += 1
        lines.append("</tbody>")
        offset += len(part.data)
    lines.append("</table></div>")
    return Markup("\n".join(lines))


def grammar_block(lines: Iterable[Sequence[Token]], part: str, keys: Keys) -> Markup:
    """A grammar whose words have the keys of their fields."""
    rules = []
    for line in lines:
        rules.append(
            "".join(
                f'<span data-f="{keys.key(part, token.field)}">{escape(visible(token.text))}</span>'
                if token.field
                else escape(visible(token.text))
                for token in line
            )
        )
    return Markup("\n").join(map(Markup, rules))


def what(span: Span) -> str:
    """What a range is, in words: "length, INT16"."""
    return _WORDS.get(span.kind, "{}").format(span.type)


def _ranges(parts: Sequence[HexPart]) -> Iterator[tuple[HexPart, Span]]:
    return ((part, span) for part in parts for span in part.spans)


def _key(keys: Keys, part: HexPart, span: Span) -> str:
    section = span.kind in ("tag-count", "unknown") or (
        span.kind in ("tag", "tag-size") and not _of_field(span)
    )
    return keys.key(part.name, f"{span.field}/" if section else span.field)


def _of_field(span: Span) -> bool:
    """Whether a tag is that of a known field; that of an unknown one has the path of the struct."""
    return bool(span.path) and not span.path.endswith("]")


def _path(span: Span) -> Markup:
    if span.kind == "tag-count" or (
        span.kind in ("tag", "tag-size", "unknown") and not _of_field(span)
    ):
        return Markup("<em>tagged fields{}</em>").format(
            Markup(" of {}").format(breakable(span.path)) if span.path else ""
        )
    return breakable(span.path)


def _value(span: Span) -> Markup:
    if span.kind in ("null", "marker"):
        return Markup("null" if span.kind == "null" else "")
    if (
        span.kind in ("length", "count")
        and span.type == "UNSIGNED_VARINT"
        and isinstance(span.value, int)
    ):
        return Markup("{} <small>written as {}</small>").format(span.value, span.value + 1)
    if span.kind == "unknown" or span.type.endswith(("BYTES", "RECORDS")):
        return Markup("<small>{}{}</small>").format(
            some_bytes(span.end - span.start), _as_text(span.value)
        )
    if isinstance(span.value, str) and _NUMBERS.fullmatch(span.type):
        # A checksum, or what the bits of a number mean.
        return escape(visible(f"0x{span.value}" if span.type == "UINT32" else span.value))
    return escape(visible(json_text(span.value)))


def _as_text(value: Json) -> str:
    """Bytes in hex as text after their number, if they are short and printable."""
    data = bytes.fromhex(value) if isinstance(value, str) else b""
    plain = len(data) <= _LONGEST and all(0x20 <= byte < 0x7F for byte in data)
    return f', "{data.decode()}"' if data and plain else ""


def json_text(value: Json) -> str:
    """A value as a row shows it: text in quotes, a long one cut."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:76]} …"


def _cut(data: bytes) -> str:
    return data.hex(" ") if len(data) <= _LONGEST else f"{data[:_LONGEST].hex(' ')} …"
