"""The repositories of a survey, with their names and the tags or branches that count."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError


@dataclass(frozen=True, slots=True)
class Given:
    """A repository: its name in the result, where it is, and a glob of release tags or branches.

    Without a glob (None) all tags that name a release count, except pre-releases.
    """

    name: str
    path: str
    pattern: str | None = None


def parse_given(text: str) -> Given:
    """Read PATH, NAME=PATH, PATH@GLOB or NAME=PATH@GLOB; a path that exists is used unchanged.

    Raises InputError if a part is empty.
    """
    name, equals, rest = text.partition("=")
    if not equals or os.path.exists(text):
        name, rest = "", text
    path, pattern = rest, None
    if "@" in rest and not os.path.exists(rest):
        path, _, pattern = rest.rpartition("@")
    if not path or pattern == "" or (equals and not name and rest != text):
        raise InputError(f'"{text}" is not a repository: write PATH or NAME=PATH, optionally with @GLOB')
    return Given(name or title_of(path), path, pattern)


def title_of(repository: str) -> str:
    """The default name of a repository: the last part of its path."""
    path = Path(repository).resolve()
    return (path.parent if path.name == ".git" else path).name.removesuffix(".git").removesuffix(".bundle")


def in_order(repositories: Sequence[Given], reference: str | None) -> list[Given]:
    """The repositories: the reference (default: the first) and then the others by name.

    Raises InputError if there is none, two have one name, or none has that of the reference.
    """
    if not repositories:
        raise InputError("name the repositories: wirebook survey REPO…")
    counts = Counter(repository.name for repository in repositories)
    twice = [name for name, count in counts.items() if count > 1]
    if twice:
        raise InputError(f'two repositories are called "{visible(twice[0])}"; name them: NAME=PATH')
    name = reference or repositories[0].name
    first = next((repository for repository in repositories if repository.name == name), None)
    if first is None:
        names = ", ".join(visible(repository.name) for repository in repositories)
        raise InputError(f'no repository is called "{visible(name)}"; there are {names}')
    others = (repository for repository in repositories if repository is not first)
    return [first, *sorted(others, key=lambda repository: repository.name)]
