"""A client of a JSON API: bounded retries, rate limits, pagination, and a token sent to one server only."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from email.message import Message
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urljoin, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from wirebook._version import __version__
from wirebook.specs.limits import ANSWER_SECONDS, MAX_ANSWER, MAX_PAGES, PATIENCE_SECONDS
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError

ATTEMPTS = 6
SECONDARY = 60.0  # seconds to wait after a rate limit without a time: GitHub's advice
_TRANSIENT = {500, 502, 503, 504}
_NEXT = re.compile(r'<([^>]*)>\s*;[^,]*\brel="?next"?')


class ApiError(InputError):
    """The API refused a request, or did not answer; `status` is 0 without an answer."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class UnknownOutcomeError(ApiError):
    """A request failed after it was sent, so the server may have carried it out."""


class RateLimitError(ApiError):
    """A request was refused for some seconds, because of a rate limit."""

    def __init__(self, message: str, status: int, seconds: float) -> None:
        super().__init__(message, status)
        self.seconds = seconds


@dataclass
class ApiClient:
    """Requests to the API at `base`, each with the same headers. Only this origin receives them, and no log.

    A client waits at most `patience` seconds in total; `sleep` and `now` are those of `time`.
    """

    base: str
    headers: Mapping[str, str] = field(repr=False)
    patience: float = PATIENCE_SECONDS
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.time

    def __post_init__(self) -> None:
        self.base = self.base.rstrip("/")
        parts = urlsplit(self.base)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
            raise InputError(f"{visible(self.base)} is not the address of an API")
        if parts.scheme == "http" and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
            raise InputError(f"{visible(self.base)}: the token is not sent without TLS; use https")
        self._origin = _origin(self.base)
        self._opener = build_opener(_SameOrigin(self._origin))

    def listed(self, path: str) -> Iterator[dict[str, Any]]:
        """The objects of a list, from all of its pages. Raises ApiError, also if a page is not a list."""
        url: str | None = self.base + path
        urls: set[str] = set()
        while url is not None:
            if url in urls or len(urls) == MAX_PAGES:
                raise ApiError(f"GET {path}: the pages of the list have no end")
            urls.add(url)
            document, headers = self._sent("GET", url, None)
            if not isinstance(document, list) or not all(isinstance(item, dict) for item in document):
                raise ApiError(f"GET {path}: the answer is not a list")
            yield from document
            url = self._next(url, headers)

    def send(self, method: str, path: str, document: Any = None) -> Any:
        """Send a request and return the answer, None if it is empty. Raises ApiError.

        Idempotent requests are retried. A POST is not: if it may have been carried out, this raises
        UnknownOutcomeError, and the caller looks before it posts again.
        """
        return self._sent(method, self.base + path, document)[0]

    def pause(self, seconds: float, why: ApiError) -> None:
        """Wait; raises `why` if that would exceed the remaining patience."""
        if seconds > self.patience:
            raise why
        self.patience -= seconds
        self.sleep(seconds)

    def _next(self, url: str, headers: Message) -> str | None:
        link = _NEXT.search(", ".join(headers.get_all("Link", ())))
        if link is None:
            return None
        following: str = urljoin(url, link[1])
        if _origin(following) != self._origin:
            raise ApiError(f"the next page of the list is on another server: {visible(following)}")
        return following

    def _sent(self, method: str, url: str, document: Any) -> tuple[Any, Message]:
        for attempt in range(ATTEMPTS):
            try:
                return self._once(method, url, document)
            except RateLimitError as limited:
                # The request was refused, not carried out: any method may be retried. A server that is down
                # may have carried it out.
                if method == "POST" and limited.status == 503:
                    raise UnknownOutcomeError(limited.message, limited.status) from None
                self.pause(limited.seconds, limited)
                error: ApiError = limited
            except _TransientError as transient:
                if method == "POST":
                    raise UnknownOutcomeError(transient.message, transient.status) from None
                error = transient
                if attempt + 1 < ATTEMPTS:
                    self.pause(backoff(attempt), transient)
        raise error

    def _once(self, method: str, url: str, document: Any) -> tuple[Any, Message]:
        what = f"{method} {visible(url.removeprefix(self.base))}"
        body = None if document is None else json.dumps(document).encode("ascii")
        headers = {"User-Agent": f"wirebook/{__version__}", "Accept": "application/json", **self.headers}
        if body is not None:
            headers["Content-Type"] = "application/json"
        try:
            with self._opener.open(
                Request(url, body, headers, method=method), timeout=ANSWER_SECONDS
            ) as answer:
                content = answer.read(MAX_ANSWER + 1)
                if len(content) > MAX_ANSWER:
                    raise ApiError(f"{what}: the answer is larger than {MAX_ANSWER:,} bytes")
                return _document(content), answer.headers
        except HTTPError as error:
            with error:
                raise self._refused(what, error) from None
        except (URLError, HTTPException, OSError, ValueError) as error:
            # ValueError: the answer is not JSON, such as that of a proxy in front of a server that is down.
            reason = error.reason if isinstance(error, URLError) else error
            why = visible(str(reason) or type(reason).__name__)
            raise _TransientError(f"{visible(self.base)}: {what}: {why}") from None

    def _refused(self, what: str, error: HTTPError) -> ApiError:
        try:
            content = error.read(65_536)
        except (HTTPException, OSError):
            content = b""
        reason = _reason(content)
        try:
            phrase = HTTPStatus(error.code).phrase
        except ValueError:
            phrase = ""
        words = f"{what}: {error.code} {phrase}".rstrip() + (f": {reason}" if reason else "")
        wait = _limit(error.code, error.headers, reason, self.now())
        if wait is not None:
            return RateLimitError(f"{words}; the rate limit ends in {wait:.0f} s", error.code, wait)
        kind = _TransientError if error.code in _TRANSIENT else ApiError
        return kind(words, error.code)


