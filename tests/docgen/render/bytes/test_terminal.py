"""Bytes beside their meaning as a table for terminals."""

from __future__ import annotations

from wirebook.docgen.render.bytes.terminal import shown, table
from wirebook.specs.wire.spans import Span

DATA = bytes(range(40))
SPANS = [
    ("header", Span(0, 1, "", "", "tag-count", "UNSIGNED_VARINT", 0)),
    ("header", Span(1, 2, "Id", "Id", "value", "INT8", 1)),
    ("body", Span(2, 4, "A[0].B", "A.B", "length", "INT16", 5)),
    ("body", Span(4, 40, "", "", "null", "BYTES", None)),
]


def test_a_row_has_the_place_the_bytes_and_the_meaning() -> None:
    lines = table(SPANS, DATA).splitlines()
    assert [line.split() for line in lines[:4]] == [
        ["bytes", "hex", "field", "type", "value"],
        ["0", "00", "header", "UNSIGNED_VARINT", "tagged", "fields", "0"],
        ["1", "01", "header:", "Id", "INT8", "1"],
        ["2-3", "0203", "A[0].B", "INT16", "length", "5"],
    ]
    assert lines[4].split()[0] == "4-39"
    assert lines[4].split()[2:] == [".", "BYTES", "null"]
    assert (
        len({line.index(word) for line, word in zip(lines, ("hex", "00", "01", "0203"), strict=False)}) == 1
    )


def test_long_bytes_and_values_are_cut() -> None:
    whole, cut = (table([("body", Span(0, size, "A", "A", "value", "INT8", 0))], DATA) for size in (12, 40))
    assert DATA[:12].hex() in whole
    (digits,) = [word for word in cut.split() if word.endswith("…")]
    assert DATA.hex().startswith(digits[:-1])
    assert len(digits) == 23
    assert shown("a" * 58) == '"' + "a" * 58 + '"'
    assert shown("a" * 59) == '"' + "a" * 56 + "…"


def test_colours_are_those_of_the_kinds() -> None:
    lines = table(SPANS, DATA, colour=True).splitlines()
    assert [line.partition("m")[0] for line in lines] == [f"\x1b[{code}" for code in (1, 2, 36, 2, 35)]
    plain = [line.partition("m")[2].removesuffix("\x1b[0m") for line in lines]
    assert "\n".join(plain) == table(SPANS, DATA)
