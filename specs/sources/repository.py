"""Finds the git repository of a folder without starting git."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from wirebook.specs.problems import InputError
from wirebook.specs.sources.git import GitRepo
from wirebook.specs.sources.git_command import run
from wirebook.specs.sources.location import is_git_folder, located

if TYPE_CHECKING:
    # A staged check does not read refs.
    from wirebook.specs.sources.refs import Refs
    from wirebook.specs.sources.source import Source

_LAST = r"([^/:\\]+?)(?:\.git|\.bundle)?/*$"


class Repository:
    """The git repository of a folder.

    `top` is the top of its working tree, None for a bare one; `folder` is the git directory. With `index`, it
    is the repository that a hook works on. `start` is the folder in which git is started, if not `top`. Its
    refs are read once.
    """

    def __init__(
        self, top: Path | None, folder: Path, index: bool = False, start: Path | None = None
    ) -> None:
        self.top: Final = top
        self.folder: Final = folder
        self.index: Final = index
        self.start: Final = start
        self._git: GitRepo | None = None

    @property
    def place(self) -> Path:
        """The folder in which git is started."""
        return self.start or self.top or self.folder

    @property
    def git(self) -> GitRepo:
        """The open repository; opened by the first use."""
        if self._git is None:
            self._git = GitRepo(self.place, index=self.index)
        return self._git

    def index_file(self) -> Path:
        """The file in which git keeps the index."""
        named = os.environ.get("GIT_INDEX_FILE") if self.index else None
        return self.place / named if named else self.folder / "index"

    def close(self) -> None:
        """End the process that reads the repository."""
        if self._git is not None:
            self._git.close()
            self._git = None

    @cached_property
    def refs(self) -> Refs:
        """Its branches, their upstreams, and its tags. Raises InputError if git cannot list them."""
        return self.git.refs()

    def tags(self) -> tuple[str, ...]:
        """The names of all tags. Raises InputError if git cannot list them."""
        return self.refs.tags

    def is_shallow(self) -> bool:
        """Whether its history was truncated by a shallow clone."""
        return run(self.place, "rev-parse", "--is-shallow-repository", index=self.index).startswith(b"true")

    def is_unborn(self) -> bool:
        """Whether HEAD is on a branch without a commit; a branch that cannot be read counts as having one."""
        try:
            run(self.place, "log", "-1", "--format=%H", index=self.index)
        except InputError as error:
            return "does not have any commits yet" in error.message
        return False


def find_repository(start: Path, *, index: bool = False) -> Repository | None:
    """Find the repository of a folder, including bare ones; None if there is none.

    With `index`, GIT_DIR and GIT_WORK_TREE of a hook are obeyed. Raises InputError if there should be a
    repository that git can read, but there is not.
    """
    start = start.resolve()
    if index and os.environ.get("GIT_DIR"):
        folder = (start / os.environ["GIT_DIR"]).resolve()
        tree = os.environ.get("GIT_WORK_TREE")
        if is_git_folder(folder):
            return Repository((start / tree).resolve() if tree else start, folder, True)
    place = located(start)
    if place is None:
        return None
    above, inside = place
    if above is None:
        return Repository(None, inside, index)
    return Repository(_work_tree(above, inside), inside, index, start=above)


def _work_tree(folder: Path, git_folder: Path) -> Path:
    """The top of the working tree: the folder with `.git`, unless core.worktree names another one."""
    try:
        configured = b"worktree" in (git_folder / "config").read_bytes().lower()
    except OSError:
        configured = False
    if not configured:
        return folder
    # `--show-toplevel` would fail in a folder outside the working tree.
    value = os.fsdecode(run(folder, "config", "--default", "", "--get", "core.worktree").rstrip(b"\n"))
    return (git_folder / value).resolve() if value else folder


def remote_of(folder: Path) -> str:
    """The address that a repository was cloned from, "" for none. Raises InputError."""
    remote = run(folder, "config", "--default", "", "--get", "remote.origin.url")
    return remote.decode(errors="replace").strip()


def name_of(address: str, others: Collection[str] = ()) -> str:
    """The name at the end of the address or the path of a repository, "" for none.

    If it is one of the names that are taken, it has the name of the owner before it: "aiven-kafka".
    """
    last = re.search(_LAST, address)
    name = last[1] if last else ""
    if name not in others:
        return name
    owner = re.search(_LAST, address[: last.start()]) if last and "://" in address else None
    return f"{owner[1]}-{name}" if owner else f"{name}-fork"


def repository_name(source: Source, others: Collection[str] = ()) -> str:
    """The name of the repository of a source, by the address it was cloned from or its folder; "" without a
    repository.
    """
    if source.kind == "archive":
        return ""
    try:
        with GitRepo(source.path) as repository:
            folder = repository.folder
        common = run(folder, "rev-parse", "--git-common-dir").decode().removesuffix("\n")
        path = (folder / common).resolve()  # git may print it relative to the folder
        path = path.parent if path.name == ".git" else path
        return name_of(remote_of(folder) or str(path), others)
    except (InputError, UnicodeDecodeError):
        return ""
