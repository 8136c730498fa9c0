"""Formats spec files, or reports those that are not formatted."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wirebook.rules.project.workspace import Workspace
from wirebook.specs.files import read_input, rewrite
from wirebook.specs.limits import MAX_TEXT
from wirebook.specs.problems import InputError
from wirebook.specs.reading.imports import imported_paths
from wirebook.specs.sources.repository import find_repository
from wirebook.specs.sources.source import open_source
from wirebook.specs.writing.formatting import formatted


@dataclass(frozen=True)
class LayoutRequest:
    """The files and folders to format, empty for all specs here; with `check` nothing is written."""

    files: tuple[Path, ...]
    cwd: Path
    check: bool = False


@dataclass(frozen=True)
class LaidOut:
    """The number of files read, and the files whose text changes."""

    count: int
    changed: tuple[str, ...]


def lay_out(request: LayoutRequest) -> LaidOut:
    """Format all files or none.

    Raises InputError for a file that cannot be read as JSON or if there is nothing to format, OSError.
    """
    files = dict(_files(request))
    if not files:
        raise InputError("there are no specs in JSON to format", str(request.cwd))
    changed: dict[Path, bytes] = {}
    paths: list[str] = []
    for path, name in files.items():
        text = read_input(path, MAX_TEXT, name)
        new = formatted(text, name).encode()
        if new != text:
            changed[path] = new
            paths.append(name)
    if not request.check:
        rewrite(changed)
    return LaidOut(len(files), tuple(paths))


def _files(request: LayoutRequest) -> Iterator[tuple[Path, str]]:
    """The files and their display names. A link is not replaced: the file that it points to is formatted."""
    if not request.files:
        here = Workspace.here(request.cwd)
        for name in (*(text.path for text in here.texts), *imported_paths(here.texts)):
            file = here.file(name)
            is_json = name.endswith(".json")  # other formats are not formatted
            if is_json and not file.is_symlink():
                yield file, here.shown(name)
        return
    cwd = request.cwd.resolve()
    repository = find_repository(request.cwd)
    top = ((repository and repository.top) or cwd).resolve()
    for path in request.files:
        target = request.cwd / path
        is_below = top in Path(os.path.normpath(cwd / path)).parents
        if is_below and top not in target.resolve().parents:
            # A program that formats changed files may name links that others created.
            raise InputError("this is a link that points outside the repository", str(path))
        if target.is_dir():
            texts = open_source(target, tests=True).texts()
            for name in (*(text.path for text in texts), *imported_paths(texts)):
                if not (target / name).is_symlink():
                    yield target / name, (path / name).as_posix()
        elif target.is_file():
            yield target.resolve(), path.as_posix()
        else:
            raise InputError("no such file or directory", str(path))
