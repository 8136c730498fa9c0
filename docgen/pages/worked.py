"""Bytes in hand-written pages, explained by the codec.

A page has them as a comment: the message and its version, what is around the body, and the bytes in
hex.

    <!-- wirebook: bytes FooRequest 8 frame
    00 00 00 1b 23 28 …
    -->

`frame` is before a header and a body, `numbered` an INT16 before a body; records have no message:
`records`.
"""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from wirebook.docgen.pages.environment import render
from wirebook.docgen.pages.hexview import HexPart, Keys, frame_part, grammar_block, ranges
from wirebook.specs.codec import number_at, read
from wirebook.specs.embedded import with_embedded, with_records
from wirebook.specs.kafka.registry import (
    FOLDER,
    embedded_path,
    embedded_protocol,
    header_layout,
    read_embedded,
)
from wirebook.specs.layout import Layout, layout
from wirebook.specs.records.reading import explain_records
from wirebook.specs.spans import Span


def worked(head: str, data: bytes, prefix: str) -> Markup:
    """The bytes of a comment by range, and the grammar; `prefix` begins their ids."""
    if head == "records":
        part = HexPart("body", f"Records, {len(data)} bytes", data, explain_records(data))
        return explained(prefix, "Records, byte by byte", [part])
    name, version, *around = head.split()
    of = _layout(name, int(version))
    parts = framed(of, data) if "frame" in around else [_body(of, data, "numbered" in around)]
    return explained(prefix, f"{name} {version}, {len(data)} bytes", parts, of)


def explained(
    prefix: str, caption: str, parts: Sequence[HexPart], of: Layout | None = None
) -> Markup:
    """The bytes of some parts, a row for each range of them, and the grammar of their body;
    `prefix` begins their ids."""
    keys = Keys(f"{prefix}-")
    return render(
        "worked_bytes.html.jinja",
        grammar="" if of is None else grammar_block(of, "body", keys),
        parts=list(ranges(parts, keys)),
        prefix=prefix,
        caption=caption,
    )


def framed(of: Layout, data: bytes) -> list[HexPart]:
    """The parts of a whole message of Kafka's: frame, header, body, and what follows."""
    assert of.header_version is not None
    header = header_layout(of.type, of.header_version)
    body = read(header, data, 4, whole=False).right().at
    end = read(of, data, body, whole=False).right().at
    title = f"{of.type.capitalize()} header v{of.header_version}"
    parts = [
        frame_part(len(data) - 4),
        HexPart("header", title, data[4:body], read(header, data[4:body]).spans),
        HexPart("body", "Body", data[body:end], _spans(of, data[body:end])),
    ]
    if rest := data[end:]:
        span = Span(0, len(rest), "", "unknown", "bytes after the body", rest.hex())
        parts.append(
            HexPart("rest", "After the body: no field, and readers ignore it", rest, [span])
        )
    return parts


def _spans(of: Layout, data: bytes) -> list[Span]:
    """The ranges of a body, with those inside records and embedded messages."""
    spans = with_embedded(of.message, embedded_protocol(), read(of, data).right().spans)
    return [inner for span in spans for inner in with_records(span)]


def _layout(name: str, version: int) -> Layout:
    path = FOLDER / "examples" / f"{name}.json"
    return layout(read_embedded(path if path.is_file() else embedded_path(name)), version)


def _body(of: Layout, data: bytes, numbered: bool) -> HexPart:
    if not numbered:
        return HexPart("body", f"Body, {len(data)} bytes", data, _spans(of, data))
    word = "type of the record" if of.name.endswith("Key") else "version"
    number = number_at(data, 0, 2)
    spans = [Span(0, 2, word, "value", "INT16", number)]
    spans += (span.inside(2, "") for span in _spans(of, data[2:]))
    return HexPart("body", f"{of.name} after its {word}, {len(data)} bytes", data, spans)
