"""The JSON files of a commit, the index or a working tree: their digests, and functions that read them."""

import os
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wirebook.specs.files import read_file
from wirebook.specs.limits import MAX_TEXT, MAX_TOTAL
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import (
    ENVIRONMENT,
    HEAD,
    PROFILE,
    REGISTRY,
    candidate,
    is_spec,
    place_of,
    shown,
    two_of_a_name,
)
from wirebook.specs.sources.alike import alike_paths, may_be_alike
from wirebook.specs.sources.attributes import AttributeReader
from wirebook.specs.sources.git import GitRepo, OversizeError, conflict
from wirebook.specs.sources.git_command import run
from wirebook.specs.sources.git_objects import ATTRIBUTES, LINK, SUBMODULE, Alike, TreeEntry
from wirebook.specs.sources.repository import Repository

if TYPE_CHECKING:
    # An ordinary repository has no links.
    from wirebook.specs.sources.links import LinkedFiles

_BLOBS = ("100644", "100755", "100664")
_OTHERS = (LINK.encode(), SUBMODULE.encode())
# The endings of the files that decide what specs mean: profiles, settings, attributes and tables, which may
# be in folders without specs.
_DECIDING = (".toml", ATTRIBUTES, REGISTRY)
# How `git ls-files -t` marks a file that the index does not have, and one that the working tree may omit.
_UNTRACKED, _OMITTED = b"? ", b"S "

# By path; the reason if a text cannot be read.
FileTexts = dict[str, bytes | InputError]


class FileSet(NamedTuple):
    """JSON files: the digest of each by its path from the top, and a function that reads some of them.

    `unread` has a line for each existing file that cannot be used, with the reason. `every_path` lists all
    JSON files, including those of skipped folders; None if they cannot be listed. `places` has the actual
    path of each file that is read through a link. `closed` are submodules, and links to nothing in the
    repository, each with its kind. `attributes` opens the attributes that git gives to the files, if git has
    them. `alike` are paths of which a checkout may have only one. `has_imports` is whether `read` returns
    specs with what they import. `omitted` are the JSON and TOML files that a sparse working tree omits: they
    are as in the index. `untracked` are new files of a working tree that decide what specs mean.
    """

    files: Mapping[str, str]
    read: Callable[[Iterable[str]], FileTexts]
    unread: tuple[str, ...] = ()
    every_path: Callable[[], list[str]] | None = None
    places: Mapping[str, str] = {}
    closed: Mapping[str, str] = {}
    attributes: Callable[[], AttributeReader] | None = None
    alike: Sequence[Alike] = ()
    has_imports: bool = False
    omitted: Collection[str] = ()
    untracked: Collection[str] = ()

    def taken(self, takes: Callable[[str], bool]) -> "FileSet":
        """The files that count: through a link, those that do not count at their own path."""
        files = {path: name for path, name in self.files.items() if takes(path)}
        own = files.keys() - self.places.keys()
        for path, place in self.places.items():
            if place in own:
                files.pop(path, None)
        return self._replace(files=files)

    def beside(self, others: "FileSet") -> "FileSet":
        """These files and others."""

        def read(paths: Iterable[str]) -> FileTexts:
            every_path = list(paths)
            own = self.read(path for path in every_path if path not in others.files)
            more = others.read(path for path in every_path if path in others.files)
            return {path: more[path] if path in more else own[path] for path in every_path}

        return self._replace(files={**self.files, **others.files}, read=read)

    @classmethod
    def of_texts(cls, texts: Iterable[tuple[str, str, bytes]]) -> "FileSet":
        """Files from (path, digest, text), as a source returns them."""
        contents = {path: (digest, text) for path, digest, text in texts}
        files = {path: digest for path, (digest, _) in contents.items()}
        return cls(files, lambda paths: {path: contents[path][1] for path in paths}, has_imports=True)

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
) -> Callable[[], AttributeReader]:
    """Opens the attributes in a commit, or for "" in the index; for the others see AttributeReader."""

    def opened() -> AttributeReader:
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
    listed = run(folder, "ls-files", "-s", "-z", "--full-name", "--", ":(top)", index=True)
    entries, conflicts = _index_entries(listed)
    objects = {os.fsdecode(name): entry.object for name, entry in entries.items()}
    for path in repository.git.intended(objects):
        del entries[os.fsencode(path)]
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
    # gitformat-index(5): the mode of an entry has 32 bits. The entries of a split index ("link") are in
    # another file, and a sparse one ("sdir") has folders in the place of entries.
    signs = (b"\0\0\xa0\0", b"\0\0\xe0\0", b"link\0\0", b"sdir\0\0")
    return any(sign in data for sign in signs)


