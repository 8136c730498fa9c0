"""The page that negotiates, in a real browser: the script agrees with Python, and a link holds a
choice."""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.docgen.histories import own_pages
from tests.e2e.browsers import IN_BROWSER, opened, served
from tests.e2e.waiting import expect
from tests.support import ROOT
from wirebook.docgen.pages.shipped import shipped
from wirebook.peers.negotiation import negotiation
from wirebook.peers.page_data import broker_choices, negotiation_data
from wirebook.peers.resolve import Context, client_of
from wirebook.specs.json_records import to_json
from wirebook.specs.kafka.brokers import kafka_releases

pytestmark = IN_BROWSER

TEXTS = {
    "0: 0-3, 1: 2-3": {"yours": {"0": "0-3", "1": "2-3"}},
    "B1 -> (0, 0, 3), (1, 2, 3)\nB2-> (0, 1, 2), (1, 0, 3), (2, 0, 0)\n": {
        "B1": {"0": "0-3", "1": "2-3"},
        "B2": {"0": "1-2", "1": "0-3", "2": "0"},
    },
    "localhost:9092 (id: 0 rack: null) -> (\n\tProduce(0): 0 to 9 [usable: 9],\n\tFetch(1): 4\n)\n": {
        "localhost:9092": {"0": "0-9", "1": "4"}
    },
    "Fetch: 4-11\nmetadata 2": {"yours": {"1": "4-11", "3": "2"}},
    "Produce: 0-7\nproduce 3": {"yours": {"0": "3"}},
    "librdkafka 1.6 ->\nProduce: 0 to 7\nmy own -> 0: 3": {
        "librdkafka 1.6": {"0": "0-7"},
        "my own": {"0": "3"},
    },
}
# What is said of ranges of one's own with a broker of 4.1.
VERDICTS = {
    "Metadata: 0-9": "C has a common version with a 4.1 broker of Metadata.",
    "Fetch: 4-11\nMetadata: 0-9": "C has a common version with a 4.1 broker of Fetch and Metadata.",
    "Fetch: 4-11\nMetadata: 0-9\nListOffsets: 1": "C works with a 4.1 broker: it consumes.",
    "8: 1, 9: 1, 10: 1, 11: 1-5, 12: 3, 13: 0, 14: 0": "C works only partly with a 4.1 broker: it "
    "joins groups but cannot commit offsets; not common: OffsetCommit.",
    "Produce: 0-2": "C has no common version with a 4.1 broker.",
    "Produce: 0-2\nFetch: 4": "C has a common version with a 4.1 broker of Fetch, but not of Produce.",
    "Produce: 0-2\nMetadata: 0-9": "C does not work with a 4.1 broker: it cannot produce; not common: Produce.",
}


@contextlib.contextmanager
def scripted(browser: Any) -> Iterator[Any]:
    """An empty page with the script, which works with the data of the site."""
    page = browser.new_page()
    page.set_content("<p>empty</p>")
    for name in ("published", "negotiate"):
        page.add_script_tag(path=str(ROOT / f"docgen/site/theme/assets/{name}.js"))
    page.evaluate("data => wirebookNegotiation.use(data)", negotiation_data())
    yield page
    page.close()


def test_script_and_python_agree_on_releases_and_known_clients(browser: Any) -> None:
    chance = random.Random(35)
    brokers = broker_choices()
    with scripted(browser) as page:
        for word in ["kafka-python", "kio", "0.10.2", "2.0", "3.9", "4.3", ""]:
            client = client_of(Context(), word) if word else None
            some = [brokers[name] for name in chance.sample([*brokers], 3)]
            ours = to_json(negotiation(client, some, kafka_releases().names))
            for place, broker in enumerate(ours["brokers"]):
                theirs = page.evaluate(
                    "both => wirebookNegotiation.negotiate(both[0], both[1])",
                    [ours["client"], broker],
                )
                pairs = {api["key"]: api["pairs"][place] for api in ours["apis"]}
                for each in theirs:
                    pair = pairs[each["key"]]
                    assert each["version"] == pair["version"], (word, broker["name"], each)
                    assert each["reason"] == pair["reason"], (word, broker["name"], each)


