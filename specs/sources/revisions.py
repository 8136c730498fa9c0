"""Selects what a check compares in a git repository: the index, the working tree, commits. Only reads."""

import os
import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wirebook.specs.problems import InputError
from wirebook.specs.sources.filesets import (
    FileSet,
    commit_files,
    index_changes,
    index_files,
    index_paths,
    may_have_links,
    tree_attributes,
    unmerged_line,
    working_files,
)
from wirebook.specs.sources.git import GitRepo
from wirebook.specs.sources.git_command import run
from wirebook.specs.sources.repository import Repository

if TYPE_CHECKING:
    from wirebook.specs.sources.source import Source

# The commit from which a push moved its branch: github.event.before, and a variable that GitLab sets itself.
BEFORE = ("GITHUB_EVENT_BEFORE", "CI_COMMIT_BEFORE_SHA")
DEFAULT_BRANCHES = ("main", "master", "trunk")
_NEAR = 16  # first parents to examine before git is started to find a merge base


class Comparison(NamedTuple):
    """The two sides of a comparison; `words` describes them in a line.

    `old` is None if there is nothing to compare with. With `rest`, both contain only the files that differ;
    `rest` then returns the files that are equal on both sides, and `some` those of them at some paths. `base`
    is the commit of the old side, and `tip` that of the new side, if it is a commit of the repository.
    `sources` are the SOURCEs of the sides that are outside the repository. `policy_changes` has a sentence
    for each change of what git makes of the files.
    """

    words: str
    old: FileSet | None
    new: FileSet
    rest: Callable[[], FileSet] | None = None
    notices: tuple[str, ...] = ()
    some: Callable[[Iterable[str]], FileSet] | None = None
    base: str | None = None
    tip: str | None = None
    sources: "tuple[Source | None, Source | None]" = (None, None)
    policy_changes: tuple[str, ...] = ()

    def may_add(self, path: str) -> bool:
        """Whether the new side may have a file that its base lacks. With `rest`, all edited TOML files are
        known.
        """
        return self.rest is None or not path.endswith(".toml") or path in self.new.files


class _Base(NamedTuple):
    """The commit to compare with, its description, and notices; no commit if HEAD is the first."""

    commit: str | None
    words: str
    notices: tuple[str, ...] = ()


class NewSide(NamedTuple):
    """The side that a check judges: its description, its files, and their commit, if any."""

    words: str
    files: FileSet
    tip: str | None = None


def new_side(repository: Repository, cwd: Path, *, staged: bool) -> NewSide:
    """The side that a check judges: the index, the working tree, or HEAD of a bare repository."""
    if staged:
        return NewSide("the index", index_files(repository, str(cwd)))
    if repository.top is not None:
        return NewSide("the working tree", working_files(repository))
    head = repository.git.commit("HEAD")
    if head is None:
        raise InputError("HEAD does not name a commit here", str(repository.folder))
    return NewSide("HEAD", commit_files(repository.git, head), head)


def compare_staged(repository: Repository, cwd: Path, against: str = "HEAD") -> Comparison:
    """Compare the index with a ref, HEAD by default: the changes of the next commit.

    Only the files that differ are read.
    """
    if repository.top is None:
        raise InputError("a bare repository has no index", str(repository.folder))
    git, folder = repository.git, str(cwd)
    try:
        changes = index_changes(folder, git.resolve(against) if against != "HEAD" else "HEAD")
    except InputError:
        if against != "HEAD" or not repository.is_unborn():
            raise
        words = "the index against nothing: this is the first commit"
        return Comparison(words, None, index_files(repository, folder))
    if any(change.is_indirect for change in changes) or may_have_links(repository.index_file()):
        # The target of a link may change without the link: both sides are read in full.
        base = commit_files(git, git.resolve(against))
        new_side = index_files(repository, folder)
        return Comparison(f"the index against {against}", base, new_side, base=against)
    unmerged = {change.path for change in changes if change.is_unmerged}
    old: dict[str, str] = {}
    new: dict[str, str] = {}
    for change in changes:
        if change.previous is not None and change.path not in unmerged:
            old[change.path] = change.previous
        if change.current is not None and change.path not in unmerged:
            new[change.path] = change.current

    def rest() -> FileSet:
        files = index_files(repository, folder).files
        return FileSet.of_objects(git, {path: name for path, name in files.items() if path not in new})

    def some(paths: Iterable[str]) -> FileSet:
        wanted = {path: f":0:{path}" for path in paths if path not in new}
        known = git.names(wanted.values())
        return FileSet.of_objects(git, {path: known[name] for path, name in wanted.items() if name in known})

    return Comparison(
        f"the index against {against}",
        FileSet.of_objects(git, old)._replace(attributes=tree_attributes(git, against)),
        FileSet.of_objects(git, new, tuple(unmerged_line(path) for path in sorted(unmerged)))._replace(
            every_path=partial(index_paths, folder), attributes=tree_attributes(git, "")
        ),
        rest,
        some=some,
        base=against,
    )


def compare_working(
    repository: Repository, cwd: Path, against: str | None = None, branch: str | None = None
) -> Comparison:
    """Compare the working tree with a ref, by default with where its branch left the default branch.

    In a bare repository, HEAD is the new side. Raises InputError if there is no commit to compare with.
    """
    git = repository.git
    head: str | None = None
    if against is not None:
        base = _Base(git.resolve(against), against)
    else:
        head = git.commit("HEAD")
        if head is not None:
            base = _base(repository, head, branch)
        elif repository.top is not None and repository.is_unborn():
            base = _Base(None, "there is no commit yet")
        else:
            raise InputError("HEAD does not name a commit here", git.path)
    what, new, tip = new_side(repository, cwd, staged=False)
    if base.commit is not None:
        words = f"{what} against {base.words} ({base.commit[:12]})"
        old = commit_files(git, base.commit)
        return Comparison(words, old, new, notices=base.notices, base=base.commit, tip=tip)
    if head is not None and repository.top is not None:
        first = commit_files(git, head)
        if first.files != new.files:
            words = f"{what} against HEAD ({head[:12]}), the first commit"
            return Comparison(words, first, new, base=head)
    return Comparison(f"{what} against nothing: {base.words}", None, new, tip=tip)


