"""What a tree says of one protocol: its messages with their shared structs, tables, and protocol levels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from wirebook.specs.git import Git
from wirebook.specs.kafka.profile import own_table
from wirebook.specs.levels import Registry, read_registry
from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.profile import Profile
from wirebook.specs.reading.discovery import (
    REGISTRY,
    SpecText,
    candidate,
    is_spec,
    is_structs,
    may_be_registry,
    place_of,
    split_imports,
)
from wirebook.specs.reading.globs import matches
from wirebook.specs.reading.imports import TextOf, with_imports
from wirebook.specs.reading.reader import read_message
from wirebook.specs.trees import Tree, blob_id, of_commit

# Messages by path, text and profile, so that what two trees share is parsed once and is one object.
ParsedMessages = dict[tuple[str, str, int], Message]


@dataclass(frozen=True)
class Selection:
    """Which files of a tree belong to a project.

    `folder` is that of its settings, "" for the top. `paths` and `exclude` are globs relative to it; `others`
    are the folders in it that have settings of their own.
    """

    folder: str = ""
    paths: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    def takes(self, path: str) -> bool:
        """Whether a file is part of the project. Without `paths`, folders of tests are left out."""
        inside = self._inside(path)
        if inside is None or matches(inside, self.exclude):
            return False
        return matches(inside, self.paths) if self.paths else candidate(inside, tests=False)

    def excludes(self, path: str) -> bool:
        """Whether a file is not part of the project, although its folder is."""
        inside = self._inside(path)
        return inside is None or matches(inside, self.exclude)

    def _inside(self, path: str) -> str | None:
        """A path from the folder; None if it is outside the folder, or in another project."""
        if any(path.startswith(f"{other}/") for other in self.others):
            return None
        if not self.folder:
            return path
        prefix = f"{self.folder}/"
        return path.removeprefix(prefix) if path.startswith(prefix) else None


@dataclass(frozen=True)
class Project:
    """One protocol in a tree.

    `messages` are by path. `texts` has the content of each file that was read. `registry` has the protocol
    levels; `levels` is the path of its file, "" if there is none. `unreadable` are the errors of files that
    cannot be read.
    """

    selection: Selection
    profile: Profile
    messages: Mapping[str, Message] = field(default_factory=dict)
    texts: Mapping[str, bytes] = field(default_factory=dict)
    registry: Registry | None = None
    levels: str = ""
    unreadable: tuple[InputError, ...] = ()

    @property
    def protocol(self) -> Protocol:
        """All messages, by API key."""
        return Protocol.of(self.messages.values())

    def without_unusable(self) -> Project:
        """The project without messages that have a value which the model cannot represent."""
        usable = {path: message for path, message in self.messages.items() if not _unusable(message)}
        return replace(self, messages=usable)


def read_project(
    tree: Tree,
    selection: Selection,
    profile: Profile,
    parsed: ParsedMessages,
    expected: Iterable[str] = (),
    *,
    strict: bool = False,
) -> Project:
    """Read a project from a tree.

    If `strict`, a spec with a value that the model cannot represent counts as one that cannot be read.
    A file in `expected` counts as a spec whatever it looks like, because another side of a comparison has a
    spec there. Errors in specs are collected. Raises InputError for a file that nobody can judge.
    """
    texts: dict[str, bytes] = {}
    messages: dict[str, Message] = {}
    unreadable: list[InputError] = []
    known = set(expected)

    for path in tree.files:
        if not path.endswith(".json") or not selection.takes(path):
            continue
        text = tree.files[path].read()
        key = (path, tree.files[path].blob, id(profile))
        try:
            message = _read_message(
                text, key, profile, parsed, tree.text, is_expected=path in known, strict=strict
            )
        except InputError as error:
            unreadable.append(InputError(error.message, error.path or path, error.position))
            texts[path] = text
            continue
        if message is not None:
            messages[path] = message
            texts[path] = text
            imported = {each.path: each for each in message.common_structs if each.path}
            texts |= {place: _text_or_nothing(tree, place) for place in imported}
    project = Project(selection, profile, messages, texts, unreadable=tuple(unreadable))
    return _with_registry(tree, project)


def spec_texts(
    tree: Tree, selection: Selection, known: dict[tuple[str, str], SpecText | None]
) -> list[SpecText]:
    """The texts of the specs of a project, each with what it imports if that can be read. Raises InputError.

    `known` keeps those that other trees have as well.
    """
    found: list[SpecText | None] = []
    for path, file in tree.files.items():
        if not path.endswith(".json") or not selection.takes(path):
            continue
        key = (path, file.blob)
        if key not in known:
            text = file.read()
            is_other = is_structs(text) or not is_spec(text, place_of(path))
            whole = text if is_other else _with_imports(text, path, tree)
            if whole is not text:
                # The same text may import another one.
                found.append(SpecText(path, whole, blob_id(whole)))
                continue
            known[key] = None if is_other else SpecText(path, text, file.blob)
        found.append(known[key])
    return [each for each in found if each is not None]


def texts_of_commits(git: Git, commits: Iterable[str], selection: Selection) -> dict[str, list[SpecText]]:
    """The texts of the specs of a project in each of some commits. Raises InputError."""
    known: dict[tuple[str, str], SpecText | None] = {}
    return {commit: spec_texts(of_commit(git, commit), selection, known) for commit in dict.fromkeys(commits)}


def _with_imports(text: bytes, path: str, tree: Tree) -> bytes:
    try:
        return with_imports(text, path, tree.text)
    except InputError:
        # The reader reports what is missing.
        return text


def _read_message(
    text: bytes,
    key: tuple[str, str, int],
    profile: Profile,
    parsed: ParsedMessages,
    text_of: TextOf,
    *,
    is_expected: bool,
    strict: bool,
) -> Message | None:
    """The message in a text, None if it is no spec. Raises InputError."""
    path = key[0]
    if key in parsed:
        return parsed[key]
    if is_structs(text) or not (is_expected or is_spec(text, place_of(path))):
        return None
    whole = with_imports(text, path, text_of)
    if whole is not text:
        # The same text may import another one.
        key = (path, blob_id(whole), id(profile))
        if key in parsed:
            return parsed[key]
    parsed[key] = read_message(whole, path, strict=strict, profile=profile)
    return parsed[key]


def _text_or_nothing(tree: Tree, path: str) -> bytes:
    try:
        return split_imports(tree.text(path) or b"")[0]
    except InputError:
        return b""


def _with_registry(tree: Tree, project: Project) -> Project:
    """The project with its protocol levels: the file that its profile names, or else api_versions.json."""
    named = own_table(project.profile, "levels")
    selection = project.selection
    found = [
        path for path in tree.files if path.rpartition("/")[2] == REGISTRY and not selection.excludes(path)
    ]
    path = named if named is not None else min(found, key=lambda each: each.count("/"), default=None)
    if path is None:
        return project
    try:
        text = tree.text(path)
        if text is None:
            return project
        if named is None and not may_be_registry(text):
            return project
        registry = read_registry(text, path)
    except InputError as error:
        return replace(project, unreadable=(*project.unreadable, error), levels=path)
    return replace(project, registry=registry, levels=path, texts={**project.texts, path: text})


def refuse_copies(messages: Mapping[str, Message]) -> None:
    """Raise InputError if two folders have the same message: which of them counts is not clear."""
    first: dict[tuple[str, str, int | None], str] = {}
    for path, message in messages.items():
        other = first.setdefault((message.type, message.name, message.api_key), path)
        if other.rpartition("/")[0] != path.rpartition("/")[0]:
            folder = path.rpartition("/")[0] or "."
            words = (
                f"{message.name} is in {other}, too: add one of the folders to `exclude`, "
                f"or give {folder} a wirebook.toml of its own"
            )
            raise InputError(words, path)


def _unusable(message: Message) -> bool:
    return any(problem.severity == "unusable" for problem in message.problems)
