"""Which two sides a check compares: in git or without it, of files, of sources, or of a range of commits."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from docgen.check_terms import Terms
from specs.problems import InputError
from specs.revisions import (
    Comparison,
    Side,
    compare_range,
    compare_staged,
    compare_working,
    is_range,
    new_side,
    texts_side,
)

if TYPE_CHECKING:
    from pathlib import Path

    from specs.sources import Source


def sides_of(terms: Terms) -> Comparison:
    """The two sides, and how they are called; of each, the files that count. Raises InputError."""
    sides = _comparison(terms)
    return sides._replace(old=sides.old and terms.taken(sides.old), new=terms.taken(sides.new))


def _comparison(terms: Terms) -> Comparison:
    options, repository, against = terms.options, terms.repository, terms.config.against.value
    if options.old is not None:
        old, new = terms.source(options.old), terms.source(options.new)
        return Comparison(f"{new.description} against {old.description}", _side(old), _side(new))
    if repository is None:
        return _without_git(terms, against)
    if against is not None and is_range(against):
        if options.staged:
            raise InputError("--staged judges the index: a range of commits names another new side")
        return compare_range(repository, against)
    if against is not None and _is_outside(terms, against):
        outside = terms.source(against)
        what, new_files = new_side(repository, terms.cwd, staged=options.staged)
        old_files, new_files = _aligned(outside, new_files, terms.cwd)
        return Comparison(f"{what} against {outside.description}", old_files, new_files)
    if options.staged:
        return compare_staged(repository, terms.cwd, against or "HEAD")
    return compare_working(repository, terms.cwd, against, terms.config.branch.value)


def _is_outside(terms: Terms, against: str) -> bool:
    """Whether a SOURCE is no plain ref of this repository."""
    return (terms.cwd / against).exists() or ":" in against or "@" in against.replace("@{", "").strip("@")


def _without_git(terms: Terms, against: str | None) -> Comparison:
    if terms.options.staged:
        raise InputError("--staged needs a git repository, and this is none", str(terms.cwd))
    new = _files(terms) if terms.options.files else _side(terms.source("."))
    if against is not None:
        outside = terms.source(against)
        return Comparison(f"the files here against {outside.description}", _side(outside), new)
    words = "the files by themselves, by the rules on single files: this is no git repository"
    return Comparison(words, None, new)


def _files(terms: Terms) -> Side:
    """The files and folders that are named, as they are called."""
    texts: dict[str, tuple[str, str, bytes]] = {}
    for name in terms.options.files:
        plain = terms.from_top(name)
        folder = (terms.cwd / name).is_dir()
        for text in terms.source(name).texts():
            path = os.path.normpath(f"{plain}/{text.path}").replace(os.sep, "/") if folder else plain
            texts[path] = (path, text.digest, text.text)
    return texts_side(texts.values())


def _side(source: Source) -> Side:
    from specs.registries import registry_text

    texts = source.texts()
    registry = registry_text(source, [text.path for text in texts])
    if registry is not None:
        texts.append(registry)
    return texts_side((text.path, text.digest, text.text) for text in texts)


def _aligned(outside: Source, new: Side, cwd: Path) -> tuple[Side, Side]:
    """Both sides by the same paths: a folder of this repository at another commit keeps its place."""
    old = _side(outside)
    inside = outside.subdir.strip("/") if outside.kind == "git" and outside.path == str(cwd) else ""
    if not inside:
        return old, new
    start = len(inside) + 1
    moved = Side(
        {f"{inside}/{path}": name for path, name in old.files.items()},
        lambda paths: {
            f"{inside}/{path}": text for path, text in old.read(path[start:] for path in paths).items()
        },
    )
    below = {path: name for path, name in new.files.items() if path.startswith(f"{inside}/")}
    return moved, new._replace(files=below)
