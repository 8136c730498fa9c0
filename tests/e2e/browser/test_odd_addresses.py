"""Addresses with nonsense, 200 and 400 percent zoom, and forced colours: every kind of page stays usable."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

from tests.docgen.sites import own_site
from tests.e2e.browsers import IN_BROWSER, opened, overflow, served
from tests.e2e.waiting import PATIENCE, expect

pytestmark = IN_BROWSER
WITH_SCRIPTS = ("api/fetch/", "compare/", "decode/", "encode/", "negotiate/", "matrix/")
OTHERS = (
    "", "api/", "api/fetch/v12/", "api/produce/upgrade/", "releases/", "releases/4.0/", "errors/", "fields/",
    "kips/", "kips/kip-516/", "levels/", "types/", "tags/", "deprecations/", "data/", "features/", "flows/",
    "flows/classic-group/", "first-client/", "headers/", "rules/", "python/", "tutorial/", "proposals/",
)  # fmt: skip
NONSENSE = (
    "%E0%A4%A",
    "&&==%00&#&from",
    "%3Cscript%3Ealert(1)%3C/script%3E",
    "api=ἀρχή&from=٣&to=−1&version=NaN&client=💥&broker=∞",
    "api=fetch&version=1e9&from=1e9&to=-1&message=%22%3E%3Cimg src=x onerror=alert(1)%3E&hex=zz&own=%7B",
    "x" * 10_000,
    "broker=" * 1_000,
)


def check_addresses(browser: Any, paths: tuple[str, ...], fragments: tuple[str, ...]) -> None:
    with served(own_site()) as base, opened(browser, base, 820, "light") as (page, wrong):
        for path in paths:
            for fragment in fragments:
                page.goto("about:blank")
                page.goto(f"{base}{path}#{fragment}", wait_until="load")
                where = path, fragment[:40]
                assert wrong == [], where
                assert page.locator(".md-content h1").first.is_visible(), where
                assert page.locator(".md-content :is(script:not([src], [type]), img[src=x])").count() == 0, (
                    where
                )
                assert overflow(page) <= 0, where


def test_nonsense_after_the_hash(browser: Any) -> None:
    check_addresses(browser, WITH_SCRIPTS[1:4:2], NONSENSE[1:5:3])


@pytest.mark.long
def test_nonsense_after_the_hash_of_any_page(browser: Any) -> None:
    check_addresses(browser, WITH_SCRIPTS + OTHERS, NONSENSE)


MISSING = {
    "api/fetch/#v99": "Fetch has no version 99; it has 0–18.",
    "api/fetch/#v99-topics": "Fetch has no version 99; it has 0–18.",
    "api/fetch/#v12-nope": "There is no “v12-nope” on this page.",
    "api/fetch/?compare=99-abc": "Fetch has no version 99 and no version abc; it has 0–18.",
    "errors/#999": "There is no “999” on this page.",
    "fields/#nope": "There is no “nope” on this page.",
    "records/#??": "There is no “??” on this page.",
    "tutorial/#%3Cb%3E": "There is no “<b>” on this page.",
    "negotiate/#client=foo&broker=9.9&broker=4.0": (
        "There is no client “foo” here. There is no release “9.9” here. Of "
    ),
    "negotiate/#client=foo": "There is no client “foo” here. Choose at least one broker.",
    "decode/#api=xyz": "There is no API or message “xyz” here.",
    "compare/#api=xyz": "There is no API or message “xyz” here.",
}


# One of each kind.
SOME_MISSING = {
    address: MISSING[address] for address in ("api/fetch/?compare=99-abc", "errors/#999", "decode/#api=xyz")
}


@pytest.mark.parametrize("addresses", [SOME_MISSING, pytest.param(MISSING, marks=pytest.mark.long)], ids=len)
def test_an_address_of_something_missing_says_so(browser: Any, addresses: dict[str, str]) -> None:
    with served(own_site()) as base, opened(browser, base, 820, "light") as (page, wrong):
        for address, words in addresses.items():
            page.goto("about:blank")
            page.goto(base + address, wait_until="load")
            status = page.locator(".md-content [role=status]", has_text=words)
            expect(status).to_be_visible()
            expect(status).not_to_contain_text("Nearest")
        assert wrong == []


def test_the_words_on_something_missing_follow_the_address(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 820, "light") as (page, wrong):
        page.goto(f"{base}errors/#999", wait_until="load")
        status = page.locator(".md-content [role=status]")
        expect(status).to_have_text("There is no “999” on this page.")
        page.evaluate("location.hash = '998'")
        expect(status).to_have_text("There is no “998” on this page.")
        page.evaluate("location.hash = '16'")
        expect(status).to_have_count(0)
        expect(page.locator("#not-coordinator:target")).to_be_in_viewport()
        page.goto(f"{base}negotiate/#client=foo&broker=4.0", wait_until="load")
        page.locator("input[name=broker]").first.click()
        expect(page.locator("#wb-negotiate-status")).not_to_contain_text("foo")
        assert wrong == []


@contextlib.contextmanager
def shown(browser: Any, **how: Any) -> Iterator[Any]:
    context = browser.new_context(**how)
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


def check_zoom(browser: Any, paths: tuple[str, ...], percent: int) -> None:
    """A window of 1,280 by 1,024 points."""
    size = {"width": 1280 * 100 // percent, "height": 1024 * 100 // percent}
    with (
        served(own_site()) as base,
        shown(browser, viewport=size, device_scale_factor=percent / 100) as page,
    ):
        for path in paths:
            page.goto(base + path, wait_until="load")
            assert overflow(page) <= 0, path


@pytest.mark.long
def test_zoomed_pages_need_no_scrolling_to_the_side(browser: Any) -> None:
    check_zoom(browser, WITH_SCRIPTS[:2], 200)


@pytest.mark.long
@pytest.mark.parametrize("percent", [200, 400])
def test_zoomed_pages_of_any_kind_need_no_scrolling_to_the_side(browser: Any, percent: int) -> None:
    check_zoom(browser, WITH_SCRIPTS + OTHERS, percent)


HIDDEN_IN_FORCED_COLOURS = """() => {
  const canvas = getComputedStyle(document.body).backgroundColor, hidden = [];
  for (const each of document.querySelectorAll("a, button, input, select, textarea, summary")) {
    if (!each.checkVisibility({ visibilityProperty: true })) continue;
    const style = getComputedStyle(each);
    const field = each.matches("input:not([type=checkbox], [type=radio]), select, textarea");
    const isBare = field && style.borderTopWidth === "0px";
    if (style.color === canvas || isBare) hidden.push(each.outerHTML.slice(0, 90));
  }
  for (const each of document.querySelectorAll("svg.wb-history rect, svg.wb-lifeline rect")) {
    const style = getComputedStyle(each);
    const isBare = style.stroke === "none" || style.stroke === canvas;
    if (style.fill === canvas && isBare) hidden.push(each.outerHTML);
  }
  return hidden;
}"""


@pytest.mark.parametrize(
    ("scheme", "paths"),
    [
        ("dark", ("api/fetch/", "negotiate/")),
        pytest.param("dark", ("", *WITH_SCRIPTS), marks=pytest.mark.long),
        pytest.param("light", ("", *WITH_SCRIPTS), marks=pytest.mark.long),
    ],
)
def test_with_forced_colours_every_control_has_an_edge_or_a_text(
    browser: Any, scheme: str, paths: tuple[str, ...]
) -> None:
    with (
        served(own_site()) as base,
        shown(
            browser, forced_colors="active", color_scheme=scheme, viewport={"width": 1280, "height": 900}
        ) as page,
    ):
        for path in paths:
            page.goto(base + path, wait_until="load")
            assert page.evaluate("matchMedia('(forced-colors: active)').matches")
            assert page.evaluate(HIDDEN_IN_FORCED_COLOURS) == [], path
        page.goto(f"{base}encode/#api=fetch&version=17")
        text = page.locator('#wb-encode-fields input[data-at="MaxWaitMs"]')
        text.fill("soon")
        expect(text).to_have_attribute("aria-invalid", "true")
        edge = "each => getComputedStyle(each).outlineStyle + getComputedStyle(each).outlineWidth"
        assert text.evaluate(edge) == "solid2px"


UNSEEN_IN_FORCED_COLOURS = """([selector, pseudo]) => {
  const canvas = getComputedStyle(document.body).backgroundColor;
  return [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility()).filter((each) => {
    const style = getComputedStyle(each, pseudo);
    const isPainted = ![canvas, "rgba(0, 0, 0, 0)"].includes(style.backgroundColor);
    return !isPainted && style.backgroundImage === "none";
  }).map((each) => each.outerHTML.slice(0, 90));
}"""
SWATCH, BOX = (
    (".wb-kind", "::before"),
    (".md-content details:not(.wb-version, .wb-others) > summary", "::after"),
)
COPY = (".md-code__button[data-md-type=copy]", "::after")


@pytest.mark.long
def test_with_forced_colours_swatches_icons_and_the_current_page_remain(browser: Any) -> None:
    how = {"forced_colors": "active", "viewport": {"width": 1280, "height": 900}}
    with served(own_site()) as base, shown(browser, **how) as page:
        page.goto(base, wait_until="load")
        expect(page.locator(SWATCH[0])).not_to_have_count(0)
        assert page.evaluate(UNSEEN_IN_FORCED_COLOURS, list(SWATCH)) == []
        edge = "each => getComputedStyle(each).borderBottomStyle"
        assert page.locator(".md-tabs__item--active").evaluate(edge) == "solid"
        for path, thing in ("api/fetch/", BOX), ("tutorial/", COPY):
            page.goto(base + path, wait_until="load")
            expect(page.locator(thing[0]).first).to_be_attached()
            assert page.evaluate(UNSEEN_IN_FORCED_COLOURS, list(thing)) == [], path
        outline = "each => getComputedStyle(each).outlineStyle"
        assert page.locator(".wb-nav-list a[aria-current]").first.evaluate(outline) == "solid"


def test_without_scripts_no_search_is_offered(browser: Any) -> None:
    with served(own_site()) as base, shown(browser, java_script_enabled=False) as page:
        page.goto(base)
        expect(page.locator("noscript")).to_contain_text("The search needs JavaScript", use_inner_text=True)
        expect(page.locator(".wb-search")).to_be_hidden()
        expect(page.locator(".wb-ask")).to_be_hidden()
        expect(page.locator(".wb-egs")).to_be_hidden()
