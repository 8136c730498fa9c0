"""The sidebar in a real browser: the filter, the page that one is on, the drawer, and no scripts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.docgen.sites import own_site
from tests.e2e.browsers import IN_BROWSER, opened, served
from tests.e2e.waiting import expect, expect_value

pytestmark = IN_BROWSER
# Whether the marked link is within the box that scrolls.
IN_VIEW = """() => {
  const link = document.querySelector(".wb-nav [aria-current]").getBoundingClientRect();
  const box = document.querySelector(".md-sidebar--primary .md-sidebar__scrollwrap").getBoundingClientRect();
  return link.top >= box.top && link.bottom <= Math.min(box.bottom, innerHeight);
}"""


@pytest.mark.parametrize(
    "width", [pytest.param(1240, marks=pytest.mark.long), 1440, pytest.param(2200, marks=pytest.mark.long)]
)
def test_the_page_that_one_is_on_is_in_view(browser: Any, width: int) -> None:
    with served(own_site()) as base, opened(browser, base, width, "light") as (page, wrong):
        for path, title in (
            ("api/add-raft-voter/", "AddRaftVoter"),
            ("rules/", "Rules of the check"),
            ("", "Home"),
        ):
            page.goto(base + path, wait_until="load")
            expect(page.locator(".wb-nav [aria-current]")).to_have_text([title])
            page.wait_for_function(IN_VIEW)
            page.wait_for_timeout(200)  # and nothing moves it away
            assert page.evaluate(IN_VIEW), path
        # There is room for a request beside its response.
        page.goto(base + "api/fetch/", wait_until="load")
        first, second = (page.locator(".wb-pair > *").nth(at).bounding_box() for at in (0, 1))
        assert first["y"] == second["y"]
        assert second["x"] > first["x"] + 400
        assert wrong == []


def test_the_filter_finds_names_and_keys(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 1440, "dark") as (page, wrong):
        page.goto(base + "api/fetch/", wait_until="load")
        field = page.locator(".wb-nav-filter input")
        expect(field).to_be_visible()
        shown = page.locator(".wb-nav-list li:visible > a")
        before = shown.count()
        field.fill("offset_fetch")
        expect_value(page, shown.all_inner_texts, ["APIs", "OffsetFetch"])
        field.fill("36")
        expect_value(page, shown.all_inner_texts, ["APIs", "SaslAuthenticate"])
        field.fill("waiv")
        expect_value(page, shown.all_inner_texts, ["Waivers"])
        field.fill("x" * 10_000)
        expect(shown).to_have_count(0)
        field.fill("")
        expect(shown).to_have_count(before)
        assert wrong == []


@pytest.mark.long
def test_it_is_in_the_drawer_of_a_phone(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 390, "light") as (page, wrong):
        page.goto(base + "versions/", wait_until="load")
        page.locator("label[for=__drawer].md-header__button").click()
        page.locator(".wb-nav-toc summary").click()
        expect(page.locator(".wb-nav-toc a").nth(2)).to_be_visible()
        page.locator(".wb-nav summary", has_text="Transactions").click()
        page.locator(".wb-nav a", has_text="InitProducerId").click()
        page.wait_for_url("**/api/init-producer-id/")
        assert wrong == []


@pytest.mark.long
def test_it_needs_no_scripts(browser: Any) -> None:
    with served(own_site()) as base:
        context = browser.new_context(java_script_enabled=False, viewport={"width": 1440, "height": 900})
        page = context.new_page()
        page.goto(base + "api/fetch/v12/")
        expect(page.locator(".wb-nav [aria-current=true]")).to_have_text("Fetch")
        assert page.locator(".wb-nav-filter").count() == 0
        page.locator(".wb-nav summary", has_text="KRaft").click()
        page.locator(".wb-nav a", has_text="AlterPartition").last.click()
        page.wait_for_url("**/api/alter-partition/")
        context.close()
