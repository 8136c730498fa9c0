"""Where the generated pages stand in the navigation of a site."""

from __future__ import annotations

from typing import Any

import pytest

from wirebook.docgen.pages.page import Page
from wirebook.docgen.site.navigation import with_pages

PAGES = {
    f"{path}.md": Page(path, path, "", section=section, after=after)
    for path, section, after in (
        ("list", "List", ""), ("one", "Protocol", ""), ("two", "Protocol", "written.md"),
        ("three", "Protocol", ""), ("part", "", ""),
    )
}  # fmt: skip


@pytest.mark.parametrize(
    ("written", "filled"),
    [
        pytest.param(
            ["index.md", {"List": []}, {"Protocol": ["a.md", {"W": "written.md"}, "b.md"]}],
            [
                "index.md",
                {"List": "list.md"},
                {"Protocol": ["one.md", "a.md", {"W": "written.md"}, "two.md", "three.md", "b.md"]},
            ],
            id="sections of the site",
        ),
        pytest.param(
            ["index.md", {"Our list": "list.md"}, {"Empty": []}],
            ["index.md", {"Our list": "list.md"}, {"Protocol": ["one.md", "two.md", "three.md"]}],
            id="no such sections",
        ),
        pytest.param(
            [{"Us": [{"Inner": ["written.md"]}]}],
            [
                {"Us": [{"Inner": ["written.md", "two.md", "three.md"]}]},
                {"Protocol": ["list.md", "one.md"]},
            ],
            id="a page inside another section",
        ),
    ],
)
def test_pages_are_in_their_sections(written: list[Any], filled: list[Any]) -> None:
    assert with_pages(written, PAGES) == filled
