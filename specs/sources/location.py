"""Finds where the git repository of a folder is, as git does, without git.

What a `.git` is to git decides, not its name: an empty folder `.git` does not hide the repository above it.
"""

from __future__ import annotations

import os
from pathlib import Path

from wirebook.specs.problems import InputError


def top_of(start: Path) -> Path | None:
    """The folder with the `.git` of the repository of a folder; None outside a repository, and in a bare one.

    Raises InputError for a `.git` that should be a repository, but is not.
    """
    place = located(start.resolve())
    return None if place is None else place[0]


def located(start: Path) -> tuple[Path | None, Path] | None:
    """The folder with `.git`, None for a bare repository, and the git directory.

    A `.git` that git does not take for a repository is passed, unless there is no repository above it.
    """
    damaged: Path | None = None
    for folder in (start, *start.parents):
        inside = folder / ".git"
        if inside.is_file():
            inside = (folder / _first_line(inside).removeprefix("gitdir: ")).resolve()
            if not is_git_folder(inside):
                raise InputError(f"names {inside}, which is not a git repository", str(folder / ".git"))
        if is_git_folder(inside):
            return folder, inside
        if inside.is_dir():
            damaged = damaged or inside
        if (folder / "objects").is_dir() and is_git_folder(folder):
            if folder.name == ".git":
                return folder.parent, folder
            # Inside another repository, a bare one is content, which anybody may add.
            if not any(map(holds_repository, folder.parents)):
                return None, folder
    if damaged is not None:
        # Files in a repository are not checked as if they were outside one.
        raise InputError("is not a git repository, or a damaged one", str(damaged))
    return None


def holds_repository(folder: Path) -> bool:
    """Whether a folder has the `.git` of a repository: a git directory, or a file that names one."""
    inside = folder / ".git"
    return inside.is_file() or is_git_folder(inside)


def is_git_folder(folder: Path) -> bool:
    """Whether a folder is a git directory."""
    return (folder / "HEAD").is_file() and ((folder / "commondir").is_file() or (folder / "refs").is_dir())


def _first_line(path: Path) -> str:
    try:
        return os.fsdecode(path.read_bytes().split(b"\n", 1)[0]).rstrip("\r")
    except OSError as error:
        raise InputError(error.strerror or str(error), str(path)) from None
