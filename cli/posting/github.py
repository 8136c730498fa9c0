"""GitHub: the comments on a pull request."""

from __future__ import annotations

import re
from typing import Any

from wirebook.cli.posting.client import ApiClient, ApiError, RateLimitError
from wirebook.cli.posting.thread import Comment
from wirebook.specs.problems import InputError

API = "https://api.github.com"
LONGEST = 65_536  # characters of a comment
# The author of comments posted with the token of a GitHub job, which cannot query its own account.
ACTIONS = "github-actions[bot]"
_PERMISSION = (
    "; the token needs the permission pull-requests: write, which a pull request from a fork does not get"
)


class GitHub:
    """The comments on one pull request. `author` is the account of the token, if the caller knows it."""

    def __init__(self, client: ApiClient, repository: str, number: int, author: str | None = None) -> None:
        if not re.fullmatch(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+", repository):
            raise InputError(f"{repository!r} is not a repository; write OWNER/NAME")
        self.client = client
        self.comments = f"/repos/{repository}/issues/comments"
        self.thread = f"/repos/{repository}/issues/{number}/comments"
        self._author = author

    @staticmethod
    def headers(token: str) -> dict[str, str]:
        """The headers of each request."""
        return {
            "Authorization": f"Bearer {token}",
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
        }

    def own(self, mark: str) -> list[Comment]:
        """See Thread. A person or bot that quotes our comment is not its author."""
        author = self._author or self._account()
        return [
            Comment(item["id"], item["body"])
            for item in self.client.listed(f"{self.thread}?per_page=100")
            if _author(item) == author and _text(item).startswith(mark)
        ]

    def stored(self, body: str) -> str:
        """See Thread. GitHub executes nothing."""
        return body

    def post(self, body: str) -> None:
        """See Thread."""
        written = self._send("POST", self.thread, body)
        if isinstance(written, dict) and _author(written):
            # The token of a separate app: the posted comment reveals which account is ours.
            self._author = _author(written)

    def edit(self, comment: Comment, body: str) -> None:
        """See Thread."""
        self._send("PATCH", f"{self.comments}/{comment.id}", body)

    def delete(self, comment: Comment) -> None:
        """See Thread."""
        self._send("DELETE", f"{self.comments}/{comment.id}", None)

    def _account(self) -> str:
        try:
            user = self.client.send("GET", "/user")
        except ApiError as error:
            # "Resource not accessible by integration": the token belongs to an app and not to a user.
            if error.status != 403 or isinstance(error, RateLimitError):
                raise
            user = {"login": ACTIONS}
        if not isinstance(user, dict) or not isinstance(user.get("login"), str):
            raise ApiError("GET /user: the answer names no account")
        self._author = user["login"]
        return self._author

    def _send(self, method: str, path: str, body: str | None) -> Any:
        try:
            return self.client.send(method, path, None if body is None else {"body": body})
        except ApiError as error:
            if error.status != 403 or isinstance(error, RateLimitError):
                raise
            raise ApiError(error.message + _PERMISSION, error.status) from None


def _author(item: dict[str, Any]) -> str:
    user = item.get("user")
    login = user.get("login") if isinstance(user, dict) else None
    return login if isinstance(login, str) else ""


def _text(item: dict[str, Any]) -> str:
    body = item.get("body")
    return body if isinstance(body, str) and isinstance(item.get("id"), int) else ""
