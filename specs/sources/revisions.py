"""Selects what a check compares in git: the index, the working tree, commits, the default branch."""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wirebook.specs.problems import InputError
from wirebook.specs.sources.filesets import (
    FileSet,
    alike_added,
    commit_files,
    index_changes,
    index_files,
    index_is_as_in,
    index_paths,
    may_have_links,
    refuse_repeated,
    tree_attributes,
    tree_is_as_in,
    unmerged_line,
    working_files,
)
from wirebook.specs.sources.git import GitRepo
from wirebook.specs.sources.git_command import run
from wirebook.specs.sources.repository import Repository

if TYPE_CHECKING:
    from wirebook.specs.sources.refs import Refs
    from wirebook.specs.sources.source import Source

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
DEFAULT = "default"  # the origin of a base that nobody named
DEFAULT_BRANCHES = ("main", "master", "trunk")
_FULL_HASH = "[0-9a-f]{40}|[0-9a-f]{64}"
_FIRST_PARENT = "the first parent of"
_OF_COMMIT = "GIT_INDEX_FILE"  # git sets it for the hooks of a commit
_CREATED = "branch: Created from "  # the reason in the first entry of a branch's reflog
_MOST_BASES = 16  # each takes a check


class Base(NamedTuple):
    """The commit of an old side, and how it was chosen.

    `name` is the name as given, `ref` the same with its ref in full ("refs/remotes/origin/main~1"; a name
    that is not that of a ref is the same in both), and `origin` where the name is from: "command line",
    "wirebook.toml:3" or what was detected. `role` says what the commit is to that ref, if it is not its
    commit: "the merge base of HEAD and".
    """

    name: str
    ref: str
    commit: str
    origin: str
    role: str = ""

    @property
    def words(self) -> str:
        """The description of the old side in each verdict."""
        return f"{self.role}{' ' if self.role else ''}{self.ref} ({self.commit[:12]}; {self.origin})"


class TagGlobs(NamedTuple):
    """Which tags are releases, and which of these are pre-releases; None: decided by their names."""

    releases: Sequence[str] = ("*",)
    prereleases: Sequence[str] | None = None


class OldSides(NamedTuple):
    """Which old side to compare with, if there are several: its number.

    `released` returns the tags that are releases if a commit is the old side.
    """

    nth: int = 0
    released: Callable[[str], TagGlobs] = lambda base: TagGlobs()


_FIRST = OldSides()


