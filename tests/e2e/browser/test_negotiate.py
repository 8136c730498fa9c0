"""The page that negotiates, in a real browser: the script agrees with Python, and a link holds a choice."""

from __future__ import annotations

import contextlib
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.docgen.histories import own_book
from tests.e2e.browsers import IN_BROWSER, opened, served
from tests.e2e.waiting import expect, expect_value
from tests.support import ROOT
from wirebook.docgen.render.pages.negotiation import negotiate_page
from wirebook.peers.negotiation import Peer, negotiation, negotiation_json
from wirebook.peers.page_data import negotiation_data
from wirebook.peers.probe import versions_of
from wirebook.peers.ranges import read_ranges
from wirebook.peers.resolve import Context, brokers_of, client_of
from wirebook.specs.kafka.brokers import api_names, kafka_releases, load_brokers

pytestmark = IN_BROWSER

KIP = {
    "features": {"Feature1": [[0, 3, 3], [1, 2, 3]], "Feature2": [[0, 0, 1], [1, 2, 3]]},
    "name": "the KIP's",
}
TEXTS = [
    "0: 0-3, 1: 2-3",
    "B1 -> (0, 0, 3), (1, 2, 3)\nB2-> (0, 1, 2), (1, 0, 3), (2, 0, 0)\n",
    "localhost:9092 (id: 0 rack: null) -> (\n\tProduce(0): 0 to 9 [usable: 9],\n\tFetch(1): 4\n)\n",
    '{"Fetch": "0-6", "3": [0, 2], "OffsetCommit": "2"}',
    '{"ApiKeys": [{"ApiKey": 22, "MinVersion": 0, "MaxVersion": 6}, '
    '{"ApiKey": 0, "MinVersion": 0, "MaxVersion": 2}]}',
    '{"name": "marked", "versions": {"1": "0-9", "3": "0-9"}, "deprecated": {"1": "0-1, 4", "3": "5"}, '
    '"avoid": {"1": "9"}, "unstable": {"3": "8-9"}, "refused": {"3": "0"}}',
    "22: 6",
]
CLIENTS = [
    *TEXTS,
    json.dumps(KIP),
    '{"versions": {"0": "0-9", "1": "3"}, "features": {"either": {"0": "9+"}, "no": {"68": "0+"}}}',
]


@contextlib.contextmanager
def scripted(browser: Any) -> Iterator[Any]:
    """An empty page with the script, which works with the data of the site."""
    page = browser.new_page()
    page.set_content("<p>empty</p>")
    page.add_script_tag(path=str(ROOT / "docgen" / "site" / "theme" / "assets" / "negotiate.js"))
    page.evaluate("data => wirebookNegotiation.use(data)", negotiation_data())
    yield page
    page.close()


def in_browser(page: Any, client: dict[str, Any] | None, brokers: list[dict[str, Any]]) -> Any:
    return page.evaluate("both => wirebookNegotiation.negotiate(both[0], both[1])", [client, brokers])


def compare(page: Any, client: Peer | None, brokers: list[Peer]) -> None:
    ours = negotiation_json(negotiation(client, brokers, api_names()))
    theirs = in_browser(page, ours["client"], ours["brokers"])
    assert theirs == json.loads(json.dumps(ours))


@pytest.mark.long
def test_script_and_python_agree_on_releases_and_known_clients(browser: Any) -> None:
    chance = random.Random(35)
    releases = [broker.release for broker in load_brokers()]
    with scripted(browser) as page:
        for word in ["kafka-python", "kio", "librdkafka", "0.10.2", "2.0", "3.9", "4.3", "", ""]:
            client = client_of(Context(), word) if word else None
            some = chance.sample(releases, chance.randint(1, 5))
            compare(page, client, brokers_of(Context(), some, versions_of))
        compare(page, client_of(Context(), "kio"), [])


