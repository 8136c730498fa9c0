"""The typed search in a real browser: the queries that readers are known to make, keys, and odd input."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.docgen.sites import hostile_site, own_site
from tests.e2e.browsers import CHROMIUM, browser, opened, search_texts, served
from tests.e2e.waiting import expect

__all__ = ["browser"]
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on PATH"),
]

# What is asked, and the address that is among the first three answers.
QUERIES = {
    "KIP-516": "kips/kip-516/",
    "kip 516": "kips/kip-516/",
    "KIP-482": "kip-482/",
    "KIP-848": "kips/kip-848/",
    "KIP-35": "kip-35/",
    "TopicId": "api/fetch/#v18-topics-topicid",
    "topic_id": "api/fetch/#v18-topics-topicid",
    "TopicID": "api/fetch/#v18-topics-topicid",
    "transactional_id": "api/produce/#v13-transactionalid",
    "GroupInstanceId": "api/join-group/#v9-groupinstanceid",
    "client_id": "api/request-header/#v2-clientid",
    "error 6": "errors/#not-leader-or-follower",
    "error -1": "errors/#unknown-server-error",
    "error 35": "errors/#unsupported-version",
    "35": "errors/#unsupported-version",
    "18": "api/api-versions/",
    "key 18": "api/api-versions/",
    "36": "api/sasl-authenticate/",
    "key 36": "api/sasl-authenticate/",
    "API key 1": "api/fetch/",
    "NOT_LEADER_OR_FOLLOWER": "errors/#not-leader-or-follower",
    "NOT_LEADER_FOR_PARTITION": "errors/#not-leader-or-follower",
    "KAFKA-18659": "api/produce/upgrade/",
    "Fetch 2.8": "api/fetch/#versions",
    "produce upgrade": "api/produce/upgrade/",
    "Fetch 12": "api/fetch/#v12",
    "fetch v12": "api/fetch/#v12",
    "Fetch12": "api/fetch/#v12",
    "FetchRequest": "api/fetch/",
    "offset_commit": "api/offset-commit/",
    "isolation level": "api/fetch/#v18-isolationlevel",
    "Topics.Partitions.FetchOffset": "api/fetch/#v18-topics-partitions-fetchoffset",
    "UNSUPPORTED_VERSION": "errors/#unsupported-version",
    "COMPACT_STRING": "types/#compact-string",
    "2.8": "api-versions/2.8-IV1/",
    "4.0-IV3": "api-versions/4.0-IV3/",
    "tag-reused": "rules/tag-reused/",
    "tag 0": "tags/",
    "error codes": "errors/",
    "support matrix": "matrix/",
    "zstd": "features/#zstd",
    "waivers": "waivers/",
    "TopicRecord": "api/topic-record/",
    # Words of client authors that are no names here.
    "retriable errors": "errors/",
    "flexible versions": "reading/#tagged-sections",
    "unknown tags": "bytes/#tags",
    "frame length": "reading/#the-frame",
    "pipelining": "reading/#connection",
    "crc32c": "records/#checksum",
    "magic byte": "records/#header",
    "record batch attributes": "records/#attributes",
    "idempotent producer": "records/#produce",
    "assignment bytes": "groups/#assignment",
    "cooperative": "groups/#cooperative",
    "negotiate": "versions/",
    "ApiVersions fallback": "unsupported/#the-answer-with-error-35",
    "librdkafka": "negotiate/",
    "sasl scram": "api/sasl-handshake/",
    "transactions v2": "kips/kip-890/",
    "share groups": "api/#share-groups",
    "kraft": "api/#kraft",
    "topic ids fetch": "kips/kip-516/",
    "static membership": "kips/kip-345/",
    "removed versions": "deprecations/#removed",
    "removed in 4.0": "api-versions/4.0-IV3/",
    "fetch 3 removed": "api/fetch/#v3",
    "hex": "decode/",
    "markdown": "data/",
    # A name with something about it.
    "FetchResponse tags": "api/fetch/#tags",
    "latest version of Produce": "api/produce/",
    "request header produce 9": "api/produce/#v9",
    "request header v2": "api/request-header/#v2",
    "ListOffsets -2": "api/list-offsets/#v11-topics-partitions-timestamp",
    "Topics.Topic in Fetch v11": "api/fetch/#v11-topics-topic",
    # The tasks of a client author, as a question.
    "which versions of Fetch does 2.8 speak": "api/fetch/#versions",
    "is Topics in Metadata v1 nullable": "api/metadata/#v1-topics",
    "what did ListOffsets v7 change": "api/list-offsets/#v7",
    "header of the ApiVersions v3 response": "api/api-versions/#v3",
    "which APIs lost versions in 4.0": "api-versions/4.0-IV3/",
    "default of FetchRequest MaxBytes": "api/fetch/#v18-maxbytes",
    "tag 1 of ApiVersionsResponse": "api/api-versions/#v4-response-finalizedfeaturesepoch",
    "error 35 retriable": "errors/#unsupported-version",
    "which KIP brought topic ids to Fetch": "api/fetch/#v13",
    "what must change from Produce v9 to v13": "api/produce/?compare=9-13#versions",
}
FIRST = """query => wirebookFinder.grouped(query).flatMap(group => group.items.slice(0, 6)).slice(0, 3)"""


ODD = ["x" * 10_000, "ab " * 3_333, "(((" * 3_000, "\u202e<img src=x onerror=alert(1)>", "-", "~"]
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


def test_every_query_is_answered_in_the_first_three(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        started(page, base)
        missed = {}
        for query, wanted in QUERIES.items():
            first = [item["url"] for item in page.evaluate(FIRST, query)]
            if wanted not in first:
                missed[query] = first
        assert missed == {}
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
        expect(chosen).to_have_text(re.compile("^Topics.TopicId Fetch request"))
        assert chosen.count() == 1
        assert chosen.inner_text() != first
        page.keyboard.press("Enter")
        page.wait_for_url("**/api/fetch/#v18-topics-topicid")
        expect(page.locator("#v18-topics-topicid")).to_be_visible()
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
        page.fill(".wb-find input", "compact lengths")
        expect(page.locator(".wb-find [data-text]")).to_contain_text("compact lengths")
        page.keyboard.press("ArrowUp")  # from the first answer to the last
        page.keyboard.press("Enter")
        page.wait_for_selector(".md-search-result__link")
        expect(page.locator(".md-search__input")).to_have_value("compact lengths")
        expect(page.locator(".wb-find")).not_to_be_visible()
        assert wrong == []


def test_the_full_text_is_read_when_it_is_searched(browser: Any) -> None:
    """Preparing its index takes half a second of a processor, which most pages do not need."""
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
        page.goto(base + "api/metadata/", wait_until="load")
        page.wait_for_timeout(300)
        assert "search_index.json" not in asked
        search_texts(page, "compact lengths")
        expect(page.locator(".md-search-result__link").first).to_have_text("Bytes")
        meta = page.locator(".md-search-result__meta")
        expect(meta).to_have_text(re.compile(r"^\s*\d+ matching documents\s*$"))
        page.keyboard.press("Control+a")
        page.keyboard.press("Delete")
        expect(meta).to_have_text("Type to start searching")
        page.keyboard.type("leader epoch", delay=1)
        page.wait_for_function(
            "() => !!document.querySelector('.md-search-result__link[href*=leader-epoch]')"
        )
        assert asked.count("search_index.json") == 1
        assert wrong == []


def test_the_field_of_the_theme_opens_it(browser: Any) -> None:
    with served(own_site()) as base:
        for width, place in ((1440, ".md-search__input"), (390, "label[for=__search].md-header__button")):
            with opened(browser, base, width, "dark") as (page, wrong):
                page.goto(base, wait_until="load")
                page.locator(place).first.click()
                expect(page.locator(".wb-find input")).to_be_focused()
                page.keyboard.type("error 6")
                first = page.locator(".wb-find [role=option]").first
                expect(first).to_have_text(re.compile(r"^\s*NOT_LEADER_OR_FOLLOWER \(6\)"))
                wide, fits = page.evaluate(
                    "[document.scrollingElement.scrollWidth, document.scrollingElement.clientWidth]"
                )
                assert wide <= fits
                assert wrong == []


@pytest.mark.parametrize(
    "query", ["x" * 10_000, "ab " * 3_333, "(((" * 3_000, "\u202e<img src=x onerror=alert(1)>", "-", "~"]
)
def test_odd_queries_are_answered_at_once(browser: Any, query: str) -> None:
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        started(page, base)
        assert page.evaluate(TIMED, query) < 1000
        page.fill(".wb-find input", query)
        expect(page.locator(".wb-find [data-text]")).to_be_attached()
        assert page.locator(".wb-find img").count() == 0
        assert wrong == []


@pytest.mark.parametrize("word", ["script", "Harm", "release", "W" * 40])
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
