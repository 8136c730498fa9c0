"""Parts of a review in both forms: lines of files, layouts, links and tables of one label."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from tests.docgen.histories import Spec, field, request, text_of
from tests.rules.reports import some_finding
from wirebook.docgen.render.review import html, markdown
from wirebook.docgen.render.review.markdown import (
    _frame,
    _layout,
    _missing,
    _pages,
    _with_apis,
    line_at,
    not_checked,
)
from wirebook.docgen.render.review.sides import SidesRow, default_of, sides, type_of
from wirebook.docgen.render.review.writer import ReviewWriter
from wirebook.rules.finding import Place
from wirebook.rules.result import CheckResult
from wirebook.rules.review.layouts import LayoutDiff
from wirebook.rules.review.review import ReviewReport
from wirebook.specs.reading.reader import read_message
from wirebook.specs.versions import VersionSet
from wirebook.specs.wire.layout import Layout, layout

TEXT = "first\n  {\n  second\n{\n\nlast"


def place(line: int) -> Place:
    return Place("a.json", line, 1)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (-1, None), (0, None), (1, "first"), (2, "{ second"), (3, "second"), (4, "{ "), (5, ""), (6, "last"),
        (7, None),
    ],
)  # fmt: skip
def test_a_line_of_a_file_is_one_that_it_has(line: int, shown: str | None) -> None:
    report: Any = SimpleNamespace(text=lambda at, new: TEXT if new else None)
    assert line_at(report, place(line), True) == shown
    assert line_at(report, place(line), False) is None


def test_a_brace_at_the_end_stands_alone() -> None:
    report: Any = SimpleNamespace(text=lambda at, new: "a\n{")
    assert line_at(report, place(2), True) == "{"


def laid_out(*fields: Spec, version: int = 0, **more: Any) -> Layout:
    spec = request("Foo", 1, "0-3", *fields, **more)
    return layout(read_message(text_of(spec), "x.json"), version)


NESTED = (
    field("Outer", "[]Inner", nullableVersions="0+", fields=[field("Deep", "string", default="a|b")]),
    field("Tag", "int8", tag=4, taggedVersions="0+"),
)


def test_a_new_layout_is_a_table_in_which_structs_are_indented() -> None:
    diff = LayoutDiff(VersionSet.of([0]), None, laid_out(*NESTED, flexibleVersions="0+"), (), (), True)
    assert list(_layout(diff)) == [
        "**FooRequest version 0, new**",
        "",
        "Flexible, request header version 2.",
        "",
        "| field | type | null | tag | default |",
        "|---|---|---|---|---|",
        "| Outer | COMPACT&#95;NULLABLE&#95;ARRAY of Inner | yes |  |  |",
        '| &nbsp;&nbsp;Deep | COMPACT&#95;STRING |  |  | "a&#124;b" |',
        "| Tag | INT8 |  | 4 | 0 |",
        "",
    ]


def test_a_layout_that_is_the_same_says_so() -> None:
    old, new = laid_out(field("A")), laid_out(field("A"), version=1)
    same = LayoutDiff(VersionSet.of([1]), old, new, (), (), True)
    assert list(_layout(same)) == [
        "**FooRequest version 1, new, against version 0**", "", "The same layout as version 0.", "",
    ]  # fmt: skip


def test_layouts_are_compared_line_by_line_with_a_little_around() -> None:
    names = [f"F{number}" for number in range(9)]
    old = laid_out(*(field(name) for name in names))
    new = laid_out(*(field(name, "int64" if name == "F6" else "int32") for name in names if name != "F2"))
    found = sides(old, new)
    assert sides(old, old) == []
    heads = [row for row in found if "=>" in (row.old or "") and row.old and row.old.startswith("FooRequest")]
    assert len(heads) == 1
    assert found[1:] == [
        SidesRow("  F0 => INT32", "  F0 => INT32", True),
        SidesRow("  F1 => INT32", "  F1 => INT32", True),
        SidesRow("  F2 => INT32", None),
        SidesRow("  F3 => INT32", "  F3 => INT32", True),
        SidesRow(None, None),
        SidesRow("  F5 => INT32", "  F5 => INT32", True),
        SidesRow("  F6 => INT32", "  F6 => INT64"),
        SidesRow("  F7 => INT32", "  F7 => INT32", True),
    ]


def test_types_and_defaults_are_words() -> None:
    fields = [
        field("A", "[]int8"), field("B", "[]In", fields=[field("X")]), field("C", "string", default="é"),
        field("D", "Other", fields=[field("Y")]),
    ]  # fmt: skip
    found = laid_out(*fields).fields
    assert [type_of(each) for each in found] == ["ARRAY of INT8", "ARRAY of In", "STRING", "STRUCT"]
    assert [default_of(each) for each in found] == ["", "", '"é"', ""]


@pytest.mark.parametrize(("count", "shown"), [(0, 0), (40, 40), (41, 40)])
def test_at_most_forty_pages_are_linked(count: int, shown: int, monkeypatch: pytest.MonkeyPatch) -> None:
    links = [(f"A{number}", f"https://example.org/{number}/") for number in range(count)]
    monkeypatch.setattr(markdown, "pages_of", lambda review: links)
    writer = ReviewWriter(10_000)
    review: Any = None
    _pages(writer, review)
    text = "\n".join(writer.lines)
    assert text.count("](https://example.org/") == shown
    assert ("#### Pages of the reference" in text) == bool(count)


def test_tables_with_the_same_label_are_told_apart() -> None:
    review: Any = None
    page = html._Page(review)
    labels = [
        page._scroll(label, "").split('aria-label="')[1].split('"')[0] for label in ("A", "A", "B", "A")
    ]
    assert labels == ["A", "A-2", "B", "A-3"]


def test_a_change_that_was_not_checked_has_no_verdict() -> None:
    assert not_checked("a | b").split("\n") == [
        "<!-- wirebook report -->",
        "### ❔ wirebook: could not check this change",
        "",
        "> a &#124; b",
        "",
        "Nothing was judged: this is not a verdict.",
        "",
    ]


def test_long_names_and_lines_are_cut_in_the_middle() -> None:
    assert _with_apis("w", ("x" * 100, "y" * 101)) == f"**{'x' * 100}, {'y' * 49}…{'y' * 49}**: w"
    finding: Any = SimpleNamespace(previous=Place("p" * 200, 1, 1), location=Place("q" * 201, 2, 3))
    report: Any = SimpleNamespace(text=lambda at, new: f"{'a' * 160}\n{'b' * 161}")
    assert list(_frame(report, finding)) == [
        f"--- {'p' * 200}:1:1",
        f"- {'a' * 160}",
        f"+++ {'q' * 99}…{'q' * 99}:2:3",
        f"+ {'b' * 79}…{'b' * 79}",
    ]


@pytest.mark.parametrize("render", [markdown.render, html.render])
def test_each_finding_has_its_fingerprint(render: Callable[[ReviewReport], str]) -> None:
    findings = tuple(some_finding(field=f"F{each}") for each in range(4))
    text = render(ReviewReport(CheckResult(findings, "a against b", "1.2.3", 1)))
    assert all(f"--waive={finding.fingerprint}" in text for finding in findings)


def test_a_missing_line_is_shown_at_its_place() -> None:
    items = [
        SimpleNamespace(path="p" * 198, line=1, words="Add it.", text='"a": 1'),
        SimpleNamespace(path="q" * 201, line=None, words="And it.", text="b"),
    ]
    writer = ReviewWriter(10_000)
    review: Any = SimpleNamespace(missing=items)
    _missing(writer, review)
    assert writer.lines == [
        "#### What is missing", "",
        f"<code>{'p' * 198}:1</code>: Add it.", "", "```json", '"a": 1', "```", "",
        f"<code>{'q' * 99}…{'q' * 99}</code>: And it.", "", "```json", "b", "```", "",
    ]  # fmt: skip
    # What does not fit is counted, and its title is left to what does.
    small = ReviewWriter(len(writer.lines[0]) + 80)
    review = SimpleNamespace(missing=[items[0], SimpleNamespace(**vars(items[1]) | {"path": "q"})])
    _missing(small, review)
    assert small.lines[:3] == ["#### What is missing", "", "<code>q</code>: And it."]
    assert small.cut == {"lines to paste": 1}
