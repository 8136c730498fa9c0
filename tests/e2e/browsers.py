"""A browser, and pages of our sites in it."""

from __future__ import annotations

import contextlib
import http.server
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.waiting import PATIENCE

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
# The marks of the tests in tests/e2e/browser, which share a browser.
IN_BROWSER = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on PATH"),
    pytest.mark.xdist_group("browser"),
]

ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@contextlib.contextmanager
def served(site: Path) -> Iterator[str]:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


@contextlib.contextmanager
def launched() -> Iterator[Any]:
    """A browser that runs."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield running
        for each in [key for key in _contexts if key[0] == running]:
            del _contexts[each]
        running.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser for the tests of a file that is not in tests/e2e/browser."""
    with launched() as running:
        yield running


# The context of the pages of a browser, by whether they are served.
_contexts: dict[tuple[Any, bool], Any] = {}


def _context(browser: Any, base: str) -> Any:
    """The context that pages share. A page of the site stays open in it, and with it the process of
    pages.

    A new process spends 1.4 s more on the first page that it shows. Tests share no storage: each
    serves a site at a port of its own, which is another origin.
    """
    is_served = base.startswith("http")
    context = _contexts.get((browser, is_served))
    if context is None:
        context = _contexts[browser, is_served] = browser.new_context()
        context.new_page().goto(f"{base}nothing" if is_served else "about:blank")
    return context


@contextlib.contextmanager
def opened(browser: Any, base: str, width: int, scheme: str) -> Iterator[tuple[Any, list[str]]]:
    """A page, and the list of what went wrong on it so far."""
    context = _context(browser, base)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    wrong: list[str] = []

    def note(text: str) -> None:
        wrong.append(text)

    def failed(request: Any) -> None:
        # What the next page cuts off is no fault of this one.
        if request.failure != "net::ERR_ABORTED":
            note(f"failed: {request.url}")

    page.on("console", lambda message: note(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: note(str(error)))
    page.on("requestfailed", failed)
    page.on(
        "response",
        lambda answer: note(f"{answer.status} {answer.url}") if answer.status >= 400 else None,
    )
    page.on(
        "request",
        lambda request: (
            None if request.url.startswith((base, "data:", "blob:")) else note(request.url)
        ),
    )
    page.on("dialog", lambda dialog: note(f"dialog: {dialog.message}"))
    try:
        yield page, wrong
    finally:
        for each in context.pages[1:]:
            each.close()


SCHEMES = {"light": "default", "dark": "slate"}


def overflow(page: Any) -> int:
    """By how many pixels a page is wider than its window."""
    script = "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"
    width: int = page.evaluate(script)
    return width


def in_each_scheme(page: Any, first: str) -> Iterator[str]:
    """The colour schemes in which a loaded page is shown, the one that it was loaded in first."""
    for scheme in sorted(SCHEMES, key=lambda name: name != first):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_selector(f"body[data-md-color-scheme={SCHEMES[scheme]}]")
        yield scheme


def search(page: Any, words: str) -> None:
    """Search for words, and wait for answers."""
    page.keyboard.press("/")
    page.keyboard.type(words)
    page.wait_for_selector(".wb-find[data-ready] [role=option]", state="attached")
