"""The page that compares versions and releases, in a real browser: links, keys, what is not there."""

from __future__ import annotations

from typing import Any

import pytest

from tests.docgen.sites import own_site
from tests.e2e.test_browser import CHROMIUM, browser, opened, served

__all__ = ["browser"]

pytestmark = [
    pytest.mark.xdist_group("site"),
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on PATH"),
]


def status(page: Any, part: str) -> str:
    """What the page says of one of its parts, once it says something."""
    page.wait_for_function("part => document.getElementById(`wb-${part}-status`).textContent", arg=part)
    text: str = page.locator(f"#wb-{part}-status").inner_text()
    return text


@pytest.mark.parametrize("width", [390, 1440])
def test_two_versions_side_by_side(browser: Any, width: int) -> None:
    with served(own_site()) as base, opened(browser, base, width, "light") as (page, wrong):
        page.goto(f"{base}compare/#api=fetch&from=11&to=13")
        assert (
            status(page, "versions")
            == "Fetch from version 11 to 13, request: 8 changes; response: 7 changes."
        )
        table = page.locator(".wb-beside").first
        row = table.locator("tr", has=page.get_by_role("link", name="TopicId", exact=True)).first
        assert "+ added" in row.inner_text()
        assert row.locator("a").first.get_attribute("href").endswith("/api/fetch/#v13-topics-topicid")
        gone = table.locator("tr", has=page.get_by_role("link", name="Topic", exact=True)).first
        assert "− removed" in gone.inner_text()
        assert gone.locator("a").first.get_attribute("href").endswith("/api/fetch/#v11-topics-topic")
        page.locator("input[name=differing]").press("Space")
        assert table.locator("tr:visible", has_text="MaxWaitMs").count() == 0
        wide, fits = page.evaluate(
            "[document.scrollingElement.scrollWidth, document.scrollingElement.clientWidth]"
        )
        assert wide <= fits
        assert wrong == []


def test_two_levels_or_releases(browser: Any) -> None:
    """Our own specs have protocol levels; the links of a level lead here."""
    with served(own_site()) as base, opened(browser, base, 390, "dark") as (page, wrong):
        page.goto(f"{base}api-versions/4.0-IV3/")
        page.get_by_role("link", name="Compare with any other").press("Enter")
        told = status(page, "releases")
        before = page.locator("#wb-releases select[name=from]").input_value()
        assert told.startswith(f"From {before} to 4.0-IV3: ")
        page.goto("about:blank")
        page.goto(f"{base}compare/#from=3.7-IV4&to=4.0-IV3")
        assert "APIs added" in status(page, "releases")
        assert page.locator("#wb-releases-result a[href*='/api/fetch/#v']").count() >= 1
        page.locator("#wb-releases-result a", has_text="Schemas of").first.click()
        assert " from version " in status(page, "versions")
        page.goto("about:blank")
        page.goto(f"{base}compare/#from=3.7-IV4&to=9.9-IV9")
        assert status(page, "releases").startswith(
            "There is no protocol level “9.9-IV9” here. Nearest: 3.7-IV4 and "
        )
        page.get_by_role("button", name="Compare 3.7-IV4 with").press("Enter")
        page.wait_for_selector("#wb-releases-result table")
        assert "to=9.9" not in page.url
        assert wrong == []


def test_what_is_not_there_and_the_keyboard(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(f"{base}compare/#api=fetch&from=99&to=3")
        told = "Fetch has no version 99 here; it has 0–18. Nearest: 18 and 3."
        assert status(page, "versions") == told
        page.get_by_role("button", name="Compare 18 with 3").press("Enter")
        page.wait_for_selector(".wb-beside")
        page.goto("about:blank")
        page.goto(f"{base}compare/#api=%3Cimg%20src=x%20onerror=alert(1)%3E")
        assert status(page, "versions").startswith(
            "There is no API or message “<img src=x onerror=alert(1)>” here."
        )
        page.goto(f"{base}api/metadata/")
        page.get_by_role("link", name="Compare versions").last.press("Enter")
        assert status(page, "versions").startswith("Metadata from version 12 to 13, ")
        page.locator("#wb-versions select[name=from]").focus()
        page.keyboard.press("ArrowDown")
        page.wait_for_function("() => location.hash === '#api=metadata&from=11&to=13'")
        assert wrong == []
        context = browser.new_context(java_script_enabled=False)
        plain = context.new_page()
        plain.goto(f"{base}compare/")
        assert "needs JavaScript" in plain.locator("noscript").inner_text()
        assert not plain.locator("#wb-versions").is_visible()
        context.close()
