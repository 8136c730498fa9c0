"""The site in a real browser: nothing fails, nothing is fetched elsewhere, nothing sticks out of
the page."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.docgen.sites import hostile_site, own_site
from tests.e2e.browsers import IN_BROWSER, in_each_scheme, opened, overflow, served
from tests.e2e.waiting import expect, expect_value

pytestmark = IN_BROWSER
PAGES = [
    "", "api/", "api/fetch/", "api/fetch/#v12-topics-partitions", "api/metadata/", "levels/",
    "releases/4.0/", "matrix/", "types/", "headers/", "errors/", "tags/", "deprecations/", "format/",
    "bytes/", "api/fetch/v12/", "api/metadata/v12/",
    "reading/", "kip-482/", "kip-35/", "unsupported/", "features/", "negotiate/",
    "negotiate/#client=kio&broker=4.3&broker=2.8", "appendix/",
    "kips/", "kips/kip-516/",
]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1440, "light")])
def test_pages_are_whole(browser: Any, width: int, scheme: str) -> None:
    """Each is loaded narrow and dark and wide and light, and then shown in the other scheme."""
    with served(own_site()) as base, opened(browser, base, width, scheme) as (page, wrong):
        for path in PAGES:
            page.emulate_media(color_scheme=scheme)
            page.goto(base + path, wait_until="load")
            for shown in in_each_scheme(page, scheme):
                assert overflow(page) <= 0, (path, shown)
                assert wrong == [], (path, shown)


@pytest.mark.parametrize("width", [390, pytest.param(1440, marks=pytest.mark.long)])
def test_hostile_text_does_nothing_and_fits(browser: Any, width: int) -> None:
    """Texts, defaults and comments of specs, and the tags of releases."""
    site = hostile_site()
    pages = [
        path.parent.relative_to(site).as_posix() + "/"
        for path in sorted(site.glob("api/**/index.html"))
        + sorted(site.glob("releases/**/index.html"))
    ]
    assert sum(path.startswith("releases/1.") for path in pages) == 4
    with served(site) as base, opened(browser, base, width, "light") as (page, wrong):
        for path in ("", "api/harm/#v0", "matrix/", "tags/", "deprecations/", *pages):
            page.goto(base + path, wait_until="load")
            assert overflow(page) <= 0, path
            assert wrong == [], path


def test_the_policy_stops_what_gets_into_a_page(browser: Any) -> None:
    """Were a text to get out, it could neither run, nor load, nor send anything."""
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, _):
        page.goto(base + "api/api-versions/", wait_until="load")
        page.evaluate("""() => {
            window.ran = [];
            const box = document.createElement("div");
            const event = (of, kind) =>
              new Promise((done) => box.querySelector(of).addEventListener(kind, done));
            box.innerHTML = `<img src=x onerror="ran.push('handler')">
              <iframe srcdoc="<script>parent.ran.push('frame')</script>"></iframe>
              <a id=bad href="javascript:ran.push('link')">x</a><base href="https://elsewhere.invalid/">`;
            const settled = Promise.all([event("img", "error"), event("iframe", "load")]);
            document.body.append(box);
            const inline = document.createElement("script");
            inline.textContent = "ran.push('inline')";
            document.body.append(inline);
            box.querySelector("#bad").click();
            return settled.then(() => null);
        }""")
        blocked = page.evaluate(
            "fetch('https://elsewhere.invalid/').then(() => 'sent', () => 'refused')"
        )
        page.wait_for_timeout(300)
        assert page.evaluate("[ran, new URL('x', document.baseURI).hostname]") == [[], "127.0.0.1"]
        assert blocked == "refused"


@pytest.mark.long
def test_a_site_works_under_its_policy_from_a_file(browser: Any) -> None:
    context = browser.new_context()
    page = context.new_page()
    wrong: list[str] = []
    page.on(
        "console",
        lambda message: wrong.append(message.text) if "Content Security" in message.text else None,
    )
    page.goto((own_site() / "api" / "fetch" / "index.html").as_uri(), wait_until="load")
    expect(page.locator(".wb-choice")).to_be_visible()
    assert (
        page.evaluate("getComputedStyle(document.querySelector('.md-header')).position") == "sticky"
    )
    assert wrong == []
    context.close()


def test_a_link_to_a_field_of_an_old_version_leads_to_its_page(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(base + "api/fetch/#v12-topics-partitions", wait_until="load")
        expect_value(page, lambda: page.url, base + "api/fetch/v12/#v12-topics-partitions")
        row = page.locator("#v12-topics-partitions")
        expect(row).to_be_visible()
        assert row.inner_text().split()[0] == "Partitions"
        assert wrong == []


def test_a_release_is_chosen_once(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(base + "api/fetch/", wait_until="load")
        page.select_option(".wb-choice", "2.8")
        expect_value(page, lambda: page.url, base + "api/fetch/v12/?release=2.8")
        page.goto(base + "api/metadata/", wait_until="load")
        expect_value(page, lambda: page.url, base + "api/metadata/v11/?release=2.8")
        # The page of the API itself stays one step away.
        with page.expect_navigation(url=base + "api/metadata/"):
            page.click(".wb-path a[href='../']")
        with page.expect_navigation(url=base + "api/metadata/"):
            page.select_option(".wb-choice", "")
        page.goto(base + "api/fetch/?release=3.9", wait_until="load")
        expect_value(page, lambda: page.url, base + "api/fetch/v17/?release=3.9")
        assert wrong == []


def test_the_matrix_compares_the_columns_that_are_shown(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(base + "matrix/#column=4.0&column=3.0", wait_until="load")
        fetch = page.locator("#wb-matrix tbody tr:nth-child(2) td:visible")
        expect(fetch).to_have_text(["4-17", "0-12"])
        expect(fetch.first).to_have_class(re.compile(r"^(?=.*\bnew\b)(?=.*\bcut\b)"))
        expect(fetch.last).not_to_have_class(re.compile("new|cut"))
        assert wrong == []


def test_a_maintenance_release_has_a_place_of_its_own(browser: Any) -> None:
    """4.0.1 serves JoinGroup 0 and 1 again: in the matrix, the comparison, and what to choose."""
    with served(own_site()) as base, opened(browser, base, 1920, "light") as (page, wrong):
        page.goto(base + "matrix/", wait_until="load")
        heads = page.locator("#wb-matrix thead th")
        box = page.locator(".wb-tall").bounding_box()
        fits = [each for each in heads.all() if _right(each) <= box["x"] + box["width"]]
        assert len(fits) > 16
        page.emulate_media(media="print")
        expect(page.locator("#wb-matrix thead th:visible")).to_have_count(13)
        page.emulate_media(media="screen")
        heads.get_by_role("link", name="4.0.1", exact=True).click()
        expect(page.locator("#at-4-0-1")).to_contain_text("JoinGroup 0-9")
        page.get_by_role("link", name="Compare both").click()
        expect(page.locator("#wb-releases-result tbody tr")).to_have_text(
            re.compile(r"JoinGroup \(11\).*adds 0\u20131")
        )
        page.goto(base + "api/join-group/", wait_until="load")
        for name, range_ in {"4.0": "4.0: 2-9", "4.0.1": "4.0.1: 0-9"}.items():
            expect(page.locator(f".wb-choice option[value='{name}']")).to_have_text(range_)
        assert wrong == []


def _right(cell: Any) -> float:
    box: dict[str, float] = cell.bounding_box()
    return box["x"] + box["width"]


def test_the_filter_and_the_search_work(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(base + "matrix/", wait_until="load")
        page.fill("input.wb-filter", "joingr")
        shown = page.locator("#wb-matrix tbody tr:visible > th")
        expect(shown).to_have_text(["11 JoinGroup"])
        # A number is an API key. All words of a name, or else any of several.
        for text, rows in {
            "11": ["11 JoinGroup"],
            "offset commit": ["8 OffsetCommit", "28 TxnOffsetCommit"],
            "joingroup, syncgroup": ["11 JoinGroup", "14 SyncGroup"],
            "produce, fetch, list offsets": ["0 Produce", "1 Fetch", "2 ListOffsets"],
        }.items():
            page.fill("input.wb-filter", text)
            expect(shown).to_have_text(rows)
        page.click(".wb-search")
        expect(page.locator(".wb-find input")).to_be_focused()
        page.keyboard.type("LastFetchedEpoch", delay=10)
        first = page.locator(".wb-find [role=option]").first
        expect(first).to_have_attribute("href", re.compile("api/fetch/"))
        assert wrong == []
