"""The specs of a site: those of a folder, or the ones that come with wirebook."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wirebook.rules.project.config import Config, find_config, load_config
from wirebook.specs.kafka.registry import FOLDER, embedded_source
from wirebook.specs.load import in_configured_formats
from wirebook.specs.problems import InputError
from wirebook.specs.profile_choice import EMBEDDED, embedded_profile
from wirebook.specs.protocols import parts_of
from wirebook.specs.sources.git_command import run
from wirebook.specs.sources.naming import explicit_kind, is_path_like
from wirebook.specs.sources.releases import ReleaseName
from wirebook.specs.sources.source import (
    Entry,
    GitRepo,
    Source,
    SpecText,
    open_source,
)

UNRELEASED = "unreleased"


@dataclass(frozen=True)
class OwnSpecs:
    """The specs of a folder, without those that its configuration, if it has one, excludes."""

    folder: Path
    config: Config = field(default_factory=Config)

    @property
    def source(self) -> Source:
        """The folder as a SOURCE."""
        tests, formats = bool(self.config.paths.value), self.config.formats.value
        return Source("directory", str(self.folder), "the specs of this folder", tests=tests, formats=formats)

    def takes(self, path: str) -> bool:
        """Whether a file, by its path from the folder, counts."""
        return self.config.takes(path)

    def texts(self) -> list[SpecText]:
        """The specs by path, if there are any. wirebook's own files do not count."""
        try:
            found = self.source.texts()
        except InputError as error:
            if error.path is None:
                return []
            raise
        own = FOLDER.resolve()
        return [
            text
            for text in found
            if self.takes(text.path) and own not in (self.folder / text.path).resolve().parents
        ]

    def entries(self, repository: GitRepo, commit: str) -> list[Entry]:
        """The entries of the folder in a commit of its repository; none if the commit lacks the folder."""
        above = run(self.folder, "rev-parse", "--show-prefix").decode().strip()
        try:
            found = repository.entries(commit, above, tests=self.source.tests)
        except InputError:
            return []
        return [entry for entry in found if self.takes(entry.path)]

    def releases(self) -> tuple[str, ...]:
        """The tags that the configuration names as released, or else those of all releases; without
        pre-releases if there are others.
        """
        named = self.config.released.value
        globs = [name for name in named if not (explicit_kind(name)[0] or is_path_like(name))]
        try:
            with GitRepo(self.folder) as repository:
                found = [tag for glob in globs or ["*"] for tag in repository.releases(glob).found]
        except InputError:
            return ()
        kept = [tag.name for tag in found if not tag.is_prerelease]
        return tuple(dict.fromkeys(kept or [tag.name for tag in found]))


# A SOURCE, specs that were found, or None for those that come with wirebook.
Specs = str | OwnSpecs | None


@dataclass(frozen=True)
class Choice:
    """What a site is built from: specs and, if `history` is a repository, its releases by tags or globs."""

    source: Specs = None
    history: str | None = None
    releases: tuple[str, ...] = ()


def folder_of(source: Specs) -> Path | None:
    """The folder of specs; None if they are in none."""
    if isinstance(source, OwnSpecs):
        return source.folder
    folder = embedded_source() if source is None else Path(explicit_kind(source)[1])
    return folder if folder.is_dir() else None


def choose(source: str | None, history: str | None, releases: str | None, here: Path) -> Choice:
    """The meaning of the arguments of a command that runs `here`.

    The name of an embedded profile is a SOURCE. Without a SOURCE, the specs of `history` count, or else
    those of the repository or folder here with its releases, or else the embedded ones, which are also
    used for a history of their own protocol. Raises InputError if something cannot be read.
    """
    given = (releases,) if releases is not None else ()
    if source in EMBEDDED:
        return Choice(None, history, given)
    if source is not None:
        return Choice(source, history, given)
    if history is not None:
        return Choice(_of_history(history, here), history, given)
    own = own_specs(here)
    if own is None:
        return Choice()
    tags = own.releases()
    return Choice(own, str(own.folder) if tags else None, tags)


def own_specs(here: Path) -> OwnSpecs | None:
    """The specs of the repository or folder here; None if it has none. Raises InputError."""
    found = own_texts(here)
    return None if found is None else found[0]


def own_texts(here: Path) -> tuple[OwnSpecs, list[SpecText]] | None:
    """As `own_specs`, with their texts."""
    path = find_config(here)
    folder = path.parent.resolve() if path is not None else _top(here.resolve())
    own = OwnSpecs(folder, load_config(path, None if path is None else os.path.relpath(path)))
    texts = own.texts()
    return (own, texts) if texts else None


def _top(here: Path) -> Path:
    """The top of the repository that a folder is in; the folder itself if it is in none."""
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)


def _of_history(history: str, here: Path) -> Specs:
    """The specs of a repository: of its folder, or of its HEAD if it has none."""
    found: str | OwnSpecs
    if (here / history / ".git").exists():
        held = own_texts(here / history)
        if held is None:
            raise InputError("no message specs in its folder: name the SOURCE of the site", history)
        found, texts = held
        source = found.source
    else:
        found = f"git:{history}@HEAD"
        source = open_source(found, cwd=here)
        texts = source.texts()
    parts = parts_of(source, texts)
    is_embedded = len(parts) == 1 and parts[0].profile in map(embedded_profile, EMBEDDED)
    return None if is_embedded else found


def protocols_of(source: Specs) -> list[str]:
    """The names of the protocols of specs: "" if they are of one. Raises InputError."""
    if source is None:
        return [""]
    if isinstance(source, OwnSpecs):
        opened, texts = source.source, source.texts()
    else:
        opened = in_configured_formats(open_source(source, any_format=True))
        texts = opened.texts()
    return [part.name for part in parts_of(opened, texts)]


def label_of(source: Source, texts: Sequence[SpecText]) -> str:
    """The label of a SOURCE that is not a release, on published pages: never a path.

    It is the output of `git describe` if the texts are those of a commit, the release that an archive is
    named after, or "unreleased".
    """
    if source.kind == "archive":
        name = Path(source.path).name.removesuffix(Path(source.path).suffix)
        return name if ReleaseName.parse(name) else UNRELEASED
    try:
        if source.kind == "git" and source.repository is not None and source.commit:
            folder, commit = source.repository.folder, source.commit
        else:
            folder, commit = Path(source.path), "HEAD"
            if source.kind != "directory" or not _is_committed(source, texts):
                return UNRELEASED
        return run(folder, "describe", "--tags", commit).decode().strip() or UNRELEASED
    except (InputError, UnicodeDecodeError):
        return UNRELEASED


def _is_committed(source: Source, texts: Sequence[SpecText]) -> bool:
    """Whether HEAD has the texts of a folder."""
    above = run(source.path, "rev-parse", "--show-prefix").decode().strip()
    with GitRepo(source.path) as repository:
        entries = repository.entries("HEAD", above, tests=source.tests)
    return {(text.path, text.digest) for text in texts} <= {(entry.path, entry.digest) for entry in entries}
