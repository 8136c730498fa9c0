"""The files of wirebook itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from wirebook import _version

PACKAGE = Path(_version.__file__).parent


def modules() -> Iterator[Path]:
    """All Python files, in a fixed order. In a checkout, they are behind the links beside `_version.py`."""
    return (Path(entry.path) for entry in _below(os.fspath(PACKAGE)))


def tables() -> list[Path]:
    """The facts of Kafka that code reads, such as its profile and the names of its APIs."""
    folder = PACKAGE / "specs" / "kafka"
    return sorted([*folder.glob("*.json"), folder / "profile.toml"])


def _below(folder: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as listing:
        entries = [entry for entry in listing if entry.name.endswith(".py") or "." not in entry.name]
    entries.sort(key=lambda entry: entry.name)
    yield from (entry for entry in entries if entry.name.endswith(".py"))
    for entry in entries:
        if not entry.name.endswith(".py") and entry.name != "__pycache__" and entry.is_dir():
            yield from _below(entry.path)
