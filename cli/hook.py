"""What `wirebook check --hook` judges: the index before a commit, or the commits of a push."""

import os
import re
from dataclasses import replace

from wirebook._version import __version__
from wirebook.rules.check.request import CheckRequest
from wirebook.rules.check.run import judge
from wirebook.rules.result import CheckResult
from wirebook.specs.problems import InputError

# Set by `pre-commit run --from-ref A --to-ref B`, and for the stage pre-push from what git pushes.
FROM, TO = "PRE_COMMIT_FROM_REF", "PRE_COMMIT_TO_REF"
PUSHED, PUSHED_TO = "PRE_COMMIT_LOCAL_BRANCH", "PRE_COMMIT_REMOTE_BRANCH"


def judge_hook(request: CheckRequest) -> CheckResult:
    """Run the check of a hook. Raises InputError if it cannot run.

    A push is judged as a whole: its last commit, merged into the branch that it is for. Nothing is
    judged of a push that deletes a branch.
    """
    first, last = _ref(FROM), _ref(TO)
    if last is None:
        pushed = _ref(PUSHED)
        return judge(replace(request, staged=pushed is None, tip=pushed))
    if re.fullmatch("0{40}|0{64}", last):
        return CheckResult((), "the push deletes a branch: nothing to judge", __version__, 0)
    if os.environ.get(PUSHED_TO):
        return judge(replace(request, tip=last))
    return judge(replace(request, against=f"{first or ''}...{last}"))


def _ref(name: str) -> str | None:
    """The ref in a variable, None if it is not set. Raises InputError for a range."""
    ref = os.environ.get(name)
    if not ref:
        return None
    if ".." in ref:
        raise InputError(f"{ref!r} is not a git ref ({name})")
    return ref
