"""The page of a report in a real browser: readable on a phone, in light and in dark, and by
keyboard."""

from __future__ import annotations

from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.browsers import IN_BROWSER, opened, overflow
from tests.e2e.contrast import FAINT
from tests.rules.report.reviews import reviewed
from tests.support import ROOT, history_repo, needs_shared
from wirebook.rules.check.request import CheckRequest
from wirebook.rules.check.run import judge
from wirebook.rules.report import html
from wirebook.rules.report.model import report_of

pytestmark = IN_BROWSER
FAINT_HERE = FAINT.replace(".md-content *, .md-header *, .md-tabs *", "body *")
# What axe calls scrollable-region-focusable, landmark-unique, duplicate-id and heading-order.
WRONG = """() => {
  const found = [];
  for (const part of document.querySelectorAll("body *")) {
    const scrolls = part.scrollWidth > part.clientWidth + 1
      && ["auto", "scroll"].includes(getComputedStyle(part).overflowX);
    if (scrolls && part.tabIndex !== 0) found.push("cannot be scrolled by keyboard: " + part.className);
    if (part.tabIndex === 0 && part.matches(".scroll") && !part.ariaLabel) found.push("without a name");
  }
  const twice = (name, values) => values.filter((value, at) => values.indexOf(value) < at)
    .forEach((value) => found.push(name + " twice: " + value));
  twice("id", [...document.querySelectorAll("[id]")].map((part) => part.id));
  twice("region", [...document.querySelectorAll("[role=region]")].map((part) => part.ariaLabel));
  let level = 0;
  for (const heading of document.querySelectorAll("h1, h2, h3, h4, h5")) {
    const now = Number(heading.tagName[1]);
    if (now > level + 1) found.push("heading skips a level: " + heading.textContent);
    level = now;
  }
  for (const cell of document.querySelectorAll("th:not([scope])")) found.push("th: " + cell.textContent);
  for (const link of document.querySelectorAll("nav a"))
    if (!document.getElementById(link.hash.slice(1))) found.push("to nowhere: " + link.hash);
  if (document.querySelectorAll("h1").length !== 1) found.push("not one h1");
  return found;
}"""


def hostile() -> str:
    # The report names the sides as given: with absolute paths, its height depends on the checkout.
    with chdir(ROOT / "tests" / "rules" / "diff" / "changes"):
        return html.render(report_of(judge(CheckRequest(old="./old", new="./new"))))


def seen(browser: Any, folder: Path, text: str, width: int, scheme: str) -> None:
    place = folder / "report.html"
    place.write_text(text, encoding="utf-8")
    with opened(browser, f"file://{folder}", width, scheme) as (page, wrong):
        page.goto(place.as_uri(), wait_until="load")
        top = page.evaluate("document.querySelector('main h2').getBoundingClientRect().bottom")
        assert top < 480, "the findings, or else what changes, begin on the first screen"
        page.evaluate("document.querySelectorAll('details').forEach((part) => part.open = true)")
        assert overflow(page) <= 0
        assert page.evaluate(FAINT_HERE) == []
        assert page.evaluate(WRONG) == []
        assert wrong == []


FURTHER = [(390, "light"), (1440, "light"), (1440, "dark")]


@pytest.mark.parametrize(
    ("width", "scheme"),
    [(390, "dark"), *(pytest.param(*how, marks=pytest.mark.long) for how in FURTHER)],
)
def test_a_hostile_change(browser: Any, tmp_path: Path, width: int, scheme: str) -> None:
    seen(browser, tmp_path, hostile(), width, scheme)


@pytest.mark.long
@needs_shared
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1440, "light")])
@pytest.mark.parametrize("against", ["3.9.1..4.0.0", "a3b684d^..a3b684d", "29df9b6^..29df9b6"])
def test_real_changes(
    browser: Any,
    tmp_path: Path,
    against: str,
    width: int,
    scheme: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(history_repo())
    seen(browser, tmp_path, html.render(reviewed(against)), width, scheme)
