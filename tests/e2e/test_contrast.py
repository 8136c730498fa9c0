"""Every text of a page stands out from what is behind it, in light and in dark (WCAG 2.1, level AA)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.docgen.sites import own_site
from tests.e2e.test_browser import CHROMIUM, browser, in_each_scheme, opened, served
from tests.e2e.waiting import expect_value, settled

__all__ = ["browser"]

pytestmark = [
    pytest.mark.xdist_group("site"),
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on PATH"),
]
PAGES = [
    "", "api/", "api/fetch/#v12", "api/produce/", "api/alter-configs/", "api-versions/4.0-IV3/", "matrix/",
    "errors/", "bytes/", "api/fetch/v12/", "types/", "tags/", "deprecations/", "format/",
]  # fmt: skip

# The ratio of the luminances of a text and what is behind it, for each element that has text of its own.
FAINT = """() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const parse = (text) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, under, alpha) => top.slice(0, 3).map((c, i) => c * alpha + under[i] * (1 - alpha));
  const light = (rgb) => {
    const [r, g, b] = rgb.map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement)
      layers.unshift(parse(getComputedStyle(at).backgroundColor));
    return layers.reduce((under, layer) => over(layer, under, layer[3]), [255, 255, 255]);
  };
  const found = [];
  for (const element of document.querySelectorAll(".md-content *, .md-header *, .md-tabs *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || element.closest("svg, .md-search")) continue;
    if (!element.checkVisibility({opacityProperty: true})) continue;
    const style = getComputedStyle(element), size = parseFloat(style.fontSize);
    let opacity = 1;
    for (let at = element; at; at = at.parentElement) opacity *= getComputedStyle(at).opacity;
    const back = behind(element), ink = parse(style.color);
    const pair = [light(over(ink, back, ink[3] * opacity)), light(back)].sort((a, b) => b - a);
    const ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5))
      found.push(`${element.tagName}.${element.className} ${ratio.toFixed(2)} ${element.textContent.trim()}`);
  }
  return [...new Set(found)].slice(0, 20);
}"""


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
