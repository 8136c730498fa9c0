"""Reviews of what a patch does to a small repository, or of a range of the real history."""

from __future__ import annotations

from wirebook.rules.check.request import CheckRequest
from wirebook.rules.check.run import judge
from wirebook.rules.review.review import ReviewReport, review_all


def reviewed(against: str = "HEAD") -> ReviewReport:
    """The review of the working tree, or of a range, of the repository in the current folder."""
    found = judge(CheckRequest(against=against))
    return review_all(found.report, found.compared)
