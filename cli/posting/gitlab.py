"""GitLab: the notes on a merge request."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from wirebook.cli.posting.client import ApiClient, ApiError, RateLimitError
from wirebook.cli.posting.thread import Comment

API = "https://gitlab.com/api/v4"
LONGEST = 1_000_000  # characters of a note
_PERMISSION = (
    "; the token needs the scope api and at least the role Reporter (the job token cannot write notes)"
)


class GitLab:
    """The notes on one merge request; `project` is an id or a path. `author` is the name of the account."""

    def __init__(self, client: ApiClient, project: str, number: int, author: str | None = None) -> None:
        self.client = client
        self.notes = f"/projects/{quote(project, safe='')}/merge_requests/{number}/notes"
        self._author = author

    @staticmethod
    def headers(token: str) -> dict[str, str]:
        """The headers of each request."""
        return {"PRIVATE-TOKEN": token}

    def own(self, mark: str) -> list[Comment]:
        """See Thread. GitLab's own notes ("added 1 commit") are not ours."""
        author = self._author or self._account()
        return [
            Comment(note["id"], note["body"])
            for note in self.client.listed(f"{self.notes}?per_page=100&order_by=created_at&sort=asc")
            if _author(note) == author and _text(note).startswith(mark)
        ]

    def stored(self, body: str) -> str:
        """See Thread. GitLab executes a line that begins with "/close" or "/approve"."""
        return re.sub(r"^(\s*)/(?=[a-z])", r"\1&#47;", body, flags=re.MULTILINE | re.IGNORECASE)

    def post(self, body: str) -> None:
        """See Thread."""
        self._send("POST", self.notes, body)

    def edit(self, comment: Comment, body: str) -> None:
        """See Thread."""
        self._send("PUT", f"{self.notes}/{comment.id}", body)

    def delete(self, comment: Comment) -> None:
        """See Thread."""
        self._send("DELETE", f"{self.notes}/{comment.id}", None)

    def _account(self) -> str:
        user = self._send("GET", "/user", None)
        if not isinstance(user, dict) or not isinstance(user.get("username"), str):
            raise ApiError("GET /user: the answer names no account")
        self._author = user["username"]
        return self._author

    def _send(self, method: str, path: str, body: str | None) -> Any:
        try:
            return self.client.send(method, path, None if body is None else {"body": body})
        except ApiError as error:
            if error.status not in (401, 403) or isinstance(error, RateLimitError):
                raise
            raise ApiError(error.message + _PERMISSION, error.status) from None


def _author(item: dict[str, Any]) -> str:
    author = item.get("author")
    name = author.get("username") if isinstance(author, dict) else None
    return name if isinstance(name, str) else ""


def _text(item: dict[str, Any]) -> str:
    body = item.get("body")
    usable = isinstance(body, str) and isinstance(item.get("id"), int) and not item.get("system")
    return body if usable and isinstance(body, str) else ""