class _TransientError(ApiError):
    pass


class _SameOrigin(HTTPRedirectHandler):
    """Follows a redirect only to the origin that may see the token, and only for GET requests."""

    def __init__(self, origin: tuple[str, str, int | None]) -> None:
        self.origin = origin

    def redirect_request(
        self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        # urllib would repeat a POST as a GET, and send the token to whatever server the answer names.
        if req.get_method() != "GET" or _origin(newurl) != self.origin:
            return None
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def backoff(attempt: int) -> float:
    """Seconds to wait after a failed attempt, counted from 0: 1, 2, 4, 8, 16."""
    return float(2 ** min(attempt, 4))


def _origin(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = -1
    return parts.scheme, parts.hostname or "", port or {"https": 443, "http": 80}.get(parts.scheme)


def _document(content: bytes) -> Any:
    return json.loads(content) if content.strip() else None


def _reason(content: bytes) -> str:
    """The reason in the body of a refusal, on one line."""
    try:
        document = json.loads(content)
    except ValueError:
        return ""
    if not isinstance(document, dict):
        return ""
    parts = [document.get("message") or document.get("error") or ""]
    errors = document.get("errors")
    for item in errors if isinstance(errors, list) else ():
        parts.append(item.get("message") or item.get("code") or "" if isinstance(item, dict) else item)
    text = "; ".join(part if isinstance(part, str) else json.dumps(part) for part in parts if part)
    return visible(" ".join(text.split()))[:300]


def _limit(status: int, headers: Message, reason: str, now: float) -> float | None:
    """Seconds until a rate limit ends; None for another kind of refusal."""
    if status not in (403, 429, 503):
        return None
    after = _seconds(headers.get("Retry-After", ""), now)
    if after is not None:
        return after
    for prefix in ("X-RateLimit", "RateLimit"):
        reset = headers.get(f"{prefix}-Reset", "")
        if headers.get(f"{prefix}-Remaining") == "0" and re.fullmatch(r"\d{1,12}", reset):
            return max(0.0, int(reset) - now) + 1
    if status == 429 or (status == 403 and "rate limit" in reason.lower()):
        return SECONDARY
    return None


def _seconds(text: str, now: float) -> float | None:
    """A Retry-After header in seconds: a number, or a date (RFC 9110, 10.2.3)."""
    if re.fullmatch(r"\d{1,9}", text.strip()):
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (TypeError, ValueError):
        return None
