"""Where a change left the branch that it is meant for, which CI, an upstream or a usual name gives."""

import os
import re
from typing import NamedTuple

from wirebook.specs.problems import InputError
from wirebook.specs.sources.bases import (
    DEFAULT_BRANCHES,
    FIRST_PARENT,
    Base,
    Detected,
    as_bases,
    merge_base_words,
    merge_bases,
)
from wirebook.specs.sources.git import GitRepo
from wirebook.specs.sources.git_command import run
from wirebook.specs.sources.refs import Refs
from wirebook.specs.sources.repository import Repository

# The commit from which a push moved its branch: github.event.before, and a variable that GitLab sets itself.
BEFORE = ("GITHUB_EVENT_BEFORE", "CI_COMMIT_BEFORE_SHA")
# The branch of a pipeline of GitLab, which checks out its commit and not the branch.
BRANCH = "CI_COMMIT_BRANCH"
CI = "CI"  # "true" in a job of GitHub, GitLab and most others
# The target branch of a pull request or a merge request, and the default branch of a project of GitLab. A job
# does not have these branches unless it fetches them.
TARGETS = ("GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME")
DEFAULT_NAME = "CI_DEFAULT_BRANCH"
# The commit where a merge request left its target branch, which a clone may have without that branch.
DIFF_BASE = "CI_MERGE_REQUEST_DIFF_BASE_SHA"
_FULL_HASH = "[0-9a-f]{40}|[0-9a-f]{64}"
_CREATED = "branch: Created from "  # the reason in the first entry of a branch's reflog


def detect_base(
    repository: Repository, head: str, branch: str | None, origin: str, nth: int, title: str
) -> Detected:
    """Where a commit left the branch that it is meant for; `title` is the name of the commit."""
    git = repository.git
    current = _judged_branch(repository, head, title)
    target = _target(repository, current, branch, origin)
    notices: tuple[str, ...] = ()
    if target is not None:
        bases = merge_bases(repository, target.commit, head, f"{title} and {target.ref}")
        nth = min(nth, len(bases) - 1)
        if bases != [head]:
            role = f"the {merge_base_words(bases, nth)} of {title} and"
            return Detected(target._replace(commit=bases[nth], role=role), commits=tuple(bases))
        # A change for a branch is not a push to it, even if it has no commit of its own.
        is_request = target.origin in (*TARGETS, DIFF_BASE)
        on_default = not is_request and (
            current is None
            or current in (*DEFAULT_BRANCHES, branch)
            or target.ref in repository.refs.copies(current)
        )
        if not on_default or (current is None and target.commit != head):
            return Detected(target._replace(commit=head, role=f"{title}, which is its merge base with"))
        before = _before_the_push(git, head)
        if before is not None:
            return Detected(before)
    else:
        _require_only_branch(repository)
        notices = ("no default branch was found: HEAD is compared with the commit before it",)
    parents = git.parents(head)
    if not parents:
        return Detected(None)
    if git.commit(parents[0]) is None:
        raise InputError(
            "the commit before HEAD is not here, the repository is shallow: git fetch --deepen=1",
            str(git.path),
        )
    why = "no default branch" if target is None else f"on the branch {target.ref}"
    return Detected(Base(f"{title}^", title, parents[0], why, FIRST_PARENT), notices)


class Push(NamedTuple):
    """A push to a branch: the name of its last commit, the setting `branch`, and the origin of that."""

    name: str
    branch: str | None
    origin: str


def pushed_bases(repository: Repository, head: str, before: list[Base], push: Push) -> list[Base]:
    """The old sides of a push whose last commit is `head`: the best of `before`, its merge bases with what
    its branch had, and of those with its target.

    A push that brings commits of the target, by a merge or a rebase, may break them, and does not answer for
    what they changed. If all commits are the target's, it is no change that is meant for it. An upstream in
    this clone is no such target: nobody may have judged its commits.
    """
    try:
        current = _judged_branch(repository, head, push.name)
        target = _target(repository, current, push.branch, push.origin)
        if target is None or (target.ref == repository.refs.tracked(current).upstream and _is_local(target)):
            return before
        commits = merge_bases(repository, target.commit, head, f"{push.name} and {target.ref}")
    except InputError:
        # A push does not need the target: what its branch had is here.
        return before
    if commits == [head]:
        return before
    bases = {base.commit: base for base in as_bases(target, commits)} | {base.commit: base for base in before}
    best = run(repository.place, "merge-base", "--independent", *bases, index=repository.index)
    return [bases[commit] for commit in sorted(best.decode().split(), key=list(bases).index)]


