"""The search in a real browser: keys, focus, odd input; tests/docgen/site has the queries."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.docgen.sites import own_site
from tests.e2e.browsers import IN_BROWSER, opened, served
from tests.e2e.waiting import expect

pytestmark = IN_BROWSER

FIRST = """query => wirebookFinder.grouped(query).flatMap(group => group.items.slice(0, 6)).slice(0, 3)"""


def started(page: Any, base: str, path: str = "") -> None:
    """Open a page and the search in it, with its index."""
    page.goto(base + path, wait_until="load")
    page.keyboard.press("/")
    page.wait_for_selector(".wb-find[data-ready]")


@pytest.mark.long
def test_a_version_in_a_release_is_answered(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        started(page, base)
        assert page.evaluate(FIRST, "Fetch 2.8")[0]["title"] == "Fetch in 2.8: versions 0-12"
        assert page.evaluate(FIRST, "Fetch 99")[0]["title"] == "Fetch has no version 99"
        assert wrong == []


def test_the_keyboard_is_enough(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
        page.goto(base + "api/metadata/", wait_until="load")
        assert "search-data.js" not in asked
        for keys in ("/", "k", "Control+k"):
            page.keyboard.press(keys)
            field = page.locator(".wb-find input")
            expect(field).to_be_visible()
            expect(field).to_be_focused()
            page.keyboard.press("Escape")
            expect(field).not_to_be_visible()
            # Chromium takes the focus from a hidden element only when it draws the next frame.
            expect(field).not_to_be_focused()
        page.keyboard.press("/")
        page.keyboard.type("topic_id")
        page.wait_for_selector(".wb-find [role=option]")
        expect(field).to_have_value("topic_id")
        assert asked.count("search-data.js") == 1
        expect(field).to_have_attribute("aria-expanded", "true")
        chosen = page.locator(".wb-find [role=option][aria-selected=true]")
        first = chosen.inner_text()
        expect(field).to_have_attribute("aria-activedescendant", chosen.get_attribute("id"))
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowUp")
        expect(chosen).to_have_text(re.compile("^TopicData.TopicId Produce request"))
        assert chosen.count() == 1
        assert chosen.inner_text() != first
        page.keyboard.press("Enter")
        page.wait_for_url("**/api/produce/#v13-topicdata-topicid")
        expect(page.locator("#v13-topicdata-topicid")).to_be_visible()
        assert wrong == []


@pytest.mark.long
def test_a_misspelt_query_and_one_without_an_answer(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        started(page, base)
        status = page.locator(".wb-find [role=status]")
        page.keyboard.type("Heartbaet")
        expect(page.locator(".wb-find [role=option]").first).to_have_attribute(
            "href", re.compile("api/heartbeat/")
        )
        page.fill(".wb-find input", "Hxartbxxt")
        expect(status).to_contain_text("Nothing matches.")
        page.fill(".wb-find input", "\u6d88\u606f")
        expect(status).to_have_text("Nothing matches. The reference is in English.")
        page.fill(".wb-find input", "x " * 5_000)
        expect(status).to_contain_text("Only the first 200 characters")
        assert wrong == []
