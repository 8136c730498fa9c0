"""Every text of a page stands out from what is behind it, in light and in dark (WCAG 2.1, level AA)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.docgen.sites import own_site
from tests.e2e.browsers import CHROMIUM, browser, in_each_scheme, opened, served
from tests.e2e.contrast import FAINT
from tests.e2e.waiting import expect_value, settled

__all__ = ["browser"]

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on PATH"),
    pytest.mark.long,
]
PAGES = [
    "", "api/", "api/fetch/#v12", "api/produce/", "api/alter-configs/", "releases/4.0/", "matrix/",
    "errors/", "bytes/", "api/fetch/v12/", "types/", "tags/", "deprecations/", "format/",
]  # fmt: skip


def test_no_text_is_faint(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        for path in PAGES:
            page.emulate_media(color_scheme="light")
            page.goto(base + path, wait_until="load")
            for scheme in in_each_scheme(page, "light"):
                page.wait_for_timeout(400)  # Colours of the header come by transition.
                settled(page)
                expect_value(page, lambda: page.evaluate(FAINT), [], f"{path} in {scheme}")
        assert wrong == []
