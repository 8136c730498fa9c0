"""The contents of pages: each names the headings of its page, in their order, with their levels and ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.docgen.render.contents import agrees
from wirebook.docgen.catalog.protocol import NEUTRAL_PROTOCOL
from wirebook.docgen.render.bytes.headers import EMBEDDED
from wirebook.docgen.render.bytes.types import types_page
from wirebook.docgen.render.data.page import data_page
from wirebook.docgen.render.interactive.compare import compare_page
from wirebook.docgen.render.interactive.decode import decode_page
from wirebook.docgen.render.interactive.encode import encode_page
from wirebook.docgen.render.kit.page import Page
from wirebook.docgen.render.pages.fields import fields_page
from wirebook.docgen.render.pages.negotiation import features_page, negotiate_page
from wirebook.docgen.render.pages.proposals import proposal_pages, proposals
from wirebook.docgen.render.pages.rulebook import TOPICS, incidents, incidents_page, rule_pages
from wirebook.rules.rule import catalogue


def one(page: Callable[[], Page]) -> Callable[[], Iterator[Page]]:
    return lambda: iter([page()])


PAGES: dict[str, Callable[[], Iterator[Page]]] = {
    "negotiate": one(lambda: negotiate_page(())),
    "features": one(lambda: features_page(())),
    "types": one(types_page),
    "incidents": one(lambda: incidents_page({"fetch"})),
    "rules": lambda: rule_pages(True),
    "proposals": proposal_pages,
    "fields": one(lambda: fields_page(())),
    "encode": one(lambda: encode_page([], NEUTRAL_PROTOCOL)),
    "decode": one(lambda: decode_page([], NEUTRAL_PROTOCOL, EMBEDDED)),
    "compare": one(lambda: compare_page([], [], NEUTRAL_PROTOCOL, has_errors=False)),
    "data": one(lambda: data_page([], NEUTRAL_PROTOCOL, names=[], has_errors=True)),
}


@pytest.mark.parametrize("name", PAGES)
def test_the_contents_are_the_headings_of_the_page(name: str) -> None:
    pages = list(PAGES[name]())
    for page in pages:
        agrees(page)
    # A list, and a page for each of its entries.
    entries = {"rules": len(catalogue()), "proposals": len(proposals())}
    assert len(pages) == 1 + entries.get(name, 0)


def test_each_rule_is_under_its_topic_and_has_a_page_of_what_its_docstring_says() -> None:
    listed, *pages = rule_pages(True)
    parts = str(listed.html).split('<h2 id="')[1:]
    assert [part.partition('"')[0] for part in parts] == list(TOPICS)
    by_topic = {part.partition('"')[0]: part for part in parts}
    known = {page.path: page for page in pages}
    for rule in catalogue():
        assert f'href="../rules/{rule.name}/"' in by_topic[rule.topic]
        page = known[f"rules/{rule.name}/"]
        assert (page.title, page.description, page.boost) == (rule.name, rule.summary, 0)
        caught = [item for item in incidents().incidents if item.rule == rule.name]
        assert [item.id for item in page.headings][len(rule.documentation) :] == ["incidents"] * bool(caught)
        for item in caught:
            assert f"incidents/#{item.id}" in page.html
        assert "<strong>Source:</strong>" in page.html
    # Another protocol has neither Kafka's incidents nor the sources in its code.
    others = "".join(str(page.html) for page in rule_pages(False))
    assert "incidents/" not in others
    assert "<strong>Source:</strong>" not in others
