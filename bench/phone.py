"""Pages of a site on a slow phone: the largest contentful paint and the layout shift."""

from __future__ import annotations

import gzip
import http.server
import io
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

Row = tuple[str, str, str]
PAGES = ("", "api/fetch/", "api/fetch/#v12", "negotiate/", "matrix/")
# A processor four times slower than this one, and the network that Chromium calls slow 4G.
_PROCESSOR = {"rate": 4}
_NETWORK = {"offline": False, "latency": 150, "downloadThroughput": 209_715, "uploadThroughput": 96_000}
_SCRIPT = """window.shift = 0; window.paint = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
}).observe({type: "layout-shift", buffered: true});
new PerformanceObserver((list) => { window.paint = list.getEntries().at(-1).startTime; })
  .observe({type: "largest-contentful-paint", buffered: true});"""


class Compressing(http.server.SimpleHTTPRequestHandler):
    """A server of files that compresses them, as servers of sites do."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def send_head(self) -> io.BytesIO | None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            self.send_error(404)
            return None
        data = gzip.compress(self.content(path))
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(os.fspath(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        return io.BytesIO(data)

    def content(self, path: Path) -> bytes:
        """What is sent for a file."""
        return path.read_bytes()


@contextmanager
def serving(handler: Callable[..., http.server.SimpleHTTPRequestHandler]) -> Iterator[str]:
    """A server on this machine, by its address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def rows(site: Path) -> Iterator[Row]:
    """A row for each page; none without chromium. Exits with a line for a page that the site lacks."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        return
    from playwright.sync_api import sync_playwright

    handler = partial(Compressing, directory=str(site))
    with serving(handler) as base, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for path in PAGES:
            paint, shift = _measured(browser, base + path)
            text = f"{paint / 1000:.2f} s, shift {shift:.3f}"
            yield (f"  /{path} on a slow phone: largest paint", text, "at most 2 s and 0.05")
        browser.close()


def _measured(browser: Any, address: str) -> tuple[float, float]:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    control = context.new_cdp_session(page)
    control.send("Network.enable")
    control.send("Network.emulateNetworkConditions", _NETWORK)
    control.send("Emulation.setCPUThrottlingRate", _PROCESSOR)
    page.add_init_script(_SCRIPT)
    answer = page.goto(address, wait_until="load")
    # The page of an error is painted fast.
    if answer is None or not answer.ok:
        raise SystemExit(
            f"bench: {address}: {answer.status if answer else 'no answer'}, not a page to measure"
        )
    page.wait_for_timeout(1000)
    paint, shift = page.evaluate("[paint, shift]")
    context.close()
    return paint, shift