def alike_added(index: Path, folder: str, added: Sequence[bytes]) -> list[Alike]:
    """The pairs of paths, of which a checkout may have only one, that some new paths of an index are in."""
    if not added:
        return []
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
    """All entries of an index, and the JSON files and profiles in a merge conflict."""
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
            elif name.endswith(b".json") or _is_profile(name):
                conflicts[shown(name)] = None
    return entries, list(conflicts)


def _is_profile(name: bytes) -> bool:
    return name.rpartition(b"/")[2] == PROFILE.encode()


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
        is_profile = name.endswith(b".toml") and (_is_profile(name) or not head.endswith(b"U"))
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
    paths: set[str] = set()
    added: list[str] = []
    for change in changes:
        if change.path in paths and not change.is_unmerged:
            raise _repeated(change.path)
        if not change.is_unmerged:
            paths.add(change.path)
            if change.is_added:
                added.append(change.path)
    # A link or a file may replace a folder.
    objects = git.at(ref, added) if added else {}
    for path, item in objects.items():
        if item.kind == "blob":
            raise _repeated(path)


def _repeated(path: str) -> InputError:
    return InputError(
        "the index has this file twice: run git read-tree HEAD, and stage the change again", path
    )


def unmerged_line(path: str) -> str:
    """The line of `unread` for a file in a merge conflict."""
    return str(conflict(path))


def working_files(repository: Repository) -> FileSet:
    """The files of the working tree: tracked ones, and new ones that are not ignored.

    New ones in a virtual environment do not count either.
    """
    tree = _WorkingTree(repository)
    listed = run(tree.top, "ls-files", "-s", "-t", "-z", "-c", "-o", "--exclude-standard", "--full-name",
                 "--", ":(top)").split(b"\0")  # fmt: skip
    marker = f"/{ENVIRONMENT}".encode()
    environments = tuple(
        line[: -len(ENVIRONMENT)] for line in listed if line.startswith(_UNTRACKED) and line.endswith(marker)
    )
    listed = [line for line in listed if not line.startswith(environments)]
    for entry in _listed(listed):
        tree.add(entry)
    linked = tree.follow_links(listed)
    return FileSet(
        tree.files,
        tree.read,
        tuple(tree.unread),
        tree.paths_on_disk,
        tree.places,
        _closed(linked, tree.submodules),
        tree.open_attributes,
        _alike_on_disk(tree.top, listed),
        omitted=tree.omitted,
        untracked=tree.untracked,
    )


def index_is_as_in(commit: str, folder: str) -> bool:
    """Whether the index of a folder's repository has the specs of a commit, and what they depend on."""
    return not index_changes(folder, commit).changes


def tree_is_as_in(repository: Repository, commit: str, files: FileSet) -> bool:
    """Whether the working tree, with these `files`, has the specs of a commit, and what they depend on.

    Of its new JSON files, only specs and registries matter. `git status` is not used: it runs the filters
    that the settings of a repository name.
    """
    git, top = repository.git, str(repository.top)
    before, after = commit_files(git, commit).files, files.files
    new = [path for path in after if path not in before]
    if any(after.get(path) != name for path, name in before.items()):
        return False
    texts = files.read(new).items()
    if any(isinstance(text, InputError) or is_spec(text, place_of(path)) for path, text in texts):
        return False
    if files.untracked:
        return False
    listed = run(top, "diff-index", "--name-only", "-z", "--no-renames", "--ignore-submodules", commit,
                 "--", *(f":(top)*{end}" for end in (*_DECIDING, ".json")))  # fmt: skip
    # git lists every file that was written since, even if its text is the same.
    paths = [os.fsdecode(name) for name in listed.split(b"\0") if name]
    committed = git.at(commit, paths)
    for path in paths:
        _, text = read_regular(os.path.join(top, path))
        recorded = committed[path].name if path in committed else ""
        if text is None or _digest(text, recorded) != recorded:
            return False
    return True


