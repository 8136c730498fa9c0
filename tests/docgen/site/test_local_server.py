"""The server of `wirebook serve`: for this machine only, with live reload under the policy of the pages."""

from __future__ import annotations

import http.client
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from mkdocs.livereload import LiveReloadServer

from wirebook.docgen.site.local_server import guarded

PAGE = (
    '<head><meta http-equiv="Content-Security-Policy" content="script-src \'self\'"></head>'
    "<body>script-src 'self' <script src=a.js></script></body>"
)


def _nothing() -> None:
    pass


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LiveReloadServer]:
    (tmp_path / "index.html").write_text(PAGE)
    (tmp_path / "a.js").write_text("1")
    made = LiveReloadServer(_nothing, "127.0.0.1", 0, str(tmp_path))
    made.watch(str(tmp_path))
    made.set_app(guarded(made.serve_request))
    made.server_bind()
    made.server_activate()
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield made
    super(LiveReloadServer, made).shutdown()
    made.server_close()


def asked(server: LiveReloadServer, path: str, host: str | None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    connection.putrequest("GET", path, skip_host=True)
    if host is not None:
        connection.putheader("Host", host)
    connection.endheaders()
    answer = connection.getresponse()
    text = answer.read()
    assert len(text) == int(answer.headers["Content-Length"])
    connection.close()
    return answer.status, text


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "localhost:8000", "LOCALHOST:1"])
def test_names_of_this_machine_are_served(server: LiveReloadServer, host: str) -> None:
    assert asked(server, "/", host)[0] == 200
    assert asked(server, "/a.js", host) == (200, b"1")


@pytest.mark.parametrize(
    "host",
    [None, "", "evil.example", "evil.example:8000", "localhost.evil.example", "127.0.0.1.nip.io",
     "a@localhost", "localhost/x", "[", "localhost, evil.example", "0.0.0.0"],
)  # fmt: skip
def test_other_names_are_refused(server: LiveReloadServer, host: str | None) -> None:
    for path in ("/", "/a.js", "/livereload/0/0"):
        status, text = asked(server, path, host)
        assert status == 403
        assert b"script" not in text


def test_the_script_of_live_reload_may_run_and_no_other(server: LiveReloadServer) -> None:
    pages = [asked(server, "/", "localhost")[1].decode() for _ in range(2)]
    nonces = []
    for page in pages:
        allowed = re.search(r"content=\"script-src 'self' 'nonce-([\w-]+)'\"", page)
        assert allowed is not None
        assert page.count(allowed[1]) == 2
        assert re.findall(r"<script[^>]*>\s*var livereload", page) == [
            f'<script nonce="{allowed[1]}">\nvar livereload'
        ]
        assert "<body>script-src 'self' <script src" in page
        nonces.append(allowed[1])
    assert nonces[0] != nonces[1]