class ComparedSides(NamedTuple):
    """The two sides of a comparison; `words` describes them in a line.

    `old` is None if there is nothing to compare with. With `rest`, both contain only the files that differ;
    `rest` then returns the files that are equal on both sides, and `some` those of them at some paths. `base`
    is the commit of the old side, `pin` how it was chosen, and `tip` the commit of the new side, if these are
    commits of the repository. If `is_same`, both sides are one commit, and nothing can differ. `bases` is the
    number of old sides to compare with: more than one if there are several best merge bases, and for a change
    that passes through a release. `is_beside_head` if HEAD is such another one, whose comparison has
    the releases there. `sources` are the SOURCEs of the sides that are outside the repository.
    `policy_changes` has a sentence for each change of what git makes of the files.
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
    pin: Base | None = None
    is_same: bool = False
    bases: int = 1
    is_beside_head: bool = False

    def holding(self, texts: Mapping[str, bytes]) -> "ComparedSides":
        """The comparison if the files of the new side at some paths had other texts."""
        equal = [path for path in texts if path not in self.new.files]
        if not equal or self.some is None or self.rest is None:
            return self._replace(new=self.new.holding(texts))
        some, rest, own = self.some, self.rest, self.some(equal)
        return self._replace(
            old=None if self.old is None else self.old.beside(own),
            new=self.new.beside(own).holding(texts),
            some=lambda paths: some(path for path in paths if path not in own.files),
            rest=lambda: rest().taken(lambda path: path not in own.files),
        )

    def may_add(self, path: str) -> bool:
        """Whether the new side may have a file that its base lacks. With `rest`, all edited TOML files are
        known.
        """
        return self.rest is None or not path.endswith(".toml") or path in self.new.files


class _Detected(NamedTuple):
    """The commit to compare with, None if the new side is the first; notices; all best merge bases, if there
    are several.
    """

    pin: Base | None
    notices: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()


class _NumberedOldSide(NamedTuple):
    """The old side of a number, the number of old sides, and `is_beside_head` as in ComparedSides."""

    pin: Base
    bases: int
    is_beside_head: bool


class NewSide(NamedTuple):
    """The side that a check judges: its description, its files, and their commit, if any."""

    words: str
    files: FileSet
    tip: str | None = None


def new_side(repository: Repository, cwd: Path, *, staged: bool, tip: str | None = None) -> NewSide:
    """The side that a check judges: the index, the working tree, HEAD of a bare repository, or a `tip`."""
    if staged:
        return NewSide("the index", index_files(repository, str(cwd)))
    if tip is not None:
        name, commit = repository.git.named(tip)
        return NewSide(f"{name} ({commit[:12]})", commit_files(repository.git, commit), commit)
    if repository.top is not None:
        return NewSide("the working tree", working_files(repository))
    head = repository.git.commit("HEAD")
    if head is None:
        raise InputError("HEAD does not name a commit here", str(repository.folder))
    return NewSide("HEAD", commit_files(repository.git, head), head)


def compare_staged(
    repository: Repository,
    cwd: Path,
    against: str = "HEAD",
    *,
    origin: str = DEFAULT,
    which: OldSides = _FIRST,
) -> ComparedSides:
    """Compare the index with a ref, HEAD by default: the changes of the next commit.

    Only the files that differ are read. `origin` says where the name of the ref is from; `which` names
    the old side, if there are several.
    """
    if repository.top is None:
        raise InputError("a bare repository has no index", str(repository.folder))
    if against != "HEAD":
        pin = Base(against, *repository.git.named(against), origin)
        return _compare_index(repository, cwd, _Detected(pin), which)
    head = _head_of_index(repository)
    if head is not None:
        return _compare_index(repository, cwd, _Detected(Base("HEAD", "HEAD", head, origin)), which)
    words = "the index against nothing: this is the first commit"
    return ComparedSides(words, None, index_files(repository, str(cwd)))


def compare_staged_branch(
    repository: Repository,
    cwd: Path,
    branch: str | None = None,
    *,
    origin: str = DEFAULT,
    which: OldSides = _FIRST,
) -> ComparedSides:
    """Compare the index with where its branch left the default branch, as `compare_working` does.

    The hook of a commit compares with HEAD on the default branch itself, where a break was accepted, and in a
    shallow clone that lacks the other side. Raises InputError.
    """
    head = _head_of_index(repository)
    is_commit = _OF_COMMIT in os.environ
    if head is None:
        return compare_staged(repository, cwd)
    try:
        detected = _detected(repository, head, branch, origin, which.nth, "HEAD")
    except InputError:
        if not is_commit:
            raise
        return compare_staged(repository, cwd)
    pin = detected.pin
    if pin is None or (is_commit and pin.role == _FIRST_PARENT):
        return compare_staged(repository, cwd)
    return _compare_index(repository, cwd, detected, which)._replace(notices=detected.notices)


def _head_of_index(repository: Repository) -> str | None:
    """The commit that the index is based on; None before the first one. Raises InputError."""
    head = repository.git.commit("HEAD")
    if head is None and not repository.is_unborn():
        raise InputError("HEAD does not name a commit here", repository.git.path)
    return head


def _compare_index(repository: Repository, cwd: Path, detected: _Detected, which: OldSides) -> ComparedSides:
    git, folder, pin = repository.git, str(cwd), detected.pin
    assert pin is not None
    head = pin.commit if pin.ref == "HEAD" else git.commit("HEAD")
    pin, bases, is_beside_head = _old_side(
        repository, pin, detected.commits, head, lambda commit: index_is_as_in(commit, folder), which
    )
    base = pin.commit
    changes, added, is_same = index_changes(folder, base)
    refuse_repeated(git, base, changes)
    words = f"the index against {pin.words}"
    if any(change.is_indirect for change in changes) or may_have_links(repository.index_file()):
        # The target of a link may change without the link: both sides are read in full.
        new_side = index_files(repository, folder)
        return ComparedSides(
            words,
            commit_files(git, base),
            new_side,
            base=base,
            pin=pin,
            is_same=is_same,
            bases=bases,
            is_beside_head=is_beside_head,
        )
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
        objects = git.at("", (path for path in paths if path not in new))
        return FileSet.of_objects(git, {path: item.name for path, item in objects.items()})

    return ComparedSides(
        words,
        FileSet.of_objects(git, old)._replace(attributes=tree_attributes(git, pin.commit)),
        FileSet.of_objects(git, new, tuple(unmerged_line(path) for path in sorted(unmerged)))._replace(
            every_path=partial(index_paths, folder),
            attributes=tree_attributes(git, ""),
            alike=alike_added(repository.index_file(), folder, added),
        ),
        rest,
        some=some,
        base=base,
        pin=pin,
        is_same=is_same,
        bases=bases,
        is_beside_head=is_beside_head,
    )


def compare_working(
    repository: Repository,
    cwd: Path,
    against: str | None = None,
    branch: str | None = None,
    *,
    origin: str = DEFAULT,
    tip: str | None = None,
    which: OldSides = _FIRST,
) -> ComparedSides:
    """Compare the working tree with a ref, by default with where its branch left the default branch.

    In a bare repository, HEAD is the new side; `tip` names another commit. `origin` says where the name
    `against` or `branch` is from; `which` names the old side, if there are several. Raises
    InputError if there is no commit to compare with.
    """
    git = repository.git
    head = git.commit("HEAD") if tip is None else git.resolve(tip)
    if against is not None:
        detected = _Detected(Base(against, *git.named(against), origin))
    elif head is not None:
        detected = _detected(repository, head, branch, origin, which.nth, "HEAD" if tip is None else tip)
    elif repository.top is not None and repository.is_unborn():
        detected = _Detected(None)
    else:
        raise InputError("HEAD does not name a commit here", git.path)
    new = new_side(repository, cwd, staged=False, tip=tip)
    what, pin = new.words, detected.pin
    if pin is not None:

        def is_new_side(commit: str) -> bool:
            return new.tip is not None or tree_is_as_in(repository, commit, new.files)

        pin, bases, is_beside_head = _old_side(repository, pin, detected.commits, head, is_new_side, which)
        old = commit_files(git, pin.commit)
        is_same = pin.commit == head and (new.tip == head or old.files == new.files.files)
        return ComparedSides(
            f"{what} against {pin.words}",
            old,
            new.files,
            notices=detected.notices,
            base=pin.commit,
            tip=new.tip,
            pin=pin,
            is_same=is_same,
            bases=bases,
            is_beside_head=is_beside_head,
        )
    if head is not None and new.tip is None:
        first = commit_files(git, head)
        if first.files != new.files.files:
            pin = Base("HEAD", "HEAD", head, "the first commit")
            return ComparedSides(f"{what} against {pin.words}", first, new.files, base=head, pin=pin)
    why = "there is no commit yet" if head is None else "this is the first commit"
    return ComparedSides(f"{what} against nothing: {why}", None, new.files, tip=new.tip)


def _releases_within(
    repository: Repository,
    bases: Sequence[str],
    head: str,
    is_new_side: Callable[[str], bool],
    named: Callable[[str], TagGlobs],
) -> list[Base]:
    """The newest releases that a change passes through, as more old sides: each has what it added.

    They are in the history of `head`, but not in that of the old sides `bases`, nor of each other. If the new
    side is in the state of `head` (`is_new_side`), the release there is no earlier state. `named` is as in
    OldSides.
    """
    tags = () if head in bases else repository.tags()
    released: dict[str, str] = {}
    for base in bases if tags else ():
        released |= repository.git.releases_at(tags, bases, *named(base))
    if not released:
        return []

    def newest(commits: Iterable[str]) -> Base | None:
        for commit in filter(released.__contains__, commits):
            if commit != head or not is_new_side(head):
                name = "HEAD" if commit == head else released[commit]
                return Base(name, name, commit, f"the release {released[commit]}")
        return None

    line = repository.git.straight_line(head, bases[0]) if len(bases) == 1 else None
    if line is not None:
        # The newest release has all others in its history.
        release = newest(line)
        return [] if release is None else [release]
    releases: list[Base] = []
    while True:
        # A commit comes before its ancestors.
        options = ("--topo-order", head, "--not", *bases, *(each.commit for each in releases))
        try:
            listed = run(repository.place, "rev-list", *options, index=repository.index)
        except InputError:
            return releases
        release = newest(listed.decode().split())
        if release is None:
            return releases
        releases.append(release)


def _old_side(
    repository: Repository,
    pin: Base,
    bases: Sequence[str],
    head: str | None,
    is_new_side: Callable[[str], bool],
    which: OldSides,
) -> _NumberedOldSide:
    """The old side of a number: `pin`, the one of that number of some best merge bases, or else a release.

    Without `bases`, `pin` is the only one. It is the last release if there are fewer: the settings of each
    old side may name what it is compared with. `head` and `is_new_side` are as in `_releases_within`.
    """
    nth = which.nth
    bases = bases or (pin.commit,)
    released = [] if head is None else _releases_within(repository, bases, head, is_new_side, which.released)
    is_base = nth < len(bases)
    return _NumberedOldSide(
        pin if is_base or not released else released[min(nth - len(bases), len(released) - 1)],
        len(bases) + len(released),
        is_base and any(each.commit == head for each in released),
    )


class CommitRange(NamedTuple):
    """A..B, two commits to compare, or A...B, whose first one is their merge base; no B means HEAD."""

    first: str
    second: str
    of_merge_base: bool = False

    @classmethod
    def parse(cls, text: str) -> "CommitRange | None":
        """The range that a SOURCE is, or None; a path with dots ("../other") is none.

        Raises InputError for a range without a start. For git that is HEAD, too, but in CI it is a variable
        that is not set, and HEAD compared with HEAD has no findings.
        """
        if ".." not in text or "/.." in text or "../" in text.replace(".../", ""):
            return None
        of_merge_base = "..." in text
        first, _, second = text.partition("..." if of_merge_base else "..")
        if not first:
            raise InputError(f'"{text}" is a range without a start; for the current commit, write HEAD{text}')
        return cls(first, second or "HEAD", of_merge_base)


def compare_range(
    repository: Repository, commits: CommitRange, *, origin: str = DEFAULT, which: OldSides = _FIRST
) -> ComparedSides:
    """Compare the two commits of a range.

    `origin` says where the range is from; `which` names the old side, if there are several. Raises
    InputError.
    """
    git = repository.git
    first, second, of_merge_base = commits
    pin = Base(first, *git.named(first), origin)
    name, new = git.named(second)
    bases = [pin.commit]
    if of_merge_base:
        bases = _merge_bases(repository, pin.commit, new, f"{second} and {first}")
        nth_base = min(which.nth, len(bases) - 1)
        pin = pin._replace(commit=bases[nth_base], role=f"its {_counted(bases, nth_base)} with")
    pin, count, _ = _old_side(repository, pin, bases, new, lambda commit: True, which)
    return ComparedSides(
        f"{name} ({new[:12]}) against {pin.words}",
        commit_files(git, pin.commit),
        commit_files(git, new),
        base=pin.commit,
        tip=new,
        pin=pin,
        is_same=pin.commit == new,
        bases=count,
    )


def _detected(
    repository: Repository, head: str, branch: str | None, origin: str, nth: int, title: str
) -> _Detected:
    """Where a commit left the branch that it is meant for; `title` is the name of the commit."""
    git = repository.git
    current = _judged_branch(repository, head, title)
    target = _target(repository, current, branch, origin)
    notices: tuple[str, ...] = ()
    if target is not None:
        bases = _merge_bases(repository, target.commit, head, f"{title} and {target.ref}")
        nth = min(nth, len(bases) - 1)
        if bases != [head]:
            role = f"the {_counted(bases, nth)} of {title} and"
            return _Detected(target._replace(commit=bases[nth], role=role), commits=tuple(bases))
        own = (f"refs/heads/{current}", f"refs/remotes/origin/{current}")
        # A change for a branch is not a push to it, even if it has no commit of its own.
        is_request = target.origin in (*TARGETS, DIFF_BASE)
        on_default = not is_request and (
            current is None or current in (*DEFAULT_BRANCHES, branch) or target.ref in own
        )
        if not on_default or (current is None and target.commit != head):
            return _Detected(target._replace(commit=head, role=f"{title}, which is its merge base with"))
        before = _before_the_push(git, head)
        if before is not None:
            return _Detected(before)
    else:
        _require_only_branch(repository)
        notices = ("no default branch was found: HEAD is compared with the commit before it",)
    parents = git.parents(head)
    if not parents:
        return _Detected(None)
    if git.commit(parents[0]) is None:
        raise InputError(
            "the commit before HEAD is not here, the repository is shallow: git fetch --deepen=1",
            str(git.path),
        )
    why = "no default branch" if target is None else f"on the branch {target.ref}"
    return _Detected(Base(f"{title}^", title, parents[0], why, _FIRST_PARENT), notices)


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
    if current != refs.branch:
        refs = refs._replace(upstream="", upstream_branch="", push="")
    # A branch that was pushed tracks its copy, which is not a merge target.
    is_copy = refs.branch not in DEFAULT_BRANCHES and (
        refs.upstream_branch == refs.branch or _was_pushed_to(repository, refs)
    )
    named = os.environ.get(DEFAULT_NAME)
    # Where CI knows the default branch, branches with the usual names are others.
    names = {named: DEFAULT_NAME} if named else dict.fromkeys(DEFAULT_BRANCHES, "a usual default branch")
    at_origin = [(f"refs/remotes/origin/{name}", found_by) for name, found_by in names.items()]
    cloned = (refs.default, "default branch of origin")
    return [
        *([(refs.upstream, f"upstream of {refs.branch}")] if refs.upstream and not is_copy else []),
        *([*at_origin, cloned] if named else [cloned, *at_origin]),
        # A default branch may be pushed to a repository with another name.
        *(
            [(refs.push, f"where {refs.branch} is pushed")]
            if refs.push and refs.branch in DEFAULT_BRANCHES
            else []
        ),
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


def _was_pushed_to(repository: Repository, refs: "Refs") -> bool:
    """Whether the upstream of the current branch is a copy under another name: this clone pushed there what
    the branch had by then, and the branch did not begin there.
    """
    if not refs.upstream or refs.upstream == refs.default or refs.upstream_branch in DEFAULT_BRANCHES:
        return False
    pushes = [each for each in _reflog(repository, refs.upstream) if each.reason == "update by push"]
    own = _reflog(repository, f"refs/heads/{refs.branch}") if pushes else []
    names = (refs.upstream, refs.upstream.removeprefix("refs/remotes/"))
    if any(each.reason == f"{_CREATED}{name}" for each in own for name in names):
        return False
    # What another branch pushed is there before this one begins at it or merges it. Within a second, a commit
    # precedes its push, and a beginning follows it.
    return any(
        each.commit == push.commit and each.time + each.reason.startswith(_CREATED) <= push.time
        for push in pushes
        for each in own
    )


def _merge_bases(repository: Repository, target: str, head: str, names: str) -> list[str]:
    """The best common ancestors of two commits; `names` is for the InputError if there is none."""
    if target == head or target in repository.git.near_ancestors(head):
        # All other common ancestors are ancestors of the target: it is the only best one.
        return [target]
    try:
        bases = run(repository.place, "merge-base", "--all", target, head, index=repository.index)
    except InputError:
        is_shallow = repository.is_shallow()
        why = "the repository is shallow: git fetch --unshallow" if is_shallow else "name one side"
        raise InputError(f"{names} have no common commit here; {why}", str(repository.place)) from None
    commits = sorted(bases.decode().split())
    if len(commits) > _MOST_BASES:
        raise InputError(f"{names} have {len(commits)} best merge bases; name the commit to compare with")
    _refuse_cut_history(repository, target, head, commits, names)
    return commits


def _refuse_cut_history(
    repository: Repository, target: str, head: str, bases: Sequence[str], names: str
) -> None:
    """Raise InputError if a shallow clone lacks commits after the merge bases: it may lack a better base."""
    folder = repository.folder
    if not (folder / "shallow").exists() and not (folder / "commondir").exists():
        return
    if not repository.is_shallow():
        return
    place = run(repository.place, "rev-parse", "--git-path", "shallow", index=repository.index)
    ends = set((repository.place / os.fsdecode(place.rstrip(b"\n"))).read_text().split())
    after = run(repository.place, "rev-list", target, head, "--not", *bases, index=repository.index)
    if ends & set(after.decode().split()):
        raise InputError(
            f"{names} may have another merge base; the repository is shallow: git fetch --unshallow",
            str(repository.place),
        )


def _counted(bases: Sequence[str], nth: int) -> str:
    """The words for one of the best merge bases."""
    return "merge base" if len(bases) == 1 else f"merge base {nth + 1} of {len(bases)}"
