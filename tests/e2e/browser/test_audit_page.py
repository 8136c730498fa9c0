"""The page of an audit in a real browser: whole on a phone, in light and in dark, and harmless."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.docgen.render.audits import MANIFEST, hostile, row, summary
from tests.e2e.browsers import IN_BROWSER, opened, overflow
from tests.e2e.contrast import FAINT
from wirebook.docgen.render.review.audit import audit_page

pytestmark = IN_BROWSER
COUNTS = {"error": 7, "warning": 0, "info": 12}


def full() -> str:
    """A page with everything on it, and names as long as there are any."""
    long = "field-removed-from-released-version"
    name = "AVeryLongNameOfAMessageThatGoesOnAndOnRequest"
    found = row(rule=long, message=f"{name} is gone", message_name=name, field="Topics.Partitions.Records")
    told = summary(
        by_rule=[{"rule": long, "commits": COUNTS, "releases": COUNTS}],
        by_release=[{"release": "10.20.30-rc4", "date": "2026-01-31", "against": "10.20.29", **COUNTS}],
        over_time=[
            {"month": f"{year}-{month:02}", **COUNTS} for year in range(2010, 2026) for month in (1, 7)
        ],
        worst=[
            {"commit": "1" * 40, "date": "2026-01-31", "subject": "x" * 90, "rules": [long] * 4, **COUNTS}
        ],
    )
    return audit_page(MANIFEST, told, [found, replace(found, kind="release")], name)


FURTHER = [(360, "light"), (1440, "light"), (1440, "dark")]


@pytest.mark.parametrize(
    ("width", "scheme"), [(360, "dark"), *(pytest.param(*how, marks=pytest.mark.long) for how in FURTHER)]
)
@pytest.mark.parametrize("page_text", [full(), hostile()], ids=["full", "hostile"])
def test_the_page_is_whole(browser: Any, tmp_path: Path, page_text: str, width: int, scheme: str) -> None:
    place = tmp_path / "index.html"
    place.write_text(page_text, encoding="utf-8")
    with opened(browser, f"file://{tmp_path}", width, scheme) as (page, wrong):
        page.goto(place.as_uri(), wait_until="load")
        page.evaluate("document.querySelectorAll('details').forEach((part) => part.open = true)")
        assert overflow(page) <= 0
        ink, paper = page.evaluate(
            "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
        )
        assert (sum(map(int, paper[4:-1].split(","))) < sum(map(int, ink[4:-1].split(",")))) == (
            scheme == "dark"
        )
        faint = FAINT.replace(".md-content *, .md-header *, .md-tabs *", "body *")
        assert faint != FAINT
        assert page.evaluate(faint) == []
        assert wrong == []
