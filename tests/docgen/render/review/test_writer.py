"""Blocks of a comment while there is room, and what did not fit."""

from __future__ import annotations

import pytest

from wirebook.docgen.render.review.writer import ReviewWriter, fenced

END = "`wirebook explain RULE` has the reason for a rule and when a change is fine.\n"


def cut(what: str) -> str:
    """The line about what did not fit."""
    return f"> **Left out for length:** {what}. `wirebook report --format html` has all.\n\n{END}"


def test_a_block_needs_a_character_more_for_each_line() -> None:
    out = ReviewWriter(8)
    assert out.add("abc", "def")
    assert (out.room, out.used) == (0, 8)
    assert not out.add("", what="rules")
    assert not out.add("", "", what="rules", number=3)
    assert not out.add("")
    assert out.text() == f"abc\ndef\n{cut('4 rules, 1 lines')}"
    assert not ReviewWriter(7).add("abc", "def")
    assert ReviewWriter(0).text() == END


def test_the_content_of_another_is_taken_with_what_it_lacks() -> None:
    inside, out = ReviewWriter(4), ReviewWriter(20)
    assert inside.add("abc")
    assert not inside.add("more", what="rules", number=2)
    assert not out.add("x" * 20, what="rules")
    out.take(inside)
    out.take(ReviewWriter(0))
    assert out.text() == f"abc\n{cut('3 rules')}"
    assert out.room == 16


FRAME = ["<details><summary>A</summary>", "", "abc", "", "</details>", ""]


@pytest.mark.parametrize(("room", "fits"), [(48, True), (47, False)])
def test_a_section_is_folded_if_it_fits_with_its_frame(room: int, fits: bool) -> None:
    out = ReviewWriter(room)
    out.fold("A", lambda inside: (inside.add("abc", what="rules"), None)[1], "sections")
    assert out.lines == (FRAME if fits else [])
    assert out.cut == ({} if fits else {"sections": 1})


def test_a_folded_section_ends_with_one_empty_line_and_counts_what_it_lacks() -> None:
    def write(inside: ReviewWriter) -> None:
        inside.add("abc", "")
        inside.add("x" * 100, what="rules", number=2)

    out = ReviewWriter(100)
    out.cut["rules"] = 1
    out.fold("A", write, "sections")
    assert out.lines == FRAME
    assert out.cut == {"rules": 3}
    out.fold("B", lambda _: None, "sections")
    assert out.lines == FRAME
    assert out.cut == {"rules": 3, "sections": 0}


@pytest.mark.parametrize(
    ("text", "ticks"),
    [("a", "```"), ("``", "```"), ("a```b", "````"), ("`` ``` `", "````"), ("````", "`````")],
)
def test_backticks_do_not_end_a_block(text: str, ticks: str) -> None:
    assert list(fenced([text, "##[error]"], "diff")) == [f"{ticks}diff", text, "##(error]", ticks]