def _is_local(target: Base) -> bool:
    return target.ref.startswith("refs/heads/")


def _judged_branch(repository: Repository, head: str, title: str) -> str | None:
    """The branch whose last commit is `head`, which is named `title`; None if that is not known.

    A push may be that of another branch than the one that is checked out.
    """
    if title.startswith("refs/heads/"):
        return title.removeprefix("refs/heads/")
    is_checked_out = repository.git.commit("HEAD") == head
    return (repository.refs.branch or os.environ.get(BRANCH)) if is_checked_out else None


def _target(repository: Repository, current: str | None, branch: str | None, origin: str) -> Base | None:
    """The branch that a change is meant for, with its commit. None if no default branch was detected.

    `current` is the branch of the change, if known. Raises InputError if `branch`, the name from `origin`, is
    that of no branch or of several, and if CI names a branch that is not here.
    """
    git = repository.git
    if branch is None:
        requested = _requested(git)
        if requested is not None:
            return requested
        candidates = _target_branches(repository, current)
    else:
        candidates = [(f"refs/remotes/origin/{branch}", origin), (f"refs/heads/{branch}", origin)]
    commits = git.names(f"{ref}^{{commit}}" for ref, _ in candidates)
    for ref, found_by in candidates:
        if f"{ref}^{{commit}}" not in commits:
            continue
        shadowed = f"refs/remotes/{branch}"
        if branch is not None and git.names([shadowed]):
            names = f"{ref} and {shadowed}"
            raise InputError(f'"{branch}" is ambiguous: {names}; write the one that you mean', git.path)
        return Base(branch or ref, *git.named(ref), found_by)
    if branch is None:
        _named_by_ci(git, DEFAULT_NAME)
        return None
    if not git.names([f"{branch}^{{commit}}"]):
        raise InputError(f'there is no branch "{branch}" here; git fetch origin {branch}', str(git.path))
    return Base(branch, *git.named(branch), origin)


def _requested(git: GitRepo) -> Base | None:
    """The target of the pull request or merge request that a CI job is for; None in other jobs.

    Raises InputError if it is not here: another branch may lack what the change breaks.
    """
    variable = next((name for name in TARGETS if os.environ.get(name)), None)
    if variable is None:
        return None
    commit = os.environ.get(DIFF_BASE, "")
    # In a fork, a local branch of this name may be the change itself.
    if not git.names([f"refs/remotes/origin/{os.environ[variable]}^{{commit}}"]) and _is_here(git, commit):
        return Base(commit, "the diff base of the merge request", commit, DIFF_BASE)
    return _named_by_ci(git, variable)


def _named_by_ci(git: GitRepo, variable: str) -> Base | None:
    """The branch of origin that a variable names, None if none does. Raises InputError if it is not here."""
    name = os.environ.get(variable)
    if not name:
        return None
    ref = f"refs/remotes/origin/{name}"
    try:
        return Base(ref, *git.named(ref), variable)
    except InputError as error:
        raise InputError(f'{variable} is "{name}", and {error.message}', git.path) from None


