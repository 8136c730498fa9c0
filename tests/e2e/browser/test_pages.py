"""The site in a real browser: nothing fails, nothing is fetched elsewhere, nothing sticks out of the page."""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.docgen.histories import field, inputs, request
from tests.docgen.render.lined import lined_page
from tests.docgen.sites import HOSTILE, hostile_site, own_site
from tests.e2e.browsers import IN_BROWSER, in_each_scheme, opened, overflow, search, served
from tests.e2e.waiting import expect, expect_value
from tests.support import ROOT
from wirebook.docgen.pipeline.run import build
from wirebook.docgen.site.build import render_site

pytestmark = IN_BROWSER
PAGES = [
    "", "api/", "api/fetch/", "api/fetch/#v12-topics-partitions", "api/metadata/", "levels/",
    "releases/4.0/", "matrix/", "types/", "headers/", "errors/", "tags/", "deprecations/", "format/",
    "bytes/", "api/fetch/v12/", "api/metadata/v12/",
    "reading/", "kip-482/", "kip-35/", "unsupported/", "features/", "negotiate/",
    "negotiate/#client=kio&broker=4.3&broker=2.8", "proposals/", "proposals/metadata-api-version/",
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


@pytest.mark.long
def test_a_row_of_a_hand_written_table_is_a_card_on_a_phone(browser: Any) -> None:
    from playwright.sync_api import expect

    label = "td => getComputedStyle(td, '::before').content"
    for width, shown, content in ((390, "block", '"type: "'), (1440, "table-cell", "none")):
        with served(own_site()) as base, opened(browser, base, width, "light") as (page, wrong):
            page.goto(base + "headers/", wait_until="load")
            cell = page.locator("td[data-is=type]").first
            expect(cell).to_have_css("display", shown)
            assert cell.evaluate(label) == content
            assert wrong == []


@pytest.mark.parametrize("width", [390, pytest.param(1440, marks=pytest.mark.long)])
def test_hostile_text_does_nothing_and_fits(browser: Any, width: int) -> None:
    """Texts, defaults and comments of specs, and the tags of releases."""
    site = hostile_site()
    pages = [
        path.parent.relative_to(site).as_posix() + "/"
        for path in sorted(site.glob("api/**/index.html")) + sorted(site.glob("releases/**/index.html"))
    ]
    assert sum(path.startswith("releases/1.") for path in pages) == 4
    with served(site) as base, opened(browser, base, width, "light") as (page, wrong):
        for path in ("", "api/harm/#v0", "matrix/", "tags/", "deprecations/", *pages):
            page.goto(base + path, wait_until="load")
            assert overflow(page) <= 0, path
            assert wrong == [], path


@pytest.mark.long
@pytest.mark.parametrize("word", ["script", "Harm", "release"])
def test_the_search_shows_hostile_text_as_text(browser: Any, word: str) -> None:
    with served(hostile_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(base, wait_until="load")
        search(page, word)
        assert page.locator(".wb-find :is(img, script)").count() == 0
        page.locator(".wb-find [role=option]").first.hover()
        assert wrong == []


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
        blocked = page.evaluate("fetch('https://elsewhere.invalid/').then(() => 'sent', () => 'refused')")
        page.wait_for_timeout(300)
        assert page.evaluate("[ran, new URL('x', document.baseURI).hostname]") == [[], "127.0.0.1"]
        assert blocked == "refused"


@pytest.mark.long
def test_a_site_works_under_its_policy_from_a_file(browser: Any) -> None:
    context = browser.new_context()
    page = context.new_page()
    wrong: list[str] = []
    page.on(
        "console", lambda message: wrong.append(message.text) if "Content Security" in message.text else None
    )
    page.goto((own_site() / "api" / "fetch" / "index.html").as_uri(), wait_until="load")
    expect(page.locator(".wb-compare select")).to_have_count(2)
    assert page.evaluate("getComputedStyle(document.querySelector('.md-header')).position") == "sticky"
    assert wrong == []
    context.close()


def test_a_link_to_an_old_version_opens_it(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(base + "api/fetch/#v12-topics-partitions", wait_until="load")
        row = page.locator("#v12-topics-partitions")
        expect(row).to_be_visible()
        assert row.inner_text().split()[0] == "Partitions"
        page.keyboard.press("]")
        page.wait_for_function("() => location.hash === '#v13'")
        expect(page.locator("#v13-topics-topicid")).to_be_visible()
        assert wrong == []


@pytest.mark.long
def test_old_versions_can_be_reached_without_scripts(browser: Any) -> None:
    with served(own_site()) as base:
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(base + "api/fetch/")
        expect(page.locator("#v18-topics")).to_be_visible()
        expect(page.locator("#v12-topics")).not_to_be_visible()
        page.locator("summary:has(#v12)").click()
        expect(page.locator("#v12-topics")).to_be_visible()
        context.close()


@pytest.mark.long
def test_any_two_versions_are_compared(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(base + "api/fetch/", wait_until="load")
        page.select_option(".wb-compare select >> nth=0", "12")
        page.select_option(".wb-compare select >> nth=1", "11")
        expected = [
            "becomes flexible: lengths are compact, and a tagged section ends every struct",
            "Topics.Partitions.LastFetchedEpoch (INT32) is added",
            "ClusterId (COMPACT_NULLABLE_STRING, tag 0) is added",
        ]
        differences = page.locator(".wb-compare ul:not(.wb-between) li")
        expect_value(page, lambda: differences.all_inner_texts()[:3], expected)
        differences.locator("a").first.click()
        expect(page.locator("#v12-topics-partitions-lastfetchedepoch")).to_be_visible()
        # The address holds the choice, and versions with the table of an older one are compared by it.
        page.goto(base + "api/fetch/?compare=9-10", wait_until="load")
        same = [
            "Request: the same layout in versions 9 and 10.",
            "Response: the same layout in versions 9 and 10.",
        ]
        said = page.locator(".wb-compare [role=status]")
        expect_value(page, lambda: said.locator("p").all_inner_texts(), same)
        page.goto(base + "api/metadata/?compare=0-1", wait_until="load")
        expect(page.locator(".wb-compare li", has_text=re.compile("^Topics may be null$"))).to_have_count(1)
        page.goto(base + "api/fetch/?compare=%3Cb%3E-99", wait_until="load")
        expect(page.locator(".wb-compare select")).to_have_count(2)
        assert page.locator(".wb-compare li").count() == 0
        assert wrong == []


def test_a_comparison_begins_with_the_history_between_the_versions(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(base + "api/offset-fetch/?compare=9-7", wait_until="load")
        history = page.locator(".wb-compare [role=status] > :first-child li")
        expect(history).to_have_count(2)
        expect(history.first).to_contain_text(
            "Version 8, added in 3.0: One request covers several groups (KIP-709): Groups replaces"
        )
        expect(history.last).to_contain_text("Version 9, added in 3.7: Adds MemberId")
        expect(page.locator(".wb-compare ul:not(.wb-between) li")).not_to_have_count(0)
        assert wrong == []


@pytest.mark.long
def test_the_full_text_answers_what_one_would_ask(browser: Any) -> None:
    wanted = {
        "Fetch 12": "api/fetch/",
        "error 35": "errors/",
        "UNSUPPORTED_VERSION": "errors/",
        "tag 0": "tags/",
        "KIP-482": "kip-482/",
        "KIP-516": "kips/kip-516/",
        "offset_commit": "api/offset-commit/",
    }
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        for words, place in wanted.items():
            page.goto(f"{base}?q={words.replace(' ', '+')}", wait_until="load")
            first = page.locator(".wb-find [role=option]").first
            address = re.compile(rf"^{re.escape(base + place)}([?#]|$)")
            expect(first, words).to_have_attribute("href", address)
        assert wrong == []


def test_the_matrix_is_filtered_by_listener_and_the_link_keeps_it(browser: Any) -> None:
    rows = json.loads((own_site() / "data/index.json").read_text(encoding="utf-8"))["apis"]
    of = {name: {row["api"] for row in rows if name in row["listeners"]} for name in ("broker", "controller")}
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(base + "matrix/", wait_until="load")
        every = page.locator("#wb-matrix tbody tr").count()
        output = page.locator(".wb-filters output")

        def shown() -> set[str]:
            return set(page.locator("#wb-matrix tbody tr:visible th a").all_text_contents())

        page.focus("input.wb-filter")
        page.keyboard.press("Tab")
        page.keyboard.type("contr")
        expect_value(page, shown, of["controller"])
        expect(page).to_have_url(base + "matrix/#listener=controller")
        expect(output).to_have_text(f"{len(of['controller'])} of {every}")
        page.keyboard.press("Shift+Tab")
        page.keyboard.type("fetchs")
        expect_value(page, shown, {"FetchSnapshot"})
        expect(page).to_have_url(base + "matrix/#filter=fetchs&listener=controller")
        page.goto("about:blank")
        page.goto(base + "matrix/#listener=broker", wait_until="load")
        expect_value(page, shown, of["broker"])
        page.evaluate("location.hash = '#listener=<b>moon'")
        expect(output).to_have_text("There is no listener \u201c<b>moon\u201d. All are shown.")
        assert len(shown()) == every
        assert wrong == []
    plain = browser.new_context(java_script_enabled=False)
    with served(own_site()) as base:
        page = plain.new_page()
        page.goto(base + "matrix/#listener=broker", wait_until="load")
        assert page.locator("#wb-matrix tbody tr:visible").count() == every
        assert page.locator(".wb-filters:visible").count() == 0
    plain.close()


def test_each_field_links_to_its_line_in_the_spec(browser: Any, tmp_path: Path) -> None:
    html, path, _ = lined_page(tmp_path, "https://example.org/a/b")
    page = browser.new_page()
    page.set_content(re.sub(r"<script[^>]*></script>", "", html))
    lines = dict(re.findall(r'<tr id="([^"]+)"[^>]* data-l="(\d+)"', html))
    page.add_script_tag(path=ROOT / "docgen/site/theme/assets/fields.js")
    links = page.locator(".wb-src").evaluate_all(
        "all => all.map(link => [link.closest('tr').id, link.href, link.textContent])"
    )
    place = f"https://example.org/a/b/blob/1.0.0/{path}#L"
    assert links == [[name, place + line, f"line {line}"] for name, line in lines.items()]
    assert len(links) == 6
    page.close()


def test_a_report_names_the_version_and_field_of_the_address(browser: Any) -> None:
    report = "https://a.example/issues/new?title=T&body=API%3A%20Fetch%0AVersion%3A%20%0AField%3A%20%0A"
    text = "https://a.example/blob/HEAD/specs/kafka/texts/Fetch.json#L6"
    links = f'<a class="wb-report" href="{escape(report)}">R</a><a class="wb-edit" href="{text}">E</a>'
    read = "(kind) => document.querySelector(`.wb-foot .wb-${kind}`).href"
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, _):
        page.goto(base + "api/fetch/", wait_until="load")
        page.evaluate("(links) => { document.querySelector('.wb-foot').innerHTML += links; }", links)
        page.evaluate("location.hash = 'v18-topics-partitions-fetchoffset'")
        page.wait_for_function(f"({read})('report').includes('Topics.Partitions.FetchOffset')")
        line = page.locator("#v18-topics-partitions-fetchoffset").get_attribute("data-t")
        assert page.evaluate(read, "edit") == text.replace("#L6", f"#L{line}")
        body = parse_qs(urlsplit(page.evaluate(read, "report")).query)["body"][0]
        assert body == "API: Fetch\nVersion: 18\nField: Topics.Partitions.FetchOffset\n"
        page.evaluate("location.hash = 'v12'")
        page.wait_for_function(f"!({read})('report').includes('FetchOffset')")
        assert "Version%3A+12%0AField%3A+%0A" in page.evaluate(read, "report")
        page.evaluate("location.hash = 'errors'")
        page.wait_for_function(f"({read})('report') === '{report}'")


@pytest.mark.long
def test_names_of_200_letters_stay_in_their_boxes(browser: Any, tmp_path: Path) -> None:
    name = "Long" + "abcdefghij" * 19
    catalog, site = tmp_path / "catalog", tmp_path / "site"
    catalog.mkdir()
    specs = [
        request(short, key, "0", field("F" + name, entityType=HOSTILE, ignorable=True), listeners=listeners)
        for short, key, listeners in (("Foo", 1, ["broker"]), (name, 2, ["broker", "w" * 200, HOSTILE]))
    ]
    build(inputs({"1.0.0": specs[:1], "1.1.0": specs}), catalog)
    render_site(catalog, site)
    with served(site) as base:
        for width in (390, 1440):
            with opened(browser, base, width, "light") as (page, wrong):
                for place in ("", "matrix/", "api/foo/", f"api/{name.lower()}/", "releases/1.1.0/"):
                    page.goto(base + place, wait_until="load")
                    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                    assert wide <= 0, (width, place)
                    cut = page.evaluate(
                        "[...document.querySelectorAll('.wb-matrix tbody th, .wb-fields td, .wb-b')]"
                        ".filter(box => box.scrollWidth > box.clientWidth + 1).length"
                    )
                    assert cut == 0, (width, place)
                assert wrong == []


def test_the_filter_and_the_search_work(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(base + "matrix/", wait_until="load")
        page.fill("input.wb-filter", "joingr")
        expect(page.locator("#wb-matrix tbody tr:visible")).to_have_count(1)
        page.click(".wb-search")
        expect(page.locator(".wb-find input")).to_be_focused()
        page.keyboard.type("LastFetchedEpoch", delay=10)
        first = page.locator(".wb-find [role=option]").first
        expect(first).to_have_attribute("href", re.compile("api/fetch/"))
        assert wrong == []
