"""Guards a site that is served on this machine: only requests that name the machine are answered."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlsplit

HOSTS = frozenset(("localhost", "127.0.0.1", "::1"))
_POLICY = b"script-src 'self'"
_SCRIPT = b"<script>"

WsgiApplication = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def guarded(application: WsgiApplication) -> WsgiApplication:
    """A WSGI application that rejects requests that `application` must not see, and lets its live reload run.

    A page of another site can send requests here under its own host name (DNS rebinding), and would be
    allowed to read the answers: only names of this machine are served. MkDocs adds the script of its live
    reload to each page, which the policy of the page refuses without a nonce.
    """

    def serve(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        if not _is_local(str(environ.get("HTTP_HOST", ""))):
            return _refused(start, "403 Forbidden", b"Only localhost and 127.0.0.1 are served.\n")
        if not str(environ.get("PATH_INFO", "")).isprintable():
            return _refused(start, "400 Bad Request", b"The address has characters that no file has.\n")
        return _with_nonce(application, environ, start)

    return serve


def _is_local(host: str) -> bool:
    try:
        named = urlsplit(f"//{host}")
        return named.hostname in HOSTS and named.netloc == host and named.username is None
    except ValueError:
        return False


def _refused(start: Callable[..., Any], status: str, text: bytes) -> list[bytes]:
    start(status, [("Content-Type", "text/plain"), ("Content-Length", str(len(text)))])
    return [text]


def _with_nonce(
    application: WsgiApplication, environ: dict[str, Any], start: Callable[..., Any]
) -> Iterable[bytes]:
    """The answer of `application`; in a page, the last script, which live reload adds, may run."""
    begun: list[Any] = []
    answer = application(environ, lambda *given: begun.extend(given))
    status, headers, *more = begun
    if dict(headers).get("Content-Type") != "text/html":
        start(status, headers, *more)
        return answer
    try:
        page = b"".join(answer)
    finally:
        getattr(answer, "close", lambda: None)()
    script_start = page.rfind(_SCRIPT)
    if script_start >= 0 and _POLICY in page:
        nonce = secrets.token_urlsafe(16).encode()
        page = page[:script_start] + b'<script nonce="' + nonce + b'">' + page[script_start + len(_SCRIPT) :]
        page = page.replace(_POLICY, _POLICY + b" 'nonce-" + nonce + b"'", 1)
    other_headers = [(name, value) for name, value in headers if name != "Content-Length"]
    start(status, [*other_headers, ("Content-Length", str(len(page)))], *more)
    return [page]
