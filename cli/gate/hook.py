"""What `wirebook check --hook` compares: the refs of pre-commit, the index, or the branch."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook._version import __version__
from wirebook.rules.check.run import Judged, judge, target_branch
from wirebook.rules.result import CheckResult
from wirebook.specs.problems import InputError
from wirebook.specs.sources.bases import DEFAULT_BRANCHES
from wirebook.specs.sources.repository import find_repository

if TYPE_CHECKING:
    from wirebook.rules.check.request import CheckRequest

# Set by `pre-commit run --from-ref A --to-ref B`, and for the stage pre-push from what git pushes. A push
# that has the first commit of all sets only the names of the branches.
FROM, TO = "PRE_COMMIT_FROM_REF", "PRE_COMMIT_TO_REF"
PUSHED, PUSHED_TO = "PRE_COMMIT_LOCAL_BRANCH", "PRE_COMMIT_REMOTE_BRANCH"
REMOTE = "PRE_COMMIT_REMOTE_NAME"

_NO_COMMIT = ("0" * 40, "0" * 64)  # what git names in the place of a branch that is created or deleted


def judge_hook(request: CheckRequest) -> Judged:
    """Run the check of a hook; of a push that deletes a branch, nothing is checked.

    The request is for the index, which is what a commit is about. If pre-commit names refs, or nothing that
    the check judges is staged, other sides are compared. Raises InputError if it cannot run, OSError.
    """
    first, last, pushed = (_ref(name) for name in (FROM, TO, PUSHED))
    if last is None and first is None and pushed is None:
        judged = judge(request)
        if judged.report.is_same:
            # Also what is not committed counts, as in `wirebook check`.
            return judge(request._replace(staged=False))
        # pre-commit runs on all files have something else staged, too, and the branch has other commits.
        return judge(request._replace(whole_branch=True)) if judged.report.is_untouched else judged
    if last is None and first is not None:
        raise InputError(f"{FROM} is set, and {TO} is not")
    if last in _NO_COMMIT:
        words = "the push deletes a branch, so nothing was compared"
        return Judged(CheckResult((), words, __version__, 0, is_untouched=True), ())
    if first is None or first in _NO_COMMIT:
        # Its name says whether it is the default branch.
        return judge(request._replace(staged=False, tip=pushed or last))
    dropping = request._replace(staged=False, against=f"{first}..{last}", origin=FROM)
    if _is_shared(dropping, first):
        return judge(dropping)
    # A tag has no target.
    is_branch = os.environ.get(PUSHED_TO, "").startswith("refs/heads/")
    return judge(dropping._replace(against=f"{first}...{last}", tip=pushed if is_branch else None))


def _ref(name: str) -> str | None:
    """The ref in a variable, None if it is not set. Raises InputError for a range."""
    ref = os.environ.get(name)
    if not ref:
        return None
    if ".." in ref:
        raise InputError(f"{ref!r} is not a git ref ({name})")
    return ref


def _is_shared(request: CheckRequest, before: str) -> bool:
    """Whether a push is to the default branch, or to the branch that the settings name; `before` is the
    commit of the branch before the push.

    What is on that branch is in use: a forced push that drops it is judged, too. On other branches, commits
    are rewritten, and only what leads to the last one counts.
    """
    ref = os.environ.get(PUSHED_TO, "")
    branch = ref.removeprefix("refs/heads/")
    if not ref or branch in DEFAULT_BRANCHES:
        return bool(ref)
    tracking = f"refs/remotes/{os.environ.get(REMOTE) or 'origin'}/{branch}"
    names = (branch, ref, tracking, tracking.removeprefix("refs/remotes/"))
    # Settings that cannot be read name no branch: a push may be what drops them.
    with suppress(InputError):
        if target_branch(request, before) in names:
            return True
    repository = find_repository(request.cwd or Path.cwd())
    if repository is None:
        return False
    try:
        refs = repository.refs
        return not {refs.default, refs.elsewhere}.isdisjoint(refs.copies(branch))
    finally:
        repository.close()
