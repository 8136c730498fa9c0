"""Opens the specs that a command names: one project, with its settings.

Without a name they are those of the project that the current folder is in. Only if there are none,
a command that reads specs gets the embedded ones of Kafka, and reports that.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from wirebook.rules.settings import FILE, Settings, all_settings, owner_of, selection_of
from wirebook.rules.tables import table_paths
from wirebook.specs import trees
from wirebook.specs.git import Git
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.profile import kafka_profile
from wirebook.specs.kafka.registry import FOLDER, embedded_protocol, load_registry
from wirebook.specs.levels import Registry, read_registry
from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.profile import Profile
from wirebook.specs.project import Project, Selection, read_project, refuse_copies
from wirebook.specs.selection import select
from wirebook.specs.trees import Tree, is_below


@dataclass(frozen=True)
class OpenedProject:
    """The specs of a command.

    The paths of `project` and `tree` begin at `top`, which is None if they are in no folder.
    `where` describes the specs in a line; `commit` is the commit that they are of, and `repository`
    a folder of the repository that they are in. `is_here` is whether the command line does not name
    them, `is_embedded` whether they are those of Kafka that come with wirebook, and `is_fallback`
    whether these take the place of those that the folder does not have.
    """

    project: Project
    settings: Settings = field(default_factory=Settings)
    tree: Tree = field(default_factory=lambda: Tree({}))
    where: str = "the embedded specs"
    top: Path | None = None
    commit: str | None = None
    repository: Path | None = None
    is_here: bool = False
    is_embedded: bool = False
    is_fallback: bool = False

    @property
    def profile(self) -> Profile:
        """The profile of the protocol."""
        return self.project.profile

    @cached_property
    def protocol(self) -> Protocol:
        """The messages."""
        return embedded_protocol() if self.is_embedded else self.project.protocol

    @cached_property
    def registry(self) -> Registry | None:
        """The registry of protocol levels, if there is one. Raises InputError."""
        if self.is_embedded:
            return load_registry()
        paths = table_paths(self.tree, self.project.selection, self.profile)
        text = self.tree.text(paths.get("levels", ""))
        return None if text is None else read_registry(text, paths["levels"])

    def select(self, name: str) -> tuple[Message, ...]:
        """The messages of an API, or one message. Raises InputError if there is none."""
        return select(self.protocol, name, self.where)

    def table(self, what: str) -> tuple[bytes, str] | None:
        """The text and the path of a table that the profile names itself; None if it names none.

        Raises InputError if there is no such file.
        """
        path = self.profile.tables.get(what)
        text = None if path is None else self.tree.text(path)
        if path is not None and text is None:
            raise InputError(
                f'there is no "{path}", the table of {what} of the profile', self.profile.path
            )
        return None if path is None or text is None else (text, path)

    @property
    def folder(self) -> str:
        """The deepest folder that all messages are in."""
        return posixpath.commonpath(
            [posixpath.dirname(path) for path in self.project.messages] or [""]
        )

    def file(self, path: str) -> Path:
        """The file at a path of specs in a folder."""
        assert self.top is not None
        return self.top / path

    def shown(self, path: str, cwd: Path) -> str:
        """The path of a file, relative to the folder in which the command runs."""
        return os.path.relpath(self.file(path).resolve(), cwd.resolve()).replace(os.sep, "/")


def open_specs(source: str | os.PathLike[str] | None, cwd: Path = Path()) -> OpenedProject:
    """The specs of a SOURCE, or else those of the folder `cwd`, or else the embedded ones.

    `source` may be the name of the embedded protocol. Raises InputError if something cannot be
    read, and for a SOURCE without specs.
    """
    if source == KAFKA:
        return embedded()
    if source is None:
        own = specs_here(cwd)
        if own.project.messages and not _is_embedded(own):
            return own
        return replace(embedded(), is_fallback=not own.project.messages)
    name = os.fspath(source)
    if not isinstance(source, str) and not trees.is_path(name):
        name = f"./{name}"
    named = trees.named(name, cwd, Git.find(cwd))
    tree = named.whole
    folder = named.folder
    top = named.top
    above = trees.folder_with(top.resolve(), FILE) if top is not None else None
    if top is not None and above is not None and above != top.resolve():
        # The settings of the specs in a folder are in one above it.
        folder = top.resolve().relative_to(above).as_posix()
        tree = trees.of_folder(above)
        top = above
    opened = _opened(tree, folder, named.words, top)
    if not opened.project.messages:
        raise InputError(
            "there are no message specs in it; `wirebook init` and `wirebook new` write some", name
        )
    return replace(opened, commit=named.commit, repository=named.repository)


def specs_here(cwd: Path) -> OpenedProject:
    """The specs of the project that a folder is in, even if there are none. Raises InputError."""
    git = Git.find(cwd)
    if git is not None and git.top is not None:
        top = git.top.resolve()
        tree = trees.of_working_tree(git)
    else:
        top = trees.folder_with(cwd.resolve(), FILE) or cwd.resolve()
        tree = trees.of_folder(top)
    folder = cwd.resolve().relative_to(top).as_posix()
    opened = _opened(tree, "" if folder == "." else folder, "the specs here", top, is_here=True)
    return replace(opened, is_here=True, repository=top if git is not None else None)


def embedded() -> OpenedProject:
    """The specs of Kafka that come with wirebook."""
    messages = {message.path: message for message in embedded_protocol()}
    return OpenedProject(Project(Selection(), kafka_profile(), messages), is_embedded=True)


def _is_embedded(opened: OpenedProject) -> bool:
    """Whether the specs are those of a checkout of wirebook."""
    files = [opened.file(path).resolve() for path in opened.project.messages]
    return all(file.is_relative_to(FOLDER) for file in files)


def _opened(
    tree: Tree, folder: str, where: str, top: Path | None, *, is_here: bool = False
) -> OpenedProject:
    """The project in a folder of a tree, or the one that the folder is in.

    A folder that the command line names limits the messages. Raises InputError for several
    projects, and for a file that cannot be read.
    """
    every = all_settings(tree)
    settings = chosen_settings(every, folder, is_here=is_here)
    project = read_project(tree, selection_of(settings, every), settings.profile, {}, strict=True)
    if not is_here:
        project = _below(project, folder)
    for error in project.unreadable:
        raise error
    refuse_copies(project.messages)
    return OpenedProject(project, settings, tree, where, top)


def chosen_settings(every: Sequence[Settings], folder: str, *, is_here: bool) -> Settings:
    """The settings of the project in a folder, or of the one that it is in.

    `is_here` is whether any other project may be meant if there is only one. Raises InputError for
    several.
    """
    if any(is_below(folder, each.folder) for each in every):
        return owner_of(folder, every)
    inside = every if is_here else [each for each in every if is_below(each.folder, folder)]
    if len(inside) > 1:
        names = ", ".join(each.folder for each in inside)
        raise InputError(
            f"there are several protocols: run the command in the folder of one ({names})"
        )
    return inside[0] if inside else Settings()


def _below(project: Project, folder: str) -> Project:
    """A project with only the messages in a folder."""
    messages = {
        path: message for path, message in project.messages.items() if is_below(path, folder)
    }
    unreadable = tuple(each for each in project.unreadable if is_below(each.path or "", folder))
    return replace(project, messages=messages, unreadable=unreadable)
