"""What a site publishes beside its pages: the heads of pages, llms.txt."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace
from typing import Any

import pytest
from markdown_it import MarkdownIt

from tests.docgen.sites import PageReader, hostile_site, own_site, page_files
from wirebook.docgen.site.head import with_head, without_urls

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


def page_of(url: str = "api/x/", **meta: str) -> Any:
    return SimpleNamespace(
        url=url, meta=meta, title="A &lt;b&gt;", is_homepage=not url, canonical_url="https://e.org/?a&b"
    )


CONFIG: Any = SimpleNamespace(site_name="Wire", site_description="All of it")


def test_the_head_of_a_page_is_completed_and_what_is_there_stays() -> None:
    made = with_head("<head></head><body>", page_of(), CONFIG, listed=False)
    assert '<meta name="robots" content="noindex, follow">' in made
    assert '<meta property="og:title" content="A &lt;b&gt;">' in made
    assert '<meta property="og:url" content="https://e.org/?a&amp;b">' in made
    assert '<meta property="og:description" content="All of it">' in made
    assert made.endswith("</head><body>")
    own = '<head><meta property="og:title" content="x"></head>'
    assert with_head(own, page_of(), CONFIG) == own
    assert with_head("no head", page_of(), CONFIG) == "no head"


def test_a_sitemap_loses_only_the_pages_that_are_not_listed() -> None:
    one, two = (
        f"\n    <url>\n         <loc>https://e.org/{name}</loc>\n    </url>" for name in ("a/?x&amp;y", "b/")
    )
    assert (
        without_urls(f"<urlset>{one}{two}\n</urlset>", ["https://e.org/a/?x&y"])
        == f"<urlset>{two}\n</urlset>"
    )


def test_hostile_text_is_text_in_the_list_for_language_models() -> None:
    text = (hostile_site() / "llms.txt").read_text(encoding="utf-8")
    assert "\u202e" not in text
    assert "\x1b" not in text
    page = PageReader(MarkdownIt("commonmark").enable("table").render(text))
    assert not {"script", "img", "textarea", "iframe"} & set(page.tags)
    assert not any(link.startswith("javascript:") for link in page.links)


def test_the_list_for_language_models_leads_to_pages_and_data() -> None:
    text = (own_site() / "llms.txt").read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert re.search(r"\n> .+\n", text)
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert {"api/fetch/", "data/api/fetch.json", "errors/", "headers/"} <= set(links)
    assert [link for link in links if not (own_site() / link).exists()] == []
    assert len(text) < 60_000
