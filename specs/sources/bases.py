"""The commits that a change is compared with: a commit and how it was chosen, and the best merge bases."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from wirebook.specs.problems import InputError
from wirebook.specs.sources.git_command import run
from wirebook.specs.sources.repository import Repository

DEFAULT_BRANCHES = ("main", "master", "trunk")
FIRST_PARENT = "the first parent of"  # the role of the commit before HEAD
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


class Detected(NamedTuple):
    """The commit to compare with, None if the new side is the first; notices; all best merge bases, if there
    are several.
    """

    pin: Base | None
    notices: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()


def merge_bases(repository: Repository, target: str, head: str, names: str) -> list[str]:
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


def merge_base_words(bases: Sequence[str], nth: int) -> str:
    """The words for one of the best merge bases."""
    return "merge base" if len(bases) == 1 else f"merge base {nth + 1} of {len(bases)}"


def as_bases(pin: Base, commits: Sequence[str]) -> list[Base]:
    """All best merge bases of a new side with a commit, each as an old side."""
    roles = (f"its {merge_base_words(commits, nth)} with" for nth in range(len(commits)))
    return [pin._replace(commit=commit, role=role) for commit, role in zip(commits, roles, strict=True)]
