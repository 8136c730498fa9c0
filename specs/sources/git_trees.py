"""Reads the trees of a git repository: the JSON files of a commit, and their paths."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from wirebook.specs.limits import MAX_FILES, MAX_FOLDERS
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import candidate_file, shown, skipped_folder, two_of_a_name
from wirebook.specs.sources.alike import alike_siblings, of_files
from wirebook.specs.sources.git_objects import ATTRIBUTES, LINK, SUBMODULE, Alike, GitObject, ObjectReader

_KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "tree", stat.S_IFLNK: LINK}
_OTHERS = (LINK, SUBMODULE)
_KIND_BITS = 0o170000  # of a mode
_ALIKE = "alike"  # in the place of a mode: a name, and in the place of its object one that is like it


class _Node(NamedTuple):
    name: str
    is_folder: bool
    object: str
    mode: str = ""  # of entries that are not files


class TreeFiles(NamedTuple):
    """The relevant entries of a tree: the objects of files that may be specs, and of files of attributes, by
    path.

    Also the paths of its submodules, whether there are links, and which paths are alike.
    """

    files: dict[str, str]
    attributes: dict[str, str]
    submodules: tuple[str, ...]
    has_links: bool
    alike: tuple[Alike, ...] = ()


class TreeReader:
    """The trees of a repository; a tree that several commits share is read once."""

    def __init__(self, objects: ObjectReader) -> None:
        self._objects = objects
        self._trees: dict[tuple[str, bool], tuple[_Node, ...]] = {}

    def files(self, tree: str, title: str, *, tests: bool) -> TreeFiles:
        """The JSON files in a tree that may be specs, and other relevant entries; no file is read.

        `title` names the tree in the InputError for too many files, or two with the same name.
        """
        self._load(tree, tests)
        files: dict[str, str] = {}
        attributes: dict[str, str] = {}
        submodules: list[str] = []
        pairs: list[tuple[str, str]] = []
        has_links = False
        for path, node in self._walk(tree, tests):
            if node.mode == _ALIKE:
                pairs.append((path, f"{path.removesuffix(node.name)}{node.object}"))
            elif node.mode:
                has_links = has_links or node.mode == LINK
                submodules += [path] * (node.mode == SUBMODULE)
            elif node.name == ATTRIBUTES:
                attributes[path] = node.object
            elif path in files:
                raise two_of_a_name(path, self._objects.path)
            else:
                files[path] = node.object
            if len(files) > MAX_FILES:
                raise InputError(f"{title} has more than {MAX_FILES} JSON files", self._objects.path)
        alike = of_files(pairs, (*files, *attributes)) if pairs else ()
        return TreeFiles(files, attributes, tuple(submodules), has_links, tuple(alike))

    def _load(self, top: str, tests: bool) -> None:
        """Read all unknown trees below one, level by level, and keep those that may contain specs."""
        levels: list[list[tuple[str, list[_Node]]]] = []
        names = [top]
        seen: set[str] = set()
        while names := [
            name for name in dict.fromkeys(names) if name not in seen and (name, tests) not in self._trees
        ]:
            if len(levels) > MAX_FOLDERS:
                raise self._too_deep()
            level: list[tuple[str, list[_Node]]] = []
            for name, tree in zip(names, self._objects.query(names), strict=True):
                if tree.kind != "tree" or not tree.is_complete:
                    raise self._objects.damaged(name)
                level.append((name, list(self._nodes(tree, tests))))
            levels.append(level)
            seen.update(names)
            names = [node.object for _, nodes in level for node in nodes if node.is_folder]
        # From the deepest level up, so that folders without specs are known when their parents are examined.
        for level in reversed(levels):
            for name, nodes in level:
                self._trees[name, tests] = tuple(
                    node
                    for node in nodes
                    if not node.is_folder or self._trees.get((node.object, tests), True)
                )

    def _nodes(self, tree: GitObject, tests: bool) -> Iterator[_Node]:
        """The entries of a tree, without files that are never specs."""
        width = len(tree.name) // 2
        names: list[bytes] = []
        at, data = 0, tree.data
        while at < len(data):
            space = data.find(b" ", at)
            end = data.find(b"\0", space)
            if not at < space < end < len(data) - width:
                raise self._objects.damaged(tree.name)
            kind, raw = _kind_of(data[at:space]), data[space + 1 : end]
            if kind is None:
                raise self._objects.damaged(tree.name)
            name = shown(raw)
            names.append(raw)
            at = end + 1 + width
            is_folder = kind == "tree"
            if kind in _OTHERS and name != ATTRIBUTES:  # git reads attributes from the text of a link
                if candidate_file(name) or not skipped_folder(name, tests):
                    yield _Node(name, False, data[end + 1 : at].hex(), kind)
                continue
            is_candidate = (
                not skipped_folder(name, tests) if is_folder else candidate_file(name) or name == ATTRIBUTES
            )
            if is_candidate:
                yield _Node(name, is_folder, data[end + 1 : at].hex())
        for raw, other in alike_siblings(names):
            yield _Node(shown(raw), False, shown(other), _ALIKE)

    def _walk(self, tree: str, tests: bool, above: str = "") -> Iterator[tuple[str, _Node]]:
        if above.count("/") > MAX_FOLDERS:
            raise self._too_deep()
        for node in self._trees[tree, tests]:
            path = f"{above}{node.name}"
            if node.is_folder:
                yield from self._walk(node.object, tests, f"{path}/")
            else:
                yield path, node

    def _too_deep(self) -> InputError:
        return InputError(f"folders are nested more than {MAX_FOLDERS} deep in it", self._objects.path)


@lru_cache(maxsize=64)
def _kind_of(mode: bytes) -> str | None:
    """What an entry with a mode is to git: "file", "tree", LINK, or SUBMODULE for anything else; None if it
    is no mode.

    Other programs may write more zeros in front, and other permissions.
    """
    if mode.strip(b"01234567"):
        return None
    return _KINDS.get(int(mode, 8) & _KIND_BITS, SUBMODULE)
