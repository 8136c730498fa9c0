"""Small trees of specs for tests: as a folder, an archive, a repository; and what reading one says."""

from __future__ import annotations

from pathlib import Path

from tests.repositories import git

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
