"""Text of specs in formats: shortened in its middle, and paths without a leading "./"."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebook.rules.formats.words import relative
from wirebook.specs.printable import clip


@pytest.mark.parametrize(
    ("longest", "shown"), [(9, "abcdefgh"), (8, "abcdefgh"), (7, "abc…fgh"), (6, "ab…gh"), (5, "ab…gh")]
)
def test_a_long_text_loses_its_middle(longest: int, shown: str) -> None:
    assert clip("abcdefgh", longest) == shown


@given(st.text(), st.integers(3, 40))
def test_a_clipped_text_is_one_line_of_limited_length(text: str, longest: int) -> None:
    shown = clip(text, longest)
    assert len(shown) <= longest
    assert shown.isprintable()


def test_a_text_is_clipped_at_a_thousand_characters() -> None:
    assert clip("a" * 1000) == "a" * 1000
    assert len(clip("a" * 1001)) == 999


@pytest.mark.parametrize(("path", "shown"), [("./a", "a"), ("././a/./b", "a/./b"), (".a", ".a"), ("a", "a")])
def test_a_path_is_relative(path: str, shown: str) -> None:
    assert relative(path) == shown
