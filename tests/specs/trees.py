"""Small trees of specs for tests: as a folder, an archive, a repository; and what reading one says."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.repositories import git
from wirebook.specs.problems import InputError
from wirebook.specs.sources.source import SpecText, open_source

SPEC = b'{"name": "FooRequest", "type": "request", "apiKey": 1, "validVersions": "0", "fields": []}\n'
TREE = {
    "clients/message/FooRequest.json": SPEC,
    "core/src/main/resources/Bar.json": SPEC.replace(b"Foo", b"Bar"),
    "names with spaces/é.json": SPEC.replace(b"Foo", b"Baz"),
    "clients/message/BrokenRequest.json": b'{"name": ',
    "package.json": b'{"name": "other", "type": "module"}',
    "schema/message.json": b'{"$defs": {}, "properties": {"validVersions": {}, "name": {}}}',
    "src/test/resources/message/TestRequest.json": SPEC,
    "messages/examples/FooRequest.json": SPEC,
    "build/FooRequest.json": SPEC,
    "storage/bin/main/message/FooRequest.json": SPEC,
    ".hidden/FooRequest.json": SPEC,
    "clients/message/._FooRequest.json": b"\0\5\x16\7",
    "README.md": b"words",
}
SPECS = [
    "clients/message/BrokenRequest.json",
    "clients/message/FooRequest.json",
    "core/src/main/resources/Bar.json",
    "names with spaces/é.json",
]


def lay(folder: Path, tree: dict[str, bytes]) -> Path:
    """Write a tree into a folder, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in tree.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
    return folder


def commit(folder: Path, tree: dict[str, bytes], message: str = "words") -> str:
    """Commit exactly this tree into a repository, which is made where there is none; its name."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / ".git").exists():
        git(folder, "init", "-q", "-b", "main")
    git(folder, "rm", "-r", "-q", "-f", "--ignore-unmatch", ".")
    git(lay(folder, tree), "add", "-A", "-f")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD")


def zipped(path: Path, tree: dict[str, bytes]) -> Path:
    """Make a zip (or jar, or wheel) of a tree."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in tree.items():
            archive.writestr(name, text)
    return path


def tarred(path: Path, tree: dict[str, bytes]) -> Path:
    """Make a packed tar of a tree."""
    with tarfile.open(path, "w:gz") as archive:
        for name, text in tree.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
    return path


def read(source: Path | str, *, tests: bool = False, cwd: Path | None = None) -> list[SpecText]:
    """The specs of a source."""
    return open_source(str(source), tests=tests, cwd=cwd).texts()


def paths(source: Path | str, *, tests: bool = False, cwd: Path | None = None) -> list[str]:
    """The paths of the specs of a source."""
    return [text.path for text in read(source, tests=tests, cwd=cwd)]


def refused(source: Path | str, cwd: Path | None = None) -> str:
    """The one line with which a source is refused."""
    with pytest.raises(InputError) as caught:
        open_source(str(source), cwd=cwd).texts()
    assert "\n" not in str(caught.value)
    return str(caught.value)
