"""The search in a real browser: keys, focus, odd input; tests/docgen/site has the queries."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.docgen.sites import hostile_site, own_site
from tests.e2e.browsers import IN_BROWSER, opened, overflow, served
from tests.e2e.waiting import expect

pytestmark = IN_BROWSER

FIRST = """query => wirebookFinder.grouped(query).flatMap(group => group.items.slice(0, 6)).slice(0, 3)"""


TIMED = """query => {
  const start = performance.now();
  wirebookFinder.grouped(query);
  return performance.now() - start;
}"""


def started(page: Any, base: str, path: str = "") -> None:
    """Open a page and the search in it, with its index."""
    page.goto(base + path, wait_until="load")
    page.keyboard.press("/")
    page.wait_for_selector(".wb-find[data-ready]")


@pytest.mark.long
def test_a_version_in_a_release_is_answered(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        started(page, base)
        assert page.evaluate(FIRST, "Fetch 2.8")[0]["title"] == "Fetch in 2.8: versions 0\u201312"
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


def test_more_answers_of_a_kind_and_the_full_text(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        started(page, base)
        page.keyboard.type("topic")
        page.wait_for_selector(".wb-find [data-more=field]")
        before = page.locator(".wb-find [role=option]").count()
        page.locator(".wb-find [data-more=field]").click()
        expect(page.locator(".wb-find [data-more=field]")).to_have_count(0)
        assert page.locator(".wb-find [role=option]").count() > before + 20
        page.fill(".wb-find input", "coordinator closes the connection")
        text = page.locator(".wb-find [role=group][aria-labelledby=wb-find-text] [role=option]")
        expect(text.first).to_be_visible()
        address = text.first.get_attribute("href")
        text.first.click()
        page.wait_for_url(str(address))
        assert wrong == []


@pytest.mark.long
def test_one_index_is_loaded_when_the_search_is_used(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
        page.goto(base + "api/metadata/", wait_until="load")
        page.wait_for_timeout(300)
        assert not {"search-data.js", "search.js", "search_index.json"} & set(asked)
        page.keyboard.press("/")
        page.keyboard.type("leader epoch")
        page.wait_for_selector(".wb-find [role=option]")
        assert asked.count("search-data.js") == asked.count("search.js") == 1
        assert "search_index.json" not in asked
        assert wrong == []


def test_a_link_to_a_search_opens_it(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(f"{base}?q=Fetch+12", wait_until="load")
        first = page.locator(".wb-find [role=option]").first
        expect(first).to_have_attribute("href", re.compile(r"/api/fetch/#v12$"))
        assert wrong == []


@pytest.mark.long
def test_a_misspelt_query_and_one_without_an_answer(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        started(page, base)
        status = page.locator(".wb-find [role=status]")
        page.keyboard.type("Heartbaet")
        expect(status).to_contain_text("results for \u201cheartbeat\u201d.")
        page.fill(".wb-find input", "Hxartbxxt")
        expect(status).to_contain_text("Nothing matches.")
        like = page.locator(".wb-find [data-query]").first
        expect(like).to_have_text("Heartbeat")
        page.keyboard.press("Enter")
        expect(page.locator(".wb-find input")).to_have_value("Heartbeat")
        expect(page.locator(".wb-find [role=option]").first).to_have_attribute(
            "href", re.compile("api/heartbeat/")
        )
        page.fill(".wb-find input", "\u6d88\u606f")
        expect(status).to_have_text("Nothing matches. The reference is in English.")
        page.fill(".wb-find input", "x " * 5_000)
        expect(status).to_contain_text("Only the first 200 characters")
        assert wrong == []


# A page of each kind.
KINDS = (
    "api/fetch/",
    "decode/",
    "404.html",
    "",
    "api/",
    "api/fetch/v12/",
    "api/describe-transactions/v0/",
    "levels/",
    "releases/4.0/",
    "matrix/",
    "errors/",
    "kips/",
    "kips/kip-516/",
    "rules/",
    "check/",
)
FOCUS = """() => {
  const at = document.activeElement, box = at.getBoundingClientRect();
  return { name: at.className, tag: at.tagName, seen: box.width > 0 && box.height > 0,
    inside: !!at.closest(".md-content"), dialog: !!document.querySelector("dialog[open]") };
}"""


@pytest.mark.parametrize(
    ("width", "kinds"),
    [
        pytest.param(390, KINDS[:1], id="390"),
        *(pytest.param(width, KINDS, marks=pytest.mark.long, id=f"{width}-all") for width in (390, 1280)),
    ],
)
def test_tab_alone_walks_every_kind_of_page(browser: Any, width: int, kinds: tuple[str, ...]) -> None:
    """The first stop skips the header, the search is one stop, and no stop opens anything."""
    with served(own_site()) as base, opened(browser, base, width, "light") as (page, wrong):
        for kind in kinds:
            page.goto(base + kind, wait_until="load")
            page.keyboard.press("Tab")
            assert "md-skip" in page.evaluate(FOCUS)["name"], kind
            stops = []
            for _ in range(20):
                page.keyboard.press("Tab")
                stop = page.evaluate(FOCUS)
                assert not stop["dialog"], (kind, stop)
                stops.append(stop)
            assert sum("wb-search" in stop["name"] for stop in stops) == 1, kind
            page.goto(base + kind, wait_until="load")
            page.keyboard.press("Tab")
            page.keyboard.press("Enter")
            page.keyboard.press("Tab")
            stop = page.evaluate(FOCUS)
            assert stop["inside"] or not page.locator(".md-content a").count(), (kind, stop)
        # Only the page of lost addresses is not found.
        assert [text for text in wrong if "404" not in text] == []


@pytest.mark.long
def test_escape_returns_the_focus_to_where_it_was(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 1280, "light") as (page, wrong):
        page.goto(base + "api/fetch/", wait_until="load")
        link = page.locator(".wb-jump a").first
        link.focus()
        page.keyboard.press("/")
        page.keyboard.type("metadata")
        page.wait_for_selector(".wb-find [role=option]")
        page.keyboard.press("Escape")
        expect(link).to_be_focused()
        button = page.locator(".wb-search")
        button.focus()
        expect(page.locator("dialog[open]")).to_have_count(0)
        for key in ("Enter", "Space", "ArrowDown"):
            page.keyboard.press(key)
            expect(page.locator(".wb-find input")).to_be_focused()
            page.keyboard.press("Escape")
            expect(button).to_be_focused()
        page.keyboard.press("Tab")
        expect(page.locator("dialog[open]")).to_have_count(0)
        assert wrong == []


def test_without_scripts_a_page_names_what_replaces_the_search(browser: Any) -> None:
    with served(own_site()) as base:
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(base + "api/fetch/", wait_until="load")
        expect(page.locator(".wb-noscript")).to_be_visible()
        expect(page.locator(".wb-search")).not_to_be_visible()
        page.locator(".wb-noscript a").click()
        page.wait_for_url(base + "api/")
        context.close()


@pytest.mark.parametrize("width", [390, pytest.param(1440, marks=pytest.mark.long)])
def test_the_button_in_the_header_opens_it(browser: Any, width: int) -> None:
    with served(own_site()) as base, opened(browser, base, width, "dark") as (page, wrong):
        page.goto(base, wait_until="load")
        button = page.locator(".wb-search").first
        button.click()
        expect(page.locator(".wb-find input")).to_be_focused()
        page.keyboard.type("error 6")
        first = page.locator(".wb-find [role=option]").first
        expect(first).to_have_text(re.compile(r"^\s*NOT_LEADER_OR_FOLLOWER \(6\)"))
        assert overflow(page) <= 0
        page.keyboard.press("Escape")
        expect(button).to_be_focused()
        assert wrong == []


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("x" * 10_000, id="a long word", marks=pytest.mark.long),
        pytest.param("ab " * 3_333, id="many words", marks=pytest.mark.long),
        pytest.param("(((" * 3_000, id="many signs", marks=pytest.mark.long),
        pytest.param("\u202e<img src=x onerror=alert(1)>", id="markup"),
        *(pytest.param(sign, marks=pytest.mark.long) for sign in "-~"),
    ],
)
def test_odd_queries_are_answered_at_once(browser: Any, query: str) -> None:
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        started(page, base)
        assert page.evaluate(TIMED, query) < 1000
        page.fill(".wb-find input", query)
        expect(page.locator(".wb-find [role=status]")).not_to_be_empty()
        assert page.locator(".wb-find img").count() == 0
        assert wrong == []


@pytest.mark.parametrize(
    "word",
    ["script", *(pytest.param(word, marks=pytest.mark.long) for word in ("Harm", "release", "W" * 40))],
)
def test_hostile_names_stay_text(browser: Any, word: str) -> None:
    with served(hostile_site()) as base, opened(browser, base, 390, "light") as (page, wrong):
        started(page, base)
        page.keyboard.type(word)
        page.wait_for_selector(".wb-find [role=option]", state="attached")
        assert page.locator(".wb-find :is(img, script, b)").count() == 0
        wide, fits = page.evaluate(
            "[document.querySelector('.wb-find').scrollWidth, document.querySelector('.wb-find').clientWidth]"
        )
        assert wide <= fits
        assert wrong == []


def test_it_works_in_a_site_opened_as_files(browser: Any) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto((own_site() / "index.html").as_uri(), wait_until="load")
    page.keyboard.press("/")
    page.keyboard.type("Fetch 12")
    page.wait_for_selector(".wb-find [role=option]")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"file://.*/api/fetch/index\.html#v12$"))
    expect(page.locator("#v12")).to_be_visible()
    context.close()
