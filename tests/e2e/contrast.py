"""Which colours of a page are faint."""

from __future__ import annotations

# The ratio of the luminances of a text and what is behind it, for each element that has text of its
# own.
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
