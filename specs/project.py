"""What a tree says of one protocol: its messages with their shared structs."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from wirebook.specs.discovery import candidate, is_spec, is_structs
from wirebook.specs.imports import imported, may_import
from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.profile import Profile
from wirebook.specs.reader import read_message
from wirebook.specs.trees import Tree, blob_id, is_below

# Messages by path, text and profile, so that what two trees share is parsed once and is one object.
ParsedMessages = dict[tuple[str, str, int], Message]


@dataclass(frozen=True)
class Selection:
    """Which files of a tree belong to a project.

    `folder` is that of its settings, "" for the top. `paths` and `exclude` are globs relative to
    it; `others` are the folders in it that have settings of their own.
    """

    folder: str = ""
    paths: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    def takes(self, path: str) -> bool:
        """Whether a file is part of the project. Without `paths`, folders of tests are left out."""
        if not path.endswith(".json") or self.excludes(path):
            return False
        inside = path[len(self.folder) :].lstrip("/")
        return matches(inside, self.paths) if self.paths else candidate(inside)

    def excludes(self, path: str) -> bool:
        """Whether a file is outside the folder, in another project, or not part of this one."""
        if not is_below(path, self.folder) or any(is_below(path, other) for other in self.others):
            return True
        return matches(path[len(self.folder) :].lstrip("/"), self.exclude)


def matches(path: str, globs: Sequence[str]) -> bool:
    """Whether a path matches one of the globs.

    `*` and `?` stay within a name, `**` as a name matches any number of folders. A glob without "/"
    matches a name at any depth; a glob that matches a folder matches everything in it.
    """
    return any(_compiled(glob).match(f"{path}/") for glob in globs)


@cache
def _compiled(glob: str) -> re.Pattern[str]:
    """A pattern for the beginning of a path that ends with "/"."""
    text = glob.strip("/").removeprefix("./")
    names = [] if text in ("", ".") else text.split("/")
    if "/" not in glob.rstrip("/"):
        names.insert(0, "**")
    wild = {"*": "[^/]*", "?": "[^/]"}
    parts = [
        "".join(wild.get(letter, re.escape(letter)) for letter in name) + "/" for name in names
    ]
    for number, name in enumerate(names):
        if name == "**":
            parts[number] = "(?:[^/]+/)*" if names[number + 1 :] else "[^/]+/"
    return re.compile("".join(parts))


@dataclass(frozen=True)
class Project:
    """One protocol in a tree: its messages by path, and the errors of files that are unreadable."""

    selection: Selection
    profile: Profile
    messages: Mapping[str, Message] = field(default_factory=dict)
    unreadable: tuple[InputError, ...] = ()

    @property
    def protocol(self) -> Protocol:
        """All messages, by API key."""
        return Protocol.of(self.messages.values())


def read_project(
    tree: Tree,
    selection: Selection,
    profile: Profile,
    parsed: ParsedMessages,
    expected: Container[str] = (),
    *,
    profile_at: Callable[[str], Profile] | None = None,
    strict: bool = False,
) -> Project:
    """Read a project from a tree; `profile_at` has the profile of each spec if they differ.

    If `strict`, a spec with a value that the model cannot represent is unreadable. A file in
    `expected` is a spec whatever it looks like, because another side of a comparison has one there.
    Errors in specs are collected. Raises InputError for a file that nobody can judge.
    """
    messages: dict[str, Message] = {}
    unreadable: list[InputError] = []
    for path in filter(selection.takes, tree.files):
        own = profile if profile_at is None else profile_at(path)
        read = read_spec(tree, path, own, parsed, is_expected=path in expected, strict=strict)
        if isinstance(read, InputError):
            unreadable.append(read)
        elif read is not None:
            messages[path] = read
    return Project(selection, profile, messages, tuple(unreadable))


def read_spec(
    tree: Tree,
    path: str,
    profile: Profile,
    parsed: ParsedMessages,
    *,
    is_expected: bool = False,
    strict: bool = False,
) -> Message | InputError | None:
    """The message in a file of a tree, or the error of an unreadable spec; None for another file.

    Raises InputError for a file that nobody can judge.
    """
    key = (path, tree.files[path].blob, id(profile))
    if key in parsed:
        return parsed[key]
    text = tree.files[path].read()
    try:
        if is_structs(text) or not (is_expected or is_spec(text, path)):
            return None
        imports = imported(text, path, tree.text) if may_import(text) else {}
        if imports:
            key = (path, digest_of(text, imports), id(profile))
        if key not in parsed:
            parsed[key] = read_message(text, path, imports, strict=strict, profile=profile)
    except InputError as error:
        return InputError(error.message, error.path or path, error.position)
    return parsed[key]


def digest_of(text: bytes, imports: Mapping[str, bytes]) -> str:
    """What identifies a spec with what it imports: the same text may import another one."""
    return blob_id(b"\0".join((text, *imports.values())))


def refuse_copies(messages: Mapping[str, Message]) -> None:
    """Raise InputError if two files have the same message: which of them counts is not clear."""
    first: dict[tuple[str, str, int | None], str] = {}
    for path, message in messages.items():
        other = first.setdefault((message.type, message.name, message.api_key), path)
        if other == path:
            continue
        folder = path.rpartition("/")[0]
        advice = "delete one of the files"
        if other.rpartition("/")[0] != folder:
            advice = (
                "add one of the folders to `exclude`, "
                f"or give {folder or '.'} a wirebook.toml of its own"
            )
        raise InputError(f"{message.name} is in {other}, too: {advice}", path)
