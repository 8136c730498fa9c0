"""What a site publishes beside its pages: the heads of pages, other forms of them."""

from __future__ import annotations

import json
import re
from pathlib import Path
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
    data = ("application/json", 'a "title"', "wire/data.json")
    made = with_head("<head></head><body>", page_of(), CONFIG, [data], listed=False)
    assert 'title="a &quot;title&quot;" href="../../wire/data.json">' in made
    assert '<meta name="robots" content="noindex, follow">' in made
    assert '<meta property="og:title" content="A &lt;b&gt;">' in made
    assert '<meta property="og:url" content="https://e.org/?a&amp;b">' in made
    assert '<meta property="og:description" content="All of it">' in made
    assert made.endswith("</head><body>")
    own = '<head><meta property="og:title" content="x"></head>'
    assert with_head(own, page_of(), CONFIG, []) == own
    assert with_head("no head", page_of(), CONFIG, [data]) == "no head"


def test_a_sitemap_loses_only_the_pages_that_are_not_listed() -> None:
    one, two = (
        f"\n    <url>\n         <loc>https://e.org/{name}</loc>\n    </url>" for name in ("a/?x&amp;y", "b/")
    )
    assert (
        without_urls(f"<urlset>{one}{two}\n</urlset>", ["https://e.org/a/?x&y"])
        == f"<urlset>{two}\n</urlset>"
    )


@pytest.mark.parametrize("site", [pytest.param(own_site, marks=pytest.mark.long), hostile_site])
def test_every_page_has_a_twin_whose_links_lead_somewhere(site: Any) -> None:
    top = site()
    twins = {path.relative_to(top).as_posix() for path in top.rglob("*.md")}
    pages = {path.relative_to(top).with_suffix(".md").as_posix() for path in top.rglob("index.html")}
    assert twins == pages
    broken = set()
    for twin in twins:
        text = (top / twin).read_text(encoding="utf-8")
        assert re.match("# .|[^#]*\n# .", text), twin
        for link in set(re.findall(r"(?<!\\)\]\(([^)\s#?]+)", re.sub(r"(?s)```.*?```|`[^`\n]*`", "", text))):
            if not re.match("[a-z]+:", link) and not (top / Path(twin).parent / link).is_file():
                broken.add((twin, link))
    assert broken == set()
    page = (top / "api/index.html").read_text(encoding="utf-8")
    assert (
        '<link rel="alternate " type="text/markdown" title="This page as Markdown" href="index.md">' in page
    )


def test_hostile_text_is_text_in_the_twins() -> None:
    for twin in [*hostile_site().rglob("*.md"), hostile_site() / "llms.txt"]:
        text = twin.read_text(encoding="utf-8")
        assert "\u202e" not in text
        assert "\x1b" not in text
        html = MarkdownIt("commonmark").enable("table").render(text)
        page = PageReader(html)
        assert not {"script", "img", "textarea", "iframe"} & set(page.tags), twin
        assert not any(link.startswith("javascript:") for link in page.links)


def test_the_list_for_language_models_leads_to_the_twins() -> None:
    text = (own_site() / "llms.txt").read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert re.search(r"\n> .+\n", text)
    links = re.findall(r"^- \[[^\]]+\]\(([^)]+)\)", text, re.MULTILINE)
    assert {"api/fetch/index.md", "errors/index.md", "headers/index.md"} <= set(links)
    assert [link for link in links if not (own_site() / link).is_file()] == []
    assert len(text) < 60_000
