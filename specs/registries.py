"""Finds the registry of ApiVersions that lies with the specs of a source."""

from __future__ import annotations

import os
from collections.abc import Iterable

from specs.found import SpecText, spec_text
from specs.problems import InputError
from specs.registry import Registry, read_registry, registry_places
from specs.sources import Source


def registry_in(source: Source, paths: Iterable[str]) -> Registry | None:
    """The registry of a directory or a repository whose specs are at `paths`; None where it has none.

    Raises InputError where there is one that cannot be read. Archives are taken to have none.
    """
    found = registry_text(source, paths)
    return None if found is None else read_registry(found.text, found.path)


def registry_text(source: Source, paths: Iterable[str]) -> SpecText | None:
    """As `registry_in`, the text that it is read from."""
    for place in registry_places(paths):
        text = _text(source, place)
        if text is not None:
            return spec_text(place, text)
    return None


def _text(source: Source, place: str) -> bytes | None:
    if source.kind == "directory":
        where = os.path.join(source.path, *place.split("/"))
        try:
            with open(where, "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InputError(error.strerror or str(error), place) from None
    if source.kind == "git" and source.repository is not None:
        inside = "/".join(part for part in (source.subdir.strip("/"), place) if part)
        with source.repository as opened:
            try:
                entries = opened.entries(source.commit or "HEAD", inside)
            except InputError:
                return None
            return opened.read(entries[0].digest) if entries else None
    return None
