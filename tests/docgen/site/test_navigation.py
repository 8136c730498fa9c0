"""Where a page is: the tab and the pages above it."""

from __future__ import annotations

import pytest

from wirebook.docgen.site.navigation import MenuItem, Places

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
