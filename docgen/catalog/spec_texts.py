"""The texts of the specs of a project, as trees have them: what the pipeline distributes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import NamedTuple

from wirebook.specs.discovery import is_spec, is_structs
from wirebook.specs.git import Git
from wirebook.specs.imports import imported, may_import
from wirebook.specs.problems import InputError
from wirebook.specs.project import Selection, digest_of
from wirebook.specs.trees import Tree, of_commit


class SpecText(NamedTuple):
    """A spec file: its path inside the source, its bytes, and what identifies them.

    `imports` are the files of structs that it imports, by path; the digest is git's name for all of
    it.
    """

    path: str
    text: bytes
    digest: str
    imports: Mapping[str, bytes] = {}


def spec_texts(
    tree: Tree, selection: Selection, known: dict[tuple[str, str], SpecText | None]
) -> list[SpecText]:
    """The texts of the specs of a project, each with what it imports if that can be read. Raises
    InputError.

    `known` keeps those that other trees have as well.
    """
    found: list[SpecText] = []
    for path in filter(selection.takes, tree.files):
        key = (path, tree.files[path].blob)
        if key not in known:
            text = tree.files[path].read()
            is_one = not is_structs(text) and is_spec(text, path)
            known[key] = SpecText(path, text, key[1]) if is_one else None
        spec = known[key]
        if spec is None:
            continue
        imports: Mapping[str, bytes] = {}
        if may_import(spec.text):
            with suppress(InputError):  # the reader reports what is missing
                imports = imported(spec.text, path, tree.text)
        if imports:
            spec = SpecText(path, spec.text, digest_of(spec.text, imports), imports)
        found.append(spec)
    return found


def texts_of_commits(
    git: Git, commits: Iterable[str], selection: Selection
) -> dict[str, list[SpecText]]:
    """The texts of the specs of a project in each of some commits. Raises InputError."""
    known: dict[tuple[str, str], SpecText | None] = {}
    return {
        commit: spec_texts(of_commit(git, commit), selection, known)
        for commit in dict.fromkeys(commits)
    }
