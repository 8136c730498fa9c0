"""Parts of the comment of a review: what is named in a line, and what is folded."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from wirebook.docgen.render.review import wording
from wirebook.docgen.render.review.markdown import _changed, _lines, _summary, _with_apis
from wirebook.docgen.render.review.sides import SidesRow
from wirebook.docgen.render.review.writer import ReviewWriter
from wirebook.rules.review.overview import ApiOverview

FIVE = ("A1", "A2", "A3", "A4", "A5")


def test_five_apis_are_named_in_a_line_and_six_are_folded() -> None:
    assert _with_apis("they change", FIVE) == "**A1, A2, A3, A4, A5**: they change"
    assert _with_apis("they change", (*FIVE, "A6")) == (
        "**6 APIs**: they change <details><summary>the 6 APIs</summary>A1, A2, A3, A4, A5, A6</details>"
    )


@pytest.mark.parametrize(("number", "open_"), [(3, True), (4, False)])
def test_three_apis_are_shown_unfolded(number: int, open_: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wording, "others_of", lambda review: [])
    apis = tuple(ApiOverview(name, (), (), 0) for name in FIVE[:number])
    out = ReviewWriter(10_000)
    _changed(out, SimpleNamespace(changes=(1,), patterns=(), apis=apis))  # type: ignore[arg-type]
    assert ("##### A1" in out.lines) == open_


def test_an_api_without_messages_is_summed_up_by_its_changes() -> None:
    assert _summary(ApiOverview("A", (), (), 0)) == "0 changes"
    one = SimpleNamespace()
    assert _summary(ApiOverview("A", (), (one,), 0)) == "1 change"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rows", "lines"),
    [
        ([SidesRow(None, None)], ["@@ … @@"]),
        ([SidesRow("a", "a", True)], ["  a"]),
        ([SidesRow("a", "b")], ["- a", "+ b"]),
        ([SidesRow("a", None), SidesRow("b", "b", True), SidesRow(None, "c")], ["- a", "  b", "+ c"]),
        # What is removed comes before what is added in its place.
        ([SidesRow("a", "c"), SidesRow("b", "d"), SidesRow(None, "e")], ["- a", "- b", "+ c", "+ d", "+ e"]),
        (
            [SidesRow("a", "b"), SidesRow(None, None), SidesRow("c", "d")],
            ["- a", "+ b", "@@ … @@", "- c", "+ d"],
        ),
    ],
)
def test_the_lines_of_rows_are_those_of_a_diff(rows: list[SidesRow], lines: list[str]) -> None:
    assert list(_lines(rows)) == lines
