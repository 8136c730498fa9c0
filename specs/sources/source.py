"""Reads a SOURCE (a directory, a file, a git ref, an archive) as named texts."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from wirebook.specs.comparing import compared
from wirebook.specs.files import read_file
from wirebook.specs.limits import MAX_FOLDERS, MAX_TEXT
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import (
    BUNDLE,
    ENVIRONMENT,
    HEAD,
    SpecText,
    candidate,
    collect,
    digest_of,
    is_spec,
    place_of,
    shown,
    skipped_folder,
    spec_text,
)
from wirebook.specs.reading.imports import with_all_imports
from wirebook.specs.sources.git import GitRepo
from wirebook.specs.sources.git_command import NO_REPOSITORY, is_bare
from wirebook.specs.sources.ignored import IgnoredFiles
from wirebook.specs.sources.links import linked_on_disk
from wirebook.specs.sources.location import top_of
from wirebook.specs.sources.naming import explicit_kind, is_path_like

__all__ = [
    "GitRepo",
    "Source",
    "SpecText",
    "digest_of",
    "open_source",
]

# git's own syntax in braces may contain a colon: "HEAD^{/fix: words}:specs".
_REF = re.compile(r"((?:[^:{]|\{[^}]*\}?)*)(?::(.*))?", re.DOTALL)


@compared("kind", before="repository")
class Source(NamedTuple):
    """A resolved SOURCE: `kind` is "directory", "file", "git" or "archive".

    `description` is one line for people; `commit` is only known for git. `subdir` narrows a repository.
    `skips_ignored` leaves out the files of a directory that git ignores.
    """

    kind: str
    path: str
    description: str
    commit: str | None = None
    subdir: str = ""
    tests: bool = False
    skips_ignored: bool = False
    repository: GitRepo | None = None

    def texts(self) -> list[SpecText]:
        """The specs, by path. Raises InputError for what cannot be read, and if there are none."""
        specs = self.texts_if_any()
        if not specs:
            raise InputError(f"no message specs in {self.description}")
        return specs

    def texts_if_any(self) -> list[SpecText]:
        """The specs, by path, each with what it imports. Raises InputError for what cannot be read."""
        if self.kind == "git":
            with self.repository or GitRepo(self.path) as opened:
                return collect(self._committed(opened), self.path)
        elif self.kind == "archive":
            from wirebook.specs.sources.archives import read_archive

            specs = read_archive(Path(self.path), tests=self.tests)
        elif self.kind == "file":
            file = _file(self.path)
            specs = [file] if is_spec(file.text, place_of(file.path)) else []
            return with_all_imports(specs, partial(_beside, os.path.dirname(self.path)))
        else:
            ignored = IgnoredFiles(self.path) if self.skips_ignored else None
            specs = collect(_directory(self.path, self.tests, ignored), self.path)
        return with_all_imports(specs)

    def _committed(self, opened: GitRepo) -> Iterator[SpecText]:
        """The specs of a commit, by cached facts about their objects."""
        commit = self.commit or "HEAD"
        for path, digest in opened.entries(commit, self.subdir, tests=self.tests):
            yield SpecText(path, opened.read(digest), digest)


def open_source(
    source: str | os.PathLike[str],
    *,
    tests: bool = False,
    cwd: str | Path | None = None,
    bare_paths: bool = True,
) -> Source:
    """Resolve a SOURCE.

    `git:REF`, `dir:PATH` and `archive:PATH` are explicit, and so is a text that looks like a path (`./x`,
    `/x`, `x.jar`). REPO@REF[:SUBDIR] is an existing repository at a ref, rejected if it is a ref of the
    repository here, too. A bare word is a ref of the repository here, or a path: a word that is both is
    rejected, and without `bare_paths` also one that is only a path, so that nobody can replace a ref by
    adding a file. A path object is always a path. A bare repository and a bundle are read at their HEAD.
    `tests` includes the specs of test trees. Raises InputError if it is none of these.
    """
    top = Path.cwd() if cwd is None else Path(cwd)
    if not isinstance(source, str):
        return _at_path(os.fspath(source), top, tests)
    kind, name = explicit_kind(source)
    if not name or "\0" in name:
        raise InputError(f"{source!r} names nothing")
    if kind in ("dir", "archive"):
        opened = _at_path(name, top, tests)
        if (opened.kind == "directory") != (kind == "dir"):
            raise InputError(f"this is {opened.description}, which {kind}: does not name", source)
        return opened
    repository, ref = _split(name, top)
    if repository:
        path = None if kind == "git" else _path(name, top, tests)
        if path is not None:
            raise _ambiguous(name, path, f"{repository} at {ref}")
        here = "" if is_path_like(repository) else _full_ref(name, top)
        return _at_ref(repository, ref, top, tests) if not here else _with_an_at(name, here, ref, top, tests)
    if kind == "git":
        return _ref_here(name, top, tests)
    if is_path_like(name):
        return _at_path(name, top, tests)
    return _ref_or_path(name, top, tests=tests, bare_paths=bare_paths)


def _ref_or_path(name: str, top: Path, *, tests: bool, bare_paths: bool) -> Source:
    """The source that a bare word names. Raises InputError if it is a ref and a path, or only a path without
    `bare_paths`.
    """
    path = _path(name, top, tests)
    if path is None:
        return _ref_here(name, top, tests)
    if _full_ref(name, top):
        raise _ambiguous(name, path, "a ref of the repository here")
    if not bare_paths:
        raise InputError(f"not a ref of the repository here; for {path.description} write ./{name}", name)
    return path


def _path(name: str, top: Path, tests: bool) -> Source | None:
    """The source at a path; None if there is nothing."""
    if not name or "\0" in name:
        raise InputError(f"{name!r} names nothing")
    path = top / name
    if os.path.isdir(path):
        if is_bare(path):
            return _git(path, "HEAD", "", f"{name} at HEAD", tests)
        return Source("directory", str(path), f"the directory {name}", tests=tests)
    if os.path.isfile(path):
        from wirebook.specs.sources.archives import is_archive

        if is_archive(path):
            return Source("archive", str(path), f"the archive {name}", tests=tests)
        if path.suffix == BUNDLE:
            return _git(path, "HEAD", "", f"{name} at HEAD", tests)
        return Source("file", str(path), f"the file {name}", tests=tests)
    if os.path.lexists(path):
        raise InputError("this is neither a file nor a directory", name)
    return None


def _at_path(name: str, top: Path, tests: bool) -> Source:
    source = _path(name, top, tests)
    if source is None:
        raise InputError("no such file or directory", name)
    return source


def _ambiguous(name: str, source: Source, other: str) -> InputError:
    kind = "dir" if source.kind == "directory" else "archive"
    path = f"{kind}:{name}" if kind == "dir" or source.kind == "archive" else f"./{name}"
    return InputError(f"this is {source.description} and {other}; write {path} or git:{name}", name)


def _at_ref(repository: str, rest: str, top: Path, tests: bool) -> Source:
    ref, subdir = _ref(rest)
    return _git(top / repository, ref or "HEAD", subdir, f"{repository} at {rest or 'HEAD'}", tests)


def _with_an_at(name: str, full_ref: str, rest: str, top: Path, tests: bool) -> Source:
    """The source that a ref of the repository here with an "@" names, such as the tag of a package.

    Raises InputError if what is before the "@" has the ref after it, `rest`.
    """
    repository = name.removesuffix(f"@{rest}")
    try:
        _at_ref(repository, rest, top, tests)
    except InputError:
        return _ref_here(name, top, tests)
    here, other = f"{full_ref} of the repository here", f"{rest} of {repository}"
    raise InputError(f"this is {here} and {other}; write {full_ref} or ./{name}", name)


def _full_ref(name: str, top: Path) -> str:
    """The name of a ref of the repository here in full, with its folder; "" if it is none."""
    ref, subdir = _ref(name)
    try:
        with GitRepo(top) as opened:
            return opened.named(ref)[0] + (f":{subdir}" if subdir else "")
    except InputError:
        return ""


def _ref_here(name: str, top: Path, tests: bool) -> Source:
    ref, subdir = _ref(name)
    try:
        return _git(top, ref, subdir, name, tests)
    except InputError as error:
        if NO_REPOSITORY in error.message:
            why = "no such file or directory, and this is not a git repository in which it could be a ref"
        elif "@" in ref.strip("@") and "@{" not in ref:
            why = f'there is no repository "{ref.rpartition("@")[0]}", and {error.message}'
        else:
            why = error.message
        raise InputError(why, name) from None


def _split(source: str, cwd: Path) -> tuple[str, str]:
    """REPO and what follows its "@": the longest REPO that exists; ("", "") if none does.

    An "@" may also be part of the path, of the ref ("main@{1}" is never split there) and of the folder.
    """
    places = [match.start() for match in re.finditer(r"@(?!\{)", source)]
    for at in reversed(places):
        if at and os.path.exists(cwd / source[:at]):
            return source[:at], source[at + 1 :]
    return "", ""


def _ref(text: str) -> tuple[str, str]:
    """REF and SUBDIR of "REF:SUBDIR"."""
    match = _REF.fullmatch(text)
    assert match is not None
    return match[1], match[2] or ""


def _from_top(repository: Path, subdir: str) -> str:
    """A folder of a commit from the top, without its dots: git takes one that begins with them as relative to
    the folder of the repository.
    """
    if subdir.split("/")[0] in (".", "..") and repository.is_dir():
        folder = repository.resolve()
        above = os.path.relpath(folder, top_of(folder) or folder).replace(os.sep, "/")
        subdir = posixpath.normpath(posixpath.join(above, subdir))
    return "/".join(part for part in subdir.split("/") if part not in ("", "."))


def _git(repository: Path, ref: str, subdir: str, what: str, tests: bool) -> Source:
    opened = GitRepo(repository)
    subdir = _from_top(repository, subdir)
    full_ref, commit = opened.named(ref)
    full = f"{full_ref}, " if full_ref != ref else ""
    description = f"{what} ({full}commit {commit[:12]})"
    return Source("git", str(repository), description, commit, subdir, tests, repository=opened)


def _directory(top: str, tests: bool, ignored: IgnoredFiles | None) -> Iterator[SpecText]:
    root = os.path.basename(os.path.abspath(top))
    for place, name in _files(top, tests, ignored):
        text, whole = _read(place)
        if is_spec(text, place_of(f"{root}/{name}"), whole=whole):
            if not whole:
                raise _too_large(place)
            yield spec_text(name, text)


def _files(top: str, tests: bool, ignored: IgnoredFiles | None) -> Iterator[tuple[str, str]]:
    """The location of each file that may be a spec, and its path below `top`.

    Links are also followed to targets in the repository of the folder, or else in the folder, that are not at
    such a path themselves. Raises InputError for a link that may lead to specs elsewhere. It leads to nothing
    where ignored files do not count, as in a check of the working tree, and if git ignores it, as it does the
    links that build tools add.
    """

    def may_be_spec(name: str) -> bool:
        return candidate(name, tests)

    def counts(file: str) -> bool:
        return ignored is None or not ignored.holds(file)

    links: dict[str, str] = {}
    own_files: set[str] = set()
    real_top = os.path.realpath(top)
    for name, entry in _walk(top, tests):
        if entry.is_symlink():
            if (may_be_spec(entry.name) or not skipped_folder(entry.name, tests)) and counts(entry.path):
                links[name] = entry.path
        elif may_be_spec(entry.name) and entry.is_file(follow_symlinks=False) and counts(entry.path):
            own_files.add(os.path.join(real_top, name))
            yield entry.path, shown(os.fsencode(name)).replace(os.sep, "/")
    if links:
        within = str(top_of(Path(real_top)) or real_top)
        of_tools = IgnoredFiles(top)

        def leads_nowhere(link: str) -> bool:
            return ignored is not None or of_tools.holds(link)

        for path, file in linked_on_disk(within, links, leads_nowhere).items():
            if file not in own_files and candidate(path, tests) and os.path.isfile(file) and counts(file):
                yield file, path


def _walk(top: str, tests: bool) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """All files and links below a folder, except in folders that are skipped, by their names below it.

    A virtual environment below it is skipped, whatever its name.

    Raises InputError if a folder cannot be read, or if they are nested too deeply.
    """
    waiting = [("", 0)]
    while waiting:
        above, depth = waiting.pop()
        if depth > MAX_FOLDERS:
            raise InputError(f"folders are nested more than {MAX_FOLDERS} deep in it", top)
        folder = os.path.join(top, above) if above else top
        try:
            with os.scandir(folder) as opened:
                entries = list(opened)
            if above and any(entry.name == ENVIRONMENT for entry in entries):
                continue
            for entry in entries:
                name = os.path.join(above, entry.name)
                if not entry.is_dir(follow_symlinks=False):
                    yield name, entry
                elif not skipped_folder(entry.name, tests):
                    waiting.append((name, depth + 1))
        except OSError as error:
            raise InputError(error.strerror or str(error), folder) from None


def _file(path: str) -> SpecText:
    text, whole = _read(path)
    if not whole:
        raise _too_large(path)
    return spec_text(shown(os.fsencode(os.path.basename(path))), text)


def _beside(folder: str, path: str) -> bytes | InputError | None:
    """The text of a file of structs that a single file imports; None if it does not exist."""
    place = os.path.join(folder, *path.split("/"))
    if not os.path.isfile(place):
        return None
    text, whole = _read(place)
    return text if whole else _too_large(place)


def _read(path: str) -> tuple[bytes, bool]:
    """The text of a file, and whether it is complete: of a file that is too large, only the beginning."""
    try:
        content = read_file(path, MAX_TEXT, links=True, beginning=HEAD)
    except OSError as error:
        raise InputError(error.strerror or str(error), path) from None
    if content is None:
        raise InputError("this is neither a file nor a directory", path)
    return content


def _too_large(path: str) -> InputError:
    return InputError(f"larger than {MAX_TEXT >> 20} MiB, too large for a spec", path)
