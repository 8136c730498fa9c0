"""What a site publishes beside its pages: the heads of pages, llms.txt."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.docgen.sites import hostile_site, own_site, page_files

pytestmark = pytest.mark.xdist_group("site")


@pytest.mark.parametrize("site", [pytest.param(own_site, marks=pytest.mark.long), hostile_site])
def test_every_page_says_what_a_preview_of_a_link_shows(site: Any) -> None:
    for address, path in page_files(site()).items():
        if address == "404.html":
            continue
        head = path.read_text(encoding="utf-8").partition("</head>")[0]
        found = dict(re.findall(r'<meta (?:property|name)="(og:\w+|twitter:\w+)" content="([^"]*)">', head))
        assert found.keys() >= {"og:type", "og:site_name", "og:title", "og:description", "twitter:card"}
        assert not any("<" in text for text in found.values())
    fetch = (own_site() / "api/fetch/index.html").read_text(encoding="utf-8")
    assert re.search('og:description" content="Fetch: API key 1, versions 4–', fetch)


def test_search_engines_list_releases_but_not_the_bytes_of_older_versions() -> None:
    hidden = {
        address.removesuffix("/")
        for address, path in page_files(own_site()).items()
        if '<meta name="robots" content="noindex' in path.read_text(encoding="utf-8")
    }
    of_bytes = {
        address.removesuffix("/")
        for address in page_files(own_site())
        if re.fullmatch(r"api/[^/]+/v\d+/", address)
    }
    assert hidden < of_bytes
    shown = {place for place in of_bytes - hidden if place.startswith("api/fetch/")}
    assert shown == {"api/fetch/v18"}
    documents = (json.loads(path.read_text(encoding="utf-8")) for path in own_site().glob("data/api/*.json"))
    stable = sum(each["kind"] == "api" and each["newest_stable"] is not None for each in documents)
    assert len(of_bytes - hidden) >= stable > 80


def test_the_list_for_language_models_leads_to_pages_and_data() -> None:
    text = (own_site() / "llms.txt").read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert re.search(r"\n> .+\n", text)
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert {"api/fetch/", "data/api/fetch.json", "errors/", "headers/"} <= set(links)
    assert [link for link in links if not (own_site() / link.partition("#")[0]).exists()] == []
    assert len(text) < 60_000
