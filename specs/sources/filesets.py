"""The JSON files of a commit, the index or a working tree: their digests, and how to read them."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from wirebook.specs.limits import MAX_TEXT
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import candidate, shown
from wirebook.specs.sources.git import GitRepo
from wirebook.specs.sources.git_command import run
from wirebook.specs.sources.repository import Repository

_BLOBS = ("100644", "100755", "100664")
_NO_BLOB = re.compile("0+")

# By path; where a text cannot be read, the reason.
Texts = dict[str, bytes | InputError]


class FileSet(NamedTuple):
    """JSON files: the digest of each by its path from the top, and how to read some.

    `unread` has a line for each file that is there but cannot be used, with the reason. `every_path` lists
    all JSON files, those of skipped folders too; None where that cannot be listed.
    """

    files: Mapping[str, str]
    read: Callable[[Iterable[str]], Texts]
    unread: tuple[str, ...] = ()
    every_path: Callable[[], list[str]] | None = None

    @classmethod
    def of_texts(cls, texts: Iterable[tuple[str, str, bytes]]) -> FileSet:
        """The files of (path, digest, text)."""
        held = {path: (digest, text) for path, digest, text in texts}
        files = {path: digest for path, (digest, _) in held.items()}
        return cls(files, lambda paths: {path: held[path][1] for path in paths})

    @classmethod
    def of_objects(cls, git: GitRepo, files: Mapping[str, str], unread: tuple[str, ...] = ()) -> FileSet:
        """Files by the names of their objects in a repository."""
        return cls(files, lambda paths: _texts(git, files, paths), unread)


class IndexChange(NamedTuple):
    """A JSON file that the index and a commit have in different ways: its object in each, None for none."""

    path: str
    previous: str | None
    current: str | None
    is_unmerged: bool


def commit_files(git: GitRepo, commit: str) -> FileSet:
    """The files of a commit."""
    tree = f"{commit}^{{tree}}"
    files = FileSet.of_objects(git, git.files(git.names([tree])[tree], tests=True))
    listing = ("ls-tree", "-r", "-z", "--full-tree", "--name-only", commit)
    return files._replace(every_path=lambda: _json_paths(run(git.folder, *listing)))


def index_paths(folder: str) -> list[str]:
    """The JSON files of the index of the repository in a folder, those of skipped folders too."""
    return _json_paths(run(folder, "ls-files", "-z", "--full-name", "--", ":(top)*.json", index=True))


def _json_paths(listed: bytes) -> list[str]:
    return [shown(name) for name in listed.split(b"\0") if name.endswith(b".json")]


def index_files(repository: Repository, folder: str) -> FileSet:
    """The files of the index of the repository in a folder; what is in a conflict is unread."""
    listed = run(folder, "ls-files", "-s", "-z", "--full-name", "--", ":(top)*.json", index=True)
    files: dict[str, str] = {}
    unmerged: dict[str, None] = {}
    for entry in listed.split(b"\0"):
        head, _, name = entry.partition(b"\t")
        if name:
            mode, digest, stage = head.decode().split(" ")
            if stage != "0":
                unmerged[unmerged_line(shown(name))] = None
            elif mode in _BLOBS and candidate(shown(name), tests=True):
                files[shown(name)] = digest
    found = FileSet.of_objects(repository.git, files, tuple(unmerged))
    return found._replace(every_path=partial(index_paths, folder))


def index_changes(folder: str, ref: str) -> list[IndexChange]:
    """The JSON files that may be specs and differ between a commit and the index of the one in a folder.

    Raises InputError where git cannot compare them.
    """
    # What is only meant to be added (`git add -N`) is no part of the next commit.
    raw = run(folder, "diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev",
              "--ita-invisible-in-index", "--ignore-submodules", ref, "--", ":(top)*.json",
              index=True)  # fmt: skip
    parts = raw.split(b"\0")
    changes: list[IndexChange] = []
    for head, name in zip(parts[0::2], parts[1::2], strict=False):
        if not candidate(shown(name), tests=True):
            continue
        old_mode, new_mode, old, new, status = head.decode().lstrip(":").split(" ")
        is_there = new_mode in _BLOBS and not _NO_BLOB.fullmatch(new)
        changes.append(
            IndexChange(
                shown(name), old if old_mode in _BLOBS else None, new if is_there else None, status == "U"
            )
        )
    return changes


def unmerged_line(path: str) -> str:
    """The line of `unread` for a file in a conflict."""
    return f"{path}: the merge of this file is not finished"


def working_files(repository: Repository) -> FileSet:
    """The files of the working tree: tracked ones, and new ones that are not ignored."""
    top = repository.top
    assert top is not None
    files: dict[str, str] = {}
    texts: Texts = {}
    absent: dict[str, str] = {}
    every: dict[str, None] = {}
    unread: dict[str, None] = {}
    behind_links = _BehindLinks(str(top))
    for name, digest, is_skipped in _listed(str(top)):
        path = shown(name)
        every[path] = None
        if path in files or not candidate(path, tests=True):
            continue
        if os.path.dirname(os.fsdecode(name)) in behind_links:
            # To git the link is a file of its own, and what was in the folder is deleted.
            continue
        try:
            is_there, text = read_regular(os.path.join(top, os.fsdecode(name)))
        except InputError as error:
            unread[f"{path}: {error.message}"] = None
            continue
        if not is_there:
            # What is left out of a sparse working tree has not been deleted.
            if is_skipped:
                files[path] = absent[path] = digest
            continue
        texts[path] = InputError("larger than any spec") if text is None else text
        files[path] = _digest(text, digest) if text is not None else "too large"

    def read(paths: Iterable[str]) -> Texts:
        wanted = list(paths)
        missing = _texts(repository.git, absent, [path for path in wanted if path in absent])
        return {path: missing[path] if path in missing else texts[path] for path in wanted}

    def on_disk() -> list[str]:
        return [path for path in every if os.path.exists(os.path.join(top, path))]

    return FileSet(files, read, tuple(unread), on_disk)


def _listed(top: str) -> Iterator[tuple[bytes, str, bool]]:
    """What git lists of a working tree: the name, the digest in the index, and whether it is left out."""
    listed = run(top, "ls-files", "-s", "-t", "-z", "-c", "-o", "--exclude-standard", "--full-name",
                 "--", ":(top)*.json")  # fmt: skip
    for entry in listed.split(b"\0"):
        if not entry:
            continue
        tag, name = entry[:1], entry[2:]
        digest = ""
        if tag != b"?":
            head, _, name = name.partition(b"\t")
            mode, digest, _ = head.decode().split(" ")
            if mode not in _BLOBS:
                continue
        yield name, digest, tag == b"S"


class _BehindLinks:
    """The folders of a working tree that a link leads to: git does not look through links."""

    def __init__(self, top: str) -> None:
        self.top = top
        self._known: dict[str, bool] = {"": False}

    def __contains__(self, folder: str) -> bool:
        if folder not in self._known:
            above = os.path.dirname(folder)
            self._known[folder] = above in self or os.path.islink(os.path.join(self.top, folder))
        return self._known[folder]


def read_regular(path: str) -> tuple[bool, bytes | None]:
    """Whether a regular file is there, and its text, None if it is too large to be a spec.

    Links, pipes and devices are not opened. Raises InputError for a file that cannot be read.
    """
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return False, None
        with open(path, "rb") as file:
            text = file.read(MAX_TEXT + 1)
    except (FileNotFoundError, NotADirectoryError):
        return False, None
    except OSError as error:
        raise InputError(error.strerror or str(error), path) from None
    return True, text if len(text) <= MAX_TEXT else None


def differing(old: Mapping[str, str], new: Mapping[str, str]) -> tuple[list[str], list[str], bool]:
    """The paths of both sets whose text the other has not, and whether paths were added, removed or moved."""
    before = {path: digest for path, digest in old.items() if new.get(path) != digest}
    after = {path: digest for path, digest in new.items() if old.get(path) != digest}
    moved = before.keys() != after.keys()
    spare: dict[str, list[str]] = {}
    for path, digest in before.items():
        if path not in after:
            spare.setdefault(digest, []).append(path)
    for path, digest in list(after.items()):
        if path not in old and spare.get(digest):
            # Moved as it is: nothing in it has changed.
            del before[spare[digest].pop()]
            del after[path]
    return sorted(before), sorted(after), moved


def _texts(git: GitRepo, files: Mapping[str, str], paths: Iterable[str]) -> Texts:
    wanted = list(paths)
    held = dict(git.texts(files[path] for path in wanted))
    return {path: held[files[path]] for path in wanted}


def _digest(text: bytes, known: str) -> str:
    """The digest of a working file; that of the index where only the line ends differ."""
    import hashlib

    def blob(content: bytes) -> str:
        make = hashlib.sha256 if len(known) == 64 else hashlib.sha1
        return make(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()

    digest = blob(text)
    if digest != known and b"\r\n" in text and blob(text.replace(b"\r\n", b"\n")) == known:
        return known
    return digest
