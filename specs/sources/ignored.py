"""Queries git for the files of a folder that it ignores."""

from __future__ import annotations

import os
from pathlib import Path

from wirebook.specs.problems import InputError
from wirebook.specs.sources.git_command import run
from wirebook.specs.sources.location import located


class IgnoredFiles:
    """The untracked files below a folder that git ignores.

    None are outside a repository, in a folder that is itself ignored, without git, and where git refuses to
    read the repository, for example because it belongs to another user.
    """

    def __init__(self, top: str) -> None:
        self._top = os.path.realpath(top)
        self._paths = _listed(self._top)

    def holds(self, file: str) -> bool:
        """Whether git ignores a file, or a folder that it is in."""
        if not self._paths:
            return False
        path = os.fsencode(os.path.relpath(os.path.realpath(file), self._top).replace(os.sep, "/"))
        above = path.split(b"/")[:-1]
        folders = (b"/".join(above[:depth]) + b"/" for depth in range(1, len(above) + 1))
        return path in self._paths or any(folder in self._paths for folder in folders)


def _listed(top: str) -> frozenset[bytes]:
    """The paths that git ignores, relative to a folder; a folder of which it ignores everything ends in a
    slash.
    """
    try:
        repository = located(Path(top))
        if repository is None or _is_pipe(repository[0]):
            return frozenset()
        wanted = ("--others", "--ignored", "--exclude-standard", "--directory")
        return frozenset(run(top, "ls-files", "-z", *wanted).split(b"\0")) - {b""}
    except InputError:
        return frozenset()


def _is_pipe(top: Path | None) -> bool:
    """Whether the rules of a repository are in a pipe, which git would wait for without end."""
    rules = None if top is None else top / ".gitignore"
    return rules is not None and rules.is_fifo()
