"""The contents of the page of a review."""

from __future__ import annotations

from wirebook.docgen.render.review.html import LISTED, _Page


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
