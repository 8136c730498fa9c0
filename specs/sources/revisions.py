"""The two sides that a check compares: found in a git repository, or given; only read, never checked out."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import MAX_TEXT, candidate, shown
from wirebook.specs.sources.git import GitRepo
from wirebook.specs.sources.git_command import run

DEFAULT_BRANCHES = ("main", "master", "trunk")
_BLOBS = ("100644", "100755", "100664")
_NO_BLOB = re.compile("0+")

# By path; where a text cannot be read, the reason.
Texts = dict[str, bytes | InputError]


class Side(NamedTuple):
    """The JSON files of one side: the digest of each by its path from the top, and how to read some.

    `unread` says of what is there but cannot be used why it cannot.
    """

    files: Mapping[str, str]
    read: Callable[[Iterable[str]], Texts]
    unread: tuple[str, ...] = ()


class Comparison(NamedTuple):
    """What is compared with what: `words` is a line for people.

    `old` is None where there is nothing to compare with. With `partial` the sides hold only what differs;
    `rest` then gives what both have alike, and `some` what of it lies at some paths.
    """

    words: str
    old: Side | None
    new: Side
    rest: Callable[[], Side] | None = None
    notices: tuple[str, ...] = ()
    some: Callable[[Iterable[str]], Side] | None = None


@dataclass(eq=False, repr=False)
class Repository:
    """The git repository that a folder lies in, found without starting git.

    `top` is the top of its working tree, None for a bare one; `folder` the git directory, `common` the one
    that linked working trees share; `branch` the branch that is checked out, None where HEAD is detached.
    """

    top: Path | None
    folder: Path
    common: Path
    index: bool = False
    _git: GitRepo | None = None

    @property
    def git(self) -> GitRepo:
        """The open repository; made when it is first asked for."""
        if self._git is None:
            self._git = GitRepo(self.top or self.folder, index=self.index)
        return self._git

    def close(self) -> None:
        """End the process that reads the repository."""
        if self._git is not None:
            self._git.close()
            self._git = None

    @property
    def branch(self) -> str | None:
        """The name of the branch that is checked out."""
        text = _first_line(self.folder / "HEAD")
        return text.removeprefix("ref: refs/heads/") if text.startswith("ref: refs/heads/") else None

    @property
    def shallow(self) -> bool:
        """Whether its history was cut off when it was cloned."""
        return (self.common / "shallow").is_file()

    def upstream(self) -> str | None:
        """The ref that the branch is to be merged into, as its configuration says; None where nothing does.

        That a branch has been pushed under its own name makes the copy no branch to merge into.
        """
        branch = self.branch
        if branch is None:
            return None
        try:
            text = (self.common / "config").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None
        section = re.escape(branch.replace("\\", "\\\\").replace('"', '\\"'))
        told: dict[str, str] = {}
        for part in re.findall(rf'^\s*\[branch "{section}"\]\s*\n((?:(?!\s*\[).*\n?)*)', text, re.MULTILINE):
            told.update(
                (key.lower(), value) for key, value in re.findall(r"^\s*(\w+)\s*=\s*(\S+)", part, re.M)
            )
        remote, merge = told.get("remote"), told.get("merge", "")
        short = merge.removeprefix("refs/heads/")
        if not remote or short == merge or (short == branch and branch not in DEFAULT_BRANCHES):
            return None
        return merge if remote == "." else f"refs/remotes/{remote}/{short}"

    @property
    def default(self) -> str:
        """The ref of the remote's default branch: what its HEAD points to, as it was when it was cloned."""
        head = "refs/remotes/origin/HEAD"
        place = self.common / head
        text = _first_line(place) if place.is_file() else ""
        return text.removeprefix("ref: ") if text.startswith("ref: refs/remotes/origin/") else head

    def tags(self) -> list[str]:
        """The names of all tags."""
        names = set()
        try:
            packed = (self.common / "packed-refs").read_bytes()
        except FileNotFoundError:
            packed = b""
        for line in packed.splitlines():
            _, _, name = line.partition(b" refs/tags/")
            if name:
                names.add(os.fsdecode(name))
        top = self.common / "refs" / "tags"
        for folder, _, files in os.walk(top):
            names.update(Path(folder, name).relative_to(top).as_posix() for name in files)
        if (self.common / "reftable").is_dir():
            listed = run(self.top or self.folder, "for-each-ref", "--format=%(refname:strip=2)", "refs/tags")
            names.update(os.fsdecode(name) for name in listed.split(b"\n") if name)
        return sorted(names)


