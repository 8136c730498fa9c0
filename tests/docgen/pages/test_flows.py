"""The pages of flows: the picture in words, rules with links to their code, and every byte of a
message."""

from __future__ import annotations

import re
from html import unescape

import pytest

from tests.docgen.histories import own_pages
from wirebook.docgen.pages.flows import flows_of
from wirebook.docgen.pages.page import Page
from wirebook.specs.kafka.flows import Flow, all_flows

pytestmark = pytest.mark.xdist_group("book")


@pytest.fixture(scope="module")
def pages() -> dict[str, Page]:
    return {path: page for path, page in own_pages().items() if path.startswith("flows/")}


def test_the_list_leads_to_every_flow(pages: dict[str, Page]) -> None:
    assert list(pages) == ["flows/", *(flow.place for flow in all_flows())]
    assert re.findall(r'href="\.\./(flows/[^"]+)"', pages["flows/"].html) == list(pages)[1:]


@pytest.mark.parametrize("flow", all_flows(), ids=lambda flow: str(flow.name))
def test_a_page_has_all_that_its_flow_has(flow: Flow, pages: dict[str, Page]) -> None:
    html = pages[flow.place].html
    text = " ".join(unescape(re.sub(r"<wbr>|<[^>]*>", "", html)).split())
    for state in flow.states.values():
        assert state.about in text
    for move in flow.transitions:
        assert move.cause in text
    for number, step in enumerate(flow.steps, start=1):
        assert f'<h2 id="step-{number}">' in html
        assert all(rule.text in text for rule in step.rules)
        for message in step.messages:
            assert message.about in text
            assert f"{message.layout.api} {message.layout.type} {message.layout.version}" in text
    assert len(re.findall(r"<summary>\d+ bytes, one by one", html)) == sum(
        len(step.messages) for step in flow.steps
    )
    ids = re.findall(r' id="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    names = re.findall(r' role="region" aria-label="([^"]+)"', html)
    assert len(names) == len(set(names)), "landmarks have names of their own"
    assert set(re.findall(r'href="#([^"]+)"', html)) <= set(ids)


def test_an_api_knows_its_flows() -> None:
    assert [flow.name for flow in flows_of("SaslHandshake")] == ["sasl", "client-session"]
    assert [flow.name for flow in flows_of("FindCoordinator")] == [
        "classic-group",
        "transactions",
        "transactions-v2",
        "consumer-group",
        "client-session",
    ]
    assert flows_of("CreateTopics") == ()
