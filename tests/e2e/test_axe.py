"""axe-core on each kind of page: names, roles, landmarks, contrast; and the sizes of text and what
moves."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.docgen.sites import own_site
from tests.e2e.browsers import CHROMIUM, browser, served
from tests.e2e.clients import modules
from tests.e2e.waiting import PATIENCE, expect_value, settled

__all__ = ["browser"]

HERE = Path(__file__).resolve().parent / "axe"
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on PATH"),
    pytest.mark.long,
]
# One of each kind.
PAGES = [
    "", "api/", "api/fetch/#v12", "api/fetch/v12/", "releases/4.0/",
    "matrix/", "negotiate/", "errors/", "types/", "bytes/", "rules/", "kips/kip-516/",
    "api/offset-commit-value/", "upgrade/", "tutorial/", "flows/", "flows/classic-group/", "first-client/", "levels/", "fields/",
]  # fmt: skip
RUN = """async () => (await axe.run(document, {resultTypes: ["violations"]})).violations.map(
  (found) => `${found.id}: ${found.nodes.slice(0, 3).map((node) => node.target.join(" ")).join(", ")}`)"""
SMALL = """() => {
  const found = new Set(), walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !element.checkVisibility()) continue;
    const size = parseFloat(getComputedStyle(element).fontSize);
    if (size < 11.9) found.add(`${size} ${element.tagName}.${element.className}`);
  }
  return [...found];
}"""


@cache
def axe() -> str:
    """The script of axe-core; the test is skipped where npm cannot install it."""
    if shutil.which("npm") is None:
        pytest.skip("axe-core needs npm")
    try:
        folder = modules(HERE)
    except (OSError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"axe-core was not installed: {error}")
    return (folder / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1440, "light")])
def test_axe_finds_nothing_and_no_text_is_tiny(browser: Any, width: int, scheme: str) -> None:
    script = axe()
    with served(own_site()) as base:
        # The policy of the site forbids the script of the test as well.
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True
        )
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        for path in PAGES:
            page.goto(base + path, wait_until="load")
            page.wait_for_timeout(300)  # Colours of the header come by transition.
            settled(page)
            page.evaluate(script)
            expect_value(page, lambda: page.evaluate(RUN), [], path)
            assert page.evaluate(SMALL) == [], path
        context.close()


SHIFTS = """window.shifted = 0; new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
}).observe({type: "layout-shift", buffered: true});"""


@pytest.mark.parametrize("width", [390, 1440])
def test_nothing_moves_after_it_is_shown(browser: Any, width: int) -> None:
    """The layout shift that a reader sees; a slow processor makes the scripts late, as on a
    phone."""
    with served(own_site()) as base:
        for path in ("", "api/fetch/#v12", "negotiate/"):
            context = browser.new_context(viewport={"width": width, "height": 900})
            page = context.new_page()
            context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 4})
            page.add_init_script(SHIFTS)
            page.goto(base + path, wait_until="load")
            page.wait_for_timeout(300)
            assert page.evaluate("shifted") <= 0.05, path
            context.close()
