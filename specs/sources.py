"""A SOURCE (a directory, a file, a git ref, an archive) as named texts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from specs.found import MAX_FILES, MAX_TEXT, looks_like_spec, may_hold_spec, skipped_folder
from specs.git import Entry, GitRepo, Release, git_releases, top_level
from specs.problems import InputError

__all__ = ["Entry", "GitRepo", "Release", "Source", "SpecText", "digest_of", "git_releases", "open_source"]


@dataclass(frozen=True, slots=True)
class SpecText:
    """One spec file: its path inside the source, its bytes, and their digest."""

    path: str
    text: bytes
    digest: str


@dataclass(frozen=True, slots=True)
class Source:
    """What a SOURCE was found to be: `kind` is "directory", "file", "git" or "archive".

    `description` is one line for people; `commit` is known for git alone. `subdir` narrows a repository.
    """

    kind: str
    path: str
    description: str
    commit: str | None = None
    subdir: str = ""
    tests: bool = False

    def texts(self) -> list[SpecText]:
        """The specs, by path; raises InputError for what cannot be read, and where there are none."""
        if self.kind == "git":
            found = _from_git(self)
        elif self.kind == "archive":
            from specs.archives import read_archive

            found = [_text(name, text) for name, text in read_archive(Path(self.path), tests=self.tests)]
        elif self.kind == "file":
            found = [_text(Path(self.path).name, _read(Path(self.path), self.path))]
        else:
            found = _from_directory(Path(self.path), self.tests)
        if not found:
            raise InputError(f"there are no message specs in {self.description}")
        return found


def digest_of(text: bytes) -> str:
    """The name that git gives to this text: the SHA-1 of a blob, 40 hex digits."""
    import hashlib

    return hashlib.sha1(b"blob %d\0" % len(text) + text, usedforsecurity=False).hexdigest()


def open_source(source: str, *, tests: bool = False, cwd: Path | None = None) -> Source:
    """Find out what a SOURCE is: what exists as a path is that; then REPO@REF[:SUBDIR]; then a git ref here.

    `tests` lets specs of test trees count. Raises InputError where it is nothing of the kind.
    """
    if not source:
        raise InputError("an empty SOURCE names nothing")
    if "\0" in source:
        raise InputError(f"{source!r} names nothing")
    cwd = cwd or Path.cwd()
    path = cwd / source
    if path.is_dir():
        return Source("directory", str(path), f"the directory {source}", tests=tests)
    if path.is_file():
        from specs.archives import is_archive

        if is_archive(path):
            return Source("archive", str(path), f"the archive {source}", tests=tests)
        if path.suffix == ".bundle":
            return _git_source(path, "HEAD", "", source, tests)
        return Source("file", str(path), f"the file {source}", tests=tests)
    if os.path.lexists(path):
        raise InputError("this is neither a file nor a directory", source)
    repository, at, rest = source.rpartition("@")
    while at and not (cwd / repository).exists():
        # An "@" may stand in the ref, as in "repo@main@{1}"; the longest path that exists is the repository.
        shorter, more, part = repository.rpartition("@")
        if not more:
            break
        repository, rest = shorter, f"{part}@{rest}"
    if at and repository and (cwd / repository).exists():
        ref, _, subdir = rest.partition(":")
        return _git_source(cwd / repository, ref or "HEAD", subdir, source, tests)
    top = top_level(cwd)
    looks_like_path = source.lower().endswith((".json", ".jar", ".zip", ".whl", ".tar.gz", ".tgz"))
    if top is None or looks_like_path or source.startswith((".", "/", "~")):
        where = "" if top is not None else ", and this is no git repository in which it could be a ref"
        raise InputError(f"there is no such file or directory{where}", source)
    ref, _, subdir = source.partition(":")
    return _git_source(top, ref, subdir, source, tests)


def _git_source(repository: Path, ref: str, subdir: str, source: str, tests: bool) -> Source:
    subdir = subdir.strip("/")
    with GitRepo(repository) as opened:
        commit = opened.resolve(ref)
    return Source("git", str(repository), f"{source} (commit {commit[:12]})", commit, subdir, tests)


def _from_git(source: Source) -> list[SpecText]:
    with GitRepo(source.path) as opened:
        entries = opened.entries(source.commit or "HEAD", source.subdir, tests=source.tests)
        return sorted(
            (SpecText(entry.path, opened.read(entry.digest), entry.digest) for entry in entries),
            key=lambda text: text.path,
        )


def _from_directory(top: Path, tests: bool) -> list[SpecText]:
    found: list[SpecText] = []
    for count, (path, name) in enumerate(_json_files(top, tests), 1):
        if count > MAX_FILES:
            raise InputError(f"it holds more than {MAX_FILES} JSON files", str(top))
        text = _read(path, name)
        if looks_like_spec(text, may_hold_spec(f"{top.name}/{name}")):
            found.append(_text(name, text))
    return sorted(found, key=lambda item: item.path)


def _json_files(top: Path, tests: bool) -> Iterator[tuple[Path, str]]:
    def refuse(error: OSError) -> None:
        raise InputError(error.strerror or str(error), str(error.filename))

    for folder, folders, files in os.walk(top, onerror=refuse):
        folders[:] = sorted(name for name in folders if not skipped_folder(name, tests))
        for name in sorted(files):
            path = Path(folder) / name
            # A device, a pipe or a link that leads out of the tree is not opened.
            inside = path.is_file() and path.resolve().is_relative_to(top.resolve())
            if name.endswith(".json") and inside:
                yield path, path.relative_to(top).as_posix()


def _read(path: Path, shown: str) -> bytes:
    try:
        with open(path, "rb") as file:
            text = file.read(MAX_TEXT + 1)
    except OSError as error:
        raise InputError(error.strerror or str(error), shown) from None
    if len(text) > MAX_TEXT:
        raise InputError(f"larger than {MAX_TEXT >> 20} MiB, which no spec is", shown)
    return text


def _text(path: str, text: bytes) -> SpecText:
    return SpecText(path, text, digest_of(text))