def test_ranges_as_people_write_them(browser: Any) -> None:
    with scripted(browser) as page:
        for text, expected in TEXTS.items():
            found = page.evaluate("text => wirebookNegotiation.read(text, 'yours')", text)
            assert {side["name"]: side["versions"] for side in found} == expected
        wrong = "text => { try { wirebookNegotiation.read(text, ''); } catch (error) { return error.message; } }"
        assert "There is no API" in page.evaluate(wrong, "Nothing: 0-3")
        assert "is not a range" in page.evaluate(wrong, "Fetch: 3-0")
        assert "has no range yet" in page.evaluate(wrong, "0: 3\nB2 ->")


def test_a_verdict_is_of_the_ranges_that_are_given(browser: Any) -> None:
    broker = {"id": "4.1", **broker_choices()["4.1"].to_json()}
    verdict = """([text, broker]) => wirebookNegotiation.verdict(wirebookNegotiation.read(text, "C")[0], broker)"""
    with scripted(browser) as page:
        page.evaluate("data => wirebookNegotiation.use(data)", shipped("negotiate.json"))
        for text, words in VERDICTS.items():
            assert page.evaluate(verdict, [text, broker])["text"] == words


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page with its styles, without the theme around it."""
    folder = tmp_path_factory.mktemp("negotiate")
    (folder / "negotiate").mkdir()
    (folder / "assets").mkdir()
    links = "<link rel=icon href='data:,'><link rel=stylesheet href='../assets/wirebook.css'>"
    page = own_pages()["negotiate/"]
    html = f"<!doctype html><meta charset=utf-8>{links}{page.html}"
    (folder / "negotiate" / "index.html").write_text(html, encoding="utf-8")
    for name in ("published.js", "negotiate.js", "wirebook.css"):
        text = (ROOT / "docgen" / "site" / "theme" / "assets" / name).read_text(encoding="utf-8")
        (folder / "assets" / name).write_text(text, encoding="utf-8")
    return folder


def expect_status(page: Any, status: str | re.Pattern[str]) -> None:
    """Wait until the page says this."""
    expect(page.locator("#wb-negotiate-status")).to_have_text(status)


def test_a_link_holds_the_choice(browser: Any, site: Path) -> None:
    with served(site) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(f"{base}negotiate/#client=java-2.1&broker=3.9")
        expect_status(
            page,
            re.compile(r"^Java client 2\.1 works with a 3\.9 .*: it produces, consumes, joins "),
        )
        row = page.locator(".wb-pairs tbody tr", has_text="Fetch").first
        assert row.inner_text().split()[:6] == ["Fetch", "1", "0-10", "10", "of", "0-17"]
        page.goto(f"{base}negotiate/#client=java-2.0&client=librdkafka&broker=4.1&broker=3.9")
        expect_status(page, re.compile(r"^Of 4 pairs: "))
        cells = (
            page.locator(".wb-pairs")
            .first.locator("tbody tr", has_text="Java client 2.0")
            .locator("td")
        )
        expect(cells.first).to_contain_text(
            "Kafka lists clients up to 2.0 as not compatible with 4.0 brokers; still, Java client"
        )
        page.goto(f"{base}negotiate/#client=sarama-1.38-config-2.7&broker=4.1")
        expect_status(
            page,
            "sarama 1.38.1 (Config.Version 2.7.0) works only partly with a 4.1 broker: it produces, "
            "consumes and joins groups but cannot commit offsets; to commit offsets, set "
            "Consumer.Offsets.Retention or upgrade Sarama to 1.41; not common: OffsetCommit and "
            "DescribeLogDirs.",
        )
        page.goto(f"{base}negotiate/#client=sarama-1.38&broker=4.0")
        # The setting does not help with JoinGroup.
        expect_status(
            page,
            re.compile(
                "it produces and consumes but cannot join groups or commit offsets; to commit "
                "offsets, set Consumer.Offsets.Retention or upgrade Sarama to 1.41; not common: "
            ),
        )
        page.goto(f"{base}negotiate/#{urlencode({'ranges': '0: 3', 'own': [*TEXTS][1]})}")
        expect(page.locator("textarea[name=own]")).to_be_visible()
        expect(page.locator(".wb-pairs").first).to_contain_text("your client")
        page.goto(f"{base}negotiate/#client=java-9.9&broker=4.1")
        expect_status(
            page, re.compile("^The versions of client \u201cjava-9.9\u201d are not known here")
        )
        page.goto("about:blank")
        page.goto(f"{base}negotiate/#{urlencode({'own': '<img src=x onerror=alert(1)> -> 0: 0'})}")
        expect_status(page, re.compile("."))
        assert page.locator("#wb-negotiate-result img").count() == 0
        assert wrong == []
