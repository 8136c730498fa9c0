"""What a site publishes beside its pages: the heads of pages."""

from __future__ import annotations

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
        found = dict(re.findall(r'<meta property="(og:\w+)" content="([^"]*)">', head))
        assert found.keys() == {"og:title", "og:description"}
        assert not any("<" in text for text in found.values())
    fetch = (own_site() / "api/fetch/index.html").read_text(encoding="utf-8")
    assert re.search('og:description" content="Fetch: API key 1, versions 4-', fetch)