def find_repository(start: Path, *, index: bool = False) -> Repository | None:
    """The repository that a folder lies in, bare ones too; None where there is none.

    With `index`, a hook's own GIT_DIR and GIT_WORK_TREE are obeyed. Raises InputError where one should be and
    is none that git could read.
    """
    start = start.resolve()
    if index and os.environ.get("GIT_DIR"):
        folder = (start / os.environ["GIT_DIR"]).resolve()
        tree = os.environ.get("GIT_WORK_TREE")
        if _is_git_folder(folder):
            return Repository((start / tree).resolve() if tree else start, folder, _common(folder), True)
    damaged: Path | None = None
    for folder in (start, *start.parents):
        inside = folder / ".git"
        if inside.is_file():
            inside = (folder / _first_line(inside).removeprefix("gitdir: ")).resolve()
            if not _is_git_folder(inside):
                raise InputError(f"names {inside}, where no git repository is", str(folder / ".git"))
        if _is_git_folder(inside):
            return Repository(folder, inside, _common(inside), index)
        if inside.is_dir():
            damaged = damaged or inside
        if (folder / "objects").is_dir() and _is_git_folder(folder):
            top = folder.parent if folder.name == ".git" else None
            return Repository(top, folder, _common(folder), index)
    if damaged is not None:
        # Files that lie in a repository are not judged as if they lay in none.
        raise InputError("is no git repository, or a damaged one", str(damaged))
    return None


def _is_git_folder(folder: Path) -> bool:
    return (folder / "HEAD").is_file() and ((folder / "commondir").is_file() or (folder / "refs").is_dir())


def _common(folder: Path) -> Path:
    try:
        return (folder / _first_line(folder / "commondir")).resolve()
    except InputError:
        return folder


def _first_line(path: Path) -> str:
    try:
        return os.fsdecode(path.read_bytes().split(b"\n", 1)[0]).rstrip("\r")
    except OSError as error:
        raise InputError(error.strerror or str(error), str(path)) from None


def new_side(repository: Repository, cwd: Path, *, staged: bool) -> tuple[str, Side]:
    """What a check judges, in words and as files: the index, the working tree, or HEAD of a bare one."""
    if staged:
        files, unread = _index_files(str(cwd))
        return "the index", Side(files, _blobs(repository, files), unread)
    if repository.top is not None:
        return "the working tree", _working_side(repository)
    head = _commit(repository.git, "HEAD")
    if head is None:
        raise InputError("HEAD names no commit here", str(repository.folder))
    return "HEAD", _commit_side(repository.git, head)


def compare_staged(repository: Repository, cwd: Path, against: str = "HEAD") -> Comparison:
    """The index against a ref, HEAD by default: what the next commit changes. Only what differs is read."""
    if repository.top is None:
        raise InputError("a bare repository has no index", str(repository.folder))
    where = str(cwd)
    try:
        listed = _index_changes(where, repository.git.resolve(against) if against != "HEAD" else "HEAD")
    except InputError:
        if against != "HEAD" or not _unborn(repository):
            raise
        new, unread = _index_files(where)
        side = Side(new, _blobs(repository, new), unread)
        return Comparison("the index against nothing: this is the first commit", None, side)
    old: dict[str, str] = {}
    new = {}
    problems: list[str] = []
    changes = [change for change in listed if candidate(change[0], tests=True)]
    unmerged = {path for path, _, _, status in changes if status == "U"}
    problems += [_unmerged(path) for path in sorted(unmerged)]
    for path, before, after, _ in changes:
        if before is not None and path not in unmerged:
            old[path] = before
        if after is not None and path not in unmerged:
            new[path] = after

    def rest() -> Side:
        files, _ = _index_files(where)
        same = {path: digest for path, digest in files.items() if path not in new}
        return Side(same, _blobs(repository, same))

    def some(paths: Iterable[str]) -> Side:
        wanted = {path: f":0:{path}" for path in paths if path not in new}
        there = repository.git.names(wanted.values())
        same = {path: there[name] for path, name in wanted.items() if name in there}
        return Side(same, _blobs(repository, same))

    return Comparison(
        f"the index against {against}",
        Side(old, _blobs(repository, old)),
        Side(new, _blobs(repository, new), tuple(dict.fromkeys(problems))),
        rest,
        some=some,
    )


def _unborn(repository: Repository) -> bool:
    """Whether HEAD is on a branch that has no commit yet; a branch that cannot be read has one."""
    branch = repository.branch
    if branch is None or (repository.common / "refs" / "heads" / branch).exists():
        return False
    return _commit(repository.git, "HEAD") is None


def _index_changes(where: str, ref: str) -> Iterator[tuple[str, str | None, str | None, str]]:
    """(path, digest before, digest after, status) of every JSON file that the index has in another way."""
    # What is only meant to be added is no part of the next commit.
    text = run(where, "diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev",
               "--ita-invisible-in-index", "--ignore-submodules", ref, "--", ":(top)*.json",
               index=True)  # fmt: skip
    parts = text.split(b"\0")

    def changes() -> Iterator[tuple[str, str | None, str | None, str]]:
        for head, name in zip(parts[0::2], parts[1::2], strict=False):
            before_mode, after_mode, before, after, status = head.decode().lstrip(":").split(" ")
            yield (
                shown(name),
                before if before_mode in _BLOBS else None,
                after if after_mode in _BLOBS and not _NO_BLOB.fullmatch(after) else None,
                status,
            )

    return changes()


