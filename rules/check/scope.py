"""The scope of a check: its configuration, its repository, and which files count."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from wirebook.rules.check.request import CheckRequest
from wirebook.rules.project.config import Config, find_configs, load_config, read_config
from wirebook.specs.limits import MAX_SETTINGS
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL
from wirebook.specs.reading.discovery import REGISTRY, candidate, relative
from wirebook.specs.sources.filesets import FileSet
from wirebook.specs.sources.repository import Repository, find_repository

if TYPE_CHECKING:
    from wirebook.specs.sources.source import Source

Understood = TypeVar("Understood")
_OF_OLD_SIDE = ("against", "branch", "prerelease", "deprecated_for")


class Policy(NamedTuple):
    """A configuration by which is judged, and the folder that its paths begin at."""

    config: Config
    folder: Path

    def placed(self, top: Path) -> Callable[[str], str]:
        """What makes a path from the top one from the folder."""
        return lambda path: relative(top / path, self.folder).replace(os.sep, "/")

    @property
    def chooses(self) -> bool:
        """Whether not every file counts by its paths."""
        return bool(self.config.paths.value or self.config.exclude.value)

    def takes(self, path: Path) -> bool:
        """Whether a file counts by its paths."""
        shown = relative(path, self.folder).replace(os.sep, "/")
        # The registry lies beside the specs that `paths` names.
        return not self.config.excludes(shown) if path.name == REGISTRY else self.config.takes(shown)


class Scope:
    """What a request means in the folder where it is made.

    `stack` closes what is opened. `notices` are reported beside the findings. `profile` is that of the
    specs, once the sides are known. Of a repository with several protocols, `part` names the one that is
    judged, `owns` says which paths are its own, and `claims` is that in words. Raises InputError for a
    request that contradicts itself and for a configuration that cannot be read.
    """

    def __init__(self, request: CheckRequest, stack: ExitStack) -> None:
        self.request = options = request
        self.cwd = cwd = request.cwd or Path.cwd()
        if (options.old is None) != (options.new is None):
            raise InputError("--old and --new belong together: the two sides")
        if options.old is not None and (options.staged or options.against or options.files):
            raise InputError("--old and --new name both sides: there is no place for another")
        self.notices: list[str] = []
        self.repository: Repository | None = None
        if options.staged:
            self.repository = self._opened(stack)
        path, config = self._configuration()
        if path is not None:
            config = config.seen_from(cwd.resolve(), path.resolve().parent)
        self.config: Config = config.override(
            released=options.released or None,
            against=options.against,
            branch=options.branch,
        )
        if not options.staged and (options.old is None or self.config.released.value):
            self.repository = self._opened(stack)
        # The top of the paths of the sides: files outside git are named from where one stands.
        self.top = cwd if self.repository is None or self.repository.top is None else self.repository.top
        # Without a configuration, its place is where it would be looked for last.
        self.config_folder = self.top if path is None else path.resolve().parent
        self.config_path = path
        self.policies: tuple[Policy, ...] = (Policy(self.config, self.config_folder),)
        self.names = set(self._named())
        self.profile = NEUTRAL
        self.part: str | None = None
        self.owns: Callable[[str], bool] | None = None
        self.claims: tuple[str, ...] = ()

    @cached_property
    def real_top(self) -> Path:
        """The top without links."""
        return Path(os.path.realpath(self.top))

    @cached_property
    def real_cwd(self) -> Path:
        """The folder of the check without links."""
        return Path(os.path.realpath(self.cwd))

    def _opened(self, stack: ExitStack) -> Repository | None:
        repository = find_repository(self.cwd, index=self.request.staged)
        if repository is not None:
            stack.callback(repository.close)
        return repository

    def _configuration(self) -> tuple[Path | None, Config]:
        """The configuration and its file: one that is found is read as all else is, the staged one where
        what is staged is judged.
        """
        named: Path | None = self.request.config
        for path in find_configs(self.cwd) if named is None else [named]:
            name = relative(path, self.cwd)
            if named is not None or not self.is_staged(path):
                return path, load_config(path, name)
            text = self.staged(path)
            if text is not None:
                read = partial(read_config, path=name, opened=lambda named: self.staged(self.cwd / named))
                return path, self.understood(path, text, read)
            self.notices.append(f"{name} is not staged: it counts from the commit that it is in")
        return None, Config()

    def source(self, name: str, *, bare_paths: bool = True) -> Source:
        """A SOURCE, by the files that count; without `bare_paths`, a bare word is a ref and nothing else."""
        from wirebook.specs.sources.source import open_source

        return open_source(name, tests=self.tests, cwd=self.cwd, bare_paths=bare_paths)

    @property
    def tests(self) -> bool:
        """Whether specs of test trees count: where somebody has said which paths do."""
        return bool(self.request.files or self.policies[0].config.paths.value)

    def takes(self, path: str) -> bool:
        """Whether a file, by its path from the top, counts."""
        if not (candidate(path, tests=self.tests) or path in self.names):
            return False
        if self.owns is not None and not self.owns(path):
            return False
        # The first is that of the old side: a change does not decide where specs are looked for.
        policy = self.policies[0]
        return not policy.chooses or policy.takes(self.top / path)

    def judge_by(self, old: Policy) -> None:
        """Judge by the policy of the old side, and by that of the new one where it is stricter.

        The baseline and what counts as released are those of the old side; what the new side adds to the
        releases counts too.
        """
        new = self.config
        given = {name for name in ("released", "against", "branch") if getattr(self.request, name)}
        kept = {name: getattr(old.config, name) for name in _OF_OLD_SIDE if name not in given}
        if "released" not in given:
            # Without any, every version of the old side is released: nothing that is added is stricter.
            added = new.released.value if old.config.released.value else ()
            both = (*old.config.released.value, *added)
            kept["released"] = old.config.released._replace(value=tuple(dict.fromkeys(both)))
        self.config = replace(new, **kept)
        self.policies = (old, *self.policies)

    def taken(self, side: FileSet) -> FileSet:
        """A side, less the files that do not count."""
        return side.taken(self.takes)

    def _named(self) -> Iterator[str]:
        """FILES, as paths from the top."""
        for name in self.request.files:
            told = self.from_top(name)
            yield "" if told == "." else told

    def from_top(self, name: str) -> str:
        """A file that is named from where one stands, as a path from the top."""
        folder, last = os.path.split(os.path.join(self.cwd, name))
        if last in ("", os.curdir, os.pardir):
            folder, last = os.path.join(folder, last), ""
        where = os.path.join(os.path.realpath(folder), last)
        return relative(where, self.real_top).replace(os.sep, "/")

    def wants(self, path: str) -> bool:
        """Whether a file is among FILES, or none is named."""
        if not self.names or path in self.names or "" in self.names:
            return True
        return any(path.startswith(f"{name}/") for name in self.names)

    def understood(self, path: Path, text: bytes, read: Callable[[bytes], Understood]) -> Understood:
        """The parsed text of a file. An error says when only the staged text has it."""
        try:
            return read(text)
        except InputError as error:
            from wirebook.specs.files import read_input

            if not self.is_staged(path) or (path.is_file() and read_input(path, MAX_SETTINGS) == text):
                raise
            told = f"{error.message} (this is what is staged: git add {relative(path, self.cwd)})"
            raise InputError(told, error.path, error.position) from None

    def is_staged(self, path: Path) -> bool:
        """Whether what is staged is judged, and a file is a matter of the same index."""
        return self._in_index(path) is not None

    def _in_index(self, path: Path) -> str | None:
        """What a file is called in the index, if that is what is judged."""
        if not self.request.staged or self.repository is None or self.repository.top is None:
            return None
        told = relative(os.path.realpath(path), os.path.realpath(self.repository.top))
        return None if told.startswith(os.pardir) else told.replace(os.sep, "/")

    def staged(self, path: Path) -> bytes | None:
        """The text of a file as it is staged; None where it is not."""
        assert self.repository is not None
        staged = self.repository.git.names([f":{self._in_index(path)}"])
        for _, text in self.repository.git.texts(staged.values()):
            if isinstance(text, InputError):
                raise text
            return text
        return None
