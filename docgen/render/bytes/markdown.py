"""The page of a version in bytes, as Markdown: grammar, examples, and what each range of bytes is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wirebook.docgen.catalog.bnf import Token
from wirebook.docgen.render.bytes.hexview import HexPart, json_text, what
from wirebook.docgen.render.markdown.text import block, code, escaped

_LINE = 16
_LONGEST = 24


def grammar(lines: Sequence[Sequence[Token]]) -> str:
    """A grammar as a block of code."""
    return block("\n".join("".join(token.text for token in line) for line in lines))


def example(name: str, about: str, parts: Sequence[HexPart]) -> Iterator[str]:
    """The blocks of an example: its bytes in lines, and a table of their ranges."""
    data = b"".join(part.data for part in parts)
    yield f"### {escaped(name.capitalize())}, {len(data)} byte{'' if len(data) == 1 else 's'}"
    yield f"{escaped(about)}."
    if not data:
        return
    yield block("\n".join(data[at : at + _LINE].hex(" ") for at in range(0, len(data), _LINE)))
    rows = ["| At | Bytes | Field | What it is | Value |", "|---|---|---|---|---|"]
    offset = 0
    for part in parts:
        rows.append(f"| **{escaped(part.title)}** | | | | |")
        for span in part.spans:
            span_data = part.data[span.start : span.end]
            digits = span_data[:_LONGEST].hex(" ") + (" …" if len(span_data) > _LONGEST else "")
            value = "" if span.kind == "marker" else escaped(json_text(span.value))
            field = escaped(span.path) or "tagged fields"
            rows.append(
                f"| {offset + span.start} | {code(digits)} | {field} | {escaped(what(span))} | {value} |"
            )
        offset += len(part.data)
    yield "\n".join(rows)
