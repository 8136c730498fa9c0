"""The contents of pages: each names the headings of its page, in their order, with their levels and ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.docgen.render.contents import agrees
from wirebook.docgen.catalog.protocol import NEUTRAL_PROTOCOL
from wirebook.docgen.render.bytes.types import types_page
from wirebook.docgen.render.data.page import data_page
from wirebook.docgen.render.interactive.compare import compare_page
from wirebook.docgen.render.interactive.decode import decode_page
from wirebook.docgen.render.pages.negotiation import features_page, negotiate_page
from wirebook.docgen.render.pages.page import Page
from wirebook.docgen.render.pages.proposals import proposal_pages
from wirebook.docgen.render.pages.rulebook import incidents_page, rule_pages


def one(page: Callable[[], Page]) -> Callable[[], Iterator[Page]]:
    return lambda: iter([page()])


PAGES: dict[str, Callable[[], Iterator[Page]]] = {
    "negotiate": one(negotiate_page),
    "features": one(features_page),
    "types": one(types_page),
    "incidents": one(lambda: incidents_page({"fetch"})),
    "rules": lambda: rule_pages(True),
    "proposals": proposal_pages,
    "decode": one(lambda: decode_page([], NEUTRAL_PROTOCOL)),
    "compare": one(lambda: compare_page([], [], NEUTRAL_PROTOCOL, has_errors=False)),
    "data": one(lambda: data_page([], [], NEUTRAL_PROTOCOL, names=[], has_errors=True, has_feed=True)),
}


@pytest.mark.parametrize("name", PAGES)
def test_the_contents_are_the_headings_of_the_page(name: str) -> None:
    for page in PAGES[name]():
        agrees(page)
