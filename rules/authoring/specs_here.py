"""The specs of the author's current folder, as its configuration names them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from wirebook.rules.project.config import Config, find_config, load_config
from wirebook.specs.files import locked
from wirebook.specs.levels import Registry, read_registry
from wirebook.specs.load import read_texts
from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.protocols import Part, chosen, parts_of
from wirebook.specs.reading.discovery import SpecText, relative
from wirebook.specs.reading.formats import format_named
from wirebook.specs.reading.reader import protocol_of
from wirebook.specs.sources.beside import registry_text
from wirebook.specs.sources.repository import find_repository
from wirebook.specs.sources.source import Source, open_source


@dataclass(frozen=True)
class SpecsHere:
    """The specs of a working tree. Paths of `texts` are relative to `folder`; `cwd` is the author's folder.

    `name` is the protocol to use, if there are several.
    """

    cwd: Path
    folder: Path
    source: Source
    texts: tuple[SpecText, ...]
    name: str | None = None

    def file(self, path: str) -> Path:
        """The path of a spec's file."""
        return self.folder / path

    def shown(self, path: str) -> str:
        """The path of a spec, relative to the author's folder."""
        return relative(self.folder / path, self.cwd).replace(os.sep, "/")

    @cached_property
    def parts(self) -> list[Part]:
        """The specs by protocol. Raises InputError."""
        return parts_of(self.source, self.texts) if self.texts else [Part("", NEUTRAL, [])]

    @cached_property
    def part(self) -> Part:
        """The specs of the protocol to use. Raises InputError if that is ambiguous."""
        return chosen([(part.name, part) for part in self.parts], self.name, "this repository")

    @cached_property
    def profile(self) -> Profile:
        """The profile of the specs. Raises InputError."""
        return self.part.profile

    @cached_property
    def protocol(self) -> Protocol:
        """The messages; their paths are those of `texts`. Raises InputError for an unreadable spec."""
        formats = [format_named(name) for name in self.source.formats]
        return protocol_of(read_texts(self.part, formats), str(self.folder))

    def having(self, name: str) -> SpecsHere:
        """A copy for the protocol that has an API or message, unless one is named. Raises InputError."""
        if self.name is not None or len(self.parts) == 1:
            return self
        sides = [replace(self, name=part.name) for part in self.parts if part.name]
        found = [side for side in sides if side.protocol.api(name) or side.protocol.find(name)]
        return found[0] if len(found) == 1 else self

    @cached_property
    def registry(self) -> Registry | None:
        """The registry of protocol levels beside the specs, if there is one. Raises InputError."""
        text = registry_text(self.source, [text.path for text in self.part.texts])
        return None if text is None else read_registry(text.text, text.path)

    def newest_level(self, keeping: Iterable[Message]) -> str | None:
        """The newest protocol level, which the `history` of a new version names; None if no message has a
        history.

        Raises InputError if one has, but there is no registry next to the specs.
        """
        kept = next((message for message in keeping if message.history), None)
        if kept is None:
            return None
        if self.registry is None or not self.registry.api_versions:
            raise InputError(
                'keeps a "history", but there is no registry of protocol levels beside the specs',
                self.shown(kept.path),
            )
        return self.registry.api_versions[-1].version


def specs_here(cwd: Path, name: str | None = None) -> SpecsHere:
    """The specs of the working tree that a check of the folder would read; finding none is not an error.

    Searches the folder of the configuration; without one, the repository; outside a repository, `cwd`. `name`
    is the protocol to use, if there are several. Raises InputError.
    """
    folder, config = _folder_here(cwd)
    source = replace(open_source(folder, tests=bool(config.paths.value)), formats=config.formats.value)
    texts = (text for text in source.texts_if_any() if config.takes(text.path))
    return SpecsHere(cwd.resolve(), folder, source, tuple(texts), name)


@contextmanager
def written_here(cwd: Path, name: str | None = None) -> Iterator[SpecsHere]:
    """Like `specs_here`, for commands whose output depends on all specs, such as the next API key.

    Other such commands wait until the block ends. Raises InputError, OSError.
    """
    with locked([_folder_here(cwd)[0]]):
        yield specs_here(cwd, name)


def _folder_here(cwd: Path) -> tuple[Path, Config]:
    """The folder to search for specs, and the configuration that names them."""
    named = find_config(cwd)
    if named is not None:
        return named.parent.resolve(), load_config(named, relative(named, cwd))
    repository = find_repository(cwd)
    if repository is None:
        return cwd.resolve(), Config()
    return repository.top or cwd.resolve(), Config()
