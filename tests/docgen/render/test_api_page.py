"""The page of an API: what each part of it says of deprecated and of unstable versions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.plain import build
from tests.docgen.histories import field, inputs, request
from wirebook.docgen.render.pages.book import Book


@pytest.fixture
def page(tmp_path: Path) -> str:
    """The page of an API with versions 0 and 1 deprecated and version 4 unstable in the newest release."""
    plain = request("Foo", 3, "0-3", field("A"))
    marked = request("Foo", 3, "0-4", field("A"), deprecatedVersions="0-1", latestVersionUnstable=True)
    build(inputs({"1.0.0": [plain], "1.1.0": [marked]}), tmp_path)
    return next(str(page.html) for page in Book.of(tmp_path).pages() if page.path == "api/foo/")


def test_the_lifeline_paints_each_state(page: str) -> None:
    bar = r'<rect class="(\w+)"[^>]*><title>version (\d+): (\w+), (\S+) to (\S+)</title>'
    painted = re.findall(bar, page)
    assert painted == [
        ("unstable", "4", "unstable", "1.1.0", "1.1.0"),
        ("current", "3", "current", "1.0.0", "1.1.0"),
        ("current", "2", "current", "1.0.0", "1.1.0"),
        ("current", "1", "current", "1.0.0", "1.0.0"),
        ("deprecated", "1", "deprecated", "1.1.0", "1.1.0"),
        ("current", "0", "current", "1.0.0", "1.0.0"),
        ("deprecated", "0", "deprecated", "1.1.0", "1.1.0"),
    ]
    assert re.findall(r'<span class="wb-k (\w+)">', page) == ["current", "deprecated", "unstable"]


def test_the_badges_the_bar_and_the_table_say_the_same(page: str) -> None:
    states = ["unstable", "current", "current", "deprecated", "deprecated"]
    assert '<span class="wb-b wb-current">versions 0-4</span>' in page
    assert '<span class="wb-b wb-unstable">4 unstable</span>' in page
    assert re.findall(r'<a class="wb-at-(\w+)" href="#v(\d)"', page) == [
        (state, str(number)) for state, number in zip(states, (4, 3, 2, 1, 0), strict=True)
    ]
    table = page.partition('<table class="wb-versions')[2].partition("</table>")[0]
    assert re.findall(r'<td><span class="wb-b wb-\w+">(\w+)</span>', table) == states
