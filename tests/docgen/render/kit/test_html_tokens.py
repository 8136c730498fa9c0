"""HTML is split into tags and texts as browsers read it."""

from __future__ import annotations

import pytest

from wirebook.docgen.render.kit.html_tokens import attributes_of, tokens


@pytest.mark.parametrize(
    ("html", "parts"),
    [
        ("<p>a &lt; b</p>", [("p", ""), ("", "a < b"), ("/p", "")]),
        ("1 < 2", [("", "1 "), ("", "<"), ("", " 2")]),
        ("a<!-- <b> -->c", [("", "a"), ("", "c")]),
        ("a<script>if (x < y) {}</script><SVG><path/></SVG>b", [("", "a"), ("", "b")]),
        ("<BR/>", [("br", "/"), ("/br", "")]),
        ('<a title="x > y">', [("a", ' title="x > y"')]),
        ("<scripted>", [("scripted", "")]),
    ],
)
def test_tokens(html: str, parts: list[tuple[str, str]]) -> None:
    assert list(tokens(html)) == parts


def test_attributes() -> None:
    assert attributes_of(""" ID="a&amp;b" class='c d' href=e data-x hidden""") == {
        "id": "a&b", "class": "c d", "href": "e", "data-x": "", "hidden": "",
    }  # fmt: skip
