"""Rows of text in columns."""

from __future__ import annotations

import pytest

from wirebook.specs.columns import columns

ROWS = [("key", "name"), ("7", "Foo"), ("18", "ApiVersions")]


def test_a_column_is_as_wide_as_its_widest_cell() -> None:
    assert list(columns(ROWS)) == ["key  name       ", "7    Foo        ", "18   ApiVersions"]


def test_the_first_columns_are_aligned_right() -> None:
    assert list(columns(ROWS, right=1)) == ["key  name       ", "  7  Foo        ", " 18  ApiVersions"]
    assert [line[5:] for line in columns(ROWS, right=2)] == ["       name", "        Foo", "ApiVersions"]


def test_a_rule_is_below_the_heads_only() -> None:
    assert list(columns(ROWS, rule=True))[1:3] == ["---  -----------", "7    Foo        "]
    assert len(list(columns(ROWS, rule=True))) == len(ROWS) + 1


def test_no_rows_are_no_lines() -> None:
    assert list(columns([])) == []


def test_a_row_of_another_length_is_an_error() -> None:
    with pytest.raises(ValueError, match="zip"):
        list(columns([*ROWS, ("1",)]))
