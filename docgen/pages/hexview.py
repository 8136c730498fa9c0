"""Bytes in hex beside their meaning: ranges, grammar and fields, linked by the key of their field.

Everything is readable without scripts; docgen/site/theme/assets/bytes.js links elements with the
same `data-f`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

from markupsafe import Markup, escape

from wirebook.docgen.pages.bnf import bnf_lines
from wirebook.specs.layout import Layout
from wirebook.specs.model import Json
from wirebook.specs.printable import visible
from wirebook.specs.profile import FRAME_LENGTH
from wirebook.specs.spans import Span, some_bytes

_WORDS = {
    "length": "length, {}", "count": "count, {}", "null": "null, {}", "marker": "present, {}",
    "tag-count": "number of tagged fields", "tag": "tag", "tag-size": "size of the tagged field",
    "unknown": "an unknown tag",
}  # fmt: skip
_NUMBERS = re.compile(r"U?INT\d+|UNSIGNED_.*|VAR.*")
_LONGEST = 16  # bytes that are shown as text, too


@dataclass(slots=True)
class Keys:
    """Short names for fields, the same wherever a part of a page shows them."""

    prefix: str
    _known: dict[tuple[str, str], str] = field(default_factory=dict)

    def key(self, part: str, path: str) -> str:
        """The key of a field of a part, or with "/" after its path that of its tagged section."""
        return self._known.setdefault((part, path), f"{self.prefix}{len(self._known)}")


@dataclass(frozen=True, slots=True)
class HexPart:
    """A part of a message with the meaning of its bytes; `name` determines the keys."""

    name: str
    title: str
    data: bytes
    spans: Sequence[Span]


class Range(NamedTuple):
    """A range of bytes: its number and offset on the page, the key of its field, its bytes, whether
    the path of its span is that of the struct of a section of tags, what it is, its value, and a
    note on that."""

    number: int
    at: int
    key: str
    data: bytes
    span: Span
    is_section: bool
    what: str
    value: str
    note: str


def ranges(parts: Iterable[HexPart], keys: Keys) -> Iterator[tuple[HexPart, list[Range]]]:
    """The ranges of each part."""
    numbers = count()
    offset = 0
    for part in parts:
        rows = []
        for span in part.spans:
            # The tag of a known field has its path, that of another one that of the struct.
            of_struct = not span.path or span.path.endswith("]")
            of_tags = span.kind in ("tag", "tag-size", "unknown") and of_struct
            is_section = of_tags or span.kind == "tag-count"
            path = f"{span.field}/" if is_section or span.kind == "unknown" else span.field
            key = keys.key(part.name, path)
            data = part.data[span.start : span.end]
            what = _WORDS.get(span.kind, "{}").format(span.type)
            at = offset + span.start
            texts = _value(span)
            rows.append(Range(next(numbers), at, key, data, span, is_section, what, *texts))
        offset += len(part.data)
        yield part, rows


def frame_part(length: int) -> HexPart:
    """The bytes before a request or a response: how many follow."""
    data = length.to_bytes(FRAME_LENGTH, "big")
    span = Span(0, FRAME_LENGTH, "length", "value", "INT32", length)
    return HexPart("frame", "Frame", data, [span])


def grammar_block(layout: Layout, part: str, keys: Keys) -> Markup:
    """The grammar of a layout, whose words have the keys of their fields."""
    rules = []
    for line in bnf_lines(layout):
        rule = ""
        for token in line:
            word = str(escape(visible(token.text)))
            # A key is a letter and a number.
            key = keys.key(part, token.field) if token.field else ""
            rule += f'<span data-f="{key}">{word}</span>' if key else word
        rules.append(rule)
    return Markup("\n".join(rules))


def _value(span: Span) -> tuple[str, str]:
    """The value of a range as text, and a note on it."""
    value = span.value
    if span.kind == "null":
        return "null", ""
    if span.kind == "marker":
        return "", ""
    if span.kind == "unknown" or span.type.endswith(("BYTES", "RECORDS")):
        return "", f"{some_bytes(span.end - span.start)}{_as_text(value)}"
    if isinstance(value, str) and _NUMBERS.fullmatch(span.type):
        # A checksum, or what the bits of a number mean.
        return f"0x{value}" if span.type == "UINT32" else value, ""
    is_compact = span.kind in ("length", "count") and span.type == "UNSIGNED_VARINT"
    note = f"written as {value + 1}" if is_compact and isinstance(value, int) else ""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:76]} …", note


def _as_text(value: Json) -> str:
    """Bytes in hex as text after their number, if they are short and printable."""
    data = bytes.fromhex(value) if isinstance(value, str) else b""
    plain = len(data) <= _LONGEST and all(0x20 <= byte < 0x7F for byte in data)
    return f', "{data.decode()}"' if data and plain else ""
