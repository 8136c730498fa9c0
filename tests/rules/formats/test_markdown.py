"""The tables of a comment: which rows fit, and what a row has."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.reports import REPORT, some_finding
from wirebook.rules.finding import Place
from wirebook.rules.formats.markdown import (
    LETTERS,
    ROWS,
    _fitting,
    _left,
    _row,
    cell,
    code_span,
    render,
)
from wirebook.rules.result import CheckResult
from wirebook.specs.versions import VersionSet

PLACED = some_finding(previous=Place("old/Foo.json", 3, 1))


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
    assert was in _row(REPORT, PLACED)
    assert "<code>specs/FooRequest.json:6</code>" in _row(REPORT, PLACED)
    assert "was " not in _row(REPORT, PLACED._replace(previous=None))
    only_old = _row(REPORT, PLACED._replace(location=None))
    assert only_old.count("was <code>old/Foo.json:3</code>") == 1
    assert was not in only_old


def test_what_follows_from_a_waived_cause_is_below_it() -> None:
    cause = some_finding(waived="agreed")
    effect = some_finding(rule="tag-changed", field="Other", waived="agreed", root=cause.identity)
    text = render(CheckResult((cause, effect), "a against b", "1.2.3", 1))
    (row,) = (line for line in text.splitlines() if line.startswith("| <code>tag-reused"))
    assert "<summary>1 follows from it</summary>waived <code>tag-changed</code>" in row
    assert row.endswith(" | agreed |")


@pytest.mark.parametrize("kind", ["unchecked", "notices"])
def test_reasons_and_notices_fit_a_comment_and_the_rest_is_counted(kind: str) -> None:
    lines: Any = tuple(f"{number} {'x' * 990}" for number in range(200))
    text = render(CheckResult((some_finding(),), "a against b", "1.2.3", 1, **{kind: lines}))
    listed = text.count("x" * 99 + "…")
    assert 0 < listed <= ROWS
    assert f"… and {200 - listed} more." in text
    assert len(text) < LETTERS
    assert "| 🛑 error |" in text, "there is room for the findings"


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("", "``"),
        ("plain", "`plain`"),
        ("a`b", "``a`b``"),
        ("`a", "`` `a ``"),
        ("a`", "`` a` ``"),
        ("`", "`` ` ``"),
        ("a``b`c", "```a``b`c```"),
        ("ab`", "`` ab` ``"),
    ],
)
def test_a_code_span_has_a_longer_fence_than_its_text(text: str, span: str) -> None:
    assert code_span(text) == span


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a | b", "a &#124; b"),
        ("<b>&", "&#60;b&#62;&#38;"),
        ("@me", "@&#8203;me"),
        ("#1 # 1", "&#35;&#8203;1 &#35; 1"),
        ("http://a", "http:&#8203;//a"),
        ("a: b", "a: b"),
        ("www.a WWW.b w.c", "www.&#8203;a WWW.&#8203;b w.c"),
        ("GH-1 gh-2 GH-a H-1", "GH-&#8203;1 gh-&#8203;2 GH-a H-1"),
    ],
)
def test_a_cell_has_no_markup_and_nothing_alive(text: str, shown: str) -> None:
    assert cell(text) == shown


def sizes(standing: int, accepted: int, **more: Any) -> tuple[int, int, int]:
    """The length of a comment with long rows, and how many of each kind it has."""
    item = some_finding(message="m" * 590, fix="f" * 590)
    # Each has a message of its own, so that they do not form a group.
    items = [item._replace(message=f"{number} {item.message}") for number in range(standing)]
    items += [each._replace(waived="w" * 590) for each in [item] * accepted]
    text = render(CheckResult(tuple(items), "a against b", "1.2.3", 1, **more))
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    shown = sum("🛑" in row for row in rows)
    waived = sum("www" in row for row in rows)
    assert (f"… and {standing - shown} more." in text) == (standing > shown)
    assert (f"… and {accepted - waived} more." in text) == (accepted > waived)
    return len(text), shown, waived


def test_a_comment_is_filled_up_to_its_limit() -> None:
    length, shown, _ = sizes(60, 0)
    assert LETTERS - 2500 < length <= LETTERS
    assert 40 <= shown < 50
    # Waived findings get the room that others leave, and a third if these fill theirs.
    length, shown, waived = sizes(60, 60)
    assert LETTERS - 4500 < length <= LETTERS
    assert shown in (28, 29, 30, 31)
    assert waived in (14, 15, 16)
    assert sizes(1, 60)[2] >= 43
    assert sizes(0, 3)[1:] == (0, 3)
    assert sizes(3, 0)[1:] == (3, 0)


def test_long_notices_take_room_from_the_tables() -> None:
    length, shown, _ = sizes(60, 0, notices=("n" * 590,) * 30, unchecked=("u" * 590,) * 30)
    assert LETTERS - 2500 < length <= LETTERS
    assert shown < 20


@pytest.mark.parametrize(("length", "shown"), [(99, 99), (100, 100), (101, 98)])
def test_names_in_a_table_have_a_hundred_characters_at_most(length: int, shown: int) -> None:
    item = PLACED._replace(message_name="Ω" * length, field="", versions=VersionSet.NONE)
    waived = render(CheckResult((item._replace(waived="so"),), "a", "1", 1))
    assert [text.count("Ω") for text in (_row(REPORT, item), waived)] == [shown] * 2
