"""Git objects of a hostile repository, as `git cat-file --batch` prints them."""

from __future__ import annotations

import io
from types import SimpleNamespace
from typing import Any, cast

from wirebook.specs.problems import InputError
from wirebook.specs.sources.git import GitRepo
from wirebook.specs.sources.git_command import reason
from wirebook.specs.sources.releases import pick_releases

COMMIT = "1" * 40


def printed(kind: str, data: bytes, name: str = "2" * 40, size: int | None = None) -> bytes:
    """An object as git prints it."""
    return f"{name} {kind} {len(data) if size is None else size}\n".encode() + data + b"\n"


def tree(*entries: tuple[str, bytes, str]) -> bytes:
    """The data of a tree: mode, name and object of each entry."""
    return b"".join(mode.encode() + b" " + name + b"\0" + bytes.fromhex(at) for mode, name, at in entries)


def repository(data: bytes) -> None:
    """The tree of a commit with its specs, the commit, texts, what git writes to stderr, and names of tags.

    Each of them reads the bytes from the beginning.
    """
    repo = GitRepo("repository")
    try:
        _playing(repo, data)
        for entry in repo.entries(COMMIT):
            assert not entry.path.startswith("/")
            assert ".." not in entry.path.split("/")
            repo.read(entry.digest)
    except InputError:
        pass
    _playing(repo, data)
    for _, _commit in zip(range(1000), repo.first_parents(COMMIT), strict=False):
        pass
    _playing(repo, data)
    for name, text in repo.texts(["2" * 40, "3" * 40]):
        assert name
        assert isinstance(text, bytes | InputError)
    assert "\n" not in reason(data)
    names = data.decode("utf-8", "surrogateescape").split("\n")[:1000]
    found = pick_releases(names, "*")
    assert set(found.names) <= set(names)


def _playing(repo: GitRepo, data: bytes) -> None:
    """Have a repository read `data` instead of the output of git."""
    process = SimpleNamespace(stdin=io.BytesIO(), stdout=io.BytesIO(data), kill=_nothing, wait=_nothing)
    process.communicate = _nothing
    objects = cast(Any, repo.objects)
    objects._process = process
    objects._answers = process.stdout
    objects._start = _no_more
    objects._is_partial = False


def _no_more() -> None:
    raise InputError("git stopped", "repository")


def _nothing() -> None:
    pass
