"""Queries git for the files of a folder that it ignores."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path

from wirebook.specs.problems import InputError
from wirebook.specs.sources.git_command import run
from wirebook.specs.sources.location import located


class IgnoredFiles:
    """The untracked files below a folder that git ignores: git is asked when a file needs it.

    None are outside a repository, in a folder that is itself ignored, without git, and where git refuses to
    read the repository, for example because it belongs to another user.
    """

    def __init__(self, top: str) -> None:
        self._top = os.path.realpath(top)

    @cached_property
    def _paths(self) -> frozenset[bytes]:
        """Relative to the folder: a folder of which git ignores everything ends in a slash."""
        try:
            if located(Path(self._top)) is None:
                return frozenset()
            options = ("--others", "--ignored", "--exclude-standard", "--directory")
            return frozenset(run(self._top, "ls-files", "-z", *options).split(b"\0")) - {b""}
        except InputError:
            return frozenset()

    def holds(self, file: str) -> bool:
        """Whether git ignores a file, or a folder that it is in."""
        if not self._paths:
            return False
        # A link is ignored by its own name.
        folder, name = os.path.split(file)
        own_path = os.path.join(os.path.realpath(folder), name)
        path = os.fsencode(os.path.relpath(own_path, self._top).replace(os.sep, "/"))
        above = path.split(b"/")[:-1]
        folders = (b"/".join(above[:depth]) + b"/" for depth in range(1, len(above) + 1))
        return path in self._paths or any(folder in self._paths for folder in folders)
