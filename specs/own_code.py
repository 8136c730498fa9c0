"""A digest of wirebook's own code: cached results depend on the code that computed them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from wirebook import _version

PACKAGE = Path(_version.__file__).parent


def modules(*packages: str) -> Iterator[Path]:
    """All Python files of some packages ("specs", "rules", …), or of all, in a fixed order."""
    return (Path(entry.path) for entry in _files(packages))


def tables() -> list[Path]:
    """The facts of Kafka that code reads, such as the names of its APIs."""
    return sorted((PACKAGE / "specs" / "kafka").glob("*.json"))


def _files(packages: Sequence[str]) -> Iterator[os.DirEntry[str]]:
    """Implements `modules`. In a checkout, it follows the links to the folders beside `wirebook/`."""
    for top in [os.path.join(PACKAGE, name) for name in packages] or [os.fspath(PACKAGE)]:
        yield from _below(top)


def _below(folder: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as listing:
        entries = [entry for entry in listing if entry.name.endswith(".py") or "." not in entry.name]
    entries.sort(key=lambda entry: entry.name)
    yield from (entry for entry in entries if entry.name.endswith(".py"))
    for entry in entries:
        if not entry.name.endswith(".py") and entry.name != "__pycache__" and entry.is_dir():
            yield from _below(entry.path)


def digest(*packages: str) -> str:
    """A digest of the texts of those modules: the same on every machine."""
    result = hashlib.sha256(_version.__version__.encode())
    for path in modules(*packages):
        result.update(f"\0{path.relative_to(PACKAGE).as_posix()}\0".encode() + path.read_bytes())
    return result.hexdigest()[:32]


def stamp(*packages: str) -> str:
    """Like `digest`, from sizes and times of change instead of texts: fast, for this machine only."""
    states = [(entry.path, entry.stat()) for entry in _files(packages)]
    stamps = [(path, state.st_size, state.st_mtime_ns) for path, state in states]
    return hashlib.sha256(f"{_version.__version__}\0{stamps}".encode()).hexdigest()[:32]
