"""Tables of hand-written pages, as narrow screens need them."""

from __future__ import annotations

from markdown import markdown  # type: ignore[import-untyped]

from wirebook.docgen.site.table_labels import labelled

TABLE = """\
| field | what it *means* & "why" | |
|---|---:|---|
| `A` | one | two |
| `B` | | |
"""


def test_each_cell_but_the_first_has_its_heading() -> None:
    html = markdown(TABLE, extensions=["tables"])
    made = labelled(html)
    label = ' data-is="what it means &amp; &quot;why&quot;"'
    assert made.count(label) == 2
    assert f'<td{label} style="text-align: right;">one</td>' in made
    assert "<td><code>A</code></td>" in made
    assert "<td>two</td>" in made, "a column without a heading"
    assert made.replace(label, "") == html


def test_other_tables_and_texts_are_unchanged() -> None:
    html = "<table><thead><tr><th>a</th></tr></thead><tr><td>1</td><td>2</td></tr></table><p>&lt;table></p>"
    assert labelled(html) == html, "cells without a heading"
    html = html.replace("<table>", '<table class="wb-table">').replace("<th>a", "<th>a</th><th>b")
    assert labelled(html) == html
