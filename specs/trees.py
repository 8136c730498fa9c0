"""What a commit, the index, the working tree, a folder or an archive holds: files by their paths.

A tree has only what can matter: JSON files, which may be specs, tables and registries, and TOML
files, which may be settings and waivers. Hidden folders and those of builds are left out. What a
build could read in another way than the check is refused when it is read: a spec that is a link,
that has a conflict, or that git converts. Two paths of one file on some systems are refused.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha1
from itertools import accumulate, chain
from pathlib import Path, PurePosixPath
from typing import IO

from wirebook.specs.discovery import is_wanted
from wirebook.specs.files import read_input
from wirebook.specs.git import Git
from wirebook.specs.limits import MAX_FILES, MAX_FOLDERS, MAX_TEXT, MAX_TOTAL
from wirebook.specs.problems import InputError

_LINK = "this is a link: a spec or a setting must be a file of its own"
# By the modes that git gives to what is no file.
_REFUSED = {"120000": _LINK, "160000": _LINK.replace("link", "submodule")}
_LINKED = (b"120000 ", b"160000 ")
# What the index has of a file that `git add -N` announces.
_EMPTY = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
# Each makes another text, or none, depending on the machine or the program that reads it.
CONVERTING = ("filter", "ident", "working-tree-encoding", "export-subst", "export-ignore", "merge")
ATTRIBUTES = ".gitattributes"
_ENDINGS = (b".json", b".toml", ATTRIBUTES.encode())
ARCHIVES = (".zip", ".jar", ".whl", ".tar", ".tar.gz", ".tgz")
# What the standard library raises for damaged archives.
_DAMAGED = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error,
    EOFError, OSError, OverflowError, RuntimeError, ValueError,
)  # fmt: skip


@dataclass(frozen=True)
class File:
    """A file: the id that git gives to its content, and a function that reads it.

    The id is "" for a file that nobody can judge: reading it raises InputError.
    """

    blob: str
    read: Callable[[], bytes] = field(compare=False)


Files = dict[str, File]  # by path


@dataclass(frozen=True)
class Tree:
    """The files of a side by their paths, with "/"; links and submodules cannot be judged."""

    files: Files

    def text(self, path: str) -> bytes | None:
        """The content of a file, None if there is none. Raises InputError if it cannot be read."""
        file = self.files.get(path)
        return None if file is None else file.read()

    def below(self, folder: str) -> Tree:
        """The tree of a folder, with paths that begin there."""
        prefix = f"{folder.strip('/')}/" if folder.strip("/") else ""
        files = {
            path[len(prefix) :]: file
            for path, file in self.files.items()
            if path.startswith(prefix)
        }
        return Tree(files)


def is_below(path: str, folder: str) -> bool:
    """Whether a path is that of a folder, or of something in it; "" is the top."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def blob_id(content: bytes) -> str:
    """The id that git gives to a content: 40 hex digits."""
    return sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def of_commit(git: Git, commit: str) -> Tree:
    """The tree of a commit, or of a tree such as the result of a merge. Raises InputError."""
    files = _listed(git, "ls-tree", "-r", "--full-tree", commit)
    return _tree(files, _converted(git, files, "--cached", commit=commit))


def of_index(git: Git) -> Tree:
    """The tree of the index: what the next commit has. Raises InputError."""
    files = _listed(git, "ls-files", "-s", "--full-name", ":/")
    return _tree(files, _converted(git, files, "--cached"))


def of_working_tree(git: Git) -> Tree:
    """The tree of the working tree, with new files that are not ignored. Raises InputError."""
    assert git.top is not None
    top = git.top.resolve()
    files = _listed(git, "ls-files", "-s", "--full-name", ":/")
    listed = git.run("ls-files", "-z", "-m", "-d", "-o", "--exclude-standard", "--full-name", ":/")
    for row in dict.fromkeys(listed.split(b"\0")):
        path = os.fsdecode(row)
        place = top / path
        if not (_may_matter(row) or place.is_symlink()):
            continue
        is_behind_link = place.parent.resolve() != place.parent
        file = _refused(_LINK, path) if is_behind_link else _on_disk(place, path)
        if file is None:
            files.pop(path, None)
        else:
            files[path] = file
    return _tree(files, _converted(git, files))


def of_folder(top: Path) -> Tree:
    """The tree of a folder outside of git. Raises InputError for what cannot be read."""
    files: Files = {}
    for place, folders, names in os.walk(top, onerror=_unreadable):
        above = Path(place).relative_to(top)
        if len(above.parts) > MAX_FOLDERS:
            raise InputError(f"more than {MAX_FOLDERS} folders are in each other", str(top))
        folders[:] = sorted(name for name in folders if is_wanted(f"{name}/_.json"))
        wanted = [name for name in names if is_wanted(name)]
        wanted += [name for name in folders if os.path.islink(os.path.join(place, name))]
        for name in sorted(wanted):
            path = (above / name).as_posix()
            file = _on_disk(top / path, path)
            if file is not None:
                files[path] = file
        if len(files) > MAX_FILES:
            raise InputError(f"it has more than {MAX_FILES:,} files that may be specs", str(top))
    return _tree(files)