def _require_only_branch(repository: Repository) -> None:
    """Raise InputError in CI, with HEAD detached, or with other branches: one of them may be the target.

    The commit before HEAD may be one of the change itself: what breaks before it would pass, by a
    configuration that nobody has reviewed.
    """
    refs = run(repository.place, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes")
    current = f"refs/heads/{repository.refs.branch}"
    is_ci = os.environ.get(CI, "").lower() not in ("", "0", "false")
    if os.fsdecode(refs).split() == [current] and not is_ci:
        return
    remedy = "name the target branch with --branch BRANCH or --against REF..."
    if run(repository.place, "remote"):
        remedy += ", after git fetch origin BRANCH:refs/remotes/origin/BRANCH"
    raise InputError(f"no branch to compare with was found; {remedy}", str(repository.place))


def _is_here(git: GitRepo, commit: str) -> bool:
    """Whether a value of a variable is the full hash of a commit that the clone has."""
    return re.fullmatch(_FULL_HASH, commit) is not None and git.commit(commit) is not None


def _before_the_push(git: GitRepo, head: str) -> Base | None:
    """The branch's commit before the push that a CI run is for, from the variables BEFORE, or None.

    A push may contain several commits, of which HEAD is only the last. Raises InputError if the commit is
    missing.
    """
    for name in BEFORE:
        before = os.environ.get(name, "")
        if not re.fullmatch(_FULL_HASH, before) or not before.strip("0"):
            continue
        if git.commit(before) is None:
            raise InputError(
                f"the commit before the push ({name}) is not here: git fetch origin {before}", str(git.path)
            )
        return Base(before, "the branch before the push", before, name) if before != head else None
    return None


def _target_branches(repository: Repository, current: str | None) -> list[tuple[str, str]]:
    """The refs that a change of a branch may be meant to be merged into, the most likely first, each with
    what it was detected by.
    """
    refs = repository.refs
    upstream, upstream_branch, push = refs.tracked(current)
    # A branch that was pushed tracks its copy, which is not a merge target.
    is_copy = current not in DEFAULT_BRANCHES and (
        upstream_branch == current or _was_pushed_to(repository, refs, current)
    )
    named = os.environ.get(DEFAULT_NAME)
    # Where CI knows the default branch, branches with the usual names are others.
    names = {named: DEFAULT_NAME} if named else dict.fromkeys(DEFAULT_BRANCHES, "a usual default branch")
    at_origin = [(f"refs/remotes/origin/{name}", found_by) for name, found_by in names.items()]
    cloned = (refs.default, "default branch of origin")
    return [
        *([(upstream, f"upstream of {current}")] if upstream and not is_copy else []),
        *([*at_origin, cloned] if named else [cloned, *at_origin]),
        # A default branch may be pushed to a repository with another name.
        *([(push, f"where {current} is pushed")] if push and current in DEFAULT_BRANCHES else []),
        # A clone may give its remote another name than origin.
        *([(refs.elsewhere, "default branch of the only other remote")] if refs.elsewhere else []),
        *((f"refs/heads/{name}", found_by) for name, found_by in names.items()),
    ]


class _RefUpdate(NamedTuple):
    """An entry of a reflog: the commit that the ref then named, the Unix time in seconds, and the reason."""

    commit: str
    time: int
    reason: str


def _reflog(repository: Repository, ref: str) -> list[_RefUpdate]:
    """The reflog of a ref, newest entry first; empty if git keeps none."""
    options = ("-g", "--date=unix", "--format=%H%x00%gd%x00%gs")
    try:
        log = run(repository.place, "log", *options, ref, "--", index=repository.index)
    except InputError:
        return []
    # A subject may contain line ends that only Python knows.
    entries = (line.split("\0") for line in os.fsdecode(log).split("\n") if line)
    return [
        _RefUpdate(commit, int(selector.rpartition("@{")[2].rstrip("}")), reason)
        for commit, selector, reason in entries
    ]


def _was_pushed_to(repository: Repository, refs: Refs, branch: str | None) -> bool:
    """Whether the upstream of a branch is a copy under another name: this clone pushed there what the branch
    had by then, and the branch did not begin there.
    """
    upstream, upstream_branch, _ = refs.tracked(branch)
    if not upstream or upstream == refs.default or upstream_branch in DEFAULT_BRANCHES:
        return False
    pushes = [each for each in _reflog(repository, upstream) if each.reason == "update by push"]
    own = _reflog(repository, f"refs/heads/{branch}") if pushes else []
    names = (upstream, upstream.removeprefix("refs/remotes/"))
    if any(each.reason == f"{_CREATED}{name}" for each in own for name in names):
        return False
    # What another branch pushed is there before this one begins at it or merges it. Within a second, a commit
    # precedes its push, and a beginning follows it.
    return any(
        each.commit == push.commit and each.time + each.reason.startswith(_CREATED) <= push.time
        for push in pushes
        for each in own
    )
