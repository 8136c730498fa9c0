"""Finds the registry of ApiVersions that lies with the specs of a source."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from wirebook.specs.files import read_input
from wirebook.specs.levels import Registry, read_registry, registry_places
from wirebook.specs.limits import MAX_TEXT
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import SpecText, spec_text
from wirebook.specs.sources.git import GitRepo
from wirebook.specs.sources.source import Source


def registry_in(source: Source, paths: Iterable[str]) -> Registry | None:
    """The registry of a directory or a repository whose specs are at `paths`; None where it has none.

    Raises InputError where there is one that cannot be read. Archives are taken to have none.
    """
    registry = registry_text(source, paths)
    return None if registry is None else read_registry(registry.text, registry.path)


def registry_text(source: Source, paths: Iterable[str]) -> SpecText | None:
    """As `registry_in`, the text that it is read from."""
    places = registry_places(paths)
    if source.kind == "directory":
        for place in places:
            text = _file(source.path, place)
            if text is not None:
                return spec_text(place, text)
    if source.kind == "git" and source.repository is not None:
        return _committed(source, source.repository, places)
    return None


def _file(folder: str, place: str) -> bytes | None:
    path = os.path.join(folder, *place.split("/"))
    try:
        return read_input(Path(path), MAX_TEXT, place)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(error.strerror or str(error), place) from None


def _committed(source: Source, repository: GitRepo, places: Iterable[str]) -> SpecText | None:
    """The nearest text of a commit; one query covers all places."""
    commit, above = source.commit or "HEAD", source.subdir.strip("/")
    inside = {place: f"{above}/{place}" if above else place for place in places}
    with repository as opened:
        there = opened.names(f"{commit}:{path}" for path in inside.values())
        for place, path in inside.items():
            name = there.get(f"{commit}:{path}")
            for _, text in opened.texts([name] if name else []):
                if isinstance(text, InputError):
                    raise text
                return spec_text(place, text)
    return None
