// The colours that a reader chose before, set before the page is painted; see scope.js for why this is a file.
{
  const palette = __md_get("__palette");
  if (palette && palette.color) {
    if (palette.color.media === "(prefers-color-scheme)") {
      const light = matchMedia("(prefers-color-scheme: light)").matches;
      const media = `(prefers-color-scheme: ${light ? "light" : "dark"})`;
      const input = document.querySelector(`[data-md-color-media='${media}']`);
      for (const name of ["media", "scheme", "primary", "accent"]) {
        palette.color[name] = input.getAttribute(`data-md-color-${name}`);
      }
    }
    for (const [name, value] of Object.entries(palette.color)) {
      document.body.setAttribute(`data-md-color-${name}`, value);
    }
  }
}