def _unreadable(error: OSError) -> None:
    raise InputError(error.strerror or str(error), str(error.filename))


def of_file(path: Path) -> Tree:
    """The tree of one file. Raises InputError if it cannot be read."""
    file = _on_disk(path, path.name)
    return _tree({} if file is None else {path.name: file})


def is_archive(path: Path) -> bool:
    """Whether a file is an archive, by its name."""
    return path.name.lower().endswith(ARCHIVES)


def of_archive(path: Path) -> Tree:
    """The tree of a zip or tar archive. Raises InputError for a damaged or hostile one."""
    files: Files = {}
    total = 0
    try:
        for name, open_member in _members(path):
            if name.startswith("/") or ".." in name.split("/") or "\\" in name:
                raise InputError(f"it has a path outside of itself: {name!a}", str(path))
            inside = PurePosixPath(name).as_posix()
            if open_member is None:
                files[inside] = _refused(_LINK, inside)
                continue
            if not is_wanted(inside):
                continue
            opened = open_member()
            content = b"" if opened is None else opened.read(MAX_TEXT + 1)
            total += len(content)
            if len(content) > MAX_TEXT:
                raise InputError(f"{inside}: it is larger than {MAX_TEXT >> 20} MiB", str(path))
            if total > MAX_TOTAL or len(files) >= MAX_FILES:
                raise InputError("it is too large to be read", str(path))
            if inside in files:
                raise InputError(f"{inside!a} is in it twice", str(path))
            files[inside] = File(blob_id(content), partial(bytes, content))
    except _DAMAGED as error:
        raise InputError(f"this is not an archive that can be read ({error})", str(path)) from None
    return _tree(files)


def _members(path: Path) -> Iterator[tuple[str, Callable[[], IO[bytes] | None] | None]]:
    """The name of each member of an archive, and a function that opens it; None for a link."""
    if path.name.lower().endswith((".zip", ".jar", ".whl")):
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                is_link = stat.S_ISLNK(info.external_attr >> 16)
                if not info.is_dir():
                    yield info.filename, None if is_link else partial(archive.open, info)
        return
    with tarfile.open(path) as tar:
        for member in tar:
            if member.isfile() or member.issym() or member.islnk():
                yield member.name, partial(tar.extractfile, member) if member.isfile() else None


def _listed(git: Git, command: str, *arguments: str) -> Files:
    """The files that git lists: of a commit, or of the index, which may have conflicts."""
    files: Files = {}
    for row in filter(_may_matter, git.run(command, "-z", *arguments).split(b"\0")):
        head, _, raw = row.partition(b"\t")
        mode, first, second = head.decode().split(" ")
        blob, stage = (first, second) if command == "ls-files" else (second, "0")
        path = os.fsdecode(raw)
        if command == "ls-files" and blob == _EMPTY:
            continue
        if stage != "0":
            files[path] = _refused("it has a merge conflict: resolve it, and git add it", path)
        elif mode in _REFUSED:
            files[path] = _refused(_REFUSED[mode], path)
        else:
            files[path] = File(blob, partial(git.content, blob, path))
    return files


def _may_matter(row: bytes) -> bool:
    """Whether a row of git is one of few: what a tree may have, a link, or attributes."""
    return row.startswith(_LINKED) or row.lower().endswith(_ENDINGS)


def _refused(words: str, path: str) -> File:
    """A file that nobody can judge, for a reason in a few words."""

    def refuse() -> bytes:
        raise InputError(words, path)

    return File("", refuse)


def _on_disk(place: Path, path: str) -> File | None:
    """A file as it is on disk, None if there is none."""
    try:
        if place.is_symlink():
            return _refused(_LINK, path)
        content = read_input(place, MAX_TEXT)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return _refused(error.strerror or str(error), path)
    except InputError as error:
        return _refused(error.message, path)
    return File(blob_id(content), partial(bytes, content))


def _tree(files: Files, converted: Mapping[str, str] | None = None) -> Tree:
    """The tree of what matters among some files, of which git converts some by an attribute.

    Raises InputError for two names of one file.
    """
    wanted = {path: file for path, file in sorted(files.items()) if is_wanted(path)}
    links = {
        path: file
        for path, file in files.items()
        if not (file.blob or path.lower().endswith((".json", ".toml", ATTRIBUTES)))
    }
    same: dict[str, str] = {}
    for path in sorted(files, key=wanted.__contains__):
        for each in _with_folders(path):
            name = each.rstrip("/")
            folded = unicodedata.normalize("NFC", name).casefold()
            if same.setdefault(folded, name) != name and path in wanted:
                raise InputError(f"this is the same path as {same[folded]} on some systems", name)
    for path, attribute in (converted or {}).items():
        words = f"git converts it (attribute {attribute}), so a build may read another text"
        wanted[path] = _refused(words, path)
    return Tree(links | wanted)


