"""Finds the files next to the specs of a source: the registry of protocol levels, the profile."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook.specs.files import read_input
from wirebook.specs.limits import MAX_TEXT
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import REGISTRY, SpecText, places_above, spec_text
from wirebook.specs.sources.location import top_of
from wirebook.specs.sources.source import Source

if TYPE_CHECKING:
    from wirebook.specs.sources.git import GitRepo


def registry_text(source: Source, paths: Iterable[str]) -> SpecText | None:
    """The registry of protocol levels of a source whose specs are at `paths`; None if there is none.

    Raises InputError if it cannot be read.
    """
    return next(nearest_beside(source, paths, REGISTRY), None)


def nearest_beside(source: Source, paths: Iterable[str], *names: str) -> Iterator[SpecText]:
    """For each of some names, the nearest file in the folders of the specs at `paths` and above.

    Raises InputError for a file that cannot be read.
    """
    nearest: set[str] = set()
    for text in texts_beside(source, places_above(paths, *names)):
        name = posixpath.basename(text.path)
        if name not in nearest:
            nearest.add(name)
            yield text


def texts_beside(source: Source, places: Sequence[str]) -> Iterator[SpecText]:
    """The files of a directory or a repository at some paths, which begin at its top or at "..".

    Raises InputError for a file that cannot be read. Archives are assumed to have none.
    """
    if source.kind == "directory":
        for place in places:
            text = _file(source, place)
            if text is not None:
                yield spec_text(place, text)
    if source.kind == "git" and source.repository is not None:
        yield from _committed(source, source.repository, places)


def text_beside(folder: Path, place: str) -> bytes | None:
    """The text of a file of a working tree, by its path from a folder; None if it does not exist.

    Raises InputError for a file that cannot be read, or that is outside the repository or folder.
    """
    source = Source("directory", str(folder), "")
    return next((found.text for found in texts_beside(source, [place])), None)


def places_beside(source: Source, paths: Iterable[str], name: str, above: int | None = None) -> list[str]:
    """The possible paths of a file that belongs to the specs of a source at `paths`, the nearest first.

    They are in the folders of the specs and above, up to the top of the repository: `above` is the number of
    `folders_above` the source, which is computed if it is None.
    """
    numbers = range(1, (folders_above(source) if above is None else above) + 1)
    return [*places_above(paths, name), *(f"{'../' * number}{name}" for number in numbers)]


def folders_above(source: Source) -> int:
    """How many folders above the top of a source belong to the same repository."""
    if source.kind == "git":
        return len([part for part in source.subdir.split("/") if part])
    if source.kind == "directory":
        folder = Path(source.path).resolve()
        top = top_of(folder)
        return 0 if top is None else [folder, *folder.parents].index(top)
    return 0


def _file(source: Source, name: str) -> bytes | None:
    # Most places have none.
    if not os.path.lexists(os.path.join(source.path, name)):
        return None
    path = Path(source.path, *name.split("/"))
    folder = Path(source.path).resolve()
    top = [folder, *folder.parents][folders_above(source)]
    try:
        if top not in path.resolve().parents:
            raise InputError("this is outside the repository, or outside the folder of the specs", name)
        return read_input(path, MAX_TEXT, name)
    except FileNotFoundError:
        return None
    except (OSError, RuntimeError) as error:  # links in a circle
        raise InputError(getattr(error, "strerror", None) or "links lead in a circle", name) from None


def _committed(source: Source, repository: GitRepo, places: Iterable[str]) -> Iterator[SpecText]:
    """The texts in a commit, also through links; one query covers all paths."""
    commit, above = source.commit or "HEAD", source.subdir.strip("/")
    inside = {place: posixpath.normpath(f"{above}/{place}" if above else place) for place in places}
    with repository as opened:
        objects = opened.at(commit, inside.values())
        for place, path in inside.items():
            text = opened.text(commit, path) if path in objects else None
            if text is not None:
                yield spec_text(place, text)