def compare_range(repository: Repository, text: str) -> Comparison:
    """Compare two commits: A..B compares B with A, A...B with their merge base; no B means HEAD.

    Raises InputError.
    """
    git = repository.git
    three = "..." in text
    first, second = ends_of_range(text)
    old, new = git.resolve(first), git.resolve(second)
    words = f"{second} ({new[:12]}) against {first} ({old[:12]})"
    if three:
        old = _merge_base(repository, old, new, f"{second} and {first}")
        words = f"{second} ({new[:12]}) against its merge base with {first} ({old[:12]})"
    return Comparison(words, commit_files(git, old), commit_files(git, new), base=old, tip=new)


def is_range(text: str) -> bool:
    """Whether a SOURCE is a range of commits; a path with dots ("../other") is not."""
    return ".." in text and "/.." not in text and "../" not in text.replace(".../", "")


def ends_of_range(text: str) -> tuple[str, str]:
    """The start and the end of a range of commits; an omitted end means HEAD.

    Raises InputError if the start is omitted. For git that is HEAD, too, but in CI it is a variable that is
    not set, and HEAD compared with HEAD has no findings.
    """
    first, _, second = text.partition("..." if "..." in text else "..")
    if not first:
        raise InputError(f'"{text}" is a range without a start; for the current commit, write HEAD{text}')
    return first, second or "HEAD"


def _base(repository: Repository, head: str, branch: str | None) -> _Base:
    git = repository.git
    candidates = _target_branches(repository, branch)
    known = git.names(f"{name}^{{commit}}" for name in candidates)
    commits = {name: known[f"{name}^{{commit}}"] for name in candidates if f"{name}^{{commit}}" in known}
    target = next(iter(commits), None)
    if target is None and branch is not None:
        raise InputError(f'there is no branch "{branch}" here; git fetch origin {branch}', str(git.path))
    notices: tuple[str, ...] = ()
    if target is not None:
        title = re.sub("^refs/(?:remotes|heads)/", "", target)
        words = f"the merge base of HEAD and {title}"
        base = _merge_base(repository, commits[target], head, f"HEAD and {title}")
        if base != head:
            return _Base(base, words)
        current = repository.refs.branch
        own = (f"refs/heads/{current}", f"refs/remotes/origin/{current}")
        on_default = current is None or current in (*DEFAULT_BRANCHES, branch) or target in own
        if not on_default or (current is None and commits[target] != head):
            return _Base(head, f"{words}, which is HEAD")
        before = _before_the_push(git, head)
        if before is not None:
            return _Base(before, "the branch before the push")
    else:
        notices = ("no default branch was found: HEAD is compared with the commit before it",)
    parents = git.parents(head)
    if not parents:
        return _Base(None, "this is the first commit")
    if git.commit(parents[0]) is None:
        raise InputError(
            "the commit before HEAD is not here, the repository is shallow: git fetch --deepen=1",
            str(git.path),
        )
    return _Base(parents[0], "the first parent of HEAD", notices)


def _before_the_push(git: GitRepo, head: str) -> str | None:
    """The branch's commit before the push that a CI run is for, from the variables BEFORE, or None.

    A push may contain several commits, of which HEAD is only the last. Raises InputError if the commit is
    missing.
    """
    for name in BEFORE:
        before = os.environ.get(name, "")
        if not re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", before) or not before.strip("0"):
            continue
        if git.commit(before) is None:
            raise InputError(
                f"the commit before the push ({name}) is not here: git fetch origin {before}", str(git.path)
            )
        return before if before != head else None
    return None


def _target_branches(repository: Repository, branch: str | None) -> list[str]:
    """The refs that the current branch may be meant to be merged into, the most likely first."""
    if branch is not None:
        return [f"refs/remotes/origin/{branch}", f"refs/heads/{branch}", branch]
    refs = repository.refs
    # A branch pushed under its own name tracks its copy, which is not a merge target.
    is_copy = refs.upstream_branch == refs.branch and refs.branch not in DEFAULT_BRANCHES
    return [
        *([refs.upstream] if refs.upstream and not is_copy else []),
        refs.default,
        *(f"refs/remotes/origin/{name}" for name in DEFAULT_BRANCHES),
        # A default branch may be pushed to a repository with another name.
        *([refs.push] if refs.push and refs.branch in DEFAULT_BRANCHES else []),
        *(f"refs/heads/{name}" for name in DEFAULT_BRANCHES),
    ]


def _merge_base(repository: Repository, target: str, head: str, names: str) -> str:
    """The best common ancestor of two commits; `names` is for the InputError if there is none."""
    near = (commit for commit, _ in zip(repository.git.first_parents(head), range(_NEAR), strict=False))
    if target == head or target in near:
        return target
    try:
        bases = run(repository.place, "merge-base", target, head, index=repository.index)
    except InputError:
        is_shallow = repository.is_shallow()
        why = "the repository is shallow: git fetch --unshallow" if is_shallow else "name one side"
        raise InputError(f"{names} have no common commit here; {why}", str(repository.place)) from None
    return bases.split(b"\n", 1)[0].decode()