def test_script_and_python_read_and_judge_ranges_alike(browser: Any, tmp_path: Path) -> None:
    with scripted(browser) as page:
        for place, text in enumerate(TEXTS):
            path = tmp_path / "yours"
            path.write_text(text)
            brokers = brokers_of(Context(), [str(path)], versions_of)
            told = page.evaluate(
                "text => wirebookNegotiation.read(text, 'yours').map(wirebookNegotiation.documented)", text
            )
            for each in CLIENTS:
                client = read_ranges(each.encode(), "c", "your client", kafka_releases())[0]
                speaking = page.evaluate("text => wirebookNegotiation.read(text, 'your client')[0]", each)
                ours = negotiation_json(negotiation(client, brokers, api_names()))
                theirs = in_browser(page, speaking, told)
                for part in ("apis", "features", "summary"):
                    assert theirs[part] == json.loads(json.dumps(ours[part])), (place, each, part)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page with its styles, without the theme around it."""
    folder = tmp_path_factory.mktemp("negotiate")
    (folder / "negotiate").mkdir()
    (folder / "assets").mkdir()
    links = "<link rel=icon href='data:,'><link rel=stylesheet href='../assets/wirebook.css'>"
    html = f"<!doctype html><meta charset=utf-8>{links}{negotiate_page(own_book().documents).html}"
    (folder / "negotiate" / "index.html").write_text(html, encoding="utf-8")
    for name in ("negotiate.js", "wirebook.css"):
        text = (ROOT / "docgen" / "site" / "theme" / "assets" / name).read_text(encoding="utf-8")
        (folder / "assets" / name).write_text(text, encoding="utf-8")
    return folder


def expect_status(page: Any, told: str | re.Pattern[str]) -> None:
    """Wait until the page says this."""
    expect(page.locator("#wb-negotiate-status")).to_have_text(told)


def assert_counts_its_rows(page: Any) -> None:
    """The sentence counts the rows of the first table: what only brokers and controllers send is apart."""
    rows = page.locator("#wb-negotiate-result > .wb-scroll").last.locator("tbody tr")
    expect(page.locator("#wb-negotiate-result")).to_contain_text(
        f"Of the {rows.count()} APIs that this client sends: "
    )


def test_a_link_holds_the_choice(browser: Any, site: Path) -> None:
    with served(site) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(f"{base}negotiate/#client=java-2.0&broker=0.10.0&broker=4.3")
        expect(page.locator("select[name=client]")).to_have_value("java-2.0")
        checked = page.locator("input:checked")
        values = "boxes => boxes.map(box => box.value)"
        expect_value(page, lambda: checked.evaluate_all(values), ["4.3", "0.10.0"])
        expect_status(
            page, re.compile(r"^Java client 2\.0 works with a 4\.3 broker: it produces, consumes and joins ")
        )
        assert_counts_its_rows(page)
        row = page.locator(".wb-pairs tbody tr", has_text="Fetch").first
        assert row.inner_text().split() == ["Fetch", "1", "0–8", "8", "of", "4–18", "2", "of", "0–2", "–"]
        fragment = urlencode({"client": "own", "ranges": json.dumps(KIP), "own": TEXTS[1]})
        page.goto(f"{base}negotiate/#{fragment}")
        expect(page.locator(".wb-own")).to_be_visible()
        expect(page.locator("textarea[name=own]")).to_be_visible()
        first = page.locator(".wb-pairs tbody tr", has_text="Feature1")
        expect(first).to_contain_text("version 3 is needed, the broker serves 1–2")
        assert wrong == []


@pytest.mark.long
def test_what_cannot_be_read_is_said_and_hurts_nothing(browser: Any, site: Path) -> None:
    with served(site) as base, opened(browser, base, 1440, "light") as (page, wrong):
        for text in ("hello", "{", "<img src=x onerror=alert(1)> -> 0: 0", '{"versions": null}'):
            page.goto("about:blank")
            page.goto(f"{base}negotiate/#{urlencode({'own': text})}")
            expect_status(page, re.compile("."))
            assert page.locator("#wb-negotiate-result img").count() == 0
        assert wrong == []


def test_without_scripts_a_table_remains(browser: Any, site: Path) -> None:
    with served(site) as base:
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(f"{base}negotiate/")
        expect(page.locator("noscript")).to_be_visible()
        expect(page.locator("#wb-negotiate")).not_to_be_visible()
        cells = page.locator("#wb-core tbody tr", has_text="0.11.0 to 3.9.1").locator("td").all_inner_texts()
        assert set(cells) == {"yes"}
        assert page.locator("#wb-core td.no").count() > 0
        context.close()
