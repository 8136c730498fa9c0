"""Text made safe to print: nothing is left that steers a terminal."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from wirebook.specs.printable import visible


@given(st.text())
def test_nothing_that_steers_a_terminal_is_left(text: str) -> None:
    shown = visible(text)
    assert shown.splitlines() in ([shown], [])
    shown.encode()
    assert shown.isprintable()
    assert not any(
        "\u202a" <= character <= "\u202e" or "\u2066" <= character <= "\u2069"
        for character in shown
    )
    if text.isprintable() and text.isascii():
        assert shown == text


REORDERING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def test_marks_that_reorder_text_are_seen() -> None:
    marks = [
        chr(code) for code in range(0x110000) if unicodedata.bidirectional(chr(code)) in REORDERING
    ]
    assert len(marks) == len(REORDERING)
    for mark in [*marks, "\u200e", "\u200f", "\u061c"]:
        assert visible(f"a {mark}b") == f"a \\u{ord(mark):04x}b"


def test_escapes_are_seen() -> None:
    assert visible("a\x1b[31m\u202eb\n") == "a\\u001b[31m\\u202eb\\u000a"