def refuse_links(tree: Tree, paths: Iterable[str]) -> None:
    """Raise InputError if a tree has a link or a submodule in place of a folder of some paths."""
    folders = {folder for path in paths for folder in _with_folders(path)}
    for path, file in tree.files.items():
        if f"{path}/" in folders:
            file.read()


def _may_convert(files: Files) -> bool:
    """Whether a file of attributes names one that converts.

    Raises InputError for one that git reads on some systems only, or in two ways.
    """
    texts = []
    for path, file in files.items():
        name = path.rpartition("/")[2]
        if name.lower() == ATTRIBUTES:
            texts.append(file.read())
            if name != ATTRIBUTES or texts[-1].startswith(codecs.BOM_UTF8):
                raise InputError(
                    f"git reads this in two ways: name it {ATTRIBUTES}, as a file of its own "
                    "without a byte order mark",
                    path,
                )
    return any(word.encode() in text for word in CONVERTING for text in texts)


def _converted(git: Git, files: Files, *place: str, commit: str = "") -> dict[str, str]:
    """The paths whose content git converts, with the attribute by which it does; `place` is where
    it reads attributes."""
    if not _may_convert(files):
        return {}
    variables = {}
    if commit:
        variables = {"GIT_INDEX_FILE": str(git.scratch() / f"index-{commit}")}
        git.run("read-tree", commit, data=b"", **variables)
    # An attribute of a folder is that of what git archives from it.
    above = {path: _with_folders(path) for path in files if is_wanted(path)}
    data = b"".join(os.fsencode(each) + b"\0" for each in {*chain(*above.values())})
    answer = git.run("check-attr", "-z", *place, "--stdin", *CONVERTING, data=data, **variables)
    rows = answer.split(b"\0")
    attributes = {
        os.fsdecode(path): name.decode()
        for path, name, value in zip(rows[0::3], rows[1::3], rows[2::3], strict=False)
        if value not in (b"unspecified", b"unset", b"")
    }
    return {
        path: attributes[each]
        for path, places in above.items()
        for each in places
        if each in attributes
    }


def _with_folders(path: str) -> list[str]:
    """The folders that a path is in, which end with "/", and the path."""
    return list(accumulate(re.findall("[^/]+/?", path)))


def is_path(name: str) -> bool:
    """Whether the name of a SOURCE is written as a path: `./x`, `../x`, `/x`, or an archive."""
    return name in (".", "..") or name.startswith(("./", "../", "/")) or is_archive(Path(name))


@dataclass(frozen=True)
class Named:
    """What a SOURCE names: a folder of a tree, and a description of it.

    Its paths begin in the folder `top` on disk; `commit` is its commit, in the folder `repository`.
    """

    whole: Tree
    words: str
    folder: str = ""
    top: Path | None = None
    commit: str | None = None
    repository: Path | None = None

    @property
    def tree(self) -> Tree:
        """The tree of the folder, with paths that begin there."""
        return self.whole.below(self.folder)


def named(name: str, cwd: Path, git: Git | None) -> Named:
    """The tree that a SOURCE names.

    A SOURCE is a directory, a file, an archive, a ref of the repository here, `REPO@REF` or
    `REPO@REF:SUBDIR`. In a repository, a bare word is a ref; a path is `./x`. Raises InputError.
    """
    if not name:
        raise InputError("the name of a SOURCE is empty")
    place = cwd / name
    if git is not None and not is_path(name):
        ref, _, folder = name.partition(":")
        commit = git.commit(ref)
        if commit is not None:
            return _of_commit(git, commit, name, folder)
    elif place.is_dir():
        return Named(of_folder(place), f"the folder {name}", top=place)
    elif place.is_file() and is_archive(place):
        return Named(of_archive(place), f"the archive {name}")
    elif place.is_file():
        return Named(of_file(place), name, top=place.parent)
    repository, sign, rest = name.rpartition("@")
    if sign and repository and (cwd / repository).is_dir():
        ref, _, folder = rest.partition(":")
        with Git(cwd / repository) as other:
            commit = other.commit(ref or "HEAD")
            if commit is None:
                raise InputError(f'it has no commit "{ref}"', repository)
            return _of_commit(other, commit, f"{repository} at {ref or 'HEAD'}", folder.strip("/"))
    if git is not None and place.exists():
        raise InputError(f"there is no ref of this name; for the path write ./{name}", name)
    raise InputError("no such folder, file or git ref", name)


def _of_commit(git: Git, commit: str, words: str, folder: str) -> Named:
    """A folder of a commit."""
    shown = f"{words} ({commit[:12]})"
    return Named(of_commit(git, commit), shown, folder, commit=commit, repository=git.place)


def folder_with(place: Path, name: str) -> Path | None:
    """The nearest folder, at a place or above it, that has a file of a name."""
    return next((each for each in (place, *place.parents) if (each / name).is_file()), None)
