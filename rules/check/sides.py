"""Which two sides a check compares: in git or without it, of files, of sources, or of a range of commits."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from wirebook.rules.check.scope import Scope
from wirebook.specs.problems import InputError
from wirebook.specs.sources.filesets import FileSet
from wirebook.specs.sources.revisions import (
    Comparison,
    compare_range,
    compare_staged,
    compare_working,
    is_range,
    new_files,
)

if TYPE_CHECKING:
    from pathlib import Path

    from wirebook.specs.sources.source import Source


def taken(scope: Scope, sides: Comparison) -> Comparison:
    """Of each side, the files that count."""
    return sides._replace(old=sides.old and scope.taken(sides.old), new=scope.taken(sides.new))


def files_folder(scope: Scope) -> Path | None:
    """Where the paths of the new side begin, if that is files."""
    new, against = scope.request.new, scope.config.against.value
    if new is not None:
        folder = scope.cwd / new
        return folder if folder.is_dir() else None
    if scope.repository is not None and against is not None and is_range(against):
        return None
    return scope.top


def sides_of(scope: Scope) -> Comparison:
    """The two sides, and how they are called. Raises InputError."""
    request, repository, against = scope.request, scope.repository, scope.config.against.value
    if request.old is not None:
        old, new = scope.source(request.old), scope.source(request.new or "")
        return Comparison(f"{new.description} against {old.description}", _side(old), _side(new))
    if repository is None:
        return _without_git(scope, against)
    if against is not None and is_range(against):
        if request.staged:
            raise InputError("--staged judges the index: a range of commits names another new side")
        return compare_range(repository, against)
    if against is not None and _is_outside(scope, against):
        outside = scope.source(against, bare_paths=False)
        what, current = new_files(repository, scope.cwd, staged=request.staged)
        before, after = _aligned(outside, current, scope.cwd)
        # Another repository has no say in what judges this one.
        here = outside.kind == "git" and outside.path == str(scope.cwd)
        base = outside.commit if here else None
        return Comparison(f"{what} against {outside.description}", before, after, base=base)
    if request.staged:
        return compare_staged(repository, scope.cwd, against or "HEAD")
    return compare_working(repository, scope.cwd, against, scope.config.branch.value)


def _is_outside(scope: Scope, against: str) -> bool:
    """Whether a SOURCE is not a plain ref of this repository; open_source refuses a path of that name."""
    from wirebook.specs.sources.source import is_path_like

    at = "@" in against.replace("@{", "").strip("@")
    return at or ":" in against or is_path_like(against) or (scope.cwd / against).exists()


def _without_git(scope: Scope, against: str | None) -> Comparison:
    if scope.request.staged:
        raise InputError("--staged needs a git repository, and this is none", str(scope.cwd))
    new = _files(scope) if scope.request.files else _side(scope.source("."))
    if against is not None:
        outside = scope.source(against)
        return Comparison(f"the files here against {outside.description}", _side(outside), new)
    words = "the files by themselves, by the rules on single files: this is no git repository"
    return Comparison(words, None, new)


def _files(scope: Scope) -> FileSet:
    """The files and folders that are named, as they are called."""
    texts: dict[str, tuple[str, str, bytes]] = {}
    for name in scope.request.files:
        plain = scope.from_top(name)
        folder = (scope.cwd / name).is_dir()
        for text in scope.source(name).texts():
            path = os.path.normpath(f"{plain}/{text.path}").replace(os.sep, "/") if folder else plain
            texts[path] = (path, text.digest, text.text)
    return FileSet.of_texts(texts.values())


def _side(source: Source) -> FileSet:
    from wirebook.specs.sources.registries import registry_text

    texts = source.texts()
    registry = registry_text(source, [text.path for text in texts])
    if registry is not None:
        texts.append(registry)
    return FileSet.of_texts((text.path, text.digest, text.text) for text in texts)


def _aligned(outside: Source, new: FileSet, cwd: Path) -> tuple[FileSet, FileSet]:
    """Both sides by the same paths: a folder of this repository at another commit keeps its place."""
    old = _side(outside)
    inside = outside.subdir.strip("/") if outside.kind == "git" and outside.path == str(cwd) else ""
    if not inside:
        return old, new
    start = len(inside) + 1
    moved = FileSet(
        {f"{inside}/{path}": name for path, name in old.files.items()},
        lambda paths: {
            f"{inside}/{path}": text for path, text in old.read(path[start:] for path in paths).items()
        },
    )
    below = {path: name for path, name in new.files.items() if path.startswith(f"{inside}/")}
    return moved, new._replace(files=below)
