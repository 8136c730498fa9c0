"""What a check compares: the tree that is judged, its base, and the tree whose settings judge.

**head** is the working tree, the index, or a commit. **base** is what it is compared with:

- for a commit, the tip of the target branch; head is then the result of merging the commit into it,
  so that two changes that break only together are found;
- for the index and the working tree, where HEAD left the target; on the target itself, its
  upstream, HEAD, or the first parent of HEAD, the first that differs;
- `A..B` names both.

Settings are those of the tip of the target, which the author of a change cannot choose.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wirebook.rules.catalogue import read
from wirebook.rules.check.request import CheckRequest
from wirebook.rules.result import Base
from wirebook.rules.settings import FILE, Settings
from wirebook.specs import trees
from wirebook.specs.discovery import is_wanted
from wirebook.specs.git import Git
from wirebook.specs.problems import InputError
from wirebook.specs.trees import Tree

# The target branch of a pull request on GitHub, and of a merge request on GitLab.
CI_TARGETS = ("GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME")
DEFAULT_BRANCHES = ("main", "master", "trunk")
COMMAND_LINE = "command line"
NOTHING = Tree({})  # the base, if there is nothing to compare with
_USUAL = "default branch"
_NAME_IT = "name it with --against"
_SAY_IT = f"{_NAME_IT}, or with `branch` in {FILE}"
_DEFAULT = "refs/remotes/origin/HEAD"
_PREFIXES = ("refs/remotes/origin/", "refs/heads/")


@dataclass(frozen=True)
class Sides:
    """The two trees of a check; `base` is NOTHING if there is nothing to compare with.

    `policy` is the tree whose settings judge. `words` describe the comparison in one line, `pin` is
    the commit of the base, if it is one. `commit` is the one that is judged, "" for files.
    """

    base: Tree
    head: Tree
    policy: Tree
    words: str
    pin: Base | None = None
    notices: tuple[str, ...] = ()
    commit: str = ""


def sides(request: CheckRequest, git: Git | None) -> Sides:
    """The sides of a check in a repository, or in a folder without one. Raises InputError."""
    against = request.against
    if (request.old is None) != (request.new is None):
        raise InputError("--old and --new must be given together: they are the two sides")
    if request.old is not None and request.new is not None:
        if request.staged or against:
            raise InputError("--old and --new name both sides: omit --staged and --against")
        old = trees.named(request.old, request.cwd, git)
        new = trees.named(request.new, request.cwd, git)
        return Sides(old.tree, new.tree, old.tree, f"{new.words} against {old.words}")
    if git is None:
        return _of_folder(request)
    if against is not None and ".." in against and not trees.is_path(against):
        if request.staged:
            raise InputError("--against names both sides with a range: omit --staged")
        return _of_range(git, against)
    if request.tip is not None:
        head = trees.of_commit(git, _commit(git, request.tip))
        return _of_commit(git, _target(git, request, head), request.tip)
    if git.top is None:
        raise InputError(f"a bare repository has no files: {_NAME_IT} A..B")
    if not request.staged and against is None:
        target = _of_ci(git)
        if target is not None:
            return _of_commit(git, target, "HEAD")
    return _of_files(git, request)


def _of_folder(request: CheckRequest) -> Sides:
    """The files of a folder that is in no repository, against another source if one is named."""
    if request.staged:
        raise InputError("--staged judges the index of a git repository, and this is none")
    head = trees.of_folder(request.cwd)
    if request.against is None:
        return Sides(
            NOTHING, head, head, "the files here: no git repository, nothing to compare with"
        )
    base = trees.named(request.against, request.cwd, None)
    return Sides(base.tree, head, base.tree, f"the files here against {base.words}")


def _of_range(git: Git, against: str) -> Sides:
    """`A..B`, or `A...B`: the commit B merged into the target A."""
    first, dots, last = against.partition("..." if "..." in against else "..")
    if not first or ".." in last:
        raise InputError(f'"{against}" is not a range of commits: A..B or A...B')
    target = Base(first, _commit(git, first), COMMAND_LINE)
    name = last or "HEAD"
    if dots == "...":
        return _of_commit(git, target, name)
    commit = _commit(git, name)
    base = trees.of_commit(git, target.commit)
    words = f"{_shown(name, commit)} against"
    return Sides(
        base, trees.of_commit(git, commit), base, f"{words} {target.words}", target, commit=commit
    )


def _of_commit(git: Git, target: Base, name: str) -> Sides:
    """A commit, merged into the target, against the tip of the target."""
    commit = _commit(git, name)
    tip = trees.of_commit(git, target.commit)
    if _merge_base(git, target, commit) == target.commit:
        head = trees.of_commit(git, commit)
        words = _shown(name, commit)
    else:
        merged, conflicts = git.merged(target.commit, commit)
        spec = next(filter(is_wanted, conflicts), None)
        if spec is not None:
            raise InputError(
                f"merging {name} into {target.name} has a conflict here: merge it first", spec
            )
        head = trees.of_commit(git, merged)
        words = f"{_shown(name, commit)} merged into the target"
    return Sides(
        tip, head, tip, f"{words} against {target.words}", target, _fork(git, target), commit
    )


def _of_files(git: Git, request: CheckRequest) -> Sides:
    """The index or the working tree, against where HEAD left the target."""
    head = trees.of_index(git) if request.staged else trees.of_working_tree(git)
    files = "the index" if request.staged else "the working tree"
    if request.against is not None and git.commit(request.against) is None:
        named = trees.named(request.against, request.cwd, git)
        return Sides(named.tree, head, named.tree, f"{files} against {named.words}")
    commit = git.commit("HEAD")
    if commit is None and not git.run("for-each-ref", "--count=1"):
        return Sides(NOTHING, head, head, f"{files}: there is no commit yet to compare with")
    target = _target(git, request, head)
    tip = trees.of_commit(git, target.commit)
    if commit is None:
        return Sides(tip, head, tip, f"{files} against {target.words}", target)
    is_named = request.against is not None
    for pin in _bases(git, target, commit, is_named=is_named):
        base = tip if pin.commit == target.commit else trees.of_commit(git, pin.commit)
        if is_named or pin.commit != commit or base.files != head.files:
            return Sides(base, head, tip, f"{files} against {pin.words}", pin, _fork(git, target))
    return Sides(NOTHING, head, tip, f"{files}: the first commit, nothing to compare with")


def _bases(git: Git, target: Base, commit: str, *, is_named: bool) -> Iterator[Base]:
    """What HEAD may be compared with, the best first: for a named target, where HEAD left it."""
    fork = _merge_base(git, target, commit)
    if is_named or fork != commit:
        role = "" if fork == target.commit else "the merge base of HEAD and"
        yield target._replace(commit=fork, role=role)
        return
    upstream = git.commit("@{upstream}")
    if (
        upstream is not None
        and _merge_base(git, target._replace(commit=upstream), commit) != commit
    ):
        yield Base("@{upstream}", upstream, "upstream")
    yield Base("HEAD", commit, f"on {target.name}")
    parent = git.commit("HEAD^")
    if parent is not None:
        yield Base("HEAD^", parent, f"on {target.name}", "the first parent,")
    elif git.is_shallow():
        raise InputError(
            "the commit before HEAD is not in this shallow clone: git fetch --deepen=1"
        )


def _merge_base(git: Git, target: Base, commit: str) -> str:
    """The one commit where a commit left the target. Raises InputError if there is none, or
    several."""
    if target.commit == commit:
        return commit
    bases = git.attempt("merge-base", "--all", target.commit, commit).stdout.decode().split()
    if not bases:
        shallow = (
            "the clone is shallow: git fetch --unshallow"
            if git.is_shallow()
            else "compare with A..B"
        )
        raise InputError(f"{target.name} and HEAD have no common commit; {shallow}")
    if len(bases) > 1:
        names = ", ".join(each[:12] for each in bases)
        raise InputError(
            f"{target.name} and HEAD have several merge bases ({names}): compare with A..B"
        )
    return bases[0]


def _target(git: Git, request: CheckRequest, head: Tree) -> Base:
    """The tip of the branch that the change is for. Raises InputError if none is named or usual.

    The settings that name it are those of the default branch of the remote, which the author of a
    change cannot choose, or else those of head.
    """
    if request.against is not None:
        return Base(request.against, _commit(git, request.against), COMMAND_LINE)
    target = _of_ci(git)
    if target is not None:
        return target
    default = git.commit(_DEFAULT)
    text = head.text(FILE) if default is None else git.read(f"{default}:{FILE}", FILE)
    settings: Settings | None = read("settings", text, FILE)
    if settings is not None and settings.branch:
        branch = settings.branch
        place = FILE if default is None else f"{FILE} of origin/HEAD"
        for prefix in _PREFIXES:
            target = _at_ref(git, f"{prefix}{branch}", place)
            if target is not None:
                return target
        raise InputError(f'there is no branch "{branch}" here ({place}): fetch it, or {_NAME_IT}')
    if default is not None:
        full = git.attempt("symbolic-ref", _DEFAULT).stdout.decode().strip()
        return Base((full or _DEFAULT).removeprefix("refs/remotes/"), default, _USUAL)
    for prefix in _PREFIXES:
        usual = (_at_ref(git, f"{prefix}{name}", _USUAL) for name in DEFAULT_BRANCHES)
        branches = [each for each in usual if each is not None]
        if len(branches) > 1:
            names = " and ".join(each.name for each in branches)
            raise InputError(f"the change may be for {names}: {_SAY_IT}")
        if branches:
            return branches[0]
    raise InputError(f"there is no branch that the change is for: {_SAY_IT}")


def _of_ci(git: Git) -> Base | None:
    """The tip of the branch that CI names, None if it names none."""
    for variable in CI_TARGETS:
        branch = os.environ.get(variable)
        if branch:
            full = f"refs/remotes/origin/{branch}"
            target = _at_ref(git, full, variable)
            if target is None:
                fetch = f"git fetch origin +refs/heads/{branch}:{full}"
                words = f"this clone lacks origin/{branch}, which {variable} names"
                raise InputError(f"{words}: {fetch}")
            return target
    return None


def _at_ref(git: Git, full: str, origin: str) -> Base | None:
    """The base at a branch, None if there is no such ref."""
    commit = git.commit(full)
    if commit is None:
        return None
    return Base(full.removeprefix("refs/remotes/").removeprefix("refs/heads/"), commit, origin)


def _fork(git: Git, target: Base) -> tuple[str, ...]:
    """A note if the remote is a fork whose branch is not that of the repository it is a fork of."""
    if target.origin == _USUAL and target.name.startswith("origin/"):
        other = target.name.replace("origin/", "upstream/", 1)
        commit = git.commit(f"refs/remotes/{other}")
        if commit is not None and commit != target.commit:
            words = f"compared with {target.name}, and {other} is another commit"
            return (f"{words}: --against {other}",)
    return ()


def _commit(git: Git, name: str) -> str:
    """The commit of a name. Raises InputError if there is none, with what to do about it."""
    commit = git.commit(name)
    if commit is None:
        words = f'there is no commit "{name}" in this repository'
        if set(name) == {"0"}:
            words = (
                "the branch is new, so it has no commit before: compare with the branch it is for"
            )
        elif git.is_shallow():
            words += "; the clone is shallow: git fetch --unshallow"
        raise InputError(words)
    return commit


def _shown(name: str, commit: str) -> str:
    """A commit with the name that was given for it, unless that is the beginning of its hash."""
    is_own = len(name) > 6 and commit.startswith(name)
    return commit[:12] if is_own else f"{name} ({commit[:12]})"


def in_tree(path: Path, git: Git | None) -> str | None:
    """The path of a file from the top of the repository, None if it is outside."""
    if git is None or git.top is None:
        return None
    absolute = Path(os.path.abspath(path))
    top = git.top.resolve()
    for place in (absolute, absolute.parent.resolve() / absolute.name):
        if place.is_relative_to(top):
            return place.relative_to(top).as_posix()
    return None
