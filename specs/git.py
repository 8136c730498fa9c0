"""Reads a git repository through one long-lived `git cat-file --batch`; never writes, never runs a hook."""

from __future__ import annotations

import fnmatch
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from specs.found import MAX_TEXT, looks_like_spec, may_hold_spec, skipped_folder
from specs.problems import InputError

_AHEAD = (
    200  # names asked for at once: some 8 KB, which fits a pipe, so that neither side waits for the other
)


@dataclass(frozen=True, slots=True)
class Release:
    """A tag that names a release, with the commit it stands for and that commit's day (YYYY-MM-DD)."""

    name: str
    ref: str
    commit: str
    date: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A spec in a tree: its path and the digest of its text."""

    path: str
    digest: str


def environment() -> dict[str, str]:
    """The environment for git: nothing of a hook's own, no prompts, no locks, no fetching in passing."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "LC_ALL": "C",
    }


def run(repository: str | Path, *arguments: str) -> bytes:
    """What a git command prints; raises InputError with git's own last line where it fails."""
    try:
        done = subprocess.run(
            ["git", "-C", str(repository), *arguments],
            capture_output=True,
            env=environment(),
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except FileNotFoundError:
        raise _no_git(repository) from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise InputError(said[-1].removeprefix("fatal: ") if said else "git failed", str(repository))
    return done.stdout


def _no_git(repository: str | Path) -> InputError:
    if shutil.which("git") is None:
        return InputError("reading a repository needs git, and there is none on PATH", str(repository))
    return InputError("there is no such folder", str(repository))


def top_level(folder: str | Path) -> Path | None:
    """The top of the working tree that a folder lies in; None outside one, or where git is missing."""
    try:
        return Path(os.fsdecode(run(folder, "rev-parse", "--show-toplevel").rstrip(b"\n")))
    except InputError:
        return None


def git_releases(repository: str, pattern: str) -> list[Release]:
    """The tags of a repository (or bundle) that match a glob and stand for commits, in version order.

    Raises InputError where it is no repository.
    """
    with GitRepo(repository) as opened:
        listed = run(
            opened.folder,
            "for-each-ref",
            "--sort=version:refname",
            "--format=%(refname:strip=2)%00%(objectname)%00%(objecttype)%00%(*objectname)%00%(*objecttype)%00"
            "%(committerdate:short)%00%(*committerdate:short)",
            "refs/tags",
        )
    found: list[Release] = []
    for line in os.fsdecode(listed).splitlines():
        name, own, kind, peeled, peeled_kind, day, peeled_day = line.split("\0")
        commit = own if kind == "commit" else peeled if peeled_kind == "commit" else None
        if commit is not None and fnmatch.fnmatchcase(name, pattern):
            found.append(Release(name, f"refs/tags/{name}", commit, day or peeled_day))
    return found


class GitRepo:
    """One repository (working, bare, or a bundle), open for reading; use it as a context manager.

    Raises InputError, here and in every method, for what git cannot find or read.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        self._clone: tempfile.TemporaryDirectory[str] | None = None
        self._batch: subprocess.Popen[bytes] | None = None
        self._trees: dict[str, list[tuple[str, bool, str]]] = {}
        self._specs: dict[tuple[str, bool], bool] = {}
        self._texts: dict[str, bytes] = {}
        if Path(path).is_file():
            self._clone = tempfile.TemporaryDirectory(prefix="wirebook-bundle-")
            target = str(Path(self._clone.name) / "bundle.git")
            try:
                run(".", "clone", "--quiet", "--bare", "--template=", "--", str(Path(path).resolve()), target)
            except InputError as error:
                self._clone.cleanup()
                raise InputError(f"this is no git bundle ({error.message})", self.path) from None
            self.folder = Path(target)
        else:
            if not Path(path).is_dir():
                raise InputError("there is no such repository", self.path)
            self.folder = Path(path)
        try:
            run(self.folder, "rev-parse", "--git-dir")
        except InputError as error:
            self.close()
            raise InputError(f"this is no git repository ({error.message})", self.path) from None

    def __enter__(self) -> GitRepo:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process and remove what was unpacked."""
        if self._batch is not None:
            for pipe in (self._batch.stdin, self._batch.stdout, self._batch.stderr):
                if pipe is not None:
                    try:
                        pipe.close()
                    except OSError:
                        # The process has gone before us; nothing was left to be said to it.
                        continue
            self._batch.wait()
            self._batch = None
        if self._clone is not None:
            self._clone.cleanup()
            self._clone = None

    def resolve(self, ref: str) -> str:
        """The commit that a name stands for; says the line to run where the name is not there."""
        if not ref or ref.startswith("-") or any(ord(character) < 32 for character in ref):
            raise InputError(f"{ref!r} is no git ref", self.path)
        found = next(iter(self._ask([f"{ref}^{{commit}}"])))
        if found[1] is None:
            shallow = (self.folder / ".git" / "shallow").is_file() or (self.folder / "shallow").is_file()
            why = "; the repository is shallow: git fetch --unshallow" if shallow else ""
            raise InputError(
                f'there is no commit "{ref}" here{why or f"; if a remote has it: git fetch origin {ref}"}',
                self.path,
            )
        return found[0]

    def entries(self, commit: str, subdir: str = "", *, tests: bool = False) -> list[Entry]:
        """The specs of a commit below a folder, by path, paths relative to that folder.

        Raises InputError where the folder is not there.
        """
        tree = next(iter(self._ask([f"{commit}^{{tree}}"])))[0]
        for part in [part for part in subdir.split("/") if part]:
            inside = {name: digest for name, folder, digest in self._tree(tree) if folder}
            if part not in inside:
                raise InputError(f'there is no folder "{subdir}" in commit {commit[:12]}', self.path)
            tree = inside[part]
        candidates = list(self._walk(tree, "", tests))
        named = {entry: may_hold_spec(f"{subdir}/{entry.path}") for entry in candidates}
        unread = {entry.digest for entry in candidates if (entry.digest, named[entry]) not in self._specs}
        for digest, text in self._blobs(sorted(unread)):
            for there in (False, True):
                self._specs[digest, there] = looks_like_spec(text, there)
            self._texts[digest] = text
        return [entry for entry in candidates if self._specs[entry.digest, named[entry]]]

    def read(self, digest: str) -> bytes:
        """The text of a digest; each is read from the repository once."""
        if digest not in self._texts:
            for found, text in self._blobs([digest]):
                self._texts[found] = text
        return self._texts[digest]

    def _walk(self, tree: str, above: str, tests: bool) -> Iterator[Entry]:
        for name, folder, digest in self._tree(tree):
            path = f"{above}{name}"
            if folder:
                if not skipped_folder(name, tests):
                    yield from self._walk(digest, f"{path}/", tests)
            elif name.endswith(".json"):
                yield Entry(path, digest)

    def _tree(self, digest: str) -> list[tuple[str, bool, str]]:
        if digest not in self._trees:
            _, data = next(iter(self._ask([digest])))
            if data is None:
                raise InputError(f"the tree {digest[:12]} is missing or damaged", self.path)
            self._trees[digest] = list(_parse_tree(data, len(digest) // 2))
        return self._trees[digest]

    def _blobs(self, digests: list[str]) -> Iterator[tuple[str, bytes]]:
        for digest, data in self._ask(digests):
            if data is None:
                raise InputError(f"the object {digest[:12]} is missing or damaged", self.path)
            yield digest, data

    def _ask(self, names: list[str]) -> Iterator[tuple[str, bytes | None]]:
        """(digest, content) of each name; (name, None) for one that is missing."""
        if self._batch is None:
            self._batch = subprocess.Popen(
                ["git", "-C", str(self.folder), "cat-file", "--batch", "--buffer"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment(),
            )
        for start in range(0, len(names), _AHEAD):
            wanted = names[start : start + _AHEAD]
            yield from self._answers(self._batch, wanted)

    def _answers(self, batch: subprocess.Popen[bytes], wanted: list[str]) -> list[tuple[str, bytes | None]]:
        assert batch.stdin is not None
        assert batch.stdout is not None
        found: list[tuple[str, bytes | None]] = []
        try:
            batch.stdin.write(b"".join(os.fsencode(name) + b"\n" for name in wanted))
            batch.stdin.write(b"\n")  # an empty name, answered by a line: the sign that all before it is out
            batch.stdin.flush()
        except BrokenPipeError:
            raise self._died(batch) from None
        for name in [*wanted, ""]:
            head = batch.stdout.readline().split()
            if not head:
                raise self._died(batch)
            if head[-1] in (b"missing", b"ambiguous") or len(head) != 3 or not head[2].isdigit():
                if name:
                    found.append((name, None))
                continue
            size = int(head[2])
            if size > MAX_TEXT and head[1] == b"blob":
                raise InputError(f"the object {name[:12]} is larger than {MAX_TEXT >> 20} MiB", self.path)
            data = batch.stdout.read(size)
            batch.stdout.read(1)
            if len(data) != size:
                raise self._died(batch)
            found.append((head[0].decode(), data))
        return found

    def _died(self, batch: subprocess.Popen[bytes]) -> InputError:
        batch.kill()
        said = batch.stderr.read().decode(errors="replace").strip().splitlines() if batch.stderr else []
        why = next((line.removeprefix("fatal: ").removeprefix("error: ") for line in said), "git stopped")
        self.close()
        return InputError(f"the repository cannot be read: {why}", self.path)


def _parse_tree(data: bytes, width: int) -> Iterator[tuple[str, bool, str]]:
    """(name, whether it is a folder, digest) of each entry; links and submodules are left out."""
    at = 0
    while at < len(data):
        space = data.index(b" ", at)
        end = data.index(b"\0", space)
        mode, name = data[at:space], os.fsdecode(data[space + 1 : end])
        digest = data[end + 1 : end + 1 + width].hex()
        at = end + 1 + width
        if mode in (b"40000", b"100644", b"100755", b"100664"):
            yield name, mode == b"40000", digest
