"""The sidebar: all APIs by group and all sections, on every page, with the page that one is on marked."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import pytest

from tests.docgen.sites import own_site, read_pages

pytestmark = pytest.mark.xdist_group("site")


class Sidebar(HTMLParser):
    """The links of the sidebar and of the tabs of a page, what is marked, and which boxes are open."""

    def __init__(self, page: str, text: str) -> None:
        super().__init__()
        self.page = page
        self.links: dict[str, str | None] = {}
        self.tabs: list[str] = []
        self.open: list[str] = []
        self._within = ""
        self._summary = self._is_open = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        name = str(values.get("class"))
        if tag == "nav":
            self._within = "side" if "wb-nav" in name else "tabs" if "md-tabs" in name else ""
        if tag == "a" and self._within and "md-logo" not in name:
            there = urlsplit(urljoin(f"http://site/{self.page}", str(values["href"]))).path.lstrip("/")
            if self._within == "tabs":
                self.tabs.append(there)
            elif not str(values["href"]).startswith("#"):
                assert there not in self.links, f"{there} twice on {self.page}"
                self.links[there] = values.get("aria-current")
        if tag == "details":
            self._is_open = "open" in values
        self._summary = tag == "summary" and bool(self._within)

    def handle_data(self, data: str) -> None:
        if self._summary and self._is_open and data.strip():
            self.open.append(data.strip())

    def handle_endtag(self, tag: str) -> None:
        self._within = "" if tag == "nav" else self._within
        self._summary = False


@cache
def sidebars() -> dict[str, Sidebar]:
    site = own_site()
    found = {}
    for path in sorted(site.rglob("*.html")):
        page = path.relative_to(site).as_posix().removesuffix("index.html")
        if page not in read_pages(site):
            continue  # it only leads on
        # Most of a page is not navigation, and takes as long to parse.
        navigation = re.findall(r"<nav\b.*?</nav>", path.read_text(encoding="utf-8"), re.DOTALL)
        found[page] = Sidebar(page, "".join(navigation))
    return found


@pytest.mark.long
def test_every_page_has_all_apis_and_sections() -> None:
    home = set(sidebars()[""].links)
    apis = {link for link in home if re.fullmatch(r"api/[^/]+/", link)}
    assert len(apis) == 93
    assert {
        "",
        "api/",
        "releases/",
        "matrix/",
        "errors/",
        "rules/",
        "tutorial/",
        "kip-35/",
        "appendix/",
    } <= home
    assert {page for page, side in sidebars().items() if set(side.links) != home} == set()


@pytest.mark.long
def test_the_page_that_one_is_on_is_marked_and_its_box_is_open() -> None:
    for page, side in sidebars().items():
        marked = {link: current for link, current in side.links.items() if current}
        if page in side.links:
            assert marked == {page: "page"}, page
        elif page != "404.html":
            records = not any(page.startswith(link) for link in side.links if link)
            assert records or list(marked.values()) == ["true"], page
    assert sidebars()["api/fetch/v12/"].links["api/fetch/"] == "true"
    assert sidebars()["api/fetch/"].open == ["Produce and fetch"]
    assert sidebars()["errors/"].open == ["Protocol"]
