"""The contents of the page of a review."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.rules.reports import some_finding
from wirebook.docgen.render.review import html, wording
from wirebook.docgen.render.review.html import LISTED, _cell, _Page, _table
from wirebook.rules.finding import Place, Severity
from wirebook.rules.result import CheckResult
from wirebook.rules.review.overview import ApiOverview
from wirebook.rules.review.review import ReviewReport


def contents(count: int) -> str:
    """The contents of a page with a section of that many entries."""
    page = _Page(None)  # type: ignore[arg-type]
    page.contents["s"] = ("Found", [(f"a-{number}", f"<{number}>") for number in range(count)])
    return "".join(page._contents())


def test_more_entries_than_fit_are_folded() -> None:
    assert LISTED == 12
    assert contents(0) == '<nav aria-label="Contents"><ul><li><a href="#s">Found</a></li></ul></nav>'
    assert '<ul><li><a href="#a-0">&lt;0&gt;</a></li></ul>' in contents(1)
    assert "<details>" not in contents(12)
    assert "<details><summary>13 entries</summary>" in contents(13)


def test_the_first_cell_names_a_row_only_if_the_table_has_such_names() -> None:
    assert "<tr><td>a</td><td>b</td></tr>" in _table(["A", "B"], [["a", "b"]])
    assert '<tr><th scope="row">a</th><td>b</td></tr>' in _table(["A", "B"], [["a", "b"]], headed=True)


def test_only_a_wide_cell_is_broken_into_lines() -> None:
    assert _cell("x" * 40) == f"<td>{'x' * 40}</td>"
    assert _cell("x" * 41) == f'<td class="words">{"x" * 41}</td>'


@pytest.mark.parametrize(("count", "opened"), [(5, True), (6, False)])
def test_few_apis_and_notes_are_shown_unfolded(
    count: int, opened: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wording, "others_of", lambda review: [])
    monkeypatch.setattr(wording, "notes_title", lambda review: "Notes")
    monkeypatch.setattr(html, "about", lambda finding: "About")
    monkeypatch.setattr(html, "where", lambda finding: (None, False))
    apis = [ApiOverview(f"A{number}", (), (), 0) for number in range(count)]
    notes = [SimpleNamespace(rule="r", message="m") for _ in range(count)]
    report = SimpleNamespace(command="")
    review = SimpleNamespace(patterns=[], apis=apis, by_message=[], waivable=(), notes=notes, report=report)
    page = _Page(review)  # type: ignore[arg-type]
    for section, write in (("changed", page._changed), ("findings", page._findings)):
        page.contents[section] = ("T", [])
        text = "".join(write(section))
        folds = text.count("<details")
        assert folds == (count if section == "changed" else 1)
        assert text.count(" open><summary>") == (folds if opened else 0)
        assert len(page.contents[section][1]) == folds


def test_five_apis_are_named_and_six_are_folded() -> None:
    names = tuple("ABCDEF")
    assert html._with_apis("<w>", names[:5]) == "<b>A, B, C, D, E</b>: &lt;w&gt;"
    assert html._with_apis("w", names) == (
        "<b>6 APIs</b>: w <details><summary>the 6 APIs</summary>A, B, C, D, E, F</details>"
    )


def test_a_place_on_the_old_side_is_marked() -> None:
    new = some_finding(severity=Severity.INFO)
    for finding, words in (
        (new, " <code>specs/FooRequest.json:6:5</code>"),
        (new._replace(location=None, previous=new.location), " was <code>specs/FooRequest.json:6:5</code>"),
    ):
        assert words in html.render(ReviewReport(CheckResult((finding,), "a against b", "1.2.3", 1)))


def test_a_line_of_a_file_is_cut_at_four_hundred_letters() -> None:
    report = SimpleNamespace(text=lambda at, new: "x" * 401)
    shown = html._frame(report, Place("a", 1, 2), True)  # type: ignore[arg-type]
    assert f"<ins>+ {'x' * 400}</ins>" in shown
    assert "<code>a:1:2</code>" in shown
    assert f"<del>- {'x' * 400}</del>" in html._frame(report, Place("a", 1, 2), False)  # type: ignore[arg-type]


def test_the_id_of_an_entry_has_at_most_sixty_letters_of_its_title() -> None:
    page = _Page(None)  # type: ignore[arg-type]
    page.contents["s"] = ("T", [])
    assert [page._entry("s", title) for title in ("A b", "x" * 60, "x" * 61, "y" * 60 + "z")] == [
        "s-a-b", f"s-{'x' * 60}", f"s-{'x' * 60}-2", f"s-{'y' * 60}",
    ]  # fmt: skip
