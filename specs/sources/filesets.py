"""The JSON files of a commit, the index or a working tree: their digests, and functions that read them."""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wirebook.specs.limits import MAX_TEXT
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import candidate, shown, two_of_a_name
from wirebook.specs.sources.git import GitRepo
from wirebook.specs.sources.git_command import run
from wirebook.specs.sources.git_objects import ATTRIBUTES, LINK, SUBMODULE, Alike, TreeEntry
from wirebook.specs.sources.repository import Repository

if TYPE_CHECKING:
    # An ordinary repository has no links, and a commit without specs needs no attributes.
    from wirebook.specs.sources.attributes import AttributeReader
    from wirebook.specs.sources.indirect import LinkedFiles

_BLOBS = ("100644", "100755", "100664")
_OTHERS = (LINK.encode(), SUBMODULE.encode())

# By path; the reason if a text cannot be read.
Texts = dict[str, bytes | InputError]


class FileSet(NamedTuple):
    """JSON files: the digest of each by its path from the top, and a function that reads some of them.

    `unread` has a line for each existing file that cannot be used, with the reason. `every_path` lists all
    JSON files, including those of skipped folders; None if they cannot be listed. `places` has the actual
    path of each file that is read through a link. `closed` are submodules, and links to nothing in the
    repository, each with its kind. `attributes` opens the attributes that git gives to the files, if git has
    them. `alike` are paths of which a checkout may have only one.
    """

    files: Mapping[str, str]
    read: Callable[[Iterable[str]], Texts]
    unread: tuple[str, ...] = ()
    every_path: Callable[[], list[str]] | None = None
    places: Mapping[str, str] = {}
    closed: Mapping[str, str] = {}
    attributes: "Callable[[], AttributeReader] | None" = None
    alike: Sequence[Alike] = ()

    def taken(self, takes: Callable[[str], bool]) -> "FileSet":
        """The files that count: through a link, those that do not count at their own path."""
        files = {path: name for path, name in self.files.items() if takes(path)}
        own = files.keys() - self.places.keys()
        for path, place in self.places.items():
            if place in own:
                files.pop(path, None)
        return self._replace(files=files)

    def holding(self, texts: Mapping[str, bytes]) -> "FileSet":
        """The files, some of them with other texts."""
        files = {
            path: f"text {texts[path]!r}" if path in texts else name for path, name in self.files.items()
        }

        def read(paths: Iterable[str]) -> Texts:
            wanted = list(paths)
            others = self.read(path for path in wanted if path not in texts)
            return {path: texts[path] if path in texts else others[path] for path in wanted}

        return self._replace(files=files, read=read)

    def beside(self, others: "FileSet") -> "FileSet":
        """These files and others."""

        def read(paths: Iterable[str]) -> Texts:
            wanted = list(paths)
            own = self.read(path for path in wanted if path not in others.files)
            more = others.read(path for path in wanted if path in others.files)
            return {path: more[path] if path in more else own[path] for path in wanted}

        return self._replace(files={**self.files, **others.files}, read=read)

    @classmethod
    def of_texts(cls, texts: Iterable[tuple[str, str, bytes]]) -> "FileSet":
        """Files from (path, digest, text)."""
        held = {path: (digest, text) for path, digest, text in texts}
        files = {path: digest for path, (digest, _) in held.items()}
        return cls(files, lambda paths: {path: held[path][1] for path in paths})

    @classmethod
    def of_objects(cls, git: GitRepo, files: Mapping[str, str], unread: tuple[str, ...] = ()) -> "FileSet":
        """Files from the names of their objects in a repository."""
        return cls(files, lambda paths: _texts(git, files, paths), unread)


class IndexChange(NamedTuple):
    """A JSON file that differs between the index and a commit: its object in each, None if it is absent.

    `is_indirect` marks links, submodules and .gitattributes, whose changes affect other files; `is_added`
    what the commit does not have.
    """

    path: str
    previous: str | None
    current: str | None
    is_unmerged: bool
    is_indirect: bool = False
    is_added: bool = False


def _with_links(
    git: GitRepo,
    files: Mapping[str, str],
    linked: "LinkedFiles | None",
    submodules: Iterable[str],
    unread: tuple[str, ...] = (),
) -> FileSet:
    """The files of a commit or an index, including those that are read through links."""
    closed = _closed(linked, submodules)
    if linked is None:
        return FileSet.of_objects(git, files, unread)._replace(closed=closed)
    more = {path: name for path, name in linked.objects.items() if path not in files}
    places = {path: linked.places[path] for path in more}
    return FileSet.of_objects(git, {**files, **more}, unread)._replace(places=places, closed=closed)


