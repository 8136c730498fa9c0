"""Reads the objects of a git repository through one long-lived `git cat-file --batch`."""

import io
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from wirebook.specs.limits import MAX_TEXT
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import HEAD
from wirebook.specs.sources.git_command import PARTIAL, Answers, reason, run, silent, start, unpack_bundle

if TYPE_CHECKING:
    # A command that reads a folder does not need them.
    import subprocess
    import tempfile

_AHEAD = 16  # names per request: this many fit into any pipe, so that neither side waits for the other
# Entries of a tree or an index that are not plain files.
LINK, SUBMODULE = "120000", "160000"  # modes
ATTRIBUTES = ".gitattributes"
# The object of an empty tree, by that of an empty file. git has both everywhere.
EMPTY_TREES = {
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813": (
        "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
    ),
}
# The objects that a forked process inherits: it must not wait for or remove anything, even in garbage
# collection.
_INHERITED: list[object] = []
_DIGITS = "0123456789abcdef"
_KINDS = (b"blob", b"tree", b"commit", b"tag")


class GitObject(NamedTuple):
    """An answer of git: `kind` is "" for a missing object, `data` the beginning of one that is too large."""

    name: str
    kind: str
    data: bytes
    is_complete: bool = True


class TreeEntry(NamedTuple):
    """A file, link or submodule as git lists it: its mode in octal digits and the name of its object."""

    mode: str
    object: str


class Alike(NamedTuple):
    """Two paths of which a checkout may have only one.

    `other` need not exist if programs open it by its name. `files` are the paths of both that may be specs,
    or that decide what specs mean.
    """

    path: str
    other: str
    files: tuple[str, ...]

    @property
    def line(self) -> str:
        """The line of `unread`."""
        return (
            f"{self.path}: this is the same path as {self.other} where a file system ignores letter case "
            "or Unicode normalization: rename one"
        )


class ObjectReader:
    """The objects of a repository (working, bare, or a bundle), read in place; reusable after `close`.

    With `index`, it is the repository that a hook works on. All methods raise InputError for what git cannot
    read.
    """

    def __init__(self, path: str | Path, *, index: bool = False) -> None:
        self.path = str(path)
        self._owner = os.getpid()
        self._index = index
        self._clone: tempfile.TemporaryDirectory[str] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: io.BufferedReader | None = None
        self._stderr: IO[bytes] | None = None
        self._is_partial: bool | None = None

    @property
    def is_running(self) -> bool:
        """Whether the git process runs."""
        return self._process is not None

    @property
    def is_bundle(self) -> bool:
        """Whether the repository is a bundle that has been unpacked."""
        return self._clone is not None

    @property
    def folder(self) -> Path:
        """The folder of the repository; a bundle is unpacked outside all repositories."""
        if self._clone is None and os.path.isfile(self.path):
            import tempfile

            # Its name makes it a repository, even if temporary files are inside another one.
            self._clone = tempfile.TemporaryDirectory(prefix="wirebook-bundle-", suffix=".git")
            try:
                unpack_bundle(self.path, self._clone.name)
            except InputError:
                self.close()
                raise
        if self._clone is None and not os.path.isdir(self.path):
            raise InputError("there is no such repository", self.path)
        return Path(self.path if self._clone is None else self._clone.name)

    def close(self) -> None:
        """End the process and remove what was unpacked; a forked copy of this program leaves both alone."""
        if self._owner != os.getpid():
            _INHERITED.append((self._process, self._clone))
            self._process = self._answers = self._stderr = self._clone = None
            return
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = self._answers = None
        if self._stderr is not None:
            self._stderr.close()
            self._stderr = None
        if self._clone is not None:
            self._clone.cleanup()
            self._clone = None

    def query_one(self, name: str) -> GitObject:
        """The object that a name resolves to."""
        return next(self.query([name]))

    def query(self, names: Iterable[str]) -> Iterator[GitObject]:
        """The object that each name resolves to, in the same order; names must not contain a line end."""
        waiting = list(names)
        for at in range(0, len(waiting), _AHEAD):
            batch = waiting[at : at + _AHEAD]
            process = self._process or self._start()
            assert process.stdin is not None
            assert self._answers is not None
            try:
                process.stdin.write(b"".join(os.fsencode(name) + b"\n" for name in batch))
                process.stdin.flush()
            except OSError:
                raise self._died() from None
            # All are read before the first is yielded: a caller that stops must not leave unread answers.
            try:
                answers = [self._answer(self._answers, name) for name in batch]
            except TimeoutError:
                self.close()
                raise silent(self.path) from None
            except BaseException:
                # Ctrl-C, for example: a process that waits for something would outlive this program.
                self.close()
                raise
            yield from answers

    def damaged(self, name: str) -> InputError:
        """The error for an object that is missing or damaged."""
        if self._is_partial is None:
            try:
                promisors = run(self.folder, "config", "--get-regexp", r"^remote\..*\.promisor$")
            except InputError:
                promisors = b""
            self._is_partial = bool(promisors)
        text = PARTIAL if self._is_partial else f"the object {name} is missing or damaged"
        return InputError(text, self.path)

    def _start(self) -> "subprocess.Popen[bytes]":
        folder = self.folder
        self._stderr = _nameless_file()
        self._process = start(folder, self._stderr, "cat-file", "--batch", index=self._index)
        assert self._process.stdout is not None
        self._answers = io.BufferedReader(Answers(self._process.stdout), HEAD)
        return self._process

    def _answer(self, pipe: IO[bytes], name: str) -> GitObject:
        line = pipe.readline()
        head = line.split()
        if not line.endswith(b"\n") or not head:
            raise self._died()
        if line.endswith(b" ambiguous\n"):
            raise InputError(f'"{name}" is the beginning of several names', self.path)
        if len(head) != 3 or not head[2].isdigit() or head[1] not in _KINDS:
            return GitObject(name, "", b"")
        # No object has a size with this many digits, and Python refuses to parse thousands of them.
        size = int(head[2][:20])
        is_complete = size <= MAX_TEXT
        data = pipe.read(size if is_complete else HEAD)
        remaining = size - len(data) + 1
        while remaining and (block := pipe.read(min(remaining, HEAD))):
            remaining -= len(block)
        if remaining:
            raise self._died()
        digest = head[0].decode("ascii", "replace")
        if digest != name and len(digest) == len(name) and not name.strip(_DIGITS):
            raise self._died()
        return GitObject(digest, head[1].decode(), data, is_complete)

    def _died(self) -> InputError:
        """The error for a process that has ended, with its output on stderr."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        stderr = b""
        if self._stderr is not None:
            self._stderr.seek(0)
            stderr = self._stderr.read(HEAD)
        self.close()
        return InputError(reason(stderr), self.path)


def _nameless_file() -> IO[bytes]:
    """A file without a name, in memory if the system supports it, which avoids looking for a folder."""
    if hasattr(os, "memfd_create"):
        return open(os.memfd_create("git"), "w+b")
    import tempfile

    return tempfile.TemporaryFile()
