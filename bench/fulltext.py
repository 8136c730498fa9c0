"""What pages save by reading the index of the full text on demand: processor time with and without it.

`theme/overrides/main.html` of our site replaces two strings of Material's HTML for it. Here, a server undoes
that for the same pages: `python -m bench.fulltext SITE ours` or `theirs` loads them once.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from bench.phone import Compressing, serving
from bench.processes import measured

Row = tuple[str, str, str]
PAGES = (
    "",
    "api/",
    "api/fetch/",
    "api/fetch/v12/",
    "matrix/",
    "errors/",
    "rules/",
    "headers/",
    "types/",
    "check/",
)
# What the theme writes, for what our override has put in its place.
_WRITTEN = (
    (b'<form class="md-search__form" >', b'<form class="md-search__form" name="search">'),
    (b"assets/fulltext.js#javascripts/workers/", b"assets/javascripts/workers/"),
)


class _Unmodified(Compressing):
    """The site with the search of the theme."""

    def content(self, path: Path) -> bytes:
        data = super().content(path)
        if path.suffix == ".html":
            for ours, theirs in _WRITTEN:
                if data.count(ours) != 1:
                    raise SystemExit(
                        f"bench: {path}: {ours.decode()} is not there once; the theme has changed"
                    )
                data = data.replace(ours, theirs)
        return data


def rows(site: Path, repeat: int) -> Iterator[Row]:
    """A row with both times, of which neither includes the start of the browser; none without chromium."""
    if shutil.which("chromium") is None and shutil.which("chromium-browser") is None:
        return
    took: dict[str, list[float]] = {"none": [], "ours": [], "theirs": []}
    # By turns, since other work on the machine slows all of them.
    for _ in range(repeat):
        for which, times in took.items():
            command = [sys.executable, "-m", "bench.fulltext", str(site), which]
            times.append(measured(command).processor)
    start = median(took["none"])
    ours, theirs = (median(took[which]) - start for which in ("ours", "theirs"))
    text = f"{ours:.1f} s, unmodified theme {theirs:.1f} s, {theirs / ours:.1f} times"
    yield (f"  {len(PAGES)} pages in Chromium: processor time", text, "")


def main() -> None:
    """Load the pages: as they are, with the search of the theme, or none of them."""
    from playwright.sync_api import sync_playwright

    site, which = Path(sys.argv[1]), sys.argv[2]
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    handler: Any = _Unmodified if which == "theirs" else Compressing
    with serving(partial(handler, directory=str(site))) as base, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page()
        for path in PAGES if which != "none" else ():
            answer = page.goto(base + path, wait_until="networkidle")
            if answer is None or not answer.ok:
                raise SystemExit(f"bench: {path} is not a page to measure")
            # The worker prepares the index when it has it.
            page.wait_for_timeout(1000)
        browser.close()


if __name__ == "__main__":
    main()