def tree_attributes(
    git: GitRepo, commit: str, listed: Mapping[str, str] | None = None, folder: str = ""
) -> "Callable[[], AttributeReader]":
    """Opens the attributes in a commit, or for "" in the index; for the others see AttributeReader."""

    def opened() -> "AttributeReader":
        from wirebook.specs.sources.attributes import AttributeReader

        return AttributeReader.of_tree(git, commit, listed, folder=folder)

    return opened


def _closed(linked: "LinkedFiles | None", submodules: Iterable[str]) -> dict[str, str]:
    lost = () if linked is None else linked.lost
    return {**dict.fromkeys(submodules, "a submodule"), **dict.fromkeys(lost, "a link")}


def commit_files(git: GitRepo, commit: str) -> FileSet:
    """The files of a commit."""
    tree = git.names([f"{commit}^{{tree}}"])[f"{commit}^{{tree}}"]
    listed = git.files(tree, tests=True)
    linked = git.linked(tree) if listed.has_links else None
    listing = ("ls-tree", "-r", "-z", "--full-tree", "--name-only", commit)
    return _with_links(git, listed.files, linked, listed.submodules)._replace(
        every_path=lambda: _json_paths(run(git.folder, *listing)),
        attributes=tree_attributes(git, commit, listed.attributes),
        alike=listed.alike,
    )


def index_paths(folder: str) -> list[str]:
    """The JSON files of the index of the repository in a folder, including those of skipped folders."""
    return _json_paths(run(folder, "ls-files", "-z", "--full-name", "--", ":(top)*.json", index=True))


def _json_paths(listed: bytes) -> list[str]:
    return [shown(name) for name in listed.split(b"\0") if name.endswith(b".json")]


def index_files(repository: Repository, folder: str) -> FileSet:
    """The files of the index of the repository in a folder; files in a merge conflict are `unread`."""
    from wirebook.specs.sources.alike import alike_paths

    listed = run(folder, "ls-files", "-s", "-z", "--full-name", "--", ":(top)", index=True)
    entries, conflicts = _index_entries(listed)
    files: dict[str, str] = {}
    for name, entry in entries.items():
        path = shown(name)
        if entry.mode in _BLOBS and candidate(path, tests=True):
            if path in files:
                raise two_of_a_name(path, folder)
            files[path] = entry.object
    submodules = [shown(name) for name, entry in entries.items() if entry.mode == SUBMODULE]
    has_links = any(entry.mode == LINK for entry in entries.values())
    linked = repository.git.linked_among(entries) if has_links else None
    unread = tuple(unmerged_line(path) for path in conflicts)
    attributes = {
        shown(name): entry.object
        for name, entry in entries.items()
        if name.rpartition(b"/")[2] == ATTRIBUTES.encode()
    }
    return _with_links(repository.git, files, linked, submodules, unread)._replace(
        every_path=partial(index_paths, folder),
        attributes=tree_attributes(repository.git, "", attributes),
        alike=alike_paths(entries),
    )


def may_have_links(index: Path) -> bool:
    """Whether an index may have links or submodules, without starting git, which would slow down a hook."""
    try:
        data = index.read_bytes()
    except OSError:
        return False
    # gitformat-index(5): the mode of an entry has 32 bits. The entries of a split index are in another file.
    return b"\0\0\xa0\0" in data or b"\0\0\xe0\0" in data or b"link\0\0" in data


def alike_added(index: Path, folder: str, added: Sequence[bytes]) -> list[Alike]:
    """The pairs of paths, of which a checkout may have only one, that some new paths of an index are in."""
    if not added:
        return []
    from wirebook.specs.sources.alike import alike_paths, may_be_alike

    try:
        data = index.read_bytes()
    except OSError:
        data = b""
    if not may_be_alike(data, added):
        return []
    listed = run(folder, "ls-files", "-z", "--full-name", "--", ":(top)", index=True)
    names = [shown(name) for name in added]
    return [
        pair
        for pair in alike_paths(filter(None, listed.split(b"\0")))
        if any(f"{name}/".startswith((f"{pair.path}/", f"{pair.other}/")) for name in names)
    ]


def _index_entries(listed: bytes) -> tuple[dict[bytes, TreeEntry], list[str]]:
    """All entries of an index, and the JSON files in a merge conflict."""
    entries: dict[bytes, TreeEntry] = {}
    conflicts: dict[str, None] = {}
    for line in listed.split(b"\0"):
        head, _, name = line.partition(b"\t")
        if name:
            mode, digest, stage = head.decode().split(" ")
            if stage == "0":
                if name in entries:
                    raise _repeated(shown(name))
                entries[name] = TreeEntry(mode, digest)
            elif name.endswith(b".json"):
                conflicts[shown(name)] = None
    return entries, list(conflicts)


class IndexChanges(NamedTuple):
    """The files that differ between a commit and an index, and that may be specs or profiles.

    Also all paths that the commit does not have, and whether the index is the same as the commit.
    """

    changes: list[IndexChange]
    added: list[bytes]
    is_same: bool


