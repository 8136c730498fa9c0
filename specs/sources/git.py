"""Reads a git repository through one long-lived `git cat-file --batch`; never writes, never runs a hook."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, NamedTuple

from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import (
    HEAD,
    MAX_DEPTH,
    MAX_FILES,
    MAX_TEXT,
    SpecText,
    candidate_file,
    digest_of,
    is_spec,
    place_of,
    shown,
    skipped_folder,
)
from wirebook.specs.sources.git_command import PARTIAL, reason, remedy, run, start, unpack_bundle

__all__ = ["Entry", "GitRepo", "git_releases", "run", "texts_of_releases"]

if TYPE_CHECKING:
    # A command that reads a folder has no use for them.
    import subprocess
    import tempfile

    from wirebook.specs.sources.releases import Release, Releases

_AHEAD = 16  # names asked for at once: so few fit into any pipe, so that neither side waits for the other
_KEPT = 64 << 20  # bytes of texts that are kept because they were read to see whether they are specs


class Entry(NamedTuple):
    """A spec in a tree: its path and the digest of its text."""

    path: str
    digest: str


class _Object(NamedTuple):
    """What git answers; `kind` is "" for what is not there, `whole` is off for what is too large."""

    name: str
    kind: str
    data: bytes
    whole: bool = True


class _Node(NamedTuple):
    name: str
    folder: bool
    object: str


def git_releases(repository: str, pattern: str) -> list[Release]:
    """The tags of a repository (or bundle) that match a glob and name a release, oldest version first.

    See `GitRepo.releases`, which also says which tags were left out and why.
    """
    with GitRepo(repository) as opened:
        return opened.releases(pattern).found


def texts_of_releases(
    repository: str, releases: Iterable[Release], *, tests: bool = False
) -> Iterator[tuple[Release, list[SpecText]]]:
    """Each release with its specs; a text that several releases hold is read once."""
    with GitRepo(repository) as opened:
        for release in releases:
            entries = opened.entries(release.commit, tests=tests)
            yield release, [SpecText(path, opened.read(digest), digest) for path, digest in entries]


class GitRepo:
    """One repository (working, bare, or a bundle), read in place; a context manager, usable again after.

    With `index` it is the one that a hook works on. Raises InputError, in every method, for what git cannot
    find or read.
    """

    def __init__(self, path: str | Path, *, index: bool = False) -> None:
        self.path = str(path)
        self._index = index
        self._clone: tempfile.TemporaryDirectory[str] | None = None
        self._batch: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self._trees: dict[tuple[str, bool], tuple[_Node, ...]] = {}
        self._digests: dict[str, str] = {}
        self._objects: dict[str, str] = {}
        self._specs: dict[tuple[str, int], bool] = {}
        self._texts: dict[str, bytes] = {}
        self._kept = 0
        self._partial: bool | None = None

    def __enter__(self) -> GitRepo:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """End the process and remove what was unpacked."""
        if self._batch is not None:
            self._batch.kill()
            self._batch.communicate()
            self._batch = None
        if self._errors is not None:
            self._errors.close()
            self._errors = None
        if self._clone is not None:
            self._clone.cleanup()
            self._clone = None

    def resolve(self, ref: str) -> str:
        """The commit that a name stands for; says the line to run where the name is not there."""
        if not ref or ref.startswith("-") or min(ref) < " ":
            raise InputError(f"{ref!r} is no git ref", self.path)
        found = self._ask_one(f"{ref}^{{commit}}")
        if not found.kind:
            other = self._ask_one(ref).kind
            raise InputError(f'"{ref}" is a {other}, no commit' if other else self._missing(ref), self.path)
        return found.name

    def entries(self, commit: str, subdir: str = "", *, tests: bool = False) -> list[Entry]:
        """The specs of a commit below a folder, by path, paths relative to that folder.

        `subdir` may name one file, which counts whatever it holds. Raises InputError where it is not there.
        """
        parts = [part for part in subdir.split("/") if part not in ("", ".")]
        if not re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", commit):
            commit = self.resolve(commit)
        top = _Object("", "", b"")
        if ".." not in parts and "\n" not in subdir:
            top = self._ask_one(f"{commit}:{'/'.join(parts)}")
        if top.kind == "blob":
            name = shown(os.fsencode(parts[-1]))
            return [Entry(name, self._keep(top, name))]
        if top.kind != "tree":
            if not parts:
                raise self._damaged(f"{commit[:12]}^{{tree}}")
            raise InputError(f'there is no "{"/".join(parts)}" in the commit {commit[:12]}', self.path)
        self._load(top.name, tests)
        candidates: list[tuple[str, str, int]] = []
        for path, name in self._walk(top.name, tests):
            if len(candidates) == MAX_FILES:
                raise InputError(f"the commit {commit[:12]} has more than {MAX_FILES} JSON files", self.path)
            place = place_of(f"{parts[-1]}/{path}" if parts else path)
            candidates.append((path, name, place))
        self._judge(candidates)
        return sorted(
            Entry(path, self._digests[name]) for path, name, place in candidates if self._specs[name, place]
        )

    def read(self, digest: str) -> bytes:
        """The text with a digest that `entries` gave; raises InputError where there is none."""
        text = self._texts.get(digest)
        if text is None:
            if not re.fullmatch("[0-9a-f]{40}", digest):
                raise InputError(f"{digest!r} is no digest", self.path)
            found = self._ask_one(self._objects.get(digest, digest))
            if found.kind != "blob":
                raise self._damaged(found.name)
            self._keep(found, found.name)
            text = found.data
        return text

    def releases(self, pattern: str) -> Releases:
        """The tags that match a glob and name a release, oldest version first, pre-releases before theirs.

        What matches but is no version, or stands for no commit, is in `left_out` with the reason.
        """
        from wirebook.specs.sources.releases import Release, Releases, pick_releases

        listed = run(self.folder, "for-each-ref", "--format=%(refname:strip=2)", "refs/tags")
        names = [os.fsdecode(name) for name in listed.split(b"\n") if name]
        tags = pick_releases(names, pattern)
        found: list[Release] = []
        refs = [f"refs/tags/{name}" for name in tags.names]
        for name, ref, target in zip(tags.names, refs, self._ask(f"{ref}^{{}}" for ref in refs), strict=True):
            if target.kind == "commit":
                found.append(Release(name, ref, target.name, _day(target.data), name in tags.prereleases))
            elif target.kind:
                tags.left_out[name] = f"it stands for a {target.kind}, not for a commit"
            else:
                raise InputError(f"what the tag {name!a} stands for is missing or damaged", self.path)
        return Releases(found, tags.left_out)

    def names(self, names: Iterable[str]) -> dict[str, str]:
        """The objects that those of some names ("HEAD^{commit}") stand for that are there."""
        wanted = [name for name in names if "\n" not in name]
        found = zip(wanted, self._ask(wanted), strict=True)
        return {name: item.name for name, item in found if item.kind}

    def parents(self, commit: str) -> list[str]:
        """The parents that a commit names; in a shallow clone they may not be there."""
        found = self._ask_one(commit)
        if found.kind != "commit":
            raise self._damaged(commit)
        lines = found.data.partition(b"\n\n")[0].split(b"\n")
        return [line[7:].decode() for line in lines if line.startswith(b"parent ")]

    def files(self, tree: str, *, tests: bool = False) -> dict[str, str]:
        """The object of every JSON file in a tree that may be a spec, by its path; none is read."""
        self._load(tree, tests)
        found: dict[str, str] = {}
        for path, name in self._walk(tree, tests):
            if len(found) == MAX_FILES:
                raise InputError(f"the tree {tree[:12]} has more than {MAX_FILES} JSON files", self.path)
            found[path] = name
        return found

    def texts(self, objects: Iterable[str]) -> Iterator[tuple[str, bytes | InputError]]:
        """The text of each object, or why it cannot be read."""
        wanted = list(dict.fromkeys(objects))
        for name, found in zip(wanted, self._ask(wanted), strict=True):
            if found.kind != "blob":
                yield name, self._damaged(name)
            elif not found.whole:
                yield name, InputError("larger than any spec")
            else:
                yield name, found.data

    def _load(self, top: str, tests: bool) -> None:
        """Read all trees below one that are not known yet, level by level, and keep what may hold specs."""
        levels: list[list[tuple[str, list[_Node]]]] = []
        wanted = [top]
        seen: set[str] = set()
        while wanted := [
            name for name in dict.fromkeys(wanted) if name not in seen and (name, tests) not in self._trees
        ]:
            if len(levels) > MAX_DEPTH:
                raise self._too_deep()
            level: list[tuple[str, list[_Node]]] = []
            for name, tree in zip(wanted, self._ask(wanted), strict=True):
                if tree.kind != "tree" or not tree.whole:
                    raise self._damaged(name)
                level.append((name, list(self._nodes(tree, tests))))
            levels.append(level)
            seen.update(wanted)
            wanted = [node.object for _, nodes in level for node in nodes if node.folder]
        # From the deepest level up, so that a folder without specs is known as such to those above it.
        for level in reversed(levels):
            for name, nodes in level:
                self._trees[name, tests] = tuple(
                    node for node in nodes if not node.folder or self._trees.get((node.object, tests), True)
                )

    def _nodes(self, tree: _Object, tests: bool) -> Iterator[_Node]:
        """What a tree holds, without what is never a spec: links, submodules, other files."""
        width = len(tree.name) // 2
        at, data = 0, tree.data
        while at < len(data):
            space = data.find(b" ", at)
            end = data.find(b"\0", space)
            if not at < space < end <= len(data) - width:
                raise self._damaged(tree.name)
            mode, name = data[at:space], shown(data[space + 1 : end])
            at = end + 1 + width
            folder = mode in (b"40000", b"040000")
            wanted = not skipped_folder(name, tests) if folder else candidate_file(name)
            if wanted and (folder or mode.startswith(b"100")):
                yield _Node(name, folder, data[end + 1 : at].hex())

    def _walk(self, tree: str, tests: bool, above: str = "") -> Iterator[tuple[str, str]]:
        if above.count("/") > MAX_DEPTH:
            raise self._too_deep()
        for node in self._trees[tree, tests]:
            path = f"{above}{node.name}"
            if node.folder:
                yield from self._walk(node.object, tests, f"{path}/")
            else:
                yield path, node.object

    def _judge(self, candidates: list[tuple[str, str, int]]) -> None:
        """Decide for each object and place whether it is a spec; an object is read once for all places."""
        unknown: dict[str, dict[int, str]] = {}
        for path, name, place in candidates:
            if (name, place) not in self._specs:
                unknown.setdefault(name, {})[place] = path
        for name, found in zip(unknown, self._ask(unknown), strict=True):
            if found.kind != "blob":
                raise self._damaged(name)
            specs = {place: is_spec(found.data, place, whole=found.whole) for place in unknown[name]}
            for place, spec in specs.items():
                if spec:
                    self._keep(found, unknown[name][place])
            self._specs |= {(name, place): spec for place, spec in specs.items()}

    def _keep(self, found: _Object, path: str) -> str:
        """Note the digest of a spec, and its text while there is room: the oldest goes first."""
        if not found.whole:
            raise InputError(f"larger than {MAX_TEXT >> 20} MiB, which no spec is", path)
        digest = digest_of(found.data)
        if len(found.name) == len(digest) and found.name != digest:
            raise self._damaged(found.name)
        self._digests[found.name] = digest
        self._objects[digest] = found.name
        if digest not in self._texts:
            self._texts[digest] = found.data
            self._kept += len(found.data)
            while self._kept > _KEPT and len(self._texts) > 1:
                self._kept -= len(self._texts.pop(next(iter(self._texts))))
        return digest

    def _ask_one(self, name: str) -> _Object:
        return next(self._ask([name]))

    def _ask(self, names: Iterable[str]) -> Iterator[_Object]:
        """What git has under each name, in the same order; names hold no line end."""
        waiting = list(names)
        for at in range(0, len(waiting), _AHEAD):
            wanted = waiting[at : at + _AHEAD]
            batch = self._batch or self._start()
            assert batch.stdin is not None
            assert batch.stdout is not None
            try:
                batch.stdin.write(b"".join(os.fsencode(name) + b"\n" for name in wanted))
                batch.stdin.flush()
            except OSError:
                raise self._died() from None
            # All of them before the first goes out: whoever stops listening must leave no answer behind.
            yield from [self._answer(batch.stdout, name) for name in wanted]

    def _answer(self, pipe: IO[bytes], name: str) -> _Object:
        line = pipe.readline()
        head = line.split()
        if not line.endswith(b"\n") or not head:
            raise self._died()
        if line.endswith(b" ambiguous\n"):
            raise InputError(f'"{name}" is the beginning of several names', self.path)
        if len(head) != 3 or not head[2].isdigit() or head[1] not in (b"blob", b"tree", b"commit", b"tag"):
            return _Object(name, "", b"")
        size = int(head[2])
        whole = size <= MAX_TEXT
        data = pipe.read(size if whole else HEAD)
        left = size - len(data) + 1
        while left and (part := pipe.read(min(left, HEAD))):
            left -= len(part)
        if left:
            raise self._died()
        return _Object(head[0].decode(), head[1].decode(), data, whole)

    def _start(self) -> subprocess.Popen[bytes]:
        folder = self.folder
        self._errors = _scratch()
        self._batch = start(folder, self._errors, "cat-file", "--batch", index=self._index)
        return self._batch

    @property
    def folder(self) -> Path:
        """Where the repository is; a bundle is unpacked beside all repositories, never into one."""
        if self._clone is None and os.path.isfile(self.path):
            import tempfile

            self._clone = tempfile.TemporaryDirectory(prefix="wirebook-bundle-")
            try:
                unpack_bundle(self.path, self._clone.name)
            except InputError:
                self.close()
                raise
        if self._clone is None and not os.path.isdir(self.path):
            raise InputError("there is no such repository", self.path)
        return Path(self.path if self._clone is None else self._clone.name)

    def _died(self) -> InputError:
        """What to say when the process has gone, with its own last words."""
        if self._batch is not None:
            self._batch.kill()
            self._batch.wait()
        said = b""
        if self._errors is not None:
            self._errors.seek(0)
            said = self._errors.read(HEAD)
        self.close()
        if b"promisor" in said:
            return InputError(PARTIAL, self.path)
        return InputError(reason(said), self.path)

    def _too_deep(self) -> InputError:
        return InputError(f"folders are nested more than {MAX_DEPTH} deep in it", self.path)

    def _damaged(self, name: str) -> InputError:
        if self._partial is None:
            try:
                told = run(self.folder, "config", "--get-regexp", r"^remote\..*\.promisor$")
            except InputError:
                told = b""
            self._partial = bool(told)
        words = PARTIAL if self._partial else f"the object {name} is missing or damaged"
        return InputError(words, self.path)

    def _missing(self, ref: str) -> str:
        """Why a name stands for no commit here, and the line that helps."""
        if ".." in ref:
            return f'"{ref}" is a range, and one commit is asked for'
        text = f'there is no commit "{ref}" here'
        refs = os.fsdecode(run(self.folder, "for-each-ref", "--format=%(refname:short)")).split()
        if self._clone is not None or not refs:
            text = f'there is no commit "{ref}" in it' if refs else "it has no commit yet"
        shallow = run(self.folder, "rev-parse", "--is-shallow-repository").startswith(b"true")
        remotes = os.fsdecode(run(self.folder, "remote")).split() if self._clone is None else []
        if shallow:
            text += "; the repository is shallow"
        if remotes or shallow:
            return f"{text}; to get it: git fetch {remedy(ref, remotes, shallow)}"
        import difflib

        near = difflib.get_close_matches(ref, refs, n=3)
        return f"{text}; did you mean {' or '.join(near)}?" if near else text


def _scratch() -> IO[bytes]:
    """A file without a name; where the system has files in memory, without what it takes to find a folder."""
    if hasattr(os, "memfd_create"):
        return open(os.memfd_create("git"), "w+b")
    import tempfile

    return tempfile.TemporaryFile()


def _day(commit: bytes) -> str:
    """The day of a commit, where its committer was; "" where the commit does not say."""
    import datetime

    head = commit.partition(b"\n\n")[0]
    match = re.search(rb"^committer .*> (-?\d{1,12}) ([+-])(\d\d)(\d\d)$", head, re.MULTILINE)
    if match is None:
        return ""
    offset = (int(match[3]) * 60 + int(match[4])) * 60 * (-1 if match[2] == b"-" else 1)
    try:
        return datetime.date.fromordinal(719_163 + (int(match[1]) + offset) // 86_400).isoformat()
    except (ValueError, OverflowError):
        return ""
