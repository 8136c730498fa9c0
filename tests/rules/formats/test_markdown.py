"""The tables of a comment: which rows fit, and what a row has."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.reports import some_finding
from wirebook.rules.finding import Place
from wirebook.rules.formats.markdown import LISTED, ROWS, _fitting, _left, _row, likewise
from wirebook.rules.usage.model import Use
from wirebook.specs.versions import VersionSet

PLACED = some_finding(previous=Place("old/Foo.json", 3, 1))
USE = Use("Foo", VersionSet.parse("2"), 0, 0, (), None, None)


@pytest.mark.parametrize(("room", "rows"), [(9, 0), (10, 1), (19, 1), (20, 2), (99, 3)])
def test_a_row_needs_its_length_and_a_line_end(room: int, rows: int) -> None:
    assert list(_fitting(iter(["x" * 9] * 3), room)) == ["x" * 9] * rows


def test_a_table_has_fifty_rows_at_most() -> None:
    assert ROWS == 50
    assert len(list(_fitting(iter(["x"] * 51), 10_000))) == 50


def test_only_rows_that_are_left_out_are_counted() -> None:
    assert (_left(0), _left(1)) == ([], ["… and 1 more.", ""])


def test_a_row_has_the_former_place_only_where_both_sides_have_one() -> None:
    was = "<br>was <code>old/Foo.json:3</code>"
    assert was in _row(PLACED)
    assert "<code>specs/FooRequest.json:6</code>" in _row(PLACED)
    assert "was " not in _row(replace(PLACED, previous=None))
    only_old = _row(replace(PLACED, location=None))
    assert only_old.count("was <code>old/Foo.json:3</code>") == 1
    assert was not in only_old


def test_a_row_has_the_use_of_a_finding_but_not_of_a_group() -> None:
    used = replace(PLACED, use=USE)
    assert "<br>In use: " in _row(used)
    assert "In use" not in _row(PLACED)
    group = _row(used, PLACED, PLACED)
    assert "In use" not in group
    assert "| 🛑 error × 3 |" in group
    assert "×" not in _row(used)


def test_more_than_sixty_findings_of_a_group_are_counted() -> None:
    assert LISTED == 60
    assert "--no-group" not in likewise([PLACED] * 60)
    text = likewise([PLACED] * 61)
    assert "and 1 more: `--no-group` lists them" in text
    assert text.count("FooRequest.json:6") == 60
