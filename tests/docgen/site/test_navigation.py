"""Where a page is: the tab and the pages above it."""

from __future__ import annotations

import pytest
from mkdocs.structure.nav import Link, Section

from wirebook.docgen.site.navigation import MenuItem, Places, menu_of
from wirebook.docgen.site.sidebar import Sidebar

MENU = (
    MenuItem("Home", ""),
    MenuItem("APIs", "api/"),
    MenuItem("Protocol", None, (MenuItem("Matrix", "matrix/"), MenuItem("Errors", "errors/"))),
    MenuItem("KIPs", None, (MenuItem("Proposals", "kips/"),)),
)
TITLES = {
    "api/": "APIs",
    "api/fetch/": "Fetch",
    "matrix/": "Matrix",
    "errors/": "Errors",
    "kips/": "Proposals",
}


@pytest.mark.parametrize(
    ("url", "tab", "path"),
    [
        ("", "Home", []),
        ("api/", "APIs", []),
        ("api/fetch/v12/", "APIs", [("APIs", "api/"), ("Fetch", "api/fetch/")]),
        ("matrix/", "Protocol", [("Protocol", None)]),
        ("errors/", "Protocol", [("Protocol", None)]),
        ("kips/kip-1/", "KIPs", [("KIPs", None), ("Proposals", "kips/")]),
        ("elsewhere/", "", []),
    ],
)
def test_every_page_has_its_tab_and_path(url: str, tab: str, path: list[tuple[str, str | None]]) -> None:
    assert Places(MENU, TITLES).of(url) == (tab, path)


def test_a_tab_leads_to_its_first_page() -> None:
    tabs = [("Home", ""), ("APIs", "api/"), ("Protocol", "matrix/"), ("KIPs", "kips/")]
    assert Places(MENU, TITLES).tabs == tabs


def test_a_link_out_of_the_site_is_in_the_sidebar_of_every_page_and_no_tab() -> None:
    links = [
        Link("Other protocols", "../index.html"),
        Link("Team", "https://example.org/?a=1&b=2"),
        Link("Shouted", "HTTPS://example.org/"),
    ]
    menu = menu_of([Section("More", list(links)), *links, Link("Bad", "javascript:alert(1)")])
    assert Places(menu, {}).tabs == []
    sidebar = Sidebar.of(menu, [], "api/", {}).on("api/fetch/", "../../")
    assert sidebar.count('<li><a href="../../../index.html">Other protocols</a></li>') == 2
    assert sidebar.count('<a href="https://example.org/?a=1&amp;b=2">Team</a>') == 2
    assert sidebar.count('<a href="HTTPS://example.org/">Shouted</a>') == 2
    assert "Bad" not in sidebar