def index_changes(folder: str, ref: str) -> IndexChanges:
    """Compare a commit with the index.

    Profiles are in TOML and may extend others of any name. Raises InputError if git cannot compare the two.
    """
    # A file that is only intended to be added (`git add -N`) is not part of the next commit.
    raw = run(folder, "diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev",
              "--ita-invisible-in-index", "--ignore-submodules", ref, "--", ":(top)",
              index=True)  # fmt: skip
    parts = raw.split(b"\0")
    changes: list[IndexChange] = []
    added: list[bytes] = []
    for head, name in zip(parts[0::2], parts[1::2], strict=False):
        if head.endswith(b"A"):
            added.append(name)
        is_indirect = head[1:7] in _OTHERS or head[8:14] in _OTHERS or name.endswith(ATTRIBUTES.encode())
        is_profile = name.endswith(b".toml") and not head.endswith(b"U")
        if not (is_indirect or is_profile or candidate(shown(name), tests=True)):
            continue
        old_mode, new_mode, old, new, status = head.decode().lstrip(":").split(" ")
        is_there = new_mode in _BLOBS and new.strip("0") != ""
        previous = old if old_mode in _BLOBS else None
        current = new if is_there else None
        is_added = status == "A"
        changes.append(IndexChange(shown(name), previous, current, status == "U", is_indirect, is_added))
    return IndexChanges(changes, added, not raw)


def refuse_repeated(git: GitRepo, ref: str, changes: Iterable[IndexChange]) -> None:
    """Raise InputError if the index has a file twice, which git commits and nobody can check out.

    git then reports the file twice, or as added although the commit has it.
    """
    known: set[str] = set()
    added: list[str] = []
    for change in changes:
        if change.path in known and not change.is_unmerged:
            raise _repeated(change.path)
        if not change.is_unmerged:
            known.add(change.path)
            if change.is_added:
                added.append(change.path)
    # A link or a file may replace a folder.
    held = git.at(ref, added) if added else {}
    for path, item in held.items():
        if item.kind == "blob":
            raise _repeated(path)


def _repeated(path: str) -> InputError:
    return InputError(
        "the index has this file twice: run git read-tree HEAD, and stage the change again", path
    )


def unmerged_line(path: str) -> str:
    """The line of `unread` for a file in a merge conflict."""
    return f"{path}: this file has a merge conflict"


def working_files(repository: Repository) -> FileSet:
    """The files of the working tree: tracked ones, and new ones that are not ignored."""
    top = repository.top
    assert top is not None
    files: dict[str, str] = {}
    texts: Texts = {}
    absent: dict[str, str] = {}
    every: dict[str, bytes] = {}
    unread: dict[str, None] = {}
    links: dict[str, str] = {}
    submodules: list[str] = []
    attributes: dict[str, str] = {}
    behind_links = _BehindLinks(str(top))
    digest = ""
    listed = run(top, "ls-files", "-s", "-t", "-z", "-c", "-o", "--exclude-standard", "--full-name",
                 "--", ":(top)").split(b"\0")  # fmt: skip
    for name, mode, digest, is_skipped in _listed(listed):
        path, place = shown(name), os.path.join(top, os.fsdecode(name))
        if name.endswith(ATTRIBUTES.encode()):
            _, text = read_regular(place)
            if text is not None:
                attributes[path] = _digest(text, digest)
            continue
        if mode == SUBMODULE:
            submodules.append(path.removesuffix("/"))
            continue
        if every.setdefault(path, name) != name:
            raise two_of_a_name(path, str(top))
        may_be_one = candidate(path, tests=True)
        if path in files or not (may_be_one or candidate(f"{path}/x.json", tests=True)):
            continue
        if os.path.dirname(os.fsdecode(name)) in behind_links:
            # git treats the link as a file, and the contents of the folder as deleted.
            continue
        try:
            is_there, text = read_regular(place) if may_be_one else (False, None)
        except InputError as error:
            unread[f"{path}: {error.message}"] = None
            continue
        if is_there and text is not None and mode == LINK and _digest(text, digest) == digest:
            # A file system without links (core.symlinks) stores the target in a file.
            links[os.fsdecode(name)] = os.path.join(os.path.dirname(place), os.fsdecode(text))
        elif is_there:
            texts[path] = InputError("larger than any spec") if text is None else text
            files[path] = _digest(text, digest) if text is not None else "too large"
        elif os.path.islink(place):
            links[os.fsdecode(name)] = place
        elif is_skipped and mode in _BLOBS:
            # A file that a sparse working tree omits is not deleted.
            files[path] = absent[path] = digest
    linked: LinkedFiles | None = None
    places: dict[str, str] = {}
    if links:
        from wirebook.specs.sources.indirect import linked_on_disk

        linked = linked_on_disk(str(top), links)
        for path, place in linked.objects.items():
            is_there, text = (False, None) if path in files else read_regular(os.path.join(top, place))
            if is_there:
                texts[path] = InputError("larger than any spec") if text is None else text
                files[path] = _digest(text, digest) if text is not None else "too large"
                places[path] = linked.places[path]

    def read(paths: Iterable[str]) -> Texts:
        wanted = list(paths)
        missing = _texts(repository.git, absent, [path for path in wanted if path in absent])
        return {path: missing[path] if path in missing else texts[path] for path in wanted}

    def on_disk() -> list[str]:
        return [path for path in every if path.endswith(".json") and os.path.exists(os.path.join(top, path))]

    def opened() -> "AttributeReader":
        from wirebook.specs.sources.attributes import AttributeReader

        return AttributeReader.of_working_tree(
            repository.git, lambda path: read_regular(os.path.join(top, path))[1], attributes
        )

    closed = _closed(linked, submodules)
    return FileSet(
        files, read, tuple(unread), on_disk, places, closed, opened, _alike_on_disk(str(top), listed)
    )


