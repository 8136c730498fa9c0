"""The page that compares versions and releases, in a real browser: links, keys, what is not
there."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.docgen.sites import own_site
from tests.e2e.browsers import IN_BROWSER, opened, overflow, served
from tests.e2e.waiting import expect

pytestmark = IN_BROWSER


def expect_status(page: Any, part: str, status: str | re.Pattern[str]) -> None:
    """Wait until the page says this of one of its parts."""
    expect(page.locator(f"#wb-{part}-status")).to_have_text(status)


def begins(status: str) -> re.Pattern[str]:
    return re.compile(rf"^\s*{re.escape(status)}")


@pytest.mark.parametrize("width", [390, pytest.param(1440, marks=pytest.mark.long)])
def test_two_versions_side_by_side(browser: Any, width: int) -> None:
    with served(own_site()) as base, opened(browser, base, width, "light") as (page, wrong):
        page.goto(f"{base}compare/#api=fetch&from=11&to=13")
        status = "Fetch from version 11 to 13, request: 8 changes; response: 7 changes."
        expect_status(page, "versions", status)
        table = page.locator(".wb-beside").first
        row = table.locator("tr", has=page.get_by_role("link", name="TopicId", exact=True)).first
        expect(row).to_contain_text("+ added")
        assert (
            row.locator("a")
            .first.get_attribute("href")
            .endswith("/api/fetch/v13/#v13-topics-topicid")
        )
        gone = table.locator("tr", has=page.get_by_role("link", name="Topic", exact=True)).first
        expect(gone).to_contain_text("− removed")
        assert (
            gone.locator("a")
            .first.get_attribute("href")
            .endswith("/api/fetch/v11/#v11-topics-topic")
        )
        expect(table.locator("tr:visible", has_text="MaxWaitMs")).not_to_have_count(0)
        page.locator("input[name=differing]").press("Space")
        expect(table.locator("tr:visible", has_text="MaxWaitMs")).to_have_count(0)
        assert overflow(page) <= 0
        assert wrong == []


@pytest.mark.long
def test_two_releases(browser: Any) -> None:
    """The links of a release lead here, and those of sites with patch releases and levels work,
    too."""
    with served(own_site()) as base, opened(browser, base, 390, "dark") as (page, wrong):
        page.goto(f"{base}releases/4.0/")
        page.get_by_role("link", name="Compare with another release").press("Enter")
        expect_status(page, "releases", re.compile(r"^From \S+ to 4\.0: "))
        before = page.locator("#wb-releases select[name=from]").input_value()
        expect_status(page, "releases", begins(f"From {before} to 4.0: "))
        page.goto("about:blank")
        page.goto(f"{base}compare/#from=3.9.0&to=4.0.0")
        expect_status(
            page,
            "releases",
            begins("From 3.9 to 4.0: 0 APIs added, 4 removed, 33 with other versions;"),
        )
        expect(page.locator("#wb-releases-result a[href*='/api/fetch/v']")).not_to_have_count(0)
        page.locator("#wb-releases-result a", has_text="Schemas of").first.click()
        expect_status(page, "versions", re.compile(" from version "))
        page.goto("about:blank")
        page.goto(f"{base}compare/#from=3.7-IV4&to=9.9")
        expect_status(page, "releases", "There is no release “9.9” here.")
        expect(page.locator("#wb-releases select[name=from]")).to_have_value("3.7")
        assert wrong == []
