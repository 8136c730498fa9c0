"""A server on this machine that plays the API of GitHub or GitLab, with failures on demand."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "ghs_the-token"
REPOSITORY = "owner/name"
PROJECT = "group/project"
NUMBER = 7
LONGEST = 65_536


@dataclass(frozen=True)
class Failure:
    """What happens to the next request of a method whose path contains a text.

    With `done` the request is carried out before it fails; a status of 0 closes the connection.
    """

    method: str
    status: int
    document: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    path: str = ""
    done: bool = False


@dataclass
class Api:
    """The state of one server: comments on one request, what was asked for, and failures to come."""

    gitlab: bool = False
    account: str = "github-actions[bot]"
    account_known: bool = False  # whether GET /user answers: a job of GitHub gets 403
    page: int = 100  # entries of the longest page
    comments: list[dict[str, Any]] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    requests: list[tuple[str, str]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    next_id: int = 1
    url: str = ""

    def comment(self, body: str, author: str | None = None, kind: str = "Bot", system: bool = False) -> int:
        """Put a comment there; its id."""
        number, self.next_id = self.next_id, self.next_id + 1
        name = author or self.account
        who = {"author": {"username": name}, "system": system} if self.gitlab else {}
        self.comments.append(
            {"id": number, "body": body.strip(), **(who or {"user": {"login": name, "type": kind}})}
        )
        return number

    @property
    def bodies(self) -> list[str]:
        """The texts of all comments."""
        return [item["body"] for item in self.comments]

    @property
    def methods(self) -> list[str]:
        """The methods of all requests, in order, without the query for the account."""
        return [method for method, path in self.requests if not path.endswith("/user")]

    @property
    def thread(self) -> str:
        """The path of the list of comments."""
        if self.gitlab:
            return f"/projects/{PROJECT.replace('/', '%2F')}/merge_requests/{NUMBER}/notes"
        return f"/repos/{REPOSITORY}/issues/{NUMBER}/comments"

    def answer(self, method: str, target: str, document: Any) -> tuple[int, Any, dict[str, str]]:
        """Carry a request out: status, document, headers."""
        path, query = urlsplit(target).path, parse_qs(urlsplit(target).query)
        if path == "/user":
            if self.gitlab:
                return 200, {"username": self.account}, {}
            if self.account_known:
                return 200, {"login": self.account}, {}
            return 403, {"message": "Resource not accessible by integration"}, {}
        if path == self.thread and method == "GET":
            return self._page(query)
        if path == self.thread and method == "POST":
            if len(document["body"]) > LONGEST:
                errors = [{"resource": "IssueComment", "code": "custom", "message": "body is too long"}]
                return 422, {"message": "Validation Failed", "errors": errors}, {}
            self.comment(document["body"])
            return 201, self.comments[-1], {}
        single = self.thread if self.gitlab else f"/repos/{REPOSITORY}/issues/comments"
        found = re.fullmatch(re.escape(single) + r"/(\d+)", path)
        known = [item for item in self.comments if found and item["id"] == int(found[1])]
        if not known:
            return 404, {"message": "Not Found"}, {}
        if method == "DELETE":
            self.comments.remove(known[0])
            return 204, None, {}
        if method == ("PUT" if self.gitlab else "PATCH"):
            known[0]["body"] = document["body"].strip()
            return 200, known[0], {}
        return 405, {"message": "Method Not Allowed"}, {}

    def _page(self, query: dict[str, list[str]]) -> tuple[int, Any, dict[str, str]]:
        size = min(int(query.get("per_page", ["30"])[0]), self.page)
        number = int(query.get("page", ["1"])[0])
        shown = self.comments[(number - 1) * size : number * size]
        links = [f'<{self.url}{self.thread}?page=1&per_page={size}>; rel="first"']
        if number * size < len(self.comments):
            links.insert(0, f'<{self.url}{self.thread}?page={number + 1}&per_page={size}>; rel="next"')
        return 200, shown, {"Link": ", ".join(links)}

    def allowed(self, headers: dict[str, str]) -> bool:
        """Whether a request has the token."""
        if self.gitlab:
            return headers.get("Private-Token") == TOKEN
        return headers.get("Authorization") == f"Bearer {TOKEN}"


@contextmanager
def serving(api: Api) -> Iterator[Api]:
    """Serve the API on a free port as long as the block runs."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _respond(self) -> None:
            with lock:
                content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                document = json.loads(content) if content else None
                api.requests.append((self.command, self.path))
                given = {key.title(): value for key, value in self.headers.items()}
                api.headers.append(given)
                if not api.allowed(given):
                    self._write(401, {"message": "Bad credentials"}, {})
                    return
                for failure in api.failures:
                    if failure.method == self.command and failure.path in self.path:
                        api.failures.remove(failure)
                        if failure.done:
                            api.answer(self.command, self.path, document)
                        if not failure.status:
                            self.close_connection = True
                            return
                        self._write(failure.status, failure.document, failure.headers)
                        return
                self._write(*api.answer(self.command, self.path, document))

        do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _respond  # noqa: N815

        def _write(self, status: int, document: Any, headers: dict[str, str]) -> None:
            plain = isinstance(document, str)
            body = document.encode() if plain else b"" if document is None else json.dumps(document).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "text/html" if plain else "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Keep the output of the tests clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    api.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield api
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
