"""Bytes beside their meaning: the length before a message, and values as rows show them."""

from __future__ import annotations

import pytest

from wirebook.docgen.render.bytes.hexview import (
    HexPart,
    Keys,
    _as_text,
    _path,
    frame_part,
    hex_block,
    json_text,
    range_table,
)
from wirebook.specs.wire.scalars import WireError
from wirebook.specs.wire.spans import Span


@pytest.mark.parametrize(("size", "kind"), [(1, "INT8"), (2, "INT16"), (4, "INT32"), (8, "INT64")])
def test_the_length_before_a_message_has_its_type(size: int, kind: str) -> None:
    part = frame_part(5, size)
    assert part.data == (5).to_bytes(size, "big")
    (span,) = part.spans
    assert (span.start, span.end, span.type, span.value) == (0, size, kind, 5)


@pytest.mark.parametrize(("size", "words"), [(1, "1 byte"), (2, "2 bytes")])
def test_a_message_longer_than_its_frame_can_say_is_refused(size: int, words: str) -> None:
    longest = (1 << (8 * size - 1)) - 1
    assert frame_part(longest, size).spans[0].value == longest
    with pytest.raises(WireError, match=f"a frame length of {words} cannot hold {longest + 1}"):
        frame_part(longest + 1, size)


def test_a_long_value_is_cut() -> None:
    assert json_text("a" * 78) == '"' + "a" * 78 + '"'
    assert json_text("é" * 79) == '"' + "é" * 75 + " …"


def part(*spans: Span) -> HexPart:
    """A part of 40 bytes with some ranges."""
    return HexPart("body", "Body", bytes(range(0x30, 0x58)), spans)


def test_each_line_of_bytes_has_its_offset() -> None:
    html = hex_block([part(Span(0, 40, "a", "a", "value", "BYTES", ""))], "x", Keys("k"))
    assert ">0000\n0010\n0020</span>" in html
    assert ">0000\n0008\n0010\n0018\n0020</span>" in html
    assert 'id="' not in html
    assert 'href="#x-0"' in html


def test_rows_show_offsets_bytes_and_values() -> None:
    spans = (
        Span(0, 1, "a", "a", "length", "UNSIGNED_VARINT", 3),
        Span(1, 25, "a", "a", "value", "COMPACT_BYTES", bytes(range(0x31, 0x49)).hex()),
        Span(25, 40, "b", "b", "null", "INT8", None),
    )
    html = range_table(
        [frame_part(40), part(*spans), HexPart("more", "More", b"", [])], "x", Keys("k"), "All"
    )
    assert "<td>0</td><td><code>00 00 00 28</code></td>" in html
    assert "<td>4</td><td><code>30</code></td>" in html
    assert "3 <small>written as 4</small>" in html
    assert "<small>24 bytes</small>" in html
    assert "31 32 33 34 35 36 37 38 39 3a 3b 3c 3d 3e 3f 40 …" in html
    assert "<td>29</td>" in html
    assert [f'id="x-{number}"' in html for number in range(5)] == [True] * 4 + [False]
    assert html.count('<td colspan="5">No bytes.</td>') == 1


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"a" * 16, ', "aaaaaaaaaaaaaaaa"'),
        (b"a" * 17, ""),
        (b" ~", ', " ~"'),
        (b"\x1f", ""),
        (b"\x7f", ""),
        (b"", ""),
    ],
)
def test_short_printable_bytes_are_also_text(data: bytes, shown: str) -> None:
    assert _as_text(data.hex()) == shown
    assert _as_text(None) == ""


@pytest.mark.parametrize(
    ("kind", "path", "shown"),
    [
        ("value", "A", "A"),
        ("tag", "A", "A"),
        ("tag", "", "<em>tagged fields</em>"),
        ("tag-size", "A[0]", "<em>tagged fields of A[0]</em>"),
        ("tag-count", "A", "<em>tagged fields of A</em>"),
        ("length", "A[0]", "A[0]"),
    ],
)
def test_a_tag_of_no_known_field_belongs_to_the_struct(kind: str, path: str, shown: str) -> None:
    assert str(_path(Span(0, 1, path, path, kind, "INT8", 1))).replace("<wbr>", "") == shown