class _WorkingTree:
    """The files of a working tree, collected from what git lists of it."""

    def __init__(self, repository: Repository) -> None:
        assert repository.top is not None
        self.git = repository.git
        self.top = str(repository.top)
        self.files: dict[str, str] = {}
        self.unread: dict[str, None] = {}
        self.places: dict[str, str] = {}
        self.submodules: list[str] = []
        self.omitted: set[str] = set()
        self.untracked: set[str] = set()
        self._texts: FileTexts = {}
        self._names: dict[str, bytes] = {}
        self._has_links = False
        self._attributes: dict[str, str] = {}
        self._behind_links = _BehindLinks(self.top)
        self._last_digest = ""

    def add(self, entry: "_ListedFile") -> None:
        """Add what git lists. Raises InputError if the file system cannot distinguish two files."""
        path = shown(entry.name)
        self._last_digest = entry.digest
        if not entry.digest and path.endswith(_DECIDING):
            self.untracked.add(path)
        if entry.name.endswith(ATTRIBUTES.encode()):
            _, text = read_regular(self._on_disk(entry))
            if text is not None:
                self._attributes[path] = _digest(text, entry.digest)
        elif entry.mode == SUBMODULE:
            self.submodules.append(path)
        elif entry.is_omitted and entry.name.endswith(b".toml"):
            if not os.path.lexists(self._on_disk(entry)):
                self.omitted.add(path)
        elif self._names.setdefault(path, entry.name) != entry.name:
            raise two_of_a_name(path, self.top)
        elif self._may_count(entry, path):
            try:
                self._add_file(entry, path)
            except InputError as error:
                self.unread[f"{path}: {error.message}"] = None

    def _may_count(self, entry: "_ListedFile", path: str) -> bool:
        """Whether a file may be a spec, or a link to one or to a folder of some."""
        if path in self.files or not (candidate(path, tests=True) or candidate(f"{path}/x.json", tests=True)):
            return False
        return not self._is_behind_link(entry)

    def _is_behind_link(self, entry: "_ListedFile") -> bool:
        """Whether a link replaces a folder of a file: git treats what was in the folder as deleted."""
        return os.path.dirname(os.fsdecode(entry.name)) in self._behind_links

    def _add_file(self, entry: "_ListedFile", path: str) -> None:
        """Add a file that may be a spec, or note that there is a link that may lead to some."""
        is_kept = candidate(path, tests=True) and entry.mode != LINK and self._keep(entry, path)
        if not is_kept and self._target(entry) is not None:
            self._has_links = True
        elif not is_kept and candidate(path, tests=True):
            self._keep(entry, path)

    def _keep(self, entry: "_ListedFile", path: str) -> bool:
        """Add a file at a path, if it exists or is omitted; a file that is omitted is not deleted."""
        location, recorded = self._on_disk(entry), entry.digest or self._last_digest
        exists, text = read_regular(location)
        if text is not None:
            self._texts[path], self.files[path] = text, _digest(text, recorded)
        elif exists:
            _, whole = read_regular(location, MAX_TOTAL)
            self._texts[path] = OversizeError(b"" if whole is None else whole[:HEAD])
            self.files[path] = "too large" if whole is None else _digest(whole, recorded)
        elif entry.is_omitted and entry.mode in _BLOBS:
            self.files[path] = entry.digest
            self.omitted.add(path)
        return path in self.files

    def _target(self, entry: "_ListedFile") -> bytes | None:
        """The target of a link; None for another file."""
        location = self._on_disk(entry)
        if os.path.islink(location):
            return os.fsencode(os.readlink(location).replace(os.sep, "/"))
        if entry.mode != LINK:
            return None
        exists, text = read_regular(location)
        if exists:
            # A file system without links (core.symlinks) stores the target in a file.
            return text if text is not None and _digest(text, entry.digest) == entry.digest else None
        stored = dict(self.git.texts([entry.digest]))[entry.digest] if entry.is_omitted else None
        return stored if isinstance(stored, bytes) else None

    def _on_disk(self, entry: "_ListedFile") -> str:
        return os.path.join(self.top, os.fsdecode(entry.name))

    def follow_links(self, listed: Iterable[bytes]) -> "LinkedFiles | None":
        """Add the files that are read through links, which are among those that git lists; returns them, None
        if there are no links.
        """
        if not self._has_links:
            return None
        from wirebook.specs.sources.links import linked_files

        present = {
            entry.name: entry
            for entry in map(_ListedFile.of, filter(None, listed))
            if not self._is_behind_link(entry) and (entry.is_omitted or os.path.lexists(self._on_disk(entry)))
        }
        targets = {
            name: target for name, entry in present.items() if (target := self._target(entry)) is not None
        }
        entries = {name: TreeEntry(entry.mode, os.fsdecode(name)) for name, entry in present.items()}
        linked = linked_files(entries, targets, self.top)
        for path, name in linked.objects.items():
            if path not in self.files and self._keep(present[os.fsencode(name)], path):
                self.places[path] = linked.places[path]
        return linked

    def read(self, paths: Iterable[str]) -> FileTexts:
        """The texts of some files."""
        every_path = list(paths)
        missing = _texts(self.git, self.files, [path for path in every_path if path in self.omitted])
        return {
            path: missing[path] if path in missing else _unless_other(path, self._texts[path])
            for path in every_path
        }

    def paths_on_disk(self) -> list[str]:
        """All JSON files, including those of skipped folders."""
        json_paths = (path for path in self._names if path.endswith(".json"))
        return [path for path in json_paths if os.path.exists(os.path.join(self.top, path))]

    def open_attributes(self) -> AttributeReader:
        """The attributes that git gives to the files."""

        def read(path: str) -> bytes | None:
            return read_regular(os.path.join(self.top, path))[1]

        return AttributeReader.of_working_tree(self.git, read, self._attributes)


