"""Bytes and their ranges as Markdown."""

from __future__ import annotations

from wirebook.docgen.render.bytes.hexview import HexPart
from wirebook.docgen.render.bytes.markdown import example
from wirebook.specs.wire.spans import Span


def test_an_example_is_its_bytes_and_a_table_of_their_ranges() -> None:
    spans = [Span(0, 1, "a", "a", "value", "INT8", 7), Span(1, 3, "b", "b", "length", "INT16", 8)]
    blocks = list(
        example(
            "one",
            "An example",
            [HexPart("head", "Head", b"\1", []), HexPart("body", "Body", b"\7\0\x08", spans)],
        )
    )
    assert blocks[:2] == ["### One, 4 bytes", "An example."]
    assert "01 07 00 08" in blocks[2]
    table = "\n".join(blocks[3:])
    assert "| 1 | `07` |" in table
    assert "| 2 | `00 08` |" in table


def test_an_example_without_bytes_says_so() -> None:
    assert list(example("one", "An example", [])) == ["### One, 0 bytes", "An example."]
    assert next(example("one", "An example", [HexPart("body", "Body", b"\1", [])])) == "### One, 1 byte"


def test_long_bytes_are_in_lines_and_cut_in_the_table() -> None:
    spans = [Span(0, 24, "a", "a", "value", "BYTES", ""), Span(24, 49, "", "", "marker", "BYTES", "x")]
    blocks = list(example("one", "An example", [HexPart("body", "Body", b"\1" * 49, spans)]))
    assert [len(line.split()) for line in blocks[2].split("\n")[1:-1]] == [16, 16, 16, 1]
    first, second = blocks[3].split("\n")[-2:]
    assert f"`{' '.join(['01'] * 24)}` | a |" in first
    assert f"`{' '.join(['01'] * 24)} …` | tagged fields |" in second
    # What a marker means is not its value.
    assert second.endswith("|  |")
