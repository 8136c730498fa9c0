"""Selects what a check compares in git: the index, the working tree, or a commit with an old side."""

import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wirebook.specs.problems import InputError
from wirebook.specs.sources.bases import FIRST_PARENT, Base, Detected, as_bases, merge_bases
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
from wirebook.specs.sources.git_command import run
from wirebook.specs.sources.repository import Repository

if TYPE_CHECKING:
    from wirebook.specs.sources.source import Source
    from wirebook.specs.sources.targets import Push

DEFAULT = "default"  # the origin of a base that nobody named
_OF_COMMIT = "GIT_INDEX_FILE"  # git sets it for the hooks of a commit


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
    `policy_changes` has a sentence for each change of what git makes of the files. `against` is the range
    that names the old side, if the request names another one.
    """

    words: str
    old: FileSet | None
    new: FileSet
    rest: Callable[[], FileSet] | None = None
    notices: tuple[str, ...] = ()
    some: Callable[[Iterable[str]], FileSet] | None = None
    base: str | None = None
    tip: str | None = None
    sources: tuple["Source | None", "Source | None"] = (None, None)
    policy_changes: tuple[str, ...] = ()
    pin: Base | None = None
    is_same: bool = False
    bases: int = 1
    is_beside_head: bool = False
    against: str | None = None

    def may_add(self, path: str) -> bool:
        """Whether the new side may have a file that its base lacks. With `rest`, all edited TOML files are
        known.
        """
        return self.rest is None or not path.endswith(".toml") or path in self.new.files


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
        return _compare_index(repository, cwd, Detected(pin), which)
    head = _head_of_index(repository)
    if head is not None:
        return _compare_index(repository, cwd, Detected(Base("HEAD", "HEAD", head, origin)), which)
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
    from wirebook.specs.sources.targets import detect_base

    try:
        detected = detect_base(repository, head, branch, origin, which.nth, "HEAD")
    except InputError:
        if not is_commit:
            raise
        return compare_staged(repository, cwd)
    pin = detected.pin
    if pin is None or (is_commit and pin.role == FIRST_PARENT):
        return compare_staged(repository, cwd)
    return _compare_index(repository, cwd, detected, which)._replace(notices=detected.notices)


def _head_of_index(repository: Repository) -> str | None:
    """The commit that the index is based on; None before the first one. Raises InputError."""
    head = repository.git.commit("HEAD")
    if head is None and not repository.is_unborn():
        raise InputError("HEAD does not name a commit here", repository.git.path)
    return head


def _compare_index(repository: Repository, cwd: Path, detected: Detected, which: OldSides) -> ComparedSides:
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
        detected = Detected(Base(against, *git.named(against), origin))
    elif head is not None:
        from wirebook.specs.sources.targets import detect_base

        detected = detect_base(repository, head, branch, origin, which.nth, "HEAD" if tip is None else tip)
    elif repository.top is not None and repository.is_unborn():
        detected = Detected(None)
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
    repository: Repository,
    commits: CommitRange,
    *,
    origin: str = DEFAULT,
    push: "Push | None" = None,
    which: OldSides = _FIRST,
) -> ComparedSides:
    """Compare the two commits of a range.

    `origin` says where the range is from; with `push`, the range is A...B of a push, which is compared with
    the commits of its target, too, that it brings. `which` names the old side, if there are several. Raises
    InputError.
    """
    git = repository.git
    first, second, of_merge_base = commits
    pin = Base(first, *git.named(first), origin)
    name, new = git.named(second)
    pins = [pin]
    if of_merge_base:
        pins = as_bases(pin, merge_bases(repository, pin.commit, new, f"{second} and {first}"))
    if push is not None:
        from wirebook.specs.sources.targets import pushed_bases

        pins = pushed_bases(repository, new, pins, push)
    pin = pins[min(which.nth, len(pins) - 1)]
    bases = [each.commit for each in pins]
    against = f"{pin.ref}...{second}" if pin.name != first else None
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
        against=against,
    )