def _alike_on_disk(top: str, listed: Sequence[bytes]) -> list[Alike]:
    """The pairs of paths in a working tree; what is only in the index may have been renamed."""
    names = [entry[2:] if entry[:1] == b"?" else entry.partition(b"\t")[2] for entry in listed if entry]
    if not alike_paths(names):
        return []
    return alike_paths(name for name in names if os.path.lexists(os.path.join(top, os.fsdecode(name))))


class _ListedFile(NamedTuple):
    """A file of a working tree: its name, and its mode and digest in the index ("" if untracked).

    `is_omitted` if a sparse working tree may omit it.
    """

    name: bytes
    mode: str
    digest: str
    is_omitted: bool

    @classmethod
    def of(cls, line: bytes) -> "_ListedFile":
        """A file from a line of `git ls-files -s -t -c -o`."""
        if line.startswith(_UNTRACKED):
            # A trailing slash marks a repository of its own.
            return cls(line[2:].rstrip(b"/"), SUBMODULE if line.endswith(b"/") else "", "", False)
        head, _, name = line[2:].partition(b"\t")
        mode, digest, _ = head.decode().split(" ")
        return cls(name, mode, digest, line.startswith(_OMITTED))


def _listed(listed: Iterable[bytes]) -> Iterator[_ListedFile]:
    """The files of a working tree that may matter: JSON files, links, submodules, untracked files, and
    profiles that may be omitted.
    """
    for line in listed:
        may_matter = line.endswith((b".json", ATTRIBUTES.encode())) or line[2:8] in _OTHERS
        if may_matter or line[:1] == b"?" or (line.startswith(_OMITTED) and line.endswith(b".toml")):
            yield _ListedFile.of(line)


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


def read_regular(path: str, limit: int | None = None) -> tuple[bool, bytes | None]:
    """Whether a regular file exists, and its text; None if that has more bytes than `limit`, or than a spec.

    Links, pipes and devices are not opened. Raises InputError for a file that cannot be read.
    """
    try:
        # Opening a device may do something.
        content = read_file(path, limit or MAX_TEXT) if stat.S_ISREG(os.lstat(path).st_mode) else None
    except (FileNotFoundError, NotADirectoryError):
        return False, None
    except OSError as error:
        raise InputError(error.strerror or str(error), path) from None
    if content is None:
        return False, None
    text, is_whole = content
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


def _texts(git: GitRepo, files: Mapping[str, str], paths: Iterable[str]) -> FileTexts:
    names = list(paths)
    texts = dict(git.texts(files[path] for path in names))
    return {path: _unless_other(path, texts[files[path]]) for path in names}


def _unless_other(path: str, text: bytes | InputError) -> bytes | InputError:
    """The text of a file; of one that is too large for a spec, and that is none, the beginning."""
    if not isinstance(text, OversizeError) or not text.beginning:
        return text
    return text if is_spec(text.beginning, place_of(path), whole=False) else text.beginning


def _digest(text: bytes, recorded: str) -> str:
    """The digest of a working file; that of the index if only the line ends differ."""
    import hashlib

    def blob(content: bytes) -> str:
        make = hashlib.sha256 if len(recorded) == 64 else hashlib.sha1
        return make(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()

    digest = blob(text)
    if digest != recorded and b"\r\n" in text and blob(text.replace(b"\r\n", b"\n")) == recorded:
        return recorded
    return digest
