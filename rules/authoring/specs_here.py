"""The specs of the folder where an author works, as the configuration there names them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from wirebook.rules.project.config import Config, find_config, load_config
from wirebook.specs.levels import Registry, read_registry
from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.profiles import profile_of
from wirebook.specs.reading.discovery import SpecText, relative
from wirebook.specs.reading.reader import read_protocol
from wirebook.specs.sources.beside import registry_text
from wirebook.specs.sources.repository import find_repository
from wirebook.specs.sources.source import Source, open_source


@dataclass(frozen=True)
class SpecsHere:
    """The specs of a working tree. Paths of `texts` begin at `folder`, `cwd` is where the author works."""

    cwd: Path
    folder: Path
    source: Source
    texts: tuple[SpecText, ...]

    def file(self, path: str) -> Path:
        """Where a spec lies."""
        return self.folder / path

    def shown(self, path: str) -> str:
        """The path of a spec as it is from where the author works."""
        return relative(self.folder / path, self.cwd).replace(os.sep, "/")

    @cached_property
    def profile(self) -> Profile:
        """The profile of the specs. Raises InputError."""
        return profile_of(self.source, self.texts) if self.texts else NEUTRAL

    @cached_property
    def protocol(self) -> Protocol:
        """The messages; their paths are those of `texts`. Raises InputError for an unreadable spec."""
        return read_protocol(self.texts, str(self.folder), self.profile)

    @cached_property
    def registry(self) -> Registry | None:
        """The registry of protocol levels beside the specs, if there is one. Raises InputError."""
        text = registry_text(self.source, [text.path for text in self.texts])
        return None if text is None else read_registry(text.text, text.path)

    def newest_level(self, keeping: Iterable[Message]) -> str | None:
        """The newest protocol level, which the `history` of a new version names; None where none of these
        messages keeps a history.

        Raises InputError where one does, and no registry lies beside the specs.
        """
        kept = next((message for message in keeping if message.history), None)
        if kept is None:
            return None
        if self.registry is None or not self.registry.api_versions:
            raise InputError(
                'keeps a "history", but no registry of protocol levels lies beside the specs',
                self.shown(kept.path),
            )
        return self.registry.api_versions[-1].version


def specs_here(cwd: Path) -> SpecsHere:
    """The specs that a check of the folder would look at, in the working tree; none is no error.

    They are looked for in the folder of the configuration, without one in the repository, and outside of a
    repository in `cwd`. Raises InputError.
    """
    named = find_config(cwd)
    config = Config() if named is None else load_config(named, relative(named, cwd))
    if named is not None:
        folder = named.resolve().parent
    else:
        repository = find_repository(cwd)
        folder = cwd.resolve() if repository is None else repository.top or cwd.resolve()
    source = open_source(folder, tests=bool(config.paths.value))
    texts = (text for text in source.texts_if_any() if config.takes(text.path))
    return SpecsHere(cwd.resolve(), folder, source, tuple(texts))
