"""The front door: which specs a command means, and what belongs to them.

A command names its specs by a SOURCE, or means those of the current folder. These are the specs below the
folder of the nearest configuration, or else of the repository, or else of the folder itself, so they are the
same from every folder of a checkout. Only if there are none, a command that reads specs gets the embedded
ones of Kafka, and reports that. Commands that write specs never do.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from pathlib import Path

from wirebook.rules.project.config import NOT_YET, Config, find_config, load_config
from wirebook.rules.project.settings import TAGS_HINT, Setting, unusable_releases
from wirebook.rules.project.tags import default_releases, matching_releases
from wirebook.specs.files import locked
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.registry import FOLDER, embedded_protocol, embedded_source, load_registry
from wirebook.specs.levels import Registry, read_registry
from wirebook.specs.load import SourceContents, read_opened, read_specs
from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.profile_choice import EMBEDDED, embedded_profile, profile_of
from wirebook.specs.reading.discovery import SpecText, relative
from wirebook.specs.selection import select
from wirebook.specs.sources.beside import registry_text
from wirebook.specs.sources.git import SpecEntry
from wirebook.specs.sources.git_command import run
from wirebook.specs.sources.location import top_of
from wirebook.specs.sources.naming import explicit_kind, is_path_like
from wirebook.specs.sources.source import GitRepo, Source, open_source


class SpecOrigin(Enum):
    """Where the specs of a workspace come from."""

    HERE = "here"
    SOURCE = "source"
    EMBEDDED = "embedded"


@dataclass(frozen=True)
class Workspace:
    """The specs of a command, with their settings, protocol, registry and releases.

    `cwd` is the folder in which the command runs, and `settings` are those of the specs found there. The
    paths of `texts` are relative to `source`, which the command line names `given`. `is_fallback` is whether
    the embedded specs take the place of those that the folder does not have.
    """

    cwd: Path
    source: Source
    origin: SpecOrigin
    settings: Config = field(default_factory=Config)
    is_fallback: bool = False
    given: str = ""

    @classmethod
    def open(cls, cwd: Path, source: str | os.PathLike[str] | None = None) -> Workspace:
        """The specs of a SOURCE, or else those of the folder `cwd`, or else the embedded ones.

        `source` may be the name of an embedded protocol. Raises InputError if something cannot be read.
        """
        if source in EMBEDDED:
            return cls.embedded(cwd)
        if source is not None:
            opened = open_source(source, cwd=cwd)
            return cls(cwd, opened, SpecOrigin.SOURCE, given=os.fspath(source))
        own = cls.here(cwd)
        if own.texts and not own._is_embedded_file(own.texts[0]):
            return own
        # In a checkout of wirebook, the embedded specs are those here.
        return replace(cls.embedded(cwd), is_fallback=not own.texts)

    @classmethod
    def here(cls, cwd: Path) -> Workspace:
        """The specs of the folder `cwd`, even if there are none, without those that git ignores.

        Raises InputError.
        """
        folder, settings = folder_of(cwd)
        tests = bool(settings.paths.value)
        source = Source("directory", str(folder), "the specs here", tests=tests, skips_ignored=True)
        return cls(cwd, source, SpecOrigin.HERE, settings)

    @classmethod
    @contextmanager
    def written(cls, cwd: Path) -> Iterator[Workspace]:
        """Like `here`, for commands whose output depends on all specs, such as the next API key.

        Other such commands wait until the block ends. Raises InputError, OSError.
        """
        with locked([folder_of(cwd)[0]]):
            yield cls.here(cwd)

    @classmethod
    def embedded(cls, cwd: Path = Path()) -> Workspace:
        """The specs of Kafka that come with wirebook."""
        source = open_source(embedded_source())._replace(description="the embedded specs")
        return cls(cwd, source, SpecOrigin.EMBEDDED)

    @property
    def is_embedded(self) -> bool:
        """Whether the specs are the embedded ones."""
        return self.origin is SpecOrigin.EMBEDDED

    @property
    def where(self) -> str:
        """A line that describes the specs."""
        return self.source.description

    @property
    def is_here(self) -> bool:
        """Whether the specs are those of the folder in which the command runs."""
        return self.origin is SpecOrigin.HERE

    @property
    def shown_folder(self) -> str:
        """The folder of the specs, relative to the one in which the command runs. Raises InputError."""
        return self.shown(posixpath.commonpath([posixpath.dirname(text.path) for text in self.texts]))

    @property
    def folder(self) -> Path | None:
        """The folder that the specs are in; None if they are in none."""
        return Path(self.source.path) if self.source.kind == "directory" else None

    def file(self, path: str) -> Path:
        """The file of a spec in a folder."""
        return Path(self.source.path) / path

    def path_of(self, file: Path) -> str:
        """The path of a file in the folder of the specs, as `texts` has it."""
        return file.relative_to(self.source.path).as_posix()

    def shown(self, path: str) -> str:
        """The path of a spec in a folder, relative to the folder in which the command runs."""
        return relative(self.file(path), self.cwd.resolve()).replace(os.sep, "/")

    @cached_property
    def texts(self) -> tuple[SpecText, ...]:
        """The specs by path, without those that the settings exclude.

        wirebook's own files count only if there are no others. Raises InputError if a SOURCE has none, and
        for what cannot be read.
        """
        if not self.is_here:
            return tuple(self.source.texts())
        included = [text for text in self.source.texts_if_any() if self.settings.takes(text.path)]
        return tuple([text for text in included if not self._is_embedded_file(text)] or included)

    def _is_embedded_file(self, text: SpecText) -> bool:
        return self.file(text.path).resolve().is_relative_to(FOLDER)

    @cached_property
    def profile(self) -> Profile:
        """The profile of the specs. Raises InputError."""
        if self.is_embedded:
            return embedded_profile(KAFKA)
        return profile_of(self.source, [text.path for text in self.texts]) if self.texts else NEUTRAL

    @cached_property
    def protocol(self) -> Protocol:
        """The messages; their paths are those of `texts`. Raises InputError."""
        if self.is_embedded:
            return embedded_protocol()
        return read_specs(self.texts, self.profile, self.given)

    @cached_property
    def registry(self) -> Registry | None:
        """The registry of protocol levels beside the specs, if there is one. Raises InputError."""
        if self.is_embedded:
            return load_registry()
        text = registry_text(self.source, [text.path for text in self.texts])
        return None if text is None else read_registry(text.text, text.path)

    @cached_property
    def contents(self) -> SourceContents:
        """What the protocol consists of. Raises InputError."""
        if self.is_embedded:
            return SourceContents(embedded_protocol(), self.where, load_registry())
        return read_opened(self.source, self.texts, self.given)

    def fresh(self) -> Workspace:
        """A copy that reads everything again."""
        return replace(self)

    def select(self, name: str) -> tuple[Message, ...]:
        """The messages of an API, or one message. Raises InputError if there is none."""
        return select(self.contents.protocol, name, self.where)

    def newest_level(self, keeping: Iterable[Message]) -> str | None:
        """The newest protocol level, which the `history` of a new version names; None if no message has a
        history.

        Raises InputError if one has, but there is no registry next to the specs.
        """
        dated = next((message for message in keeping if message.history), None)
        if dated is None:
            return None
        if self.registry is None or not self.registry.api_versions:
            raise InputError(
                'keeps a "history", but there is no registry of protocol levels beside the specs',
                self.shown(dated.path),
            )
        return self.registry.api_versions[-1].version

    def entries(self, repository: GitRepo, commit: str) -> list[SpecEntry]:
        """The specs of the folder in a commit of its repository; none if the commit lacks the folder."""
        above = run(self.source.path, "rev-parse", "--show-prefix").decode().strip()
        try:
            every = repository.entries(commit, above, tests=self.source.tests)
        except InputError:
            return []
        return [entry for entry in every if self.settings.takes(entry.path)]

    def releases(self) -> tuple[str, ...]:
        """The tags that the settings name as released, or else those of the releases of the specs.

        None if the specs are not those of a folder in a repository. Raises InputError if the tags are of
        several products, and none is the main one, and for a glob of the settings that names no release,
        unless the repository has no tags yet.
        """
        if not self.is_here or top_of(Path(self.source.path)) is None:
            return ()
        released = self.settings.released
        named = released.value
        globs = [
            name for name in named if name != NOT_YET and not (explicit_kind(name)[0] or is_path_like(name))
        ]
        with GitRepo(self.source.path) as repository:
            prerelease = self.settings.prerelease.value
            if globs:
                self._check_globs(repository, released, globs)
                tags = matching_releases(repository, globs, prerelease)
            else:
                tags = default_releases(repository, prerelease, self.folder_in_repository)
        return tuple(tag.name for tag in tags)

    def _check_globs(
        self, repository: GitRepo, released: Setting[tuple[str, ...]], globs: Iterable[str]
    ) -> None:
        """Raise InputError for a glob that names no release in a repository with tags."""
        if not repository.refs().tags:
            return
        for glob in globs:
            tags = repository.releases(glob, self.settings.prerelease.value)
            if not tags.found:
                others = [f"the tag {tag} is not a release: {why}" for tag, why in tags.left_out.items()]
                words = f"{'; '.join(others[:3]) or 'no tag matches it'}; {TAGS_HINT}"
                raise unusable_releases(released, [glob], words)

    @property
    def folder_in_repository(self) -> str:
        """The deepest folder that all specs of a folder are in, from the top of its repository."""
        above = run(self.source.path, "rev-parse", "--show-prefix").decode(errors="replace").strip()
        inner = os.path.commonpath([os.path.dirname(text.path) for text in self.texts] or [""])
        return f"{above}{inner}".strip("/")


def folder_of(cwd: Path) -> tuple[Path, Config]:
    """The folder whose specs are those of `cwd`, and the settings that name them. Raises InputError."""
    path = find_config(cwd)
    if path is not None:
        return path.parent.resolve(), load_config(path, relative(path, cwd))
    return top_of(cwd) or cwd.resolve(), Config()