def _alike_on_disk(top: str, listed: Sequence[bytes]) -> list[Alike]:
    """The pairs of paths in a working tree; what is only in the index may have been renamed."""
    from wirebook.specs.sources.alike import alike_paths

    names = [entry[2:] if entry[:1] == b"?" else entry.partition(b"\t")[2] for entry in listed if entry]
    if not alike_paths(names):
        return []
    return alike_paths(name for name in names if os.path.lexists(os.path.join(top, os.fsdecode(name))))


def _listed(listed: Iterable[bytes]) -> Iterator[tuple[bytes, str, str, bool]]:
    """The lines of git on a working tree that may matter: JSON files, links, submodules, and untracked files.

    Each has the name, the mode and the digest in the index ("" if untracked), and whether it is omitted.
    """
    for entry in listed:
        if entry[:1] == b"?":
            # A trailing slash marks a repository of its own.
            yield entry[2:], SUBMODULE if entry.endswith(b"/") else "", "", False
        elif entry.endswith((b".json", ATTRIBUTES.encode())) or entry[2:8] in _OTHERS:
            head, _, name = entry[2:].partition(b"\t")
            mode, digest, _ = head.decode().split(" ")
            yield name, mode, digest, entry[:1] == b"S"


class _BehindLinks:
    """The folders of a working tree that links point to: git does not look through links."""

    def __init__(self, top: str) -> None:
        self.top = top
        self._known: dict[str, bool] = {"": False}

    def __contains__(self, folder: str) -> bool:
        if folder not in self._known:
            above = os.path.dirname(folder)
            self._known[folder] = above in self or os.path.islink(os.path.join(self.top, folder))
        return self._known[folder]


def read_regular(path: str) -> tuple[bool, bytes | None]:
    """Whether a regular file exists, and its text, None if it is too large to be a spec.

    Links, pipes and devices are not opened. Raises InputError for a file that cannot be read.
    """
    from wirebook.specs.files import read_file

    try:
        # Opening a device may do something.
        found = read_file(path, MAX_TEXT) if stat.S_ISREG(os.lstat(path).st_mode) else None
    except (FileNotFoundError, NotADirectoryError):
        return False, None
    except OSError as error:
        raise InputError(error.strerror or str(error), path) from None
    if found is None:
        return False, None
    text, is_whole = found
    return True, text if is_whole else None


def differing(old: Mapping[str, str], new: Mapping[str, str]) -> tuple[list[str], list[str], bool]:
    """The paths whose text the other side lacks, and whether paths were added, removed or moved."""
    before = {path: digest for path, digest in old.items() if new.get(path) != digest}
    after = {path: digest for path, digest in new.items() if old.get(path) != digest}
    moved = before.keys() != after.keys()
    spare: dict[str, list[str]] = {}
    for path, digest in before.items():
        if path not in after:
            spare.setdefault(digest, []).append(path)
    for path, digest in list(after.items()):
        if path not in old and spare.get(digest):
            # Moved without a change.
            del before[spare[digest].pop()]
            del after[path]
    return sorted(before), sorted(after), moved


def _texts(git: GitRepo, files: Mapping[str, str], paths: Iterable[str]) -> Texts:
    wanted = list(paths)
    held = dict(git.texts(files[path] for path in wanted))
    return {path: held[files[path]] for path in wanted}


def _digest(text: bytes, known: str) -> str:
    """The digest of a working file; that of the index if only the line ends differ."""
    import hashlib

    def blob(content: bytes) -> str:
        make = hashlib.sha256 if len(known) == 64 else hashlib.sha1
        return make(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()

    digest = blob(text)
    if digest != known and b"\r\n" in text and blob(text.replace(b"\r\n", b"\n")) == known:
        return known
    return digest
