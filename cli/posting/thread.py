"""Our comment on a pull or merge request: posted, edited or removed, and never duplicated."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from wirebook.cli.posting.client import ATTEMPTS, ApiClient, ApiError, UnknownOutcomeError, backoff


@dataclass(frozen=True)
class Comment:
    """A comment that the account of the token wrote; a larger `id` is a later one."""

    id: int
    body: str


class Thread(Protocol):
    """The comments on one pull request (GitHub) or merge request (GitLab)."""

    client: ApiClient

    def own(self, mark: str) -> list[Comment]:
        """The comments that the account of the token wrote and that begin with `mark`. Raises ApiError."""

    def stored(self, body: str) -> str:
        """A text as it is sent to the server: without what the server would execute."""

    def post(self, body: str) -> None:
        """Write a comment. Raises ApiError; UnknownOutcomeError if it may have been written."""

    def edit(self, comment: Comment, body: str) -> None:
        """Replace the text of a comment. Raises ApiError."""

    def delete(self, comment: Comment) -> None:
        """Delete a comment. Raises ApiError."""


class Outcome(StrEnum):
    """What happened to the comment."""

    POSTED = "posted the comment"
    EDITED = "edited the comment"
    KEPT = "the comment is up to date"
    REMOVED = "removed the comment"
    NOTHING = "nothing to report, and no comment to remove"


def keep(thread: Thread, mark: str, body: str | None) -> Outcome:
    """Make `body`, which begins with `mark`, our only comment; None removes it.

    Raises ApiError. A list that cannot be read is an error as well: it does not mean that there is no
    comment.
    """
    if body is not None:
        body = thread.stored(body)
    for attempt in range(ATTEMPTS):
        comments = sorted(thread.own(mark), key=lambda comment: comment.id)
        if body is None:
            _delete(thread, comments)
            return Outcome.REMOVED if comments else Outcome.NOTHING
        try:
            if comments:
                return _settle(thread, comments, body)
            thread.post(body)
        except (UnknownOutcomeError, _DeletedError) as error:
            # The comment may or may not exist: after a while, the list shows which.
            thread.client.pause(2 * backoff(attempt), error)
            unknown = error
            continue
        _only_one(thread, mark, body)
        return Outcome.POSTED
    raise unknown


def _settle(thread: Thread, comments: list[Comment], body: str) -> Outcome:
    """Keep the oldest comment, and set its text."""
    first, *others = comments
    same = _plain(first.body) == _plain(body)
    if not same:
        try:
            thread.edit(first, body)
        except ApiError as error:
            raise (_DeletedError(error.message, error.status) if error.status == 404 else error) from None
    _delete(thread, others)
    return Outcome.KEPT if same else Outcome.EDITED


def _only_one(thread: Thread, mark: str, body: str) -> None:
    """Remove duplicates: if another run posted at the same time, both keep the first comment."""
    try:
        comments = sorted(thread.own(mark), key=lambda comment: comment.id)
        if comments:
            _settle(thread, comments, body)
    except ApiError:
        # The comment exists, as requested. The next run removes duplicates.
        return


def _delete(thread: Thread, comments: list[Comment]) -> None:
    for comment in comments:
        try:
            thread.delete(comment)
        except ApiError as error:
            if error.status != 404:  # somebody else deleted it
                raise


class _DeletedError(ApiError):
    """A comment was deleted after it was listed."""


def _plain(text: str) -> str:
    """A text as servers store it: they change line endings and strip it."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip()
