"""An index that has a file twice: git commits it, and no check can tell which one counts."""

from __future__ import annotations

import hashlib
import json
import struct
from pathlib import Path

import pytest

from tests.repositories import FOLDER, Repo, broken, started
from wirebook.cli.main import main

PATH = f"{FOLDER}/FetchRequest.json"
SAID = (
    f"wirebook: {PATH}: the index has this file twice: run git read-tree HEAD, and stage the change again\n"
)


def entry(path: str, digest: str, mode: int) -> bytes:
    name = path.encode()
    data = struct.pack(">10I", *[0] * 6, mode, *[0] * 3) + bytes.fromhex(digest)
    data += struct.pack(">H", min(len(name), 0xFFF)) + name
    return data + bytes(8 - len(data) % 8)


def index_of(repo: Repo, more: list[tuple[str, str, bool]]) -> None:
    """Write an index with the files of HEAD, and others before or after those of the same name."""
    entries = []
    for line in repo.git("ls-tree", "-r", "HEAD").splitlines():
        head, _, path = line.partition("\t")
        mode, _, digest = head.split()
        own = [(path, digest, int(mode, 8))]
        before = [(path, other, 0o100644) for name, other, first in more if name == path and first]
        after = [(path, other, 0o100644) for name, other, first in more if name == path and not first]
        entries += [*before, *own, *after]
    known = {path for path, _, _ in entries}
    entries += [(path, digest, 0o100644) for path, digest, _ in more if path not in known]
    entries.sort(key=lambda item: item[0].encode())
    data = b"DIRC" + struct.pack(">2I", 2, len(entries)) + b"".join(entry(*item) for item in entries)
    (repo.folder / ".git/index").write_bytes(data + hashlib.sha1(data, usedforsecurity=False).digest())


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with one commit."""
    repo = started(tmp_path / "repository")
    monkeypatch.chdir(repo.folder)
    return repo


def digest_of(repo: Repo, content: object) -> str:
    place = repo.folder.parent / "content.json"
    place.write_text(json.dumps(content), encoding="utf-8")
    return repo.git("hash-object", "-w", str(place))


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("linked", [True, False])
def test_a_break_in_one_of_two_entries(
    repo: Repo, capsys: pytest.CaptureFixture[str], first: bool, linked: bool
) -> None:
    if linked:
        # The whole index is then read.
        (repo.folder / "link").symlink_to(FOLDER)
        repo.commit("link")
    index_of(repo, [(PATH, digest_of(repo, broken()), first)])
    assert main(["check", "--staged"]) == 2
    assert capsys.readouterr().err == SAID
    repo.git("read-tree", "HEAD")
    assert main(["check", "--staged"]) == 0


def test_two_entries_of_a_new_file(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    path = f"{FOLDER}/NewRequest.json"
    one, two = (digest_of(repo, {**broken(), "apiKey": 900, "name": name}) for name in ("New", "Old"))
    index_of(repo, [(path, one, False), (path, two, False)])
    assert main(["check", "--staged"]) == 2
    assert path in capsys.readouterr().err


def test_an_index_as_git_writes_it(repo: Repo) -> None:
    index_of(repo, [(f"{FOLDER}/A.json", digest_of(repo, {"type": "x"}), False)])
    assert main(["check", "--staged"]) == 0
