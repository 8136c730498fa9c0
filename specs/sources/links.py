"""Entries whose content is elsewhere: links to files and folders of the same repository."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from wirebook.specs.limits import MAX_FILES, MAX_LINK_STEPS, MAX_LINKED_FOLDERS, MAX_LINKS
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import candidate, candidate_file, shown
from wirebook.specs.sources.git_objects import SUBMODULE, TreeEntry

_HOPS = MAX_LINKS
_NESTED = MAX_LINKED_FOLDERS
_STEPS = MAX_LINK_STEPS
_MANY = f"the links in it lead to more than {MAX_FILES} files, or to each other"


class LinkedFiles(NamedTuple):
    """The files that are read through links, by paths that go through them.

    `objects` are the targets, `places` their paths. `lost` are the links that point outside the repository,
    or to nothing.
    """

    objects: Mapping[str, str]
    places: Mapping[str, str]
    lost: tuple[str, ...] = ()


def linked_files(
    entries: Mapping[bytes, TreeEntry], targets: Mapping[bytes, bytes], title: str
) -> LinkedFiles:
    """Resolve the links among all entries of a commit, an index or a working tree, given their targets.

    Builds read specs through links, so their targets are part of the protocol. Raises InputError for
    implausibly many files; `title` names the tree.
    """
    return _Tree(entries, targets, title).linked()


class _Tree:
    """All entries of a tree, and the targets of its links."""

    def __init__(
        self, entries: Mapping[bytes, TreeEntry], targets: Mapping[bytes, bytes], title: str
    ) -> None:
        self.entries = entries
        self.targets = targets
        self.title = title
        self.all = sorted(entries)
        self.paths = [path for path in self.all if path in targets or path.endswith(b".json")]
        self.steps = 0

    def linked(self) -> LinkedFiles:
        objects: dict[str, str] = {}
        places: dict[str, str] = {}
        lost: list[str] = []
        for link in self.targets:
            name = shown(link)
            target_path = self._place(link)
            if target_path is None or not (target_path in self.entries or _below(self.all, target_path)):
                lost.append(name)
                continue
            for path, target in self._files(link, target_path, _NESTED):
                if candidate(shown(path), tests=True):
                    objects[shown(path)] = self.entries[target].object
                    places[shown(path)] = shown(target)
                if len(objects) > MAX_FILES:
                    raise InputError(_MANY, self.title)
        return LinkedFiles(objects, places, tuple(lost))

    def _place(self, path: bytes) -> bytes | None:
        """The path that a path resolves to; None if it is outside the tree."""
        done: list[bytes] = []
        left = path.split(b"/")[::-1]
        hops = 0
        while left:
            part = left.pop()
            if part in (b"", b"."):
                continue
            if part == b"..":
                if not done:
                    return None
                done.pop()
                continue
            done.append(part)
            target = self.targets.get(b"/".join(done))
            if target is not None:
                hops += 1
                if hops > _HOPS or target.startswith(b"/"):
                    return None
                done.pop()
                left += target.split(b"/")[::-1]
        return b"/".join(done)

    def _files(self, path: bytes, place: bytes, depth: int) -> Iterator[tuple[bytes, bytes]]:
        """The files that a link points to, by the path that goes through it, each with its own path."""
        if place in self.entries:
            yield path, place
            return
        start = len(place) + 1 if place else 0
        for number in _below(self.paths, place):
            inner = self.paths[number]
            self.steps += 1
            if self.steps > _STEPS:
                raise InputError(_MANY, self.title)
            through = path + b"/" + inner[start:]
            if inner not in self.targets:
                if self.entries[inner].mode != SUBMODULE:
                    yield through, inner
                continue
            target = self._place(inner)
            if depth and target is not None and not (inner + b"/").startswith(target + b"/"):
                yield from self._files(through, target, depth - 1)


def _below(paths: Sequence[bytes], place: bytes) -> range:
    """The indexes of the paths below a folder, among sorted paths."""
    if not place:
        return range(len(paths))
    # "0" is the character after "/".
    return range(bisect_left(paths, place + b"/"), bisect_left(paths, place + b"0"))


def linked_on_disk(
    top: str, links: Mapping[str, str], leads_nowhere: Callable[[str], bool] = lambda link: False
) -> dict[str, str]:
    """The files that may be specs behind links within a folder, by paths that go through the links.

    `links` are links by path, each with the file to open for it; the result has real files. Links to nothing
    are left out. Raises InputError for one that may lead to specs elsewhere, unless it `leads_nowhere` by its
    path.
    """
    files: dict[str, str] = {}
    real_top = os.path.realpath(top)
    waiting = [(path, file, _NESTED + 1) for path, file in links.items()]
    steps = 0
    while waiting:
        path, file, depth = waiting.pop()
        target = os.path.realpath(file)
        is_folder = os.path.isdir(target)
        if not os.path.exists(target) or not candidate(_named(path) + "/x.json" * is_folder, tests=True):
            continue
        if not _folder(target).startswith(_folder(real_top)):
            if not leads_nowhere(file):
                raise InputError("this link leads out of the folder and its repository", file)
        elif not is_folder:
            files[_named(path)] = target
        elif depth and not _folder(os.path.realpath(os.path.dirname(file))).startswith(_folder(target)):
            for above, folders, names in os.walk(target, onerror=_raise_unreadable):
                inside = os.path.normpath(os.path.join(path, os.path.relpath(above, target)))
                folders[:] = [name for name in folders if candidate(f"{name}/x.json", tests=True)]
                for name in (*folders, *names):
                    inner = os.path.join(above, name)
                    if os.path.islink(inner):
                        waiting.append((os.path.join(inside, name), inner, depth - 1))
                    elif name in names and candidate_file(name):
                        files[_named(os.path.join(inside, name))] = inner
                steps += 1 + len(folders) + len(names)
                if steps > min(_STEPS, MAX_FILES):
                    raise InputError(_MANY, top)
    return files


def _raise_unreadable(error: OSError) -> None:
    raise InputError(error.strerror or str(error), os.fsdecode(error.filename)) from None


def _folder(path: str) -> str:
    """A path with a separator at its end: then only paths below it begin with it."""
    return os.path.join(path, "")


def _named(path: str) -> str:
    return shown(os.fsencode(path)).replace(os.sep, "/")
