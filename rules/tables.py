"""The tables of a project: protocol levels, error codes, and values of fields, in JSON files beside
its specs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from wirebook.rules.catalogue import read
from wirebook.specs.discovery import REGISTRY, candidate
from wirebook.specs.problems import InputError
from wirebook.specs.profile import Profile
from wirebook.specs.project import Selection
from wirebook.specs.trees import Tree

if TYPE_CHECKING:
    from wirebook.specs.levels import Registry
    from wirebook.specs.model import TableValues
    from wirebook.specs.numbers import DescribedError


class Tables(NamedTuple):
    """The tables of one side, or of a release; None for one that it lacks or that cannot be read,
    for which `unreadable` has the error."""

    levels: Registry | None = None
    errors: tuple[DescribedError, ...] | None = None
    values: TableValues | None = None
    release: str = ""
    unreadable: tuple[InputError, ...] = ()


class TablesPair(NamedTuple):
    """The tables of base and head, and those of releases, oldest first."""

    base: Tables = Tables()
    head: Tables = Tables()
    released: tuple[Tables, ...] = ()


NO_TABLES = TablesPair()


def table_paths(tree: Tree, selection: Selection, profile: Profile) -> dict[str, str]:
    """The paths of the tables of a project, by kind: those that its profile names, and the protocol
    levels beside its specs.

    Raises InputError if two files have protocol levels.
    """
    paths = dict(profile.tables)
    if "levels" in paths:
        return paths
    for path, file in tree.files.items():
        if path.rpartition("/")[2] != REGISTRY or selection.excludes(path):
            continue
        if not (selection.takes(path) or candidate(path)):
            continue
        text = file.read()
        if b'"release"' not in text or b'"$schema"' in text:
            continue
        other = paths.setdefault("levels", path)
        if other != path:
            raise InputError(f"{other} has protocol levels, too: exclude one of them", path)
    return paths


def tables_of(
    tree: Tree, paths: Mapping[str, str], *, release: str = "", strict: bool = False
) -> Tables:
    """The tables at some paths, by kind. Raises InputError for one that cannot be read, if
    `strict`."""
    tables: dict[str, Any] = {}
    unreadable = []
    for kind, path in paths.items():
        try:
            tables[kind] = read(kind, tree.text(path), path)
        except InputError as error:
            if strict:
                raise
            unreadable.append(error)
    return Tables(**tables, release=release, unreadable=tuple(unreadable))