def _index_files(where: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """Every JSON file of the index, and what of it stands in a conflict."""
    text = run(where, "ls-files", "-s", "-z", "--full-name", "--", ":(top)*.json", index=True)
    files: dict[str, str] = {}
    unmerged: dict[str, None] = {}
    for entry in text.split(b"\0"):
        head, _, name = entry.partition(b"\t")
        if name:
            mode, digest, stage = head.decode().split(" ")
            if stage != "0":
                unmerged[_unmerged(shown(name))] = None
            elif mode in _BLOBS and candidate(shown(name), tests=True):
                files[shown(name)] = digest
    return files, tuple(unmerged)


def _unmerged(path: str) -> str:
    return f"{path}: the merge of this file is not finished"


def compare_working(
    repository: Repository, cwd: Path, against: str | None = None, branch: str | None = None
) -> Comparison:
    """The working tree against a ref, by default against where its branch left the default branch.

    In a bare repository HEAD is the new side. Raises InputError where no commit to compare with is here.
    """
    git = repository.git
    notices: tuple[str, ...] = ()
    base: str | None = None
    head: str | None = None
    if against is not None:
        base, words = git.resolve(against), against
    else:
        head = _commit(git, "HEAD")
        if head is not None:
            base, words, notices = _base(repository, head, branch)
        elif repository.top is not None and _unborn(repository):
            words = "there is no commit yet"
        else:
            raise InputError("HEAD names no commit here", git.path)
    what, new = new_side(repository, cwd, staged=False)
    if base is None and head is not None and repository.top is not None:
        first = _commit_side(git, head)
        if first.files != new.files:
            return Comparison(f"{what} against HEAD ({head[:12]}), the first commit", first, new)
    if base is None:
        return Comparison(f"{what} against nothing: {words}", None, new)
    return Comparison(f"{what} against {words} ({base[:12]})", _commit_side(git, base), new, notices=notices)


def compare_range(repository: Repository, text: str) -> Comparison:
    """Two commits: A..B compares B with A, A...B with the merge base of both; a name left out is HEAD."""
    git = repository.git
    three = "..." in text
    first, _, second = text.partition("..." if three else "..")
    first, second = first or "HEAD", second or "HEAD"
    old, new = git.resolve(first), git.resolve(second)
    words = f"{second} ({new[:12]}) against {first} ({old[:12]})"
    if three:
        old = _merge_base(repository, old, new, first, second)
        words = f"{second} ({new[:12]}) against its merge base with {first} ({old[:12]})"
    return Comparison(words, _commit_side(git, old), _commit_side(git, new))


def is_range(text: str) -> bool:
    """Whether a SOURCE is a range of commits; a path with dots ("../other") is none."""
    return ".." in text and "/.." not in text and "../" not in text.replace(".../", "")


def _base(repository: Repository, head: str, branch: str | None) -> tuple[str | None, str, tuple[str, ...]]:
    """The commit to compare with, words for it, and notices; no commit where HEAD is the first."""
    git = repository.git
    wanted: list[str] = []
    if branch is not None:
        wanted = [f"refs/remotes/origin/{branch}", f"refs/heads/{branch}", branch]
    else:
        upstream = repository.upstream()
        wanted += [upstream] if upstream else []
        wanted += [repository.default]
        wanted += [f"refs/remotes/origin/{name}" for name in DEFAULT_BRANCHES]
        wanted += [f"refs/heads/{name}" for name in DEFAULT_BRANCHES]
    commits = git.names(f"{item}^{{commit}}" for item in wanted)
    found = {item: commits[f"{item}^{{commit}}"] for item in wanted if f"{item}^{{commit}}" in commits}
    name = next((item for item in wanted if item in found), None)
    if name is None and branch is not None:
        raise InputError(f'there is no branch "{branch}" here; git fetch origin {branch}', str(git.path))
    notices: tuple[str, ...] = ()
    if name is not None:
        shown = re.sub("^refs/(?:remotes|heads)/", "", name)
        base = head if found[name] == head else _merge_base(repository, found[name], head, shown, "HEAD")
        if base != head:
            return base, f"the merge base of HEAD and {shown}", ()
        mine = repository.branch
        own = (f"refs/heads/{mine}", f"refs/remotes/origin/{mine}")
        on_default = mine is None or mine in (*DEFAULT_BRANCHES, branch) or name in own
        if not on_default or (mine is None and found[name] != head):
            return head, f"the merge base of HEAD and {shown}, which is HEAD", ()
    else:
        notices = ("no default branch was found: HEAD is compared with the commit before it",)
    parents = git.parents(head)
    if not parents:
        return None, "this is the first commit", ()
    if _commit(git, parents[0]) is None:
        raise InputError(
            "the commit before HEAD is not here, the repository is shallow: git fetch --deepen=1",
            str(git.path),
        )
    return parents[0], "the first parent of HEAD", notices


def _merge_base(repository: Repository, one: str, other: str, shown: str, other_shown: str) -> str:
    try:
        text = run(repository.top or repository.folder, "merge-base", one, other)
    except InputError:
        why = "the repository is shallow: git fetch --unshallow" if repository.shallow else "name one side"
        raise InputError(
            f"{other_shown} and {shown} have no common commit here; {why}",
            str(repository.top or repository.folder),
        ) from None
    return text.split(b"\n", 1)[0].decode()


def _commit(git: GitRepo, name: str) -> str | None:
    return git.names([f"{name}^{{commit}}"]).get(f"{name}^{{commit}}")


def _commit_side(git: GitRepo, commit: str) -> Side:
    files = git.files(git.names([f"{commit}^{{tree}}"])[f"{commit}^{{tree}}"], tests=True)
    return Side(files, lambda paths: _texts(git, files, paths))


def _blobs(repository: Repository, files: Mapping[str, str]) -> Callable[[Iterable[str]], Texts]:
    return lambda paths: _texts(repository.git, files, paths)


def _texts(git: GitRepo, files: Mapping[str, str], paths: Iterable[str]) -> Texts:
    wanted = list(paths)
    held = dict(git.texts(files[path] for path in wanted))
    return {path: held[files[path]] for path in wanted}


def _working_side(repository: Repository) -> Side:
    """The files as they lie there: tracked ones, and new ones that are not ignored."""
    top = repository.top
    assert top is not None
    listed = run(top, "ls-files", "-s", "-t", "-z", "-c", "-o", "--exclude-standard", "--full-name",
                 "--", ":(top)*.json")  # fmt: skip
    files: dict[str, str] = {}
    texts: Texts = {}
    absent: dict[str, str] = {}
    unread: dict[str, None] = {}
    for entry in listed.split(b"\0"):
        if not entry:
            continue
        mark, rest = entry[:1], entry[2:]
        digest = ""
        if mark != b"?":
            head, _, rest = rest.partition(b"\t")
            mode, digest, _ = head.decode().split(" ")
            if mode not in _BLOBS:
                continue
        path = shown(rest)
        if path in files or not candidate(path, tests=True):
            continue
        try:
            there, text = read_regular(os.path.join(top, os.fsdecode(rest)))
        except InputError as error:
            unread[f"{path}: {error.message}"] = None
            continue
        if not there:
            # What is left out of a sparse working tree has not been deleted.
            if mark == b"S":
                files[path] = absent[path] = digest
            continue
        texts[path] = InputError("larger than any spec") if text is None else text
        files[path] = _digest(text, digest) if text is not None else "too large"

    def read(paths: Iterable[str]) -> Texts:
        wanted = list(paths)
        missing = _texts(repository.git, absent, [path for path in wanted if path in absent])
        return {path: missing[path] if path in missing else texts[path] for path in wanted}

    return Side(files, read, tuple(unread))


def read_regular(where: str) -> tuple[bool, bytes | None]:
    """Whether a regular file is there, and its text, None if it is too large to be a spec.

    Links, pipes and devices are not opened.
    """
    try:
        if not stat.S_ISREG(os.lstat(where).st_mode):
            return False, None
        with open(where, "rb") as file:
            text = file.read(MAX_TEXT + 1)
    except (FileNotFoundError, NotADirectoryError):
        return False, None
    except OSError as error:
        raise InputError(error.strerror or str(error), where) from None
    return True, text if len(text) <= MAX_TEXT else None


def _digest(text: bytes, known: str) -> str:
    """The digest of a working file; that of the index where only the line ends are others than there."""
    import hashlib

    def blob(content: bytes) -> str:
        make = hashlib.sha256 if len(known) == 64 else hashlib.sha1
        return make(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()

    digest = blob(text)
    if digest != known and b"\r\n" in text and blob(text.replace(b"\r\n", b"\n")) == known:
        return known
    return digest


def differing(old: Mapping[str, str], new: Mapping[str, str]) -> tuple[list[str], list[str], bool]:
    """The paths of both sides whose text the other has not, and whether paths came, went or moved."""
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


def texts_side(texts: Iterable[tuple[str, str, bytes]]) -> Side:
    """A side of (path, digest, text)."""
    held = {path: (digest, text) for path, digest, text in texts}
    files = {path: digest for path, (digest, _) in held.items()}
    return Side(files, lambda paths: {path: held[path][1] for path in paths})
